// Curves of a training: large, with ticks, a log scale, and the numbers under the pointer.

const CHART = { width: 470, height: 220, left: 52, right: 12, top: 12, bottom: 30 };
const hue = (index) => `nlc-hue-${index % 8}`; // the style sheet has them for light and for dark

// One chart for each figure; a curve and its validation curve share one. Weights come last.
function drawCurves(holder, state) {
  const log = (holder.dataset.log ?? document.body.dataset.nlLog) === "yes"; // stays for the next frame
  const groups = new Map();
  for (const name of Object.keys(state.curves)) {
    const base = name.replace(/^val_/, "");
    groups.set(base, [...(groups.get(base) ?? []), name]);
  }
  const charts = [...groups].map(([title, names]) => chart(title, names, state.curves, { log, first: 1 }));
  const weights = Object.keys(state.weights ?? {});
  if (weights.length) charts.push(chart("learned weights", weights, state.weights, { first: 0 }));
  const toggle = make("input", { type: "checkbox", class: "nlc-log" });
  toggle.checked = log;
  toggle.addEventListener("change", () => {
    holder.dataset.log = document.body.dataset.nlLog = toggle.checked ? "yes" : "no";
    drawCurves(holder, state);
  });
  holder.replaceChildren(make("label", { class: "nlc-scale" }, toggle, " log scale"), ...charts);
}

function progressWords(state) {
  const left = state.seconds && state.epoch && state.phase !== "end" ? ((state.epochs - state.epoch) * state.seconds) / state.epoch : null;
  const over = state.phase === "end";
  const parts = [over ? `${state.interrupted ? "interrupted after" : "trained"} ${state.epoch} epochs` : `epoch ${state.epoch} of ${state.epochs}`];
  if (state.seconds) parts.push(`${duration(state.seconds)}${over ? "" : " so far"}`);
  if (left !== null) parts.push(`about ${duration(left)} to go`);
  for (const [name, values] of Object.entries(state.curves ?? {})) if (values.length) parts.push(`${name} ${shortNumber(values.at(-1))}`);
  return parts.join(" · ");
}

function duration(seconds) {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

// `hues`: the colours of the series by their names, where they are not counted one after the other.
function chart(title, names, series, { log = false, first = 1, labels = {}, hues = {} } = {}) {
  const { width, height, left, right, top, bottom } = CHART;
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, class: "nlc-chart", role: "img" });
  svg.setAttribute("aria-label", names.map((n) => `${labels[n] ?? n} ${shortNumber(series[n].at(-1))}`).join(", "));
  const all = names.flatMap((name) => series[name]).filter((v) => v !== null && Number.isFinite(v));
  const positive = all.filter((v) => v > 0);
  const logged = log && positive.length > 0;
  const to = logged ? (v) => Math.log10(Math.max(v, Math.min(...positive))) : (v) => v;
  const from = logged ? (v) => 10 ** v : (v) => v;
  let low = all.length ? Math.min(...all.map(to)) : 0;
  let high = all.length ? Math.max(...all.map(to)) : 1;
  if (high - low < 1e-12) [low, high] = [low - (Math.abs(low) || 1) * 0.1, high + (Math.abs(high) || 1) * 0.1];
  const length = Math.max(2, ...names.map((name) => series[name].length));
  const x = (i) => left + (i / (length - 1)) * (width - left - right);
  const y = (v) => top + (1 - (to(v) - low) / (high - low)) * (height - top - bottom);
  const marks = ticks(low, high);
  const digits = marks.length > 1 && !logged ? Math.min(9, 2 + Math.ceil(Math.log10(Math.max(Math.abs(low), Math.abs(high)) / (marks[1] - marks[0])))) : 3;
  for (const value of marks) {
    const at = top + (1 - (value - low) / (high - low)) * (height - top - bottom);
    svg.append(draw("line", { x1: left, x2: width - right, y1: at, y2: at, class: "nlc-grid" }));
    svg.append(draw("text", { x: left - 6, y: at + 3.5, "text-anchor": "end" }, tickText(from(value), Math.max(3, digits))));
  }
  for (const i of [...new Set([0, Math.round((length - 1) / 2), length - 1])]) {
    svg.append(draw("text", { x: x(i), y: height - bottom + 15, "text-anchor": i === 0 ? "start" : i === length - 1 ? "end" : "middle" }, String(i + first)));
  }
  svg.append(draw("text", { x: (left + width - right) / 2, y: height - 3, "text-anchor": "middle" }, "epoch"));
  names.forEach((name, index) => {
    const points = [];
    const step = Math.max(1, Math.ceil(series[name].length / 600));
    series[name].forEach((v, i) => {
      if (v !== null && Number.isFinite(v) && (i % step === 0 || i === series[name].length - 1)) points.push(`${x(i).toFixed(1)},${y(v).toFixed(1)}`);
    });
    const looks = `${hue(hues[name] ?? index)}${name.startsWith("val_") ? " nlc-validation" : ""}`;
    if (points.length === 1) svg.append(draw("circle", { cx: points[0].split(",")[0], cy: points[0].split(",")[1], r: 3, class: `nlc-dot ${looks}` }));
    else svg.append(draw("polyline", { points: points.join(" "), class: `nlc-line ${looks}` }));
  });
  const said = make("div", { class: "nlc-keys" });
  const tell = (i) => {
    said.replaceChildren(...names.map((name, index) => {
      const value = series[name][Math.min(i, series[name].length - 1)];
      const mark = make("span", { class: `nlc-mark ${hue(hues[name] ?? index)}${name.startsWith("val_") ? " nlc-validation" : ""}` });
      return make("span", { title: name }, mark, `${labels[name] ?? name} `, make("b", {}, value === null || value === undefined ? "–" : shortNumber(value)));
    }));
  };
  tell(length - 1);
  const line = draw("line", { y1: top, y2: height - bottom, class: "nlc-cursor", visibility: "hidden" });
  const when = draw("text", { y: top + 9, visibility: "hidden", class: "nlc-when" });
  svg.append(line, when);
  svg.addEventListener("pointermove", (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const i = Math.min(length - 1, Math.max(0, Math.round(((at.x - left) / (width - left - right)) * (length - 1))));
    for (const name of ["x1", "x2"]) line.setAttribute(name, x(i));
    when.setAttribute("x", x(i) + (i > length / 2 ? -5 : 5));
    when.setAttribute("text-anchor", i > length / 2 ? "end" : "start");
    when.textContent = `epoch ${i + first}`;
    for (const part of [line, when]) part.setAttribute("visibility", "visible");
    tell(i);
  });
  svg.addEventListener("pointerleave", () => {
    for (const part of [line, when]) part.setAttribute("visibility", "hidden");
    tell(length - 1);
  });
  return make("figure", { class: "nlc" }, make("figcaption", {}, title), said, svg);
}

// As many digits as tell neighbours apart.
function tickText(value, digits) {
  return digits <= 4 ? shortNumber(Number(value.toPrecision(3))) : String(Number(value.toPrecision(digits)));
}

// About five round numbers between two.
function ticks(low, high) {
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? rough;
  const found = [];
  for (let v = Math.ceil(low / step) * step; v <= high + step * 1e-6; v += step) found.push(v);
  return found;
}
