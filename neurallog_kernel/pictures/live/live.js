// The living network: the picture of a question, its answers, sliders, and how training goes.

const REST = 150; // milliseconds after a move: the sliders rest
const PACE = 900; // milliseconds between two steps of the play
const SIDE = 380; // pixels for the answers beside the picture
const TALL = 720; // pixels of the picture, at most
const BESIDE = 0.9; // they go below a picture that would be smaller than this

function liveNetwork({ model, el }) {
  const alone = model.alone === true; // a page without a kernel: nothing can be asked or moved
  let step = null; // null: nothing is played, everything is shown
  let timer = null;
  let chosen = null;
  let shown = SLIDERS;
  let closeUp = null;

  // -- the page -----------------------------------------------------------------------------------

  const button = (label, title, act, more) =>
    make("button", { type: "button", title, "aria-label": title, class: more, onclick: act }, label);
  const asked = make("input", { class: "nll-question", "aria-label": "question", spellcheck: "false", size: 28, readonly: alone });
  const play = button("▶ play", "play the question from the facts to the answer", () => start(false), "nll-play");
  const playBack = button("◀ play back", "play from the answer back: how it depends on each part", () => start(true), "nll-back");
  const forwards = button("values", "the numbers of the question", () => turn(false), "nll-values");
  const backwards = button("slopes", "how the answer changes with each part", () => turn(true), "nll-slope-view");
  const timeline = make("input", { type: "range", min: 0, class: "nll-timeline", "aria-label": "step", ...OWN_KEYS });
  const top = make(
    "div", { class: "nlx-bar" },
    make("label", { class: "nll-ask" }, "?- ", asked),
    make("span", { class: "nlx-group", role: "group", "aria-label": "play" }, play, playBack),
    make("span", { class: "nlx-group", role: "group", "aria-label": "step" },
      button("‹", "one step back", () => onBy(-1), "nll-previous"), timeline,
      button("›", "one step on", () => onBy(1), "nll-next"),
      button("all", "show everything", () => rest(), "nll-all")),
    make("span", { class: "nlx-group nll-toggle", role: "group", "aria-label": "numbers" }, forwards, backwards),
    make("span", { class: "nlx-group", role: "group", "aria-label": "view" },
      button("+", "zoom in", () => picture.zoom(1.25), "nll-in"),
      button("−", "zoom out", () => picture.zoom(0.8), "nll-out"),
      button("fit", "show the whole network", () => (picture.fit(true), step === null && rest()), "nll-fit")),
  );
  const said = make("div", { class: "nll-said", "aria-live": "polite" });
  const error = make("div", { class: "nll-error", role: "alert" });
  const holder = make("div", { class: "nll-picture", role: "group", "aria-label": "network of the question" });
  const answers = make("table", { class: "nll-answers" });
  const reasons = make("div", { class: "nll-reasons" });
  const whyOf = make("summary", {}, "why");
  const changes = make("div", { class: "nll-changes" });
  const whatIf = button("what would change it?", "the smallest edits after which another answer is first", () => {
    changes.replaceChildren("looking …");
    model.send({ type: "changes" });
  }, "nll-what-if");
  const why = make("details", { class: "nll-why" }, whyOf, reasons, make("p", { class: "nll-keep" }, whatIf), changes);
  const sliders = make("div", { class: "nll-sliders" });
  const hint = make("p", { class: "nll-hint" });
  const loss = make("p", { class: "nll-loss", hidden: true });
  const keep = make(
    "p", { class: "nll-keep", hidden: true },
    button("write into the cell", "keep the moved weights in the program", () => model.send({ type: "keep" }), "nll-write"), " ",
    button("let go", "give the facts and rules their own weights back", () => model.send({ type: "let go" }), "nll-let-go"),
  );
  const legend = make(
    "div", { class: "nll-legend" },
    make("span", { class: "nll-key nll-facts" }, "facts"), make("span", { class: "nll-key nll-rule" }, "rule"),
    make("span", { class: "nll-key nll-predicate" }, "predicate"),
    make("span", {}, make("span", { class: "nll-stroke" }), "positive"), make("span", {}, make("span", { class: "nll-stroke nll-minus" }), "negative"),
    make("span", {}, make("span", { class: "nll-diamond" }, "◆"), "learned"),
    make("span", { class: "nll-legend-text" }),
  );
  const notes = make("ul", { class: "nlx-notes" });
  const close = make("div", { class: "nll-close", hidden: true });
  const charts = make("div", { class: "nlx-charts" });
  const progress = make("p", { class: "nll-progress" });
  const training = make("section", { class: "nll-training", hidden: true }, make("h4", {}, "training"), progress, charts);
  const under = make("div", { class: "nll-view" }, holder, legend, notes);
  const ranked = make("section", { class: "nll-side" }, make("h4", {}, "answers"), answers, why);
  const root = make(
    "div", { class: `nlx nll${alone ? " nll-alone" : ""}` },
    top, said, error,
    make("div", { class: "nll-main" },
      under,
      make("div", { class: "nll-panes" },
        ranked,
        make("section", { class: "nll-side" }, make("h4", {}, "weights that move it"), hint, sliders, loss, keep))),
    close, training,
  );
  const full = fullScreen({ root, go: onBy, changed: resized });
  top.append(full.button);
  el.append(root);

  // A drag makes more positions than Python has answers: the newest waits for the last answer.
  let waiting = null; // the weight that is being moved
  let newest = null;
  let resting = null;
  function move(name, weight) {
    if (waiting) return void (newest = [name, weight]);
    waiting = name;
    model.send({ type: "move", name, weight });
  }
  function answered() {
    waiting = null;
    const next = newest;
    newest = null;
    if (next) move(...next);
    clearTimeout(resting);
    resting = setTimeout(() => Object.keys(model.get("moved") ?? {}).length && model.send({ type: "effects" }), REST);
  }
  move.canMove = !alone;
  // A slider in a hand is not moved by the answer to where it was a moment ago.
  move.holds = (input, name) => input.pulled || waiting === name;
  root.addEventListener("pointerup", (event) => event.target.matches(".nll-range") && setTimeout(update));
  const picture = network(holder, {
    canMove: !alone,
    holds: move.holds,
    tall: () => (full.on() ? innerHeight - (holder.getBoundingClientRect().top - root.getBoundingClientRect().top) - legend.offsetHeight - 24 : TALL),
    largest: () => (full.on() ? 2 : 1),
    moved: move,
    unfold: (id) => model.send({ type: "unfold", id }),
    chosen(card) {
      // a shorter list would pull up the end of a page, and a second click would miss the card
      sliders.style.minHeight = `${sliders.offsetHeight}px`;
      chosen = chosen?.id === card.id ? null : card;
      picture.choose(chosen?.id);
      list();
    },
    open: (card) => openUp(card),
  });

  function current() {
    const moved = model.get("numbers") ?? {};
    const scene = model.get("scene");
    return moved.values ? { ...scene, ...model.get("effects"), ...moved } : scene;
  }

  // The answers stand beside the picture where both have room, else below it. The explanation is
  // where there is room left: under the picture, or under the answers.
  function arrange() {
    const scene = model.get("scene");
    const room = root.clientWidth - SIDE;
    const low = (picture.tall() - 24) / Math.max(scene.height, 1); // it is as small as that anyway
    const beside = room > 420 && room / Math.max(scene.width, 1) > Math.min(BESIDE, full.on() ? low : 1);
    root.classList.toggle("nll-beside", beside);
    const place = beside ? under : ranked;
    if (why.parentElement !== place) place.append(why);
  }

  function resized() {
    arrange();
    picture.fit();
    if (step !== null) go(step); // what is lit stays in sight
    else rest();
  }

  const last = () => model.get("scene").steps.length - 1;

  // -- play ---------------------------------------------------------------------------------------

  function turn(back) {
    picture.backwards(back);
    forwards.setAttribute("aria-pressed", String(!back));
    backwards.setAttribute("aria-pressed", String(back));
    root.querySelector(".nll-legend-text").textContent = back
      ? "An entry shows how the answer changes per unit of it; the number of a card is slope × value, added up."
      : "An entry shows its value; the number of a card is their sum. A wider arrow carries more.";
    if (step !== null) go(step);
  }

  function start(back) {
    const running = timer !== null && picture.isBack() === back;
    stop();
    if (running) return;
    turn(back);
    go(back ? last() : 0);
    timer = setInterval(() => {
      const next = step + (back ? -1 : 1);
      if (next < 0 || next > last()) return stop();
      go(next);
    }, PACE);
    (back ? playBack : play).textContent = "❚❚ pause";
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = "▶ play";
    playBack.textContent = "◀ play back";
  }

  function onBy(steps) {
    stop();
    go((step ?? (steps > 0 ? -1 : last() + 1)) + steps);
  }

  function go(number) {
    const scene = current();
    if (!scene.steps.length) return;
    step = Math.min(Math.max(number, 0), last());
    const level = new Map(scene.steps.flatMap((ids, place) => ids.map((id) => [id, place])));
    picture.light(level, step);
    timeline.value = step;
    root.dataset.step = step;
    said.replaceChildren(make("b", {}, `step ${step + 1} of ${scene.steps.length}: `), isolated(stepWords(scene, scene.steps[step], picture.isBack())));
  }

  function rest() {
    stop();
    step = null;
    delete root.dataset.step;
    picture.light(new Map(), null);
    const scene = model.get("scene");
    timeline.value = last();
    const all = `${scene.steps.length} step${scene.steps.length === 1 ? "" : "s"} from the facts to ${scene.question}`;
    said.textContent = scene.cards.length ? all + (picture.isPart() ? "; drag the picture for the rest" : "") : "";
  }

  timeline.addEventListener("input", () => (stop(), go(Number(timeline.value))));

  // -- answers and sliders ------------------------------------------------------------------------

  function list() {
    const scene = model.get("scene");
    const now = current();
    answerTable(answers, now, scene.about, (question) => !alone && model.send({ type: "about", question }));
    hint.replaceChildren(
      scene.about ? `${scene.about} depends most on these weights` : "",
      chosen ? make("span", {}, " of ", make("b", {}, chosen.kind === "rule" ? "the rule" : chosen.name), " ", button("show all", "weights of every part", () => (picture.choose(null), (chosen = null), list()), "nll-clear")) : "",
    );
    sliderList(sliders, now.sliders ?? [], chosen, shown, model.get("moved") ?? {}, move, () => ((shown += 3 * SLIDERS), list()));
    keep.hidden = alone || !Object.keys(model.get("moved") ?? {}).length;
    loss.hidden = !now.loss;
    if (now.loss) loss.replaceChildren(...lossWords(now.loss));
  }

  function lossWords(found) {
    const before = model.get("scene").loss;
    const moved = before && found.value !== before.value;
    return [`${found.name}: `, make("b", {}, shortNumber(found.value)), moved ? ` (${shortNumber(before.value)} before)` : ""];
  }

  // -- the close-up -------------------------------------------------------------------------------

  function openUp(card) {
    if (alone) return showCloseUp(frames(model.get("closeups") ?? {}, card.id));
    model.send({ type: "open", id: card.id });
  }

  // A page without a kernel has the rules of its cards inside.
  function frames(found, id) {
    const data = found[id];
    if (!data) return null;
    const none = () => {};
    return { get: (name) => data[name] ?? (name === "sheet" ? model.get(name) : undefined), set: none, save_changes: none, on: none, off: none, send: none, alone: true };
  }

  async function showCloseUp(found) {
    closeUp?.();
    closeUp = null;
    close.replaceChildren();
    close.hidden = !found;
    if (!found) return;
    const inner = make("div");
    close.append(make("div", { class: "nll-close-bar" }, make("h4", {}, "the rule from near"), button("close", "close", () => showCloseUp(null), "nll-close-button")), inner);
    closeUp = explorer({ model: found, el: inner });
    close.scrollIntoView?.({ block: "nearest", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  }

  async function opened() {
    const id = model.get("closeup");
    if (!id || alone) return showCloseUp(null);
    showCloseUp(await model.widget_manager.get_model(id.replace("IPY_MODEL_", "")));
  }

  // -- what changes -------------------------------------------------------------------------------

  function show() {
    const scene = model.get("scene");
    chosen = null;
    sliders.style.minHeight = "";
    const held = sliders.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
    sliders.replaceChildren(); // of another program, or about another answer
    arrange();
    picture.show(scene);
    timeline.max = last();
    notes.replaceChildren(...(scene.notes ?? []).map((note) => make("li", {}, note)));
    update();
    if (held) [...sliders.querySelectorAll("input")].find((one) => one.getAttribute("aria-label") === held)?.focus();
    rest();
  }

  function update() {
    picture.update(current());
    list();
    if (step !== null) go(step);
  }

  function trained() {
    const state = model.get("training") ?? {};
    training.hidden = !state.curves;
    if (!state.curves) return;
    progress.textContent = progressWords(state);
    drawCurves(charts, state);
  }

  asked.value = model.get("question");
  asked.addEventListener("keydown", (event) => {
    event.stopPropagation(); // the notebook's own keys
    if (event.key === "Enter" && !alone) {
      model.set("question", asked.value);
      model.save_changes();
    }
  });
  const onError = () => (error.textContent = model.get("error") ?? "");
  const explain = () => {
    const found = model.get("reasons") ?? {};
    whyOf.textContent = model.get("scene").about ? `why ${model.get("scene").about}` : "why";
    why.hidden = !model.get("scene").about;
    if (found.text && found.about === model.get("scene").about) explanation(reasons, found, scrubs(), move, alone);
  };
  const showChanges = () => {
    const found = model.get("changes") ?? {};
    whatIf.hidden = alone || model.get("scene").count < 2;
    changes.replaceChildren(...(found.edits?.length ? found.edits.map((edit) =>
      make("div", { class: "nll-edit" }, make("span", {}, ...coloured(edit.say)),
        button("try it", `give ${edit.name} the weight ${shortNumber(edit.to)}`, () => move(edit.name, edit.to), "nll-try"))) : [found.said ?? ""]));
  };
  // The weights that a number in the explanation can be dragged for.
  function scrubs() {
    const moved = model.get("moved") ?? {};
    return (model.get("scene").sliders ?? []).filter((one) => one.kind !== "rule").map((one) => ({ ...one, weight: moved[one.name] ?? one.weight }));
  }
  why.addEventListener("toggle", () => {
    if (alone || why.open === model.get("why")) return;
    model.set("why", why.open);
    model.save_changes();
  });
  // It still plays; what asks Python rests.
  function gone() {
    move.canMove = false;
    for (const part of root.querySelectorAll(".nll-range, .nll-question, .nll-keep button, .nll-unfold")) part.disabled = true;
    error.textContent = GONE;
  }
  const heard = {
    "change:scene": () => (show(), explain(), showChanges()),
    "change:changes": showChanges,
    "change:reasons": explain,
    "change:numbers": () => (answered(), update()),
    "change:moved": list,
    "change:effects": list,
    "change:training": trained,
    "change:error": onError,
    "change:closeup": opened,
    comm_live_update: gone,
    "change:question": () => (asked.value = model.get("question")),
    "msg:custom": (message) => {
      if (message?.type !== "kept") return;
      const detail = { near: root, weights: message.weights };
      document.dispatchEvent(new CustomEvent("neurallog-weights", { detail, cancelable: true }));
    },
  };
  for (const [name, act] of Object.entries(heard)) model.on(name, act);
  hideStill(root, model.get("still"));
  why.open = model.get("why") === true;
  turn(false);
  show();
  explain();
  showChanges();
  trained();
  onError();
  opened();
  let width = 0;
  const watcher = new ResizeObserver(() => {
    if (Math.abs(root.clientWidth - width) < 8) return; // its own height is no reason
    width = root.clientWidth;
    if (width) resized();
  });
  watcher.observe(root);
  onPage(model, 1);
  return () => {
    onPage(model, -1);
    for (const [name, act] of Object.entries(heard)) model.off(name, act);
    watcher.disconnect();
    full.remove();
    closeUp?.();
    stop();
  };
}
