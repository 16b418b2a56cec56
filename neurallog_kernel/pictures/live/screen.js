// The network on the whole screen, for a room full of people: arrows and a presenter's keys go
// through its steps.

const STEP_KEYS = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };

function fullScreen({ root, go, changed }) {
  const button = make("button", { type: "button", class: "nll-full", onclick: turn });
  const on = () => document.fullscreenElement === root;

  function turn() {
    if (on()) document.exitFullscreen();
    else root.requestFullscreen();
  }

  function keys(event) {
    const by = STEP_KEYS[event.key];
    if (!by || event.target.closest?.("input, select")) return;
    event.preventDefault();
    event.stopPropagation();
    go(by);
  }

  function show() {
    button.textContent = on() ? "leave" : "full screen";
    button.title = on() ? "back to the notebook (Esc)" : "show the network on the whole screen; arrow keys go through its steps";
    root.toggleAttribute("data-lm-suppress-shortcuts", on()); // the keys of JupyterLab rest meanwhile
    if (on()) document.addEventListener("keydown", keys, true);
    else document.removeEventListener("keydown", keys, true);
  }

  const turned = () => (show(), changed());
  document.addEventListener("fullscreenchange", turned);
  button.hidden = !document.fullscreenEnabled; // a page inside another may not
  show();
  return {
    button,
    on,
    remove() {
      document.removeEventListener("fullscreenchange", turned);
      document.removeEventListener("keydown", keys, true);
    },
  };
}
