// The playground page. Results are values that engine.py made: recorded when the site was built, or
// made now by the worker, where Pyodide is beside the page.
"use strict";

const recorded = window.NEURALLOG_RECORDED;
const engineFiles = window.NEURALLOG_ENGINE;
const at = (name) => document.getElementById(name);
const program = at("program");
const results = at("results");

// --- the program and its link --------------------------------------------------------------------

const toLink = (text) =>
  btoa(String.fromCharCode(...new TextEncoder().encode(text)))
    .replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

function fromLink(code) {
  try {
    const bytes = atob(code.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder("utf-8", { fatal: true }).decode(
      Uint8Array.from(bytes, (one) => one.charCodeAt(0)));
  } catch {
    return null;
  }
}

function keepInLink() {
  history.replaceState(null, "", `#p=${toLink(program.value)}`);
}

function open() {
  const found = /^#p=([\w-]*)$/.exec(location.hash);
  const text = found && fromLink(found[1]);
  program.value = text ?? recorded[0].text;
  if (location.hash && text === null) say("The link is damaged, so this is the first example.");
  showExample();
  paint();
  run();
}

function showExample() {
  const place = recorded.findIndex((one) => one.text === program.value);
  at("examples").value = place < 0 ? "" : String(place);
}

// --- colours -------------------------------------------------------------------------------------

const TOKENS = /(%[^\n]*)|("(?:\\.|[^"\\\n])*")|(\b\d+(?:\.\d+)?(?:e-?\d+)?\b)|(\?-|:-|::)|(\b[A-Z_]\w*)|(\b[a-z]\w*(?=\())/g;
const KINDS = ["c", "s", "n", "k", "v", "f"];
const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function coloured(text) {
  let done = 0, html = "";
  for (const found of text.matchAll(TOKENS)) {
    const kind = KINDS[found.slice(1).findIndex((part) => part !== undefined)];
    html += escaped(text.slice(done, found.index));
    html += `<span class="nl-${kind}">${escaped(found[0])}</span>`;
    done = found.index + found[0].length;
  }
  return html + escaped(text.slice(done));
}

function paint(wrong = 0) {
  const lines = coloured(program.value).split("\n");
  if (wrong) lines[wrong - 1] = `<span class="wrong">${lines[wrong - 1] || " "}</span>`;
  at("colours").innerHTML = lines.join("\n") + "\n";
  at("colours").scrollTop = program.scrollTop;
}

// --- results -------------------------------------------------------------------------------------

function element(kind, name, content = "") {
  const made = document.createElement(kind);
  if (name) made.className = name;
  made.textContent = content;
  return made;
}

// HTML of engine.py, in which everything from a program is escaped.
function made(html) {
  const box = element("div");
  box.innerHTML = html;
  return box;
}

function show(result) {
  results.replaceChildren();
  if (result.error) {
    results.append(element("pre", "error", result.error));
    paint(result.line);
    return;
  }
  if (result.notices) results.append(made(result.notices));
  if (!result.questions.length)
    results.append(element("p", "say", "The program is right, and it asks nothing. " +
      "End it with a question, such as ?- parent(ann, Who)."));
  for (const question of result.questions) results.append(article(question));
  if (result.left_out)
    results.append(element("p", "say", `${result.left_out} more questions are not shown.`));
}

function article(question) {
  const box = element("article");
  if (question.error) {
    box.append(element("div", "say", question.asked), element("pre", "error", question.error));
    return box;
  }
  box.append(made(question.answers));
  if (question.first) box.append(element("h3", "", "Why? Click an answer."), reasons(box, question));
  if (question.pictures.length) {
    box.append(element("h3", "", "The question in the graph of the rule"));
    for (const picture of question.pictures) {
      const place = made(picture.svg || "");
      place.className = "picture";
      place.append(picture.svg ? "" : element("pre", "", picture.text));
      box.append(place);
    }
  }
  if (question.live) box.append(alive(question));
  return box;
}

function reasons(box, question) {
  const place = element("div", "why");
  const rows = [...box.querySelectorAll("tr[data-nl-why]")];
  const choose = (asked) => {
    place.innerHTML = question.reasons[asked] ?? "";
    for (const row of rows) row.classList.toggle("chosen", row.dataset.nlWhy === asked);
  };
  for (const row of rows) {
    row.tabIndex = 0;
    row.addEventListener("click", () => choose(row.dataset.nlWhy));
    row.addEventListener("keydown", (event) => {
      if (event.key === "Enter") choose(row.dataset.nlWhy);
    });
  }
  choose(question.first);
  return place;
}

function alive(question) {
  const box = element("details");
  box.append(element("summary", "", "Play it: the living network"));
  box.addEventListener("toggle", () => {
    if (!box.open || box.querySelector("iframe")) return;
    const frame = element("iframe");
    frame.title = `the living network of ${question.asked}`;
    frame.sandbox = "allow-scripts";
    frame.srcdoc = question.live;
    box.append(frame);
  });
  return box;
}

const say = (text) => { at("status").textContent = text; };

// --- the engine ----------------------------------------------------------------------------------

let worker = null;
let ready = false;
let number = 0;

function startEngine() {
  if (!engineFiles) return because("The engine's files are not beside this page");
  if (location.protocol === "file:")
    return because("A page that is opened as a file may not start the engine");
  ready = false;
  say("Starting Python in this window …");
  worker = new Worker("worker.js", { type: "module" });
  worker.onmessage = ({ data }) => heard(data);
  worker.onerror = (event) => failed(event.message || "it did not start");
}

function heard(data) {
  if (data.type === "step") say(data.say);
  else if (data.type === "ready") {
    ready = true;
    say("Python runs in this window: change the program and run it.");
    if (!recordedOf(program.value)) run();
  } else if (data.type === "failed") failed(data.say);
  else if (data.type === "result" && data.number === number) {
    busy(false);
    show(data.result);
  }
}

function failed(why) {
  worker?.terminate();
  worker = null;
  ready = false;
  busy(false);
  because(`The engine did not start: ${why}`);
  if (!recordedOf(program.value)) run();
}

let reason = "";
function because(why) {
  reason = why;
  say(`${why}; the examples are recorded.`);
}

function busy(on) {
  at("stop").hidden = !on;
  at("run").disabled = on;
}

const recordedOf = (text) => recorded.find((one) => one.text === text)?.result;

function run() {
  keepInLink();
  paint();
  const kept = recordedOf(program.value);
  if (kept) return show(kept);
  if (ready) {
    busy(true);
    worker.postMessage({ number: ++number, text: program.value });
    return;
  }
  const text = worker
    ? "Python is starting. Your program runs when it is there."
    : `${reason}, so a program of your own cannot run here. Choose an example, or run your program ` +
      "in a notebook: make lab LIGHT=1. The page “Playground” of the documentation says how to put " +
      "the engine beside this page.";
  results.replaceChildren(element("p", "say", text));
}

// --- the buttons ---------------------------------------------------------------------------------

at("examples").append(...recorded.map((one, place) => {
  const option = element("option", "", one.title);
  option.value = String(place);
  return option;
}));
const own = element("option", "", "your own");
own.value = "";
at("examples").append(own);
at("examples").addEventListener("change", (event) => {
  if (event.target.value === "") return program.focus();
  program.value = recorded[Number(event.target.value)].text;
  run();
});
at("run").addEventListener("click", run);
at("stop").addEventListener("click", () => {
  worker.terminate();
  busy(false);
  results.replaceChildren(element("p", "say", "Stopped."));
  startEngine();
});
at("link").addEventListener("click", async () => {
  keepInLink();
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied. It holds the program.");
  } catch {
    say("The link is in the address bar. It holds the program.");
  }
});
program.addEventListener("input", () => { paint(); showExample(); });
program.addEventListener("scroll", () => {
  at("colours").scrollTop = program.scrollTop;
});
program.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    run();
  }
});
window.addEventListener("hashchange", open);
startEngine();
open();
