// Where a clause stands in the text of a cell, and which cell a source is.

const WEIGHT = "(?<![\\w:.])(?:-?\\d+(?:\\.\\d+)?(?:[eE][-+]?\\d+)?\\s*::\\s*)?";

// The text in which a clause has another weight; null where it does not stand there once, as it is.
// The kernel changes its text in the same way (neurallog_kernel/language/reweigh.py).
export function reweighed(text, clause, weight) {
  const body = clause.trim().replace(/^-?[\d.]+(?:[eE][-+]?\d+)?::/, "").replace(/\.$/, "");
  const tokens = body.match(/"(?:\\.|[^"\\])*"|\w+|:-|\S/g) ?? [];
  const pattern = tokens.map((token) => token.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s*");
  const found = [...text.matchAll(new RegExp(`${WEIGHT}${pattern}\\s*\\.(?!\\d)`, "g"))].filter(
    (match) => !text.slice(text.lastIndexOf("\n", match.index - 1) + 1, match.index).replace(/^%%?\w+/, "").includes("%"),
  );
  if (!tokens.length || found.length !== 1) return null;
  const [match] = found;
  const said = weight === 1 ? "" : `${Number(weight.toPrecision(6))}::`;
  return `${text.slice(0, match.index)}${said}${body}.${text.slice(match.index + match[0].length)}`;
}

// The place of a cell by the name that the kernel gave its source: other signs became underscores.
export function cellOf(ids, name) {
  return ids.findIndex((id) => id === name || id.replace(/[^A-Za-z0-9_-]/g, "_") === name);
}
