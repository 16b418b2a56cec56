// The live table of learned rules: rows with ticks, buttons, and what they show below.

function render({ model, el }) {
  const button = (label, title, act, name) =>
    make("button", { type: "button", title, class: `nlr-${name}`, onclick: act }, label);
  const tell = (content) => model.send(content);

  const stop = button("stop", "end the search and keep the best so far", interrupt, "stop");
  const more = button("more time", "search ten seconds more", () => ask({ type: "more" }), "more");
  const bar = make("progress", { class: "nlr-progress", max: 1, "aria-label": "the search" });
  const stage = make("span", { class: "nlr-stage", "aria-live": "polite" });
  const tables = make("div", { class: "nlr-tables" });
  const acts = make(
    "div",
    { class: "nlr-bar", role: "group", "aria-label": "what to do with the rules" },
    button("accept into a cell", "write the ticked rules into a new cell", () => ask({ type: "accept" }), "accept"),
    button("refit", "weigh the rows again", () => ask({ type: "refit" }), "refit"),
    button("explain row", "instances of the row that is chosen", () => ask({ type: "explain" }), "explain"),
    button("show misses", "examples that no ticked rule reaches", () => ask({ type: "misses" }), "misses"),
    button("reject row", "take the chosen row out, for good", () => ask({ type: "reject" }), "reject"),
    button("revise", "what taking a rule out or in would change", () => ask({ type: "revise" }), "revise"),
  );
  const said = make("div", { class: "nlr-said", "aria-live": "polite" });
  const notes = make("ul", { class: "nlr-notes" });
  const panel = make("pre", { class: "nlr-panel", tabindex: "0", "aria-label": "details" });
  const root = make(
    "div",
    { class: "nlr nlx" },
    make("div", { class: "nlr-bar" }, bar, stage, stop, more),
    tables,
    acts,
    said,
    panel,
    notes,
  );
  // The table that stays in the notebook is not needed while this one lives.
  const hide = make("style");
  hide.textContent = `.jp-OutputArea-child:has(.${model.get("still")}) { display: none; }`;
  root.append(hide);
  el.append(root);

  let waiting = false; // for the answer to a button
  let chosen = null; // the text of the row that buttons are about: rows move

  function ask(content) {
    const row = rows().find((one) => one.text === chosen);
    if (["explain", "reject"].includes(content.type)) {
      if (!row) {
        said.textContent = "click a row first";
        return;
      }
      content.number = row.number;
    }
    wait(true);
    tell(content);
  }

  // Some answers take seconds: whoever pressed a button sees that it was heard.
  function wait(on) {
    waiting = on;
    said.textContent = on ? "one moment …" : model.get("said");
    able();
  }

  function able() {
    const running = Boolean(model.get("state").running);
    stop.disabled = !running;
    more.disabled = running || waiting;
    for (const one of acts.children) one.disabled = running || waiting;
  }

  function rows() {
    return (model.get("state").heads ?? []).flatMap((head) => head.rows);
  }

  // A part of JupyterLab that NeuralLog brings does what a page cannot; where it is not there, the
  // notebook's own stop button does the same.
  function request(name, detail) {
    const event = new CustomEvent(`neurallog-${name}`, { detail: { ...detail, near: root }, cancelable: true });
    return !document.dispatchEvent(event);
  }

  function interrupt() {
    if (!request("interrupt", {})) said.textContent = "interrupt the kernel (■) to end the search";
  }

  function cell(text) {
    if (request("cell", { text })) return;
    panel.textContent = text;
    said.textContent = "copy this into a cell below, and run it";
  }

  // -- rows ---------------------------------------------------------------------------------------

  const COLUMNS = ["", "", "weight", "right / fires", "conf.", "+held-out", "new", "rule", "like it"];
  const NUMBERS = new Set([1, 2, 3, 4, 5, 6]);

  // A rule breaks between its literals and not inside of one.
  const unbroken = (text) =>
    text.split(/(\([^()]*\))/).map((part, place) => (place % 2 ? make("span", { class: "nlr-terms" }, part) : part));

  function line(row) {
    const tick = make("input", { type: "checkbox", "aria-label": `take rule ${row.number}` });
    tick.checked = row.ticked;
    tick.addEventListener("change", () => tell({ type: "tick", number: row.number, on: tick.checked }));
    tick.addEventListener("click", (event) => event.stopPropagation());
    const texts = row.cells;
    const cells = texts.map((text, place) => {
      const content = place === 0 ? [tick] : place === 7 ? unbroken(text) : [text];
      const kind = place === 7 ? "nlr-rule" : NUMBERS.has(place) ? "nlr-number" : "";
      return make("td", { class: kind }, ...content);
    });
    const name = ["nlr-row", row.known ? "nlr-known" : "", row.text === chosen ? "nlr-chosen" : ""];
    const choose = () => {
      chosen = row.text;
      showRows();
    };
    return make(
      "tr",
      { class: name.filter(Boolean).join(" "), tabindex: "0", title: row.like.join("\n"), onclick: choose,
        onkeydown: (event) => event.key === "Enter" && choose() },
      ...cells,
    );
  }

  function showRows() {
    const heads = model.get("state").heads ?? [];
    tables.replaceChildren(
      ...heads.map((head) =>
        make(
          "div",
          { class: "nlr-head" },
          make("div", { class: "nlr-title" }, head.title),
          head.rows.length
            ? make(
                "table",
                {},
                make("thead", {}, make("tr", {}, ...COLUMNS.map((name, place) =>
                  make("th", { class: NUMBERS.has(place) ? "nlr-number" : "", scope: "col" }, name)))),
                make("tbody", {}, ...head.rows.map(line)),
              )
            : make("div", { class: "nlr-none" }, head.none),
          make("div", { class: "nlr-heldout" }, head.heldOut),
        ),
      ),
    );
  }

  function showState() {
    const state = model.get("state");
    root.classList.toggle("nlr-running", Boolean(state.running));
    bar.value = state.done ?? 0;
    stage.textContent = state.stage ?? "";
    able();
    notes.replaceChildren(...(state.notes ?? []).map((text) => make("li", {}, text)));
    showRows();
  }

  model.on("change:state", showState);
  model.on("change:panel", () => {
    panel.textContent = model.get("panel");
  });
  model.on("change:said", () => {
    if (!waiting) said.textContent = model.get("said");
  });
  model.on("msg:custom", (content) => {
    if (content.type === "done") wait(false);
    if (content.type === "cell") cell(content.text);
  });
  panel.textContent = model.get("panel");
  said.textContent = model.get("said");
  showState();
}

export default { render };
