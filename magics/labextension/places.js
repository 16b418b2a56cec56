// Where a clause stands in the text of a cell, and which cell a source is.

const NUMBER = "-?(?:\\d+(?:\\.\\d+)?|\\.\\d+)(?:[eE][-+]?\\d+)?";
const APART = /("(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*')|[%#][^\n]*|\/\*[^]*?\*\//g; // quotes, and comments
const END = /(?:\.|\b(?:do|done)|^)$/; // of what can stand before a clause

// The text in which a clause has another weight; null where it does not stand there once, as it is.
// The kernel changes its text in the same way (neurallog_kernel/language/reweigh.py).
export function reweighed(text, clause, weight) {
  const quotes = [];
  const code = text.replace(APART, (all, quoted, at) => {
    if (quoted === undefined) return all.replace(/[^\n]/g, " ");
    quotes.push([at, at + all.length]);
    return all;
  });
  const body = clause.trim().replace(new RegExp(`^${NUMBER}\\s*::\\s*`), "").replace(/\.$/, "");
  const tokens = body.match(/"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'|\w+|:-|\S/g) ?? [];
  const pattern = tokens.map((token) => token.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s*");
  const found = [...code.matchAll(new RegExp(`(?<![\\w:])(?:${NUMBER}\\s*::(\\s*))?(${pattern}\\s*\\.(?!\\d))`, "g"))].filter(
    ({ index }) => END.test(code.slice(0, index).trimEnd()) && !quotes.some(([start, end]) => start < index && index < end),
  );
  if (!tokens.length || found.length !== 1) return null;
  const [match] = found;
  const said = weight === 1 ? "" : `${Number(weight.toPrecision(6))}::`;
  const gap = "\n".repeat((match[1] ?? "").split("\n").length - 1);
  const end = match.index + match[0].length;
  return text.slice(0, match.index) + said + gap + text.slice(end - match[2].length);
}

// The place of a cell by the name that the kernel gave its source: other signs became underscores.
export function cellOf(ids, name) {
  return ids.findIndex((id) => id === name || id.replace(/[^A-Za-z0-9_-]/g, "_") === name);
}
