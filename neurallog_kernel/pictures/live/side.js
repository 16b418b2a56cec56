// Beside the network: the ranked answers and the weights that move them.

const SLIDERS = 8; // shown at once

function answerTable(holder, now, about, choose) {
  const greatest = Math.max(1e-12, ...now.answers.map(([, weight]) => Math.abs(weight)));
  const signed = now.answers.some(([, weight]) => weight < 0);
  const rows = now.answers.map(([name, weight, question]) => {
    const row = make(
      "tr",
      { class: question === about ? "nll-about" : "", tabindex: 0, title: `follow ${question}` },
      make("td", { class: "nll-name", title: name }, name),
      make("td", { class: "nll-share" }, bar(weight, greatest, signed)),
      make("td", { class: "nll-weight" }, shortNumber(weight)),
    );
    row.addEventListener("click", () => choose(question));
    row.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.stopPropagation();
      choose(question);
    });
    return row;
  });
  const left = now.count - now.answers.length;
  if (left > 0) rows.push(make("tr", {}, make("td", { colspan: 3, class: "nll-more" }, `and ${left.toLocaleString("en")} more`)));
  if (!now.answers.length) rows.push(make("tr", {}, make("td", { class: "nll-more" }, "no answer: nothing reaches the predicate")));
  holder.replaceChildren(...rows);
}

// Where numbers have two signs, negative bars stand to the left of a line at zero.
function bar(weight, greatest, signed) {
  const inner = make("span", { class: `nll-bar${weight < 0 ? " nll-minus" : ""}` });
  const share = (Math.abs(weight) / greatest) * 100;
  if (!signed) {
    inner.style.width = `${share}%`;
    return inner;
  }
  inner.style.width = `${share / 2}%`;
  inner.style.marginLeft = weight < 0 ? `${50 - share / 2}%` : "50%";
  return make("span", { class: "nll-signed" }, inner);
}

// The weights that an answer depends on; of a chosen card, only those that it is about. Rows that
// are there already stay where they are while somebody has one of them, and follow the numbers.
function sliderList(holder, sliders, card, shown, moved, act, more) {
  const about = sliders.filter((one) => !card || belongs(one, card));
  const greatest = Math.max(1e-12, ...about.map((one) => Math.abs(one.slope)));
  const signed = about.some((one) => one.slope < 0);
  const middle = (head) => head.classList.toggle("nll-middle", signed);
  if (holder.contains(document.activeElement) && document.activeElement.matches(".nll-range")) {
    const found = new Map(sliders.map((one) => [one.name, one]));
    for (const row of holder.querySelectorAll(".nll-slider:not(.nll-heads)")) row.follow(found.get(row.name), moved, greatest, signed);
    return holder.querySelectorAll(".nll-heads > :last-child").forEach(middle);
  }
  const rows = about.slice(0, shown).map((one) => sliderRow(one, moved, act));
  for (const [place, row] of rows.entries()) row.follow(about[place], moved, greatest, signed);
  const heads = ["fact or rule", "weight", act.canMove ? "drag" : "", "effect"].map((name) => make("span", name === "effect" ? { title: "how the answer changes per unit of the weight" } : {}, name));
  middle(heads.at(-1));
  const head = make("div", { class: "nll-slider nll-heads" }, ...heads);
  holder.replaceChildren(...(rows.length ? [head, ...rows] : []));
  if (!rows.length) holder.append(make("p", { class: "nll-more" }, card ? "this answer depends on no weight of that part" : "it depends on no weight"));
  const left = about.length - shown;
  if (left > 0) holder.append(make("button", { type: "button", onclick: more }, `${left.toLocaleString("en")} more`));
}

// One weight; `follow` gives it the numbers of another state, without `one` if it has no effect there.
function sliderRow(one, moved, act) {
  const number = make("output", { class: "nll-weight" });
  const input = slider(one.name, moved[one.name] ?? one.weight, (value) => {
    number.textContent = shortNumber(value);
    act(one.name, value);
  }, one.weight);
  input.disabled = !act.canMove;
  const name = make("span", { class: "nll-name" }, one.learned ? make("span", { class: "nll-diamond" }, "◆") : "", ...coloured(one.label));
  const effect = make("span", { class: "nll-slope" });
  const row = make("label", { class: "nll-slider" }, name, number, input, effect);
  row.name = one.name;
  row.follow = (now, weights, greatest, signed) => {
    const weight = weights[one.name] ?? now?.weight;
    const say = now?.say ?? "changes the answer by 0 per unit";
    name.title = `${one.name}\n${say}`;
    effect.title = say;
    effect.replaceChildren(bar(now?.slope ?? 0, greatest, signed));
    if (weight === undefined || act.holds(input, one.name)) return;
    given(input, weight);
    number.textContent = shortNumber(weight);
  };
  return row;
}

function belongs(one, card) {
  if (one.kind === "rule") return card.kind === "rule" && plain(one.name) === plain(card.name);
  if (card.chips.some((chip) => chip.name === one.name)) return true;
  return card.kind !== "rule" && one.name.replace(/\(.*$/s, "") === card.name;
}

const plain = (text) => text.replace(/\.$/, "").replace(/^[-0-9.e]+::/, "");

// -- the steps ------------------------------------------------------------------------------------

// One plain sentence: what the parts of a step do.
function stepWords(scene, ids, back) {
  const cards = new Map(scene.cards.map((card) => [card.id, card]));
  const told = ids.filter((id) => id in scene.values).map((id) => {
    const value = scene.values[id];
    const name = cards.get(id).kind === "rule" ? `the rule ${cards.get(id).name}` : cards.get(id).name;
    if (back) {
      const slopes = value.back.slice(0, 2).map(([entity, slope]) => `${shortNumber(slope)} per unit of ${entity}`);
      return `${name}: ${slopes.join(", ") || (value.slope === null ? "no effect" : `${shortNumber(value.slope)} per unit`)}`;
    }
    const entries = value.top.slice(0, 3).map(([entity, weight]) => `${entity} ${shortNumber(weight)}`);
    return `${name} gives ${entries.join(", ") || shortNumber(value.total)}`;
  });
  const more = told.length > 2 ? `; and ${told.length - 2} more` : "";
  return told.slice(0, 2).join("; ") + more;
}

// -- the explanation ------------------------------------------------------------------------------

// Lines with their numbers in a column; a weight of a fact can be dragged where it stands.
function explanation(holder, found, weights, act, alone) {
  const open = new Set([...holder.querySelectorAll("details[open]")].map((one) => one.dataset.path));
  const first = !holder.childElementCount;
  const line = (one, level, path, full) => {
    const share = make("span", { class: "nll-share" });
    if (one.value !== null) {
      const drawn = make("span", { class: `nll-bar${one.value < 0 ? " nll-minus" : ""}` });
      drawn.style.width = `${(100 * Math.abs(one.value)) / full}%`;
      share.append(drawn);
    }
    const [text, remark] = one.text.split(/ {2}(?=\()/); // program text, and prose about it
    const label = make("span", { class: "nll-reason", title: one.text }, ...scrubbed(text, weights, act, alone), remark ? make("span", { class: "nll-remark" }, ` ${remark}`) : "");
    label.style.paddingLeft = `${level * 12}px`;
    const row = [make("span", { class: "nll-weight" }, one.number), share, label];
    if (!one.below.length) return make("div", { class: "nll-line" }, ...row);
    const details = make("details", { "data-path": path }, make("summary", { class: "nll-line" }, ...row));
    if (one.say) details.append(make("div", { class: "nll-say" }, one.say));
    const most = fullBar(full, one.below);
    details.append(...one.below.map((below, place) => line(below, level + 1, `${path}.${place}`, most)));
    if (one.left_out) details.append(make("div", { class: "nll-say" }, `and ${one.left_out} more`));
    details.open = first ? level < 2 : open.has(path);
    return details;
  };
  holder.replaceChildren(line(found, 0, "0", fullBar(0, [found])));
}

// The value of a full bar for parts: that of the parts above, unless one of these is greater.
function fullBar(above, parts) {
  return Math.max(above, ...parts.map((part) => Math.abs(part.value ?? 0))) || 1;
}

// The text of a line, with the weights of facts that can be dragged: `likes(ann, tea) 0.9`.
function scrubbed(text, weights, act, alone) {
  const known = new Map(weights.map((one) => [one.name, one]));
  const names = [...known.keys()].sort((a, b) => b.length - a.length).map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!names.length || alone) return coloured(text);
  const parts = text.split(new RegExp(`((?:${names.join("|")}) -?[0-9][0-9.e+-]*)`));
  return parts.flatMap((part, place) => {
    if (place % 2 === 0) return coloured(part);
    const name = part.slice(0, part.lastIndexOf(" "));
    return [...coloured(`${name} `), scrub(known.get(name), act)];
  });
}

// A number that is dragged to the left and to the right. The line is drawn anew meanwhile.
function scrub(one, act) {
  const element = make("span", { class: "nll-scrub", role: "slider", tabindex: 0, "aria-label": `weight of ${one.name}`, "aria-valuenow": one.weight, title: "drag to the left or right", ...OWN_KEYS }, shortNumber(one.weight));
  const step = Math.max(1, Math.abs(one.weight)) / 100;
  element.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    event.stopPropagation();
    const start = event.clientX;
    const moved = (e) => act(one.name, Number((one.weight + (e.clientX - start) * step).toPrecision(6)));
    const over = () => {
      document.removeEventListener("pointermove", moved);
      document.removeEventListener("pointerup", over);
    };
    document.addEventListener("pointermove", moved);
    document.addEventListener("pointerup", over);
  });
  element.addEventListener("click", (event) => event.preventDefault()); // no line is folded by it
  element.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    act(one.name, Number((one.weight + 5 * by * step).toPrecision(6)));
  });
  return element;
}
