// Training: widths and labels that follow the weights, the curves, and going back through epochs.

// `looks` is {name: [label, width]}; the layout stays as it is.
function restyle(dag, looks, labels) {
  const groups = parts(dag);
  for (const [name, [label, width, range]] of Object.entries(looks)) {
    const group = groups.get(name);
    if (!group) continue;
    const path = group.querySelector("path") ?? groups.get(`b-${name}`)?.querySelector("path");
    if (path) {
      path.style.strokeWidth = `${width}`;
      if (!group.classList.contains("nl-function")) path.style.strokeDasharray = "none";
    }
    group.dataset.width = width;
    const title = group.querySelector("title");
    if (title) title.textContent = `${title.textContent.split("\nnow ")[0]}\nnow ${range}`;
    const text = group.querySelector("text");
    if (text) {
      const ground = group.classList.contains("nl-ground");
      if (ground) keepLeft(text); // it stands beside the output and may grow to the right only
      text.textContent = `${ground ? "× " : ""}◆ ${labels[name] ?? name} ${label}`;
    }
  }
}

function keepLeft(text) {
  if (text.getAttribute("text-anchor") === "start") return;
  text.setAttribute("x", text.getBBox().x);
  text.setAttribute("text-anchor", "start");
}

const CURVE = { width: 420, height: 120, left: 42, right: 8, top: 8, bottom: 20 };

function curves(holder, state) {
  holder.replaceChildren();
  const names = Object.keys(state.curves).filter((name) => name !== "seconds");
  const groups = new Map(); // losses are drawn on one scale, metrics on another
  for (const name of names) {
    const kind = name.includes("loss") ? "loss" : "metric";
    groups.set(kind, [...(groups.get(kind) ?? []), name]);
  }
  for (const group of groups.values()) holder.append(chart(group, state.curves));
}

function chart(names, series) {
  const { width, height, left, right, top, bottom } = CURVE;
  const said = names.map((n) => `${n} ${shortNumber(series[n].at(-1))}`).join(", ");
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, class: "nlx-chart", role: "img" });
  svg.setAttribute("aria-label", said);
  const values = names.flatMap((name) => series[name]).filter(Number.isFinite);
  const low = Math.min(0, ...values);
  const high = Math.max(...values, low + 1e-9);
  const length = Math.max(2, ...names.map((name) => series[name].length));
  const x = (i) => left + (i / (length - 1)) * (width - left - right);
  const y = (v) => top + (1 - (v - low) / (high - low)) * (height - top - bottom);
  for (const value of [low, high]) {
    const line = { x1: left, x2: width - right, y1: y(value), y2: y(value), class: "nlx-grid" };
    svg.append(draw("line", line));
    const label = { x: left - 4, y: y(value) + 3, "text-anchor": "end", "font-size": 9 };
    svg.append(draw("text", label, shortNumber(value)));
  }
  names.forEach((name, index) => {
    const points = series[name].map((v, i) => `${x(i).toFixed(1)},${y(v).toFixed(1)}`).join(" ");
    svg.append(draw("polyline", { points, class: `nlx-curve nlx-curve-${index % 4}` }));
  });
  const caption = { x: left, y: height - 6, "font-size": 10 };
  svg.append(draw("text", caption, said));
  return svg;
}
