// The first page: what NeuralLog is, a network that plays, and a button for each tutorial.

import { Widget } from "@lumino/widgets";

import { themed } from "./frames.js";

const STYLE = `
.nlw { overflow: auto; padding: 16px 28px; color: var(--jp-ui-font-color1); background: var(--jp-layout-color1);
  font-family: var(--jp-ui-font-family); }
.nlw h1 { font-size: 24px; margin: 0 0 2px; }
.nlw p { max-width: 76em; margin: 2px 0 8px; color: var(--jp-ui-font-color2); font-size: 14px; line-height: 1.4; }
.nlw-tutorials { display: grid; grid-template-columns: repeat(auto-fill, minmax(165px, 1fr)); gap: 6px; margin: 8px 0 12px; }
.nlw-tutorials button { text-align: left; font: inherit; font-size: 13px; padding: 6px 9px; border-radius: 6px; cursor: pointer;
  display: flex; gap: 8px; align-items: baseline; color: inherit; background: var(--jp-layout-color2); border: 1px solid var(--jp-border-color1); }
.nlw-tutorials button:hover { border-color: var(--jp-brand-color1); }
.nlw-tutorials b { color: var(--jp-brand-color1); font-variant-numeric: tabular-nums; }
.nlw iframe { width: 100%; max-width: 1100px; height: 620px; border: 0; border-radius: 8px; color-scheme: light; }
[data-jp-theme-light="false"] .nlw iframe { color-scheme: dark; }
`;

function element(tag, text = "", className = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}

export async function welcomePage(app) {
  const widget = new Widget();
  widget.addClass("nlw");
  const contents = app.serviceManager.contents;
  const listed = (await contents.get("", { content: true })).content;
  const tutorials = listed.filter((file) => /^\d\d_.*\.ipynb$/.test(file.name)).sort((a, b) => (a.name < b.name ? -1 : 1));
  const buttons = element("div", "", "nlw-tutorials");
  for (const { name, path } of tutorials) {
    const button = element("button");
    const title = name.slice(3, -6).replace(/_/g, " ");
    button.append(element("b", name.slice(0, 2)), title[0].toUpperCase() + title.slice(1));
    button.title = `tutorial ${name.slice(0, 2)}: ${title}`;
    button.addEventListener("click", () => app.commands.execute("docmanager:open", { path }));
    buttons.append(button);
  }
  widget.node.append(
    element("style", STYLE),
    element("h1", "NeuralLog"),
    element("p", "Write facts and rules of first-order logic: NeuralLog compiles them to a neural network that answers, explains and learns. Begin with the first of the tutorials, or with a cell of your own: %load_ext neurallog_magics, then %%neurallog."),
    buttons,
  );
  if (listed.some((file) => file.name === "welcome.html")) {
    const frame = element("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.setAttribute("title", "a network that plays");
    const saved = await contents.get("welcome.html", { type: "file", format: "text", content: true });
    frame.srcdoc = themed(saved.content ?? "");
    widget.node.append(element("p", "A question in its network, alive: press play. In a notebook, %neurallog live p(a, Y) makes one of your own program."), frame);
  }
  return widget;
}
