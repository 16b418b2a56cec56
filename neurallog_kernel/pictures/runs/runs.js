// The table of trainings: tick two to see their curves, weights and answers beside each other.

function runsTable({ model, el }) {
  const alone = model.alone === true;
  const table = make("table", { class: "nlr-table" });
  const said = make("p", { class: "nlr-said", role: "status" });
  const beside = make("div", { class: "nlr-beside" });
  const root = make("div", { class: "nlx nlr" }, make("h4", {}, "runs"), table, said, beside);
  el.append(root);

  function show() {
    const runs = model.get("runs");
    const ticked = model.get("ticked");
    const figures = [...new Set(runs.flatMap((run) => Object.keys(run.last)))];
    const heads = ["", "run", "settings", "examples", "epochs", "seconds", ...figures, "weights", ""];
    const body = runs.map((run) => {
      const tick = make("input", { type: "checkbox", "aria-label": `compare run ${run.number}`, disabled: alone });
      tick.checked = ticked.includes(run.number);
      tick.addEventListener("change", () => {
        const others = model.get("ticked").filter((number) => number !== run.number);
        model.set("ticked", tick.checked ? [...others, run.number].slice(-2) : others);
        model.save_changes();
        show();
      });
      const back = make("button", { type: "button", class: "nlr-back", title: `take the weights of run ${run.number} again`, disabled: alone, onclick: () => model.send({ type: "back", run: run.number }) }, "back to this one");
      const number = (value, digits) => make("td", { class: "nlr-number" }, value === undefined ? "" : digits ? value.toFixed(digits) : typeof value === "number" ? shortNumber(value) : value);
      return make(
        "tr", { class: tick.checked ? "nlr-ticked" : "" },
        make("td", {}, tick), number(run.number), make("td", { class: "nlr-settings" }, run.options || "as the program says"),
        make("td", {}, run.data), make("td", { class: "nlr-number" }, String(run.epochs), run.interrupted ? make("span", { class: "nlr-hint" }, " interrupted") : ""), number(run.seconds, 1),
        ...figures.map((name) => make("td", { class: "nlr-number" }, run.last[name] === undefined ? "" : shortNumber(run.last[name]), run.curves[name]?.length > 1 ? spark(run.curves[name]) : "")),
        number(run.weights), make("td", {}, back),
      );
    });
    table.replaceChildren(make("thead", {}, make("tr", {}, ...heads.map((name) => make("th", { class: /^(|settings|examples)$/.test(name) ? "" : "nlr-number" }, name)))), make("tbody", {}, ...body));
    if (!runs.length) beside.replaceChildren("no training yet: %neurallog train makes a run");
    else if (ticked.length < 2) beside.replaceChildren(make("p", { class: "nlr-hint" }, "tick two runs to compare them"));
    compare();
  }

  function spark(values) {
    const svg = draw("svg", { viewBox: "0 0 60 16", class: "nlr-spark", "aria-hidden": "true" });
    const finite = values.filter((v) => v !== null);
    const low = Math.min(...finite);
    const span = Math.max(...finite) - low || 1;
    const points = values.map((v, i) => (v === null ? "" : `${((i / (values.length - 1)) * 58 + 1).toFixed(1)},${(15 - ((v - low) / span) * 14).toFixed(1)}`));
    svg.append(draw("polyline", { points: points.join(" ") }));
    return svg;
  }

  function compare() {
    const found = model.get("comparison");
    if (!found.runs) return;
    const [first, second] = found.runs.map((number) => model.get("runs").find((run) => run.number === number));
    const charts = make("div", { class: "nlx-charts" });
    const toggle = make("input", { type: "checkbox", class: "nlc-log" });
    toggle.addEventListener("change", () => overlay(charts, toggle, first, second));
    overlay(charts, toggle, first, second);
    beside.replaceChildren(
      charts,
      make("div", { class: "nlr-pair" },
        make("section", {}, make("h4", {}, "weights that differ most"), dumbbells(found)),
        make("section", {}, make("h4", {}, answersDiffer(found)), moves(found))),
    );
  }

  // The curves of both; a run has one colour in all of them.
  function overlay(holder, toggle, ...both) {
    const names = [...new Set(both.flatMap((run) => Object.keys(run.curves)))];
    const drawn = names.map((name) => {
      const [series, labels, hues] = [{}, {}, {}];
      both.forEach((run, place) => {
        if (!run.curves[name]?.length) return;
        const key = `${run.number}`;
        [series[key], labels[key], hues[key]] = [run.curves[name], `run ${run.number}`, place];
      });
      return chart(name, Object.keys(series), series, { first: 1, labels, hues, log: toggle.checked });
    });
    holder.replaceChildren(make("label", { class: "nlc-scale" }, toggle, " log scale"), ...drawn);
  }

  // A line from the weight of the first run to that of the second.
  function dumbbells(found) {
    const all = found.weights.flatMap(([, a, b]) => [a, b]);
    const low = Math.min(0, ...all);
    const high = Math.max(...all, low + 1e-9);
    const at = (v) => ((v - low) / (high - low)) * 208 + 6;
    const dot = (place) => make("span", { class: `nlr-dot ${hue(place)}` });
    const head = make("tr", {}, make("th", {}, "weight"), make("th", { class: "nlr-number" }, dot(0), `run ${found.runs[0]}`), make("th", {}), make("th", { class: "nlr-number" }, dot(1), `run ${found.runs[1]}`));
    return make("table", { class: "nlr-weights" }, head, ...found.weights.map(([name, a, b]) => {
      const svg = draw("svg", { viewBox: "0 0 220 16", class: "nlr-dumbbell", role: "img", "aria-label": `${name}: ${shortNumber(a)} and ${shortNumber(b)}` });
      svg.append(
        draw("line", { x1: at(0), x2: at(0), y1: 0, y2: 16, class: "nlr-zero" }), draw("line", { x1: at(a), x2: at(b), y1: 8, y2: 8, class: "nlr-bone" }),
        ...[a, b].map((v, place) => draw("circle", { cx: at(v), cy: 8, r: 4.5, class: `nlc-dot ${hue(place)}` })),
      );
      return make("tr", {}, make("td", { class: "nlr-name", title: name }, ...coloured(name)), make("td", { class: "nlr-number" }, shortNumber(a)), make("td", { class: "nlr-between" }, svg), make("td", { class: "nlr-number" }, shortNumber(b)));
    }));
  }

  function answersDiffer(found) {
    if (!found.total) return "no answer differs";
    const count = (number) => `${number.toLocaleString("en")} answer${number === 1 ? "" : "s"}`;
    const changed = found.changed_places;
    return `${count(found.total)} differ${found.total === 1 ? "s" : ""}; ${changed ? changed.toLocaleString("en") : "none"} at another place`;
  }

  // 1 is the best answer of a question.
  function places([before, after]) {
    return make("td", { class: `nlr-number${before === after ? " nlr-hint" : " nlr-place"}`, title: "its place among the answers" }, before === after ? `${after}` : `${before} → ${after}`);
  }

  function moves(found) {
    const heads = ["answer", `run ${found.runs[0]}`, `run ${found.runs[1]}`, "place", "the rules that did it"];
    const rows = found.moves.map((move) => make(
      "tr", {}, make("td", { class: "nlr-name" }, ...coloured(move.answer)),
      ...[move.before, move.after].map((v) => make("td", { class: "nlr-number" }, shortNumber(v))),
      places(move.places),
      make("td", { class: "nlr-rules" }, ...move.rules.map(([change, rule]) => make("div", { class: "nlr-rule" }, make("span", { class: "nlr-change" }, change), make("span", {}, ...coloured(rule))))),
    ));
    const left = found.total - found.moves.length;
    return make(
      "table", { class: "nlr-moves" },
      make("tr", {}, ...heads.map((name, place) => make("th", { class: place > 0 && place < 4 ? "nlr-number" : "" }, name))), ...rows,
      left > 0 ? make("tr", {}, make("td", { colspan: 5, class: "nlr-hint" }, `and ${left.toLocaleString("en")} more`)) : "",
    );
  }

  const heard = { "change:runs": show, "change:ticked": show, "change:comparison": show, "change:said": () => (said.textContent = model.get("said")) };
  for (const [name, act] of Object.entries(heard)) model.on(name, act);
  hideStill(root, model.get("still"));
  show();
  return () => {
    for (const [name, act] of Object.entries(heard)) model.off(name, act);
  };
}
