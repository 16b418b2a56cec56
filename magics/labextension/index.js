// NeuralLog in JupyterLab: colours for `%%neurallog` cells and for notebooks of the NeuralLog kernel.

import { LanguageSupport, StreamLanguage } from "@codemirror/language";
import { IEditorLanguageRegistry } from "@jupyterlab/codemirror";
import { INotebookTracker } from "@jupyterlab/notebook";
import { tags } from "@lezer/highlight";

import { parser } from "./language.js";

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
    languages.addLanguage({
      name: "neurallog",
      displayName: "NeuralLog",
      mime: MIME,
      extensions: ["nlog"],
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
    if (change.type === "add") comeBack(notebook.model, change.newValues);
    for (const model of change.newValues ?? []) watch(model, notebook);
  });
}

// A cell that was cut and pasted, or whose deletion was undone, is not deleted: JupyterLab still
// lists it, and the kernel would retract its clauses.
function comeBack(model, returned) {
  const deleted = model.deletedCells;
  for (const cell of returned ?? []) {
    const place = deleted ? deleted.indexOf(cell.id) : -1;
    if (place >= 0) deleted.splice(place, 1);
  }
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

export default [language, cells];
