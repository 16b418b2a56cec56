// NeuralLog in JupyterLab: colours for `%%neurallog` cells and for notebooks of the NeuralLog kernel, and
// what a live output asks of its notebook.

import { LanguageSupport, StreamLanguage } from "@codemirror/language";
import { ICommandPalette, MainAreaWidget } from "@jupyterlab/apputils";
import { IEditorLanguageRegistry } from "@jupyterlab/codemirror";
import { IMainMenu } from "@jupyterlab/mainmenu";
import { INotebookTracker, NotebookActions } from "@jupyterlab/notebook";
import { tags } from "@lezer/highlight";

import { followTheme } from "./frames.js";
import { parser } from "./language.js";
import { cellOf, reweighed } from "./places.js";
import { welcomePage } from "./welcome.js";

const MIME = "text/x-neurallog";
const PYTHON_MIME = "text/x-ipython";
const OURS = /^\s*%%(?:neurallog|examples)\b/;
const PYTHON = /^\s*%%python\b/;

const language = {
  id: "neurallog-jupyterlab:language",
  description: "The NeuralLog language for the editor.",
  autoStart: true,
  requires: [IEditorLanguageRegistry],
  activate: (_app, languages) => {
    // A program of NeuralLog is a .pl file, as in Prolog: in this JupyterLab it is not Perl.
    const perl = languages.getLanguages().find((one) => one.extensions?.includes("pl"));
    if (perl) perl.extensions = perl.extensions.filter((ending) => ending !== "pl");
    languages.addLanguage({
      name: "neurallog",
      displayName: "NeuralLog",
      mime: MIME,
      extensions: ["nlog", "pl"],
      load: async () => new LanguageSupport(StreamLanguage.define(parser(tags))),
    });
  },
};

const cells = {
  id: "neurallog-jupyterlab:cells",
  description: "Gives each cell its language: NeuralLog for %%neurallog, Python for %%python.",
  autoStart: true,
  requires: [INotebookTracker],
  activate: (_app, tracker) => {
    tracker.widgetAdded.connect((_tracker, panel) => {
      panel.context.ready.then(() => follow(panel.content));
      panel.content.modelContentChanged?.connect(() => follow(panel.content));
    });
  },
};

const followed = new WeakSet();

// Watch every cell of a notebook, those that come later too.
function follow(notebook) {
  if (!notebook.model) return;
  for (const model of notebook.model.cells) watch(model, notebook);
  if (followed.has(notebook.model)) return;
  followed.add(notebook.model);
  notebook.model.cells.changed.connect((_cells, change) => {
    if (change.type === "add") comeBack(notebook, change.newValues);
    for (const model of change.newValues ?? []) watch(model, notebook);
  });
}

// The deleted cells of each notebook that its kernel was told of. JupyterLab lists those it has yet
// to tell: a run tells them, and clears the list when it is over.
const told = new WeakMap();
NotebookActions.executionScheduled.connect((_actions, { notebook }) => {
  const { model } = notebook;
  told.set(model, new Set([...(told.get(model) ?? []), ...(model.deletedCells ?? [])]));
});

// A cell that was cut and pasted, or whose deletion was undone, is not deleted: the kernel must not
// retract its clauses. If it has done so already, the cell says that.
function comeBack(notebook, returned) {
  const listed = notebook.model.deletedCells;
  for (const cell of returned ?? []) {
    const place = listed.indexOf(cell.id);
    if (place >= 0) listed.splice(place, 1);
    const retracted = told.get(notebook.model)?.delete(cell.id);
    const language = languageOf(cell.sharedModel.getSource(), notebook.codeMimetype);
    if (retracted && language === MIME) setTimeout(() => mustRunAgain(cell)); // when its outputs are back
  }
}

function mustRunAgain(cell) {
  if (cell.isDisposed) return;
  const text = "This cell was deleted, and its clauses went with it: run it again.\n";
  cell.sharedModel.execution_count = null;
  cell.outputs?.fromJSON([{ output_type: "stream", name: "stdout", text }]);
}

function languageOf(source, usual) {
  if (OURS.test(source)) return MIME;
  return usual === MIME && PYTHON.test(source) ? PYTHON_MIME : usual;
}

function watch(model, notebook) {
  if (model.type !== "code" || followed.has(model)) return;
  followed.add(model);
  const check = () => {
    const wanted = languageOf(model.sharedModel.getSource(), notebook.codeMimetype);
    if (model.mimeType !== wanted) model.mimeType = wanted;
  };
  check();
  model.sharedModel.changed.connect(check);
  model.mimeTypeChanged.connect(check); // the notebook sets it again when a kernel has started
}

// A live output cannot reach its notebook. It sends an event from inside it, and whoever can do what
// it asks says so by `preventDefault`.
const requests = {
  id: "neurallog-jupyterlab:requests",
  description: "Does what a live output asks: writes a new cell, interrupts the kernel.",
  autoStart: true,
  requires: [INotebookTracker],
  activate: (_app, tracker) => {
    document.addEventListener("neurallog-cell", (event) => {
      const found = whereOf(tracker, event.detail?.near);
      if (!found || typeof event.detail.text !== "string") return;
      event.preventDefault();
      const notebook = found.panel.content;
      notebook.activeCellIndex = found.index;
      NotebookActions.insertBelow(notebook);
      notebook.activeCell.model.sharedModel.setSource(event.detail.text);
      notebook.scrollToItem?.(notebook.activeCellIndex, "smart");
    });
    document.addEventListener("neurallog-weights", (event) => {
      const found = whereOf(tracker, event.detail?.near);
      if (!found) return;
      event.preventDefault();
      for (const [clause, weight] of Object.entries(event.detail.weights ?? {})) write(found.panel, clause, weight);
    });
    document.addEventListener("click", (event) => {
      const target = event.target instanceof Element ? event.target : null;
      const place = target?.closest("[data-nl-go]");
      const why = target?.closest("[data-nl-why]");
      if (place) goTo(tracker, place);
      else if (why) explain(tracker, why);
    });
    document.addEventListener("neurallog-interrupt", (event) => {
      const found = whereOf(tracker, event.detail?.near);
      const kernel = found?.panel.sessionContext.session?.kernel;
      if (!kernel) return;
      event.preventDefault();
      kernel.interrupt();
    });
  },
};

// Another weight for a clause, in the cell that states it.
function write(panel, clause, weight) {
  for (const cell of panel.content.widgets) {
    if (cell.model.type !== "code") continue;
    const text = reweighed(cell.model.sharedModel.getSource(), clause, weight);
    if (text === null) continue;
    cell.model.sharedModel.setSource(text);
    return;
  }
}

// To the cell that a part of an explanation was written in.
function goTo(tracker, place) {
  const found = whereOf(tracker, place);
  const index = found ? cellOf(found.panel.content.widgets.map((cell) => cell.model.id), place.dataset.nlGo) : -1;
  if (index < 0) return;
  const notebook = found.panel.content;
  notebook.activeCellIndex = index;
  notebook.scrollToItem?.(index, "center");
  const editor = notebook.activeCell.editor;
  const line = Math.max(0, Number(place.dataset.nlLine ?? 1) - 1);
  editor?.setCursorPosition({ line: Math.min(line, editor.lineCount - 1), column: 0 });
  notebook.activeCell.node.animate?.([{ background: "#ffd33d55" }, {}], 900);
}

// Why an answer has its weight: asked in a cell below its table.
async function explain(tracker, row) {
  const found = whereOf(tracker, row);
  if (!found) return;
  const notebook = found.panel.content;
  notebook.activeCellIndex = found.index;
  NotebookActions.insertBelow(notebook);
  notebook.activeCell.model.sharedModel.setSource(`%neurallog explain ${row.dataset.nlWhy}`);
  await NotebookActions.run(notebook, found.panel.sessionContext);
}

const frames = {
  id: "neurallog-jupyterlab:frames",
  description: "Gives the pages that play inside a notebook the colours of its theme.",
  autoStart: true,
  activate: followTheme,
};

// The first page, and where to find it again.
const WELCOME = "neurallog:welcome";
const PAGE = "neurallog-welcome";
const welcome = {
  id: "neurallog-jupyterlab:welcome",
  description: "A first page with the tutorials, and NeuralLog in the Help menu.",
  autoStart: true,
  optional: [IMainMenu, ICommandPalette],
  activate: (app, menu, palette) => {
    app.commands.addCommand(WELCOME, {
      label: "NeuralLog: welcome and tutorials",
      execute: async () => {
        const opened = () => [...(app.shell.widgets?.("main") ?? [])].find((one) => one.id === PAGE);
        if (opened()) return app.shell.activateById(PAGE);
        const content = await welcomePage(app);
        if (opened()) return app.shell.activateById(PAGE); // asked for twice at once
        const widget = new MainAreaWidget({ content });
        widget.id = PAGE;
        widget.title.label = "NeuralLog";
        widget.title.closable = true;
        app.shell.add(widget, "main");
        app.shell.activateById(widget.id);
      },
    });
    menu?.helpMenu.addGroup([{ command: WELCOME }], 0);
    palette?.addItem({ command: WELCOME, category: "Help" });
    app.restored.then(async () => {
      const open = [...(app.shell.widgets?.("main") ?? [])].filter((one) => !/launcher/i.test(one.id));
      if (open.length || !/\/lab(\/workspaces\/[^/]+)?\/?$/.test(location.pathname)) return;
      const there = await app.serviceManager.contents.get("", { content: true });
      if (there.content.some((file) => file.name === "welcome.html")) app.commands.execute(WELCOME);
    });
  },
};

// The notebook and the cell that a place of the page is in.
function whereOf(tracker, near) {
  if (!(near instanceof Node)) return null;
  const panel = tracker.find((one) => one.node.contains(near));
  if (!panel) return null;
  const index = panel.content.widgets.findIndex((cell) => cell.node.contains(near));
  return index < 0 ? null : { panel, index };
}

export default [language, cells, requests, frames, welcome];
