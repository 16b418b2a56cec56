// The picture of the living network: cards, the arrows between them, zoom, and what is lit.

const READABLE = 0.6; // below this scale a card shows its name and its number only
const CLEAR = 0.8; // the scale of a network that is not shown whole
const WHOLE = 0.45; // one that needs a smaller scale is not shown whole at first
const FRAME = 400; // pixels, at least, of the frame of a network that is not shown whole
const OWN_KEYS = { "data-lm-suppress-shortcuts": "true" }; // or JupyterLab takes the arrows of a slider

function network(holder, on) {
  const world = make("div", { class: "nll-world" });
  const lines = draw("svg", { class: "nll-arrows" });
  world.append(lines);
  holder.append(world);
  let scene = null;
  let now = { values: {}, chips: {} };
  let back = false;
  const cards = new Map();
  const arrows = new Map();
  const view = { x: 0, y: 0, scale: 1 };
  let part = false; // whether a part of it is in its frame, not all

  // -- drawing ------------------------------------------------------------------------------------

  function show(found) {
    scene = found;
    cards.clear();
    arrows.clear();
    lines.replaceChildren();
    world.replaceChildren(lines);
    lines.setAttribute("width", scene.width);
    lines.setAttribute("height", scene.height);
    if (!scene.width && scene.cards.length) world.classList.add("nll-column"); // no Graphviz
    for (const arrow of scene.arrows) {
      const path = draw("path", { d: arrow.path, class: "nll-arrow" });
      arrows.set(arrow, path);
      lines.append(path);
    }
    for (const card of scene.cards) {
      const element = cardOf(card);
      cards.set(card.id, { card, element });
      world.append(element);
    }
    update(scene);
    fit();
  }

  function cardOf(card) {
    const name = card.lines.map((line) => make("div", { class: "nll-title" }, ...(card.kind === "rule" ? coloured(line) : [line])));
    const element = make(
      "div",
      {
        class: `nll-card nll-${card.kind}${card.learned ? " nll-learned" : ""}${card.opens ? " nll-opens" : ""}`,
        "data-id": card.id, tabindex: 0, role: "button", "aria-label": `${card.kind} ${card.name}`,
        title: card.hover, ...OWN_KEYS,
      },
      make("div", { class: "nll-head" }, make("span", { class: "nll-total" }), ...name),
      make("div", { class: "nll-chips" }, ...card.chips.map((chip, index) => chipOf(card, chip, index))),
      make("div", { class: "nll-rows" }),
      make("div", { class: "nll-foot" }),
    );
    Object.assign(element.style, { left: `${card.x}px`, top: `${card.y}px`, width: `${card.w}px`, height: `${card.h}px` });
    element.addEventListener("click", () => on.chosen(card));
    element.addEventListener("dblclick", () => card.opens && on.open(card));
    element.addEventListener("keydown", (event) => {
      if (event.key === "Enter") card.opens ? on.open(card) : on.chosen(card);
      else if (event.key === " ") on.chosen(card);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    return element;
  }

  function chipOf(card, chip, index) {
    if (chip.kind === "function") {
      return make("div", { class: "nll-chip nll-function", title: `the function ${chip.name}` }, plot(chip.curve ?? []), chip.name);
    }
    const label = chip.kind === "weight" ? "weight" : chip.name;
    const number = make("output", { class: "nll-weight" }, shortNumber(chip.value));
    const input = slider(chip.name, chip.value, (weight) => {
      number.textContent = shortNumber(weight);
      on.moved(chip.name, weight);
    });
    input.disabled = !on.canMove;
    input.dataset.chip = index;
    input.title = on.canMove ? `drag: the weight of ${chip.name}` : chip.name;
    for (const event of ["pointerdown", "dblclick", "click", "keydown"]) input.addEventListener(event, (e) => e.stopPropagation());
    const name = make("span", { class: "nll-chip-name" }, chip.learned ? make("span", { class: "nll-diamond", title: "learned" }, "◆") : "", `× ${label}`);
    return make("div", { class: `nll-chip${chip.learned ? " nll-learned" : ""}` }, input, name, number);
  }

  // -- numbers ------------------------------------------------------------------------------------

  function update(found) {
    now = found;
    const numbers = Object.values(now.values).map((value) => Math.abs(main(value)));
    const greatest = Math.max(1e-12, ...numbers);
    for (const [id, { card, element }] of cards) {
      const value = now.values[id];
      if (!value) continue;
      const number = main(value);
      element.style.setProperty("--heat", Math.sqrt(Math.abs(number) / greatest).toFixed(3));
      element.classList.toggle("nll-negative", number < 0);
      element.classList.toggle("nll-nothing", !value.count);
      element.dataset.total = value.total;
      element.dataset.carries = value.carries;
      element.querySelector(".nll-total").textContent = shortNumber(number);
      rows(element, card, value);
      (now.chips?.[id] ?? []).forEach((weight, index) => {
        const input = element.querySelector(`[data-chip="${index}"]`);
        if (!input || weight === null || weight === undefined || on.holds(input, card.chips[index].name)) return;
        given(input, weight);
        input.parentElement.lastChild.textContent = shortNumber(weight);
      });
    }
    for (const [arrow, path] of arrows) {
      const value = now.values[arrow.from];
      const share = value ? main(value) / greatest : 0;
      path.style.strokeWidth = (0.8 + 6 * Math.sqrt(Math.abs(share))).toFixed(2);
      path.classList.toggle("nll-minus", share < 0);
      path.classList.toggle("nll-none", !share);
    }
  }

  const main = (value) => (back ? value.carries : value.total);

  function rows(element, card, value) {
    const listed = (back ? value.back : value.top).slice(0, card.rows);
    const most = Math.max(1e-12, ...listed.map(([, weight]) => Math.abs(weight)));
    element.querySelector(".nll-rows").replaceChildren(
      ...listed.map(([name, weight]) => {
        const bar = make("span", { class: `nll-bar${weight < 0 ? " nll-minus" : ""}` });
        bar.style.width = `${(Math.abs(weight) / most) * 100}%`;
        return make(
          "div", { class: "nll-row", title: `${name}: ${weight}` },
          make("span", { class: "nll-entity" }, name), make("span", { class: "nll-share" }, bar),
          make("span", { class: "nll-weight" }, shortNumber(weight)),
        );
      }),
    );
    const foot = [];
    if (card.kind !== "rule" && card.detail) foot.push(card.detail);
    const left = value.size === null ? 0 : value.count - Math.min(card.rows, value.top.length);
    if (left > 0 && !back) foot.push(`${left.toLocaleString("en")} more`);
    if (value.about && value.size === null) foot.push(`for ${value.about}`);
    if (back && value.slope !== null && card.foot) foot.push(`slope ${shortNumber(value.slope)}`);
    element.title = [card.hover, back && value.slope !== null ? `slope ${shortNumber(value.slope)}` : "", card.opens ? "double-click: look inside" : ""].filter(Boolean).join("\n");
    const line = element.querySelector(".nll-foot");
    line.replaceChildren(foot.join(" · "));
    if (card.folded) {
      const text = `▸ ${card.folded.toLocaleString("en")} ${card.kind === "predicate" && !hasRules(card.id) ? "" : "more "}rule${card.folded === 1 ? "" : "s"}`;
      line.append(foot.length ? " · " : "", on.canMove
        ? make("button", { type: "button", class: "nll-unfold", title: "show them", onclick: (e) => (e.stopPropagation(), on.unfold(card.id)) }, text)
        : text);
    }
  }

  const hasRules = (id) => scene.arrows.some((arrow) => arrow.to === id);

  // -- what is lit --------------------------------------------------------------------------------

  // `level` maps a card to its step; `at` is the step; null shows everything.
  function light(level, at) {
    const state = (id) => {
      if (at === null) return "";
      const place = level.get(id);
      if (place === at) return "nll-now";
      return (back ? place < at : place > at) ? "nll-future" : "";
    };
    for (const [id, { element }] of cards) mark(element, state(id));
    for (const [arrow, path] of arrows) {
      const end = back ? arrow.from : arrow.to;
      mark(path, state(end));
      path.classList.toggle("nll-flow", at !== null && state(end) === "nll-now");
    }
    reveal([...cards.values()].map(({ card }) => card).filter((card) => state(card.id) === "nll-now"));
  }

  // Move the picture, where it is larger than its frame, so that these cards are in sight: as many
  // of them as there is room for.
  function reveal(lit) {
    if (!lit.length || !scene.width) return;
    const along = (cards, axis, size, shown, all) => {
      const from = (card) => card[axis] * view.scale;
      const to = (card) => (card[axis] + card[size]) * view.scale;
      const near = (first) => cards.filter((card) => from(card) >= from(first) && to(card) <= from(first) + shown);
      const found = cards.map(near).reduce((best, some) => (some.length > best.length ? some : best), []);
      const most = found.length ? found : cards.slice(0, 1);
      const low = Math.min(...most.map(from));
      const high = Math.max(...most.map(to));
      if (low + view[axis] >= 0 && high + view[axis] <= shown) return most;
      const end = shown - 12 - all * view.scale;
      view[axis] = Math.max(Math.min(end, 12), Math.min(12, shown / 2 - (low + high) / 2));
      return most;
    };
    along(along(lit, "x", "w", holder.clientWidth, scene.width), "y", "h", holder.clientHeight, scene.height);
    place();
  }

  function mark(element, name) {
    element.classList.toggle("nll-now", name === "nll-now");
    element.classList.toggle("nll-future", name === "nll-future");
  }

  function choose(id) {
    for (const [name, { element }] of cards) element.classList.toggle("nll-chosen", name === id);
  }

  // -- zoom and pan -------------------------------------------------------------------------------

  function place() {
    world.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale})`;
    holder.classList.toggle("nll-far", view.scale < READABLE);
    holder.style.setProperty("--scale", view.scale);
  }

  // `whole`: all of it, however small; else a part of a large one, which can be moved.
  function fit(whole = false) {
    const width = holder.clientWidth || 900;
    const wide = (width - 24) / Math.max(scene.width, 1);
    const tall = on.tall();
    const all = Math.min(on.largest(), wide, (tall - 24) / Math.max(scene.height, 1));
    part = !whole && all < WHOLE;
    view.scale = part ? CLEAR : all;
    const left = width - scene.width * view.scale;
    view.x = left >= 24 ? left / 2 : left - 12; // what is asked for is on the right
    // as high as what is seen: the cards that the width leaves in sight
    const seen = scene.cards.filter((card) => (card.x + card.w) * view.scale + view.x > 0);
    const top = Math.min(...seen.map((card) => card.y), scene.height);
    const bottom = Math.max(...seen.map((card) => card.y + card.h), 0);
    const least = part ? Math.min(scene.height * view.scale + 24, FRAME) : 120;
    const height = Math.min(Math.max((bottom - top) * view.scale + 24, least), tall);
    holder.style.height = `${Math.round(height)}px`;
    view.y = (height - (bottom + top) * view.scale) / 2;
    if ((bottom - top) * view.scale > height - 24) {
      const root = scene.cards[0];
      view.y = height / 2 - (root.y + root.h / 2) * view.scale;
    }
    place();
  }

  function zoom(factor, x = holder.clientWidth / 2, y = holder.clientHeight / 2) {
    const scale = Math.min(2.5, Math.max(0.15, view.scale * factor));
    view.x = x - ((x - view.x) * scale) / view.scale;
    view.y = y - ((y - view.y) * scale) / view.scale;
    view.scale = scale;
    place();
  }

  holder.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // leave the notebook its scrolling
    event.preventDefault();
    const box = holder.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
  let held = null;
  holder.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && !event.target.closest("input, button")) held = { x: event.clientX - view.x, y: event.clientY - view.y, id: event.pointerId, far: false };
  });
  holder.addEventListener("pointermove", (event) => {
    if (!held) return;
    const x = event.clientX - held.x;
    const y = event.clientY - held.y;
    if (!held.far && Math.hypot(x - view.x, y - view.y) < 4) return; // a click
    if (!held.far) {
      holder.setPointerCapture(held.id);
      world.style.willChange = "transform"; // pulled as one picture, however many cards
    }
    held.far = true;
    view.x = x;
    view.y = y;
    place();
  });
  for (const name of ["pointerup", "pointercancel"]) holder.addEventListener(name, () => (held = null, world.style.willChange = ""));

  return {
    show, update, light, choose, fit, zoom, tall: on.tall,
    backwards(chosen) {
      back = chosen;
      holder.classList.toggle("nll-slopes", back);
      if (scene) update(now);
    },
    isBack: () => back,
    isPart: () => part,
  };
}

// The shape of a function, as small as a word.
function plot(values) {
  const svg = draw("svg", { viewBox: "0 0 30 14", class: "nll-curve-icon" });
  if (!values.length) {
    svg.append(draw("text", { x: 15, y: 11, "text-anchor": "middle", "font-size": 11 }, "ƒ"));
    return svg;
  }
  const low = Math.min(...values);
  const high = Math.max(...values, low + 1e-9);
  const points = values.map((v, i) => `${((i / (values.length - 1)) * 28 + 1).toFixed(1)},${(13 - ((v - low) / (high - low)) * 12).toFixed(1)}`);
  svg.append(draw("polyline", { points: points.join(" ") }));
  return svg;
}

// From zero to twice the weight that the program states, and further where it was moved further.
function slider(name, weight, act, stated = weight) {
  const low = Math.min(0, 2 * stated, weight);
  const high = Math.max(1, 2 * stated, weight);
  const input = make("input", { type: "range", min: low, max: high, step: (high - low) / 200, "aria-label": `weight of ${name}`, class: "nll-range", ...OWN_KEYS });
  input.value = weight;
  filled(input);
  input.addEventListener("input", () => (filled(input), act(Number(input.value))));
  input.addEventListener("pointerdown", () => (input.pulled = true));
  for (const over of ["pointerup", "pointercancel", "blur"]) input.addEventListener(over, () => (input.pulled = false));
  return input;
}

// A slider that follows: the weight comes from elsewhere, and may be further than it went so far.
function given(input, weight) {
  input.min = Math.min(Number(input.min), weight);
  input.max = Math.max(Number(input.max), weight);
  input.value = weight;
  filled(input);
}

// Where zero and the weight are, for a slider that is filled from one to the other.
function filled(input) {
  const [low, high] = [Number(input.min), Number(input.max)];
  const at = (value) => (value - low) / (high - low);
  const [from, to] = [at(Math.min(Math.max(0, low), high)), at(Number(input.value))].sort((a, b) => a - b);
  input.style.setProperty("--from", from.toFixed(3));
  input.style.setProperty("--to", to.toFixed(3));
}
