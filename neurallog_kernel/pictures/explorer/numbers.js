// The X-ray: the numbers of one question, written into the picture step by step.

const SHOWN_LINES = 3;

function xray(dag, tree, links, numbers, onStep) {
  const groups = parts(dag);
  const paths = parts(tree); // the same steps, where a part of the path tree shows the same literal
  const layer = draw("g", { class: "nlx-numbers" });
  dag?.querySelector("g.graph")?.append(layer);
  const steps = numbers.steps ?? [];
  let at = steps.length - 1; // everything is shown until somebody goes back
  let timer = null;

  function show() {
    layer.replaceChildren();
    const done = new Set(steps.slice(0, at + 1).flatMap((step) => step.ids));
    const now = new Set(at >= 0 && at < steps.length - 1 ? steps[at].ids : []);
    const stepping = at < steps.length - 1;
    for (const [name, group] of groups) {
      group.classList.toggle("nlx-now", now.has(name));
      group.classList.toggle("nlx-future", stepping && !done.has(name));
    }
    for (const [name, group] of paths) {
      const same = links?.[name] ?? [];
      group.classList.toggle("nlx-now", same.some((one) => now.has(one)));
      group.classList.toggle("nlx-future", stepping && same.length > 0 && !same.some((one) => done.has(one)));
    }
    for (const name of done) {
      const group = groups.get(name);
      const last = at === steps.length - 1 && steps[at].last && steps[at].ids.includes(name);
      const value = last ? numbers.result : numbers.values[name];
      if (group && value) write(layer, group, value, last);
    }
    onStep(at, steps);
  }

  function go(to) {
    at = Math.max(-1, Math.min(steps.length - 1, to));
    show();
    if (at === steps.length - 1) pause();
  }

  function play() {
    if (timer !== null) return pause();
    if (at === steps.length - 1) at = -1;
    timer = setInterval(() => go(at + 1), 1100);
    go(at + 1);
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    onStep(at, steps);
  }

  show();
  return {
    next: () => (pause(), go(at + 1)),
    back: () => (pause(), go(at - 1)),
    first: () => (pause(), go(-1)),
    last: () => (pause(), go(steps.length - 1)),
    play,
    playing: () => timer !== null,
    stop: () => (clearInterval(timer), layer.remove()),
  };
}

// A value beside its part: under a term the strongest entities, under a label what it contributes.
function write(layer, group, value, last) {
  const isTerm = group.classList.contains("node") && !group.classList.contains("nl-ground");
  const lines = isTerm ? entries(value) : [contribution(value)];
  const { x, y } = isTerm ? around(group, lines.length) : beside(group);
  const box = draw("g", { class: last ? "nlx-number nlx-result" : "nlx-number" });
  box.dataset.for = group.dataset.id;
  const texts = lines.map((line, index) => {
    const attributes = { x, y: y + index * 10.5, "text-anchor": "middle", "font-size": 9 };
    return draw("text", attributes, line);
  });
  box.append(...texts);
  layer.append(box);
  // As wide as the words are here; what is not on the page yet has no width.
  const wide = (text) => text.getComputedTextLength() || text.textContent.length * 5.7;
  const width = Math.max(...texts.map(wide)) + 6;
  box.prepend(
    draw("rect", { x: x - width / 2, y: y - 9, width, height: lines.length * 10.5 + 2, rx: 3 }),
  );
}

function entries(value) {
  if (value.size === null) return [shortNumber(value.total)];
  if (!value.count) return ["nothing"];
  const shown = value.top.slice(0, SHOWN_LINES);
  const lines = shown.map(([name, weight]) => `${short(name)} ${shortNumber(weight)}`);
  const more = value.count - shown.length;
  return more > 0 ? [...lines, `+ ${more.toLocaleString("en")} more`] : lines;
}

function short(name) {
  return name.length > 14 ? `${name.slice(0, 13)}…` : name;
}

function contribution(value) {
  if (value.size === null) return shortNumber(value.total);
  if (!value.count) return "nothing";
  const many = value.count === 1 ? "1 entry" : `${value.count.toLocaleString("en")} entries`;
  return `${many}, sum ${shortNumber(value.total)}`;
}

// Above a term that has nothing over it, below all others: loops go upwards.
function around(group, lines) {
  const place = circle(group);
  if (!place) return beside(group);
  const { x, y, r } = place;
  const svg = group.ownerSVGElement;
  const covered = [...svg.querySelectorAll("g.node")].some((other) => {
    const at = other === group ? null : circle(other);
    return at && Math.abs(at.x - x) < 50 && at.y < y;
  });
  const ends = (g) => g.querySelector("path")?.getAttribute("d").match(/-?[\d.]+/g).map(Number) ?? [];
  const looped = [...svg.querySelectorAll("g.nl-loop, g.nl-function")].some((loop) => {
    const [startX, startY] = ends(loop);
    return Math.hypot(startX - x, startY - y) < r + 12;
  });
  return covered || looped ? { x, y: y + r + 12 } : { x, y: y - r - 6 - (lines - 1) * 10.5 };
}

function circle(group) {
  const shape = [...group.querySelectorAll("ellipse")].at(-1);
  if (!shape) return null;
  const [x, y, r] = ["cx", "cy", "ry"].map((name) => Number(shape.getAttribute(name)));
  return { x, y, r };
}

function beside(group) {
  const label = group.querySelector("text");
  if (label) {
    return { x: Number(label.getAttribute("x")), y: Number(label.getAttribute("y")) + 12 };
  }
  const box = group.getBBox();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
