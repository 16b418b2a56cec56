// Elements, zooming and panning by the view box, and pictures as files.

const SVG_NS = "http://www.w3.org/2000/svg";

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function draw(tag, attributes = {}, text = null) {
  const element = document.createElementNS(SVG_NS, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== null) element.textContent = text;
  return element;
}

// Python's SVG into a place of the page; parsed as XML, so that nothing in it is taken for HTML.
// `sheet` is the style of a picture that came without it.
function place(holder, text, sheet) {
  holder.replaceChildren();
  if (!text) {
    holder.append(make("p", { class: "nlx-none" }, "No picture: Graphviz is not installed."));
    return null;
  }
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const svg = document.importNode(parsed, true);
  svg.removeAttribute("role");
  if (sheet) svg.prepend(draw("style", {}, sheet));
  holder.append(svg);
  return svg;
}

function parts(svg) {
  const found = new Map();
  for (const group of svg ? svg.querySelectorAll("g[data-id]") : []) {
    found.set(group.dataset.id, group);
  }
  return found;
}

function shortNumber(value) {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}

// A text of the language with its parts coloured as in the editor.
function coloured(text) {
  const parts = text.split(/("(?:\\.|[^"\\])*"|:-|\bnot\b|[0-9.]+::|[a-z_][\w]*(?=\()|(?<=[(,] ?)[a-z]\w*(?=[,)])|\b[A-Z_]\w*\b)/);
  return parts.map((part, place) => [part, parts[place + 1] ?? ""]).filter(([part]) => part).map(([part, after]) => {
    if (part.startsWith('"')) return make("bdi", {}, part); // a name, whatever is in it
    const sort = part === ":-" ? "key" : part === "not" ? "word" : /::$/.test(part) ? "number" : /^[A-Z_]\w*$/.test(part) ? "variable" : !/^[a-z_]\w*$/.test(part) ? "" : after.startsWith("(") ? "predicate" : "entity";
    return sort ? make("span", { class: `nlx-${sort}-text` }, part) : part;
  });
}

// A sentence in which names that are read from right to left do not turn what follows them.
function isolated(text) {
  return text.replace(/[\u0590-\u08ff\ufb1d-\ufefc]+(?:\s+[\u0590-\u08ff\ufb1d-\ufefc]+)*/g, "\u2068$&\u2069");
}

const GONE = "the kernel that computed this is gone: run the cell again"; // it was restarted, or ended

// Python asks anew for what somebody sees. A kernel that is gone hears nothing.
function onPage(model, more) {
  try {
    model.send({ type: "on page", more });
  } catch {
    return;
  }
}

// What stays in a saved notebook is not needed while the widget lives.
function hideStill(root, name) {
  if (!name) return;
  const style = make("style");
  style.textContent = `.jp-OutputArea-child:has(.${name}), .${name} { display: none; }`;
  root.append(style);
}

// -- zoom and pan ---------------------------------------------------------------------------------

const LARGEST = 1.35; // a small picture is not blown up further
const ROOM = 44; // for numbers above and below
const SIDES = 30; // for the names above the first and the last term
const [LOW, HIGH] = [170, 360]; // pixels

// As high as the pictures need that stand beside each other.
function paneHeight(...svgs) {
  const highest = Math.max(0, ...svgs.map((svg) => svg.viewBox.baseVal.height + ROOM));
  return Math.round(Math.min(HIGH, Math.max(LOW, highest * LARGEST)));
}

function zoomable(svg) {
  const box = svg.viewBox.baseVal;
  const width = Math.max(box.width + 2 * SIDES, (svg.clientWidth || 400) / LARGEST);
  const height = Math.max(box.height, (svg.clientHeight || HIGH) / LARGEST);
  const x = box.x - (width - box.width) / 2;
  const y = box.y - (height - box.height) / 2;
  const whole = { x, y, width, height };
  const now = { ...whole };
  const show = () => svg.setAttribute("viewBox", `${now.x} ${now.y} ${now.width} ${now.height}`);
  const zoom = (factor, x = now.x + now.width / 2, y = now.y + now.height / 2) => {
    const width = Math.min(Math.max(now.width / factor, whole.width / 20), whole.width * 4);
    const scale = width / now.width;
    now.x = x - (x - now.x) * scale;
    now.y = y - (y - now.y) * scale;
    now.width = width;
    now.height *= scale;
    show();
  };
  const pan = (dx, dy) => {
    now.x += dx;
    now.y += dy;
    show();
  };
  const fit = () => {
    Object.assign(now, whole);
    show();
  };
  const toPicture = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY);
    return point.matrixTransform(svg.getScreenCTM().inverse());
  };
  svg.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return; // leave the notebook its scrolling
      event.preventDefault();
      const at = toPicture(event);
      zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, at.x, at.y);
    },
    { passive: false },
  );
  show();
  let held = null;
  svg.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && !event.target.closest("g[data-id]")) {
      held = toPicture(event);
      svg.setPointerCapture(event.pointerId);
    }
  });
  svg.addEventListener("pointermove", (event) => {
    if (!held) return;
    const at = toPicture(event);
    pan(held.x - at.x, held.y - at.y);
  });
  svg.addEventListener("pointerup", () => (held = null));
  return { zoom, pan, fit };
}

// -- files ----------------------------------------------------------------------------------------

// The picture as it looks now, complete in itself.
function asFile(svg) {
  const copy = svg.cloneNode(true);
  copy.setAttribute("class", "nl-svg nl-alone");
  copy.setAttribute("xmlns", SVG_NS);
  for (const group of copy.querySelectorAll("g[data-id]")) {
    group.classList.remove("nlx-lit", "nlx-dim", "nlx-now", "nlx-future");
    for (const name of ["tabindex", "role", "aria-label"]) group.removeAttribute(name);
  }
  return new XMLSerializer().serializeToString(copy);
}

function save(name, blob) {
  const link = make("a", { download: name });
  link.href = URL.createObjectURL(blob);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function savePng(name, svg) {
  const { width, height } = svg.viewBox.baseVal;
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(asFile(svg))}`;
  await picture.decode();
  const canvas = make("canvas", { width: Math.ceil(width * 3), height: Math.ceil(height * 3) });
  const pen = canvas.getContext("2d");
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  pen.fillStyle = dark ? "#16191d" : "#ffffff";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  save(name, blob);
  return blob.size;
}
