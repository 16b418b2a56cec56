// The pages that play inside a page: a frame without rights does not hear which theme is around it,
// so its text says it, and is read again when the theme changes.

const FRAMES = '.nlw iframe, iframe[title="played"][sandbox]';
const BODY = /<body(?: data-jp-theme-light="\w+" style="color-scheme: \w+")?>/;

export function themed(text) {
  const light = document.body.dataset.jpThemeLight !== "false";
  return text.replace(BODY, `<body data-jp-theme-light="${light}" style="color-scheme: ${light ? "light" : "dark"}">`);
}

function paint(frame) {
  const text = themed(frame.srcdoc);
  if (text !== frame.srcdoc) frame.srcdoc = text;
}

export function followTheme() {
  document.addEventListener("load", ({ target }) => target instanceof HTMLIFrameElement && target.matches(FRAMES) && paint(target), true);
  const painted = new MutationObserver(() => document.querySelectorAll(FRAMES).forEach(paint));
  painted.observe(document.body, { attributeFilter: ["data-jp-theme-light"] });
}
