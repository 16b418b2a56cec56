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

// The weights that an answer depends on; of a chosen card, only those that it is about.
function sliderList(holder, sliders, card, shown, moved, act, more) {
  const about = sliders.filter((one) => !card || belongs(one, card));
  const greatest = Math.max(1e-12, ...about.map((one) => Math.abs(one.slope)));
  const rows = about.slice(0, shown).map((one) => {
    const weight = moved[one.name] ?? one.weight;
    const number = make("output", { class: "nll-weight" }, shortNumber(weight));
    const input = slider(one.name, weight, (value) => {
      number.textContent = shortNumber(value);
      act(one.name, value);
    });
    input.disabled = !act.canMove;
    const name = make("span", { class: "nll-name", title: `${one.name}\n${one.say}` }, one.learned ? make("span", { class: "nll-diamond" }, "◆") : "", ...coloured(one.label, "rule"));
    const slope = make("span", { class: "nll-slope", title: one.say }, bar(one.slope, greatest, about.some((other) => other.slope < 0)));
    return make("label", { class: "nll-slider" }, name, number, input, slope);
  });
  holder.replaceChildren(...rows);
  if (!rows.length) holder.append(make("p", { class: "nll-more" }, card ? "this answer depends on no weight of that part" : "it depends on no weight"));
  const left = about.length - shown;
  if (left > 0) holder.append(make("button", { type: "button", onclick: more }, `${left.toLocaleString("en")} more`));
}

function belongs(one, card) {
  if (one.kind === "rule") return card.kind === "rule" && plain(one.name) === plain(card.name);
  if (card.chips.some((chip) => chip.name === one.name)) return true;
  return card.kind !== "rule" && one.name.replace(/\(.*$/s, "") === card.name;
}

const plain = (text) => text.replace(/\.$/, "").replace(/^[-0-9.e]+::/, "");
