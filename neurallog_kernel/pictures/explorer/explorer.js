// The explorer's page: controls, two pictures, what was clicked, and training.

function explorer({ model, el }) {
  const alone = model.alone === true; // a page without a kernel
  let links = null;
  let rays = null;
  let zooms = [];
  let dag = null;
  let tree = null;
  let snapshotTimer = null;

  // -- controls -----------------------------------------------------------------------------------

  const predicate = make("select", { "aria-label": "predicate", class: "nlx-predicate" });
  const rule = make("select", { "aria-label": "rule", class: "nlx-rule" });
  const output = make("select", { "aria-label": "output", class: "nlx-output" });
  const question = make("span", { class: "nlx-question" });
  const button = (label, title, act, more = "") =>
    make("button", { type: "button", title, "aria-label": title, class: more, onclick: act }, label);
  const play = button("play", "play or pause (p)", () => rays?.play(), "nlx-play");
  const stepping = make(
    "span",
    { class: "nlx-group", role: "group", "aria-label": "X-ray" },
    button("start", "to the start", () => rays?.first(), "nlx-first"),
    button("back", "one step back (b)", () => rays?.back(), "nlx-back"),
    play,
    button("next", "one step on (n)", () => rays?.next(), "nlx-next"),
    button("end", "to the end", () => rays?.last(), "nlx-last"),
  );
  const view = make(
    "span",
    { class: "nlx-group", role: "group", "aria-label": "view" },
    button("+", "zoom in", () => zooms.forEach((z) => z.zoom(1.25)), "nlx-in"),
    button("−", "zoom out", () => zooms.forEach((z) => z.zoom(0.8)), "nlx-out"),
    button("fit", "fit", () => zooms.forEach((z) => z.fit()), "nlx-fit"),
    button("SVG", "save as SVG", () => saveSvg(), "nlx-svg"),
    button("PNG", "save as PNG", () => dag && savePng("rule.png", dag), "nlx-png"),
  );
  const said = make("div", { class: "nlx-said", "aria-live": "polite" });
  const left = make("div", { class: "nlx-dag", role: "group", "aria-label": "graph of the rule" });
  const right = make("div", { class: "nlx-tree", role: "group", "aria-label": "paths of the rule" });
  const titled = (title, about, pane, more) =>
    make("figure", { class: `nlx-pane ${more}` }, make("figcaption", {}, make("b", {}, title), ` ${about}`), pane);
  const legend = make(
    "p", { class: "nlx-legend" },
    make("span", { class: "nlx-key nlx-key-in" }, "input"), make("span", { class: "nlx-key nlx-key-out" }, "output"),
    make("span", { class: "nlx-key nlx-key-learn" }, "◆ learned"),
    "A circle is a term, an arrow a literal. Numbers beside an arrow: how many entries it gives, and their sum. Click a part to see its facts; its twin in the other pane lights up.",
  );
  const ways = make("figure", { class: "nlx-ways", hidden: true });
  const panel = make("div", { class: "nlx-panel", "aria-live": "polite" });
  const notes = make("ul", { class: "nlx-notes" });
  const charts = make("div", { class: "nlx-charts" });
  const epoch = make("span", { class: "nlx-epoch" });
  const slider = make("input", { type: "range", min: 0, class: "nlx-slider", "aria-label": "epoch" });
  const back = make("label", { class: "nlx-history" }, "epoch ", slider, epoch);
  const training = make("div", { class: "nlx-training", hidden: true }, charts, back);
  const root = make(
    "div",
    { class: "nlx" },
    make("div", { class: "nlx-bar" }, predicate, rule, label("output", output), question),
    make("div", { class: "nlx-bar" }, stepping, view, said),
    make(
      "div", { class: "nlx-panes" },
      titled("graph", "each literal once", left, "nlx-pane-dag"), titled("paths", "every way from the input to the output", right, "nlx-pane-tree"), panel,
    ),
    ways,
    legend,
    notes,
    training,
  );
  root.tabIndex = -1;
  el.append(root);

  function label(text, control) {
    return make("label", {}, `${text} `, control);
  }

  function options(select, entries, chosen) {
    select.replaceChildren(
      ...entries.map(([value, text]) => {
        const option = make("option", { value }, text);
        option.selected = String(value) === String(chosen);
        return option;
      }),
    );
  }

  // -- what is chosen -----------------------------------------------------------------------------

  function choose(change) {
    model.set("choice", { ...model.get("choice"), ...change });
    model.save_changes();
  }

  function showChoice() {
    const choice = model.get("choice");
    const catalogue = model.get("catalogue");
    const names = catalogue.map((entry) => [entry.name, `${entry.name} (${entry.rules.length})`]);
    options(predicate, names, choice.predicate);
    const rules = catalogue.find((entry) => entry.name === choice.predicate)?.rules ?? [];
    options(rule, rules.map((text, index) => [index + 1, `${index + 1}. ${text}`]), choice.rule);
    const places = model.get("scene").places ?? [];
    options(output, places.map((p, index) => [index, p.name]), choice.output);
    output.disabled = alone || places.length < 2;
    question.replaceChildren();
    places.forEach((p, index) => {
      if (p.output) return;
      const list = make("datalist", { id: `nlx-${model.get("still")}-${index}` });
      list.append(...p.choices.map((name) => make("option", { value: name })));
      const field = make("input", { list: list.id, "aria-label": `entity for ${p.name}`, size: 12, readonly: alone });
      field.value = choice.given?.[index] ?? "";
      field.addEventListener("change", () => {
        const given = [...(model.get("choice").given ?? [])];
        given[index] = field.value || null;
        choose({ given });
      });
      question.append(label(`${p.name} =`, field), list);
    });
  }

  predicate.addEventListener("change", () =>
    choose({ predicate: predicate.value, rule: 1, output: null, given: [] }),
  );
  rule.addEventListener("change", () => choose({ rule: Number(rule.value) }));
  output.addEventListener("change", () => choose({ output: Number(output.value), given: [] }));

  // -- pictures and numbers -----------------------------------------------------------------------

  function showScene() {
    const scene = model.get("scene");
    rays?.stop();
    dag = place(left, scene.dag, model.get("sheet"));
    tree = place(right, scene.tree, model.get("sheet"));
    const drawn = [dag, tree].filter(Boolean);
    root.style.setProperty("--pane", `${paneHeight(...drawn)}px`);
    zooms = drawn.map(zoomable);
    links = linked(dag, tree, scene, open);
    notes.replaceChildren(...scene.notes.map((note) => make("li", {}, note)));
    showChoice();
    showNumbers();
    showTraining();
  }

  function showNumbers() {
    rays?.stop();
    rays = null;
    const numbers = model.get("numbers");
    root.classList.toggle("nlx-asked", Boolean(numbers.steps));
    showWays(numbers.groundings);
    if (!numbers.steps) {
      said.textContent = numbers.error ?? "";
      return;
    }
    rays = xray(dag, tree, model.get("scene").links, numbers, (at, steps) => {
      const step = at < 0 ? "" : `, step ${at + 1} of ${steps.length}: ${steps[at].say}`;
      said.replaceChildren(make("b", {}, isolated(numbers.question)), isolated(step));
      const playing = rays?.playing() ?? false;
      play.textContent = playing ? "pause" : "play";
      root.dataset.step = at;
      remember();
    });
  }

  // Every way to fill the variables of the rule, with what it weighs.
  function showWays(found) {
    ways.hidden = !found?.rows?.length;
    if (ways.hidden) return;
    const most = [0, 1].map((level) => Math.max(...found.rows.filter((row) => row[2] === level).map(([, weight]) => Math.abs(weight)), 1e-12));
    const deep = found.rows.some(([, , level]) => level);
    ways.replaceChildren(
      make("figcaption", {}, make("b", {}, "groundings"), ` every way to fill the variables for ${found.about}${deep ? ", and below it what goes into it" : ""}`),
      ...found.rows.map(([text, weight, level]) => {
        const bar = make("span", { class: `nlx-way-bar${weight < 0 ? " nlx-minus" : ""}` });
        bar.style.width = `${(Math.abs(weight) / most[level]) * 100}%`;
        return make("div", { class: `nlx-way${level ? " nlx-way-in" : ""}` }, make("b", {}, shortNumber(weight)), make("span", {}, bar), make("code", {}, text));
      }),
    );
  }

  function open(name) {
    model.send({ type: "click", id: name });
  }

  function showPanel() {
    const found = model.get("panel");
    panel.replaceChildren();
    panel.classList.toggle("nlx-open", Boolean(found.id));
    if (!found.id) return;
    panel.dataset.for = found.id;
    panel.append(make("h4", {}, found.title), ...found.lines.map((line) => make("p", {}, line)));
    if (found.values?.length) panel.append(table("here", found.values));
    if (found.rows.length) panel.append(table("facts", found.rows));
    if (found.open) {
      const change = { predicate: found.open, rule: 1, output: null, given: [] };
      panel.append(button(`open ${found.open}`, "show its rules", () => choose(change)));
    }
    panel.append(button("close", "close", () => panel.classList.remove("nlx-open")));
  }

  function table(name, rows) {
    const most = Math.max(...rows.map(([, weight]) => Math.abs(weight)), 1e-9);
    return make(
      "table",
      {},
      make("caption", {}, name),
      ...rows.map(([key, weight]) => {
        const bar = make("span", { class: "nlx-bar-in" });
        bar.style.width = `${(Math.abs(weight) / most) * 100}%`;
        const number = make("td", { class: "nlx-weight" }, bar, shortNumber(weight));
        return make("tr", {}, make("td", {}, key), number);
      }),
    );
  }

  // -- training -----------------------------------------------------------------------------------

  function showTraining() {
    const state = model.get("training");
    if (!state.phase) return;
    training.hidden = false;
    drawCurves(charts, state);
    restyle(dag, state.looks, model.get("scene").labels);
    const frames = state.frames;
    back.hidden = frames.length === 0;
    epoch.textContent = ` ${state.epoch} of ${state.epochs}`;
    training.dataset.phase = state.phase;
    if (frames.length) {
      slider.max = frames.length - 1;
      slider.value = frames.length - 1;
    }
    remember();
  }

  slider.addEventListener("input", () => {
    const frame = model.get("training").frames[Number(slider.value)];
    restyle(dag, frame.looks, model.get("scene").labels);
    epoch.textContent = ` ${frame.epoch} of ${model.get("training").epochs}`;
    remember();
  });

  // -- keeping and leaving ------------------------------------------------------------------------

  function saveSvg() {
    if (dag) save("rule.svg", new Blob([asFile(dag)], { type: "image/svg+xml" }));
  }

  // Python keeps the last state for the saved notebook; not more often than it changes for long.
  function remember() {
    clearTimeout(snapshotTimer);
    snapshotTimer = setTimeout(() => {
      if (dag && dag.isConnected) model.send({ type: "snapshot", svg: asFile(dag) });
    }, 700);
  }

  root.addEventListener("keydown", (event) => {
    if (event.target.closest("input, select")) {
      event.stopPropagation();
      return;
    }
    const act = {
      n: () => rays?.next(),
      b: () => rays?.back(),
      p: () => rays?.play(),
      "+": () => zooms.forEach((z) => z.zoom(1.25)),
      "-": () => zooms.forEach((z) => z.zoom(0.8)),
      0: () => zooms.forEach((z) => z.fit()),
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    act();
    event.preventDefault();
    event.stopPropagation();
  });

  hideStill(root, model.get("still"));

  const heard = {
    "change:scene": showScene,
    "change:numbers": showNumbers,
    comm_live_update: () => (said.textContent = GONE),
    "change:choice": showChoice,
    "change:catalogue": showChoice,
    "change:panel": showPanel,
    "change:training": showTraining,
    "msg:custom": (message) => message?.type === "snapshot" && remember(),
  };
  for (const [event, act] of Object.entries(heard)) model.on(event, act);
  showScene();
  showPanel();
  onPage(model, 1);

  return () => {
    onPage(model, -1);
    for (const [event, act] of Object.entries(heard)) model.off(event, act);
    clearTimeout(snapshotTimer);
    rays?.stop();
  };
}

// A page without a kernel: every rule is a frame of its own, and the page changes between them.
function explorerPage({ model, el }) {
  const frames = model.get("frames");
  const catalogue = [];
  for (const [name, frame] of Object.entries(frames)) {
    const [predicate, number] = [name.slice(0, name.lastIndexOf(":")), Number(name.slice(name.lastIndexOf(":") + 1))];
    let entry = catalogue.find((one) => one.name === predicate);
    if (!entry) catalogue.push((entry = { name: predicate, rules: [] }));
    entry.rules[number - 1] = frame.catalogue[0].rules[number - 1];
  }
  let gone = () => {};
  const open = (name) => {
    gone();
    el.replaceChildren();
    const data = { ...frames[name], catalogue, sheet: model.get("sheet") };
    let wanted = data.choice;
    gone = explorer({
      el,
      model: {
        alone: true, get: (key) => data[key], on: () => {}, off: () => {}, send: () => {},
        set: (key, value) => key === "choice" && (wanted = value),
        save_changes: () => open(frames[`${wanted.predicate}:${wanted.rule}`] ? `${wanted.predicate}:${wanted.rule}` : name),
      },
    });
  };
  open(model.get("first"));
}
