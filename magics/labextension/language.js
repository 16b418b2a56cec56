// NeuralLog for CodeMirror 6: a stream parser that knows words, numbers, quotes and comments.

const KEYWORDS = new Set(["for", "in", "do", "done", "not"]);
const DIRECTIVES = new Set([
  "learn",
  "learn_rule_weights",
  "set_parameter",
  "set_predicate_parameter",
  "example",
  "mega_example",
  "example_set",
]);
const NUMBER = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?(?![A-Za-z_])/;

function token(stream, state) {
  if (state.comment) {
    state.comment = !stream.match(/^.*?\*\//);
    if (state.comment) stream.skipToEnd();
    return "blockComment";
  }
  if (stream.sol() && stream.match(/^\s*%%?(?:neurallog|examples|python)\b.*/)) return "magic";
  if (stream.eatSpace()) return null;
  if (stream.match(/^[%#].*/)) return "lineComment";
  if (stream.match("/*")) {
    state.comment = true;
    return "blockComment";
  }
  if (stream.match(/^"(?:\\.|[^"\\])*"?/) || stream.match(/^'(?:\\.|[^'\\])*'?/)) return "string";
  if (stream.match(NUMBER)) return "number";
  if (stream.match(/^(?:\?-|:-|::|<<|\.\.)/)) return "operator";
  if (stream.match(/^\{\{.*?\}\}/) || stream.match(/^\{[A-Za-z0-9_-]+\}/)) return "special";
  const word = stream.match(/^[A-Za-z_][A-Za-z0-9_-]*/);
  if (word) return ofWord(word[0], stream);
  stream.next();
  return "punctuation";
}

function ofWord(word, stream) {
  if (KEYWORDS.has(word)) return "keyword";
  if (DIRECTIVES.has(word)) return "builtin";
  if (/^[A-Z_]/.test(word)) return "logicVariable";
  return stream.match(/^\s*\(/, false) ? "predicate" : "entity";
}

// Which of the editor's colours each kind of token gets; JupyterLab's themes define them. Its colours
// for atoms (light) and for meta lines (dark) are too faint to read.
export function parser(tags) {
  return {
    name: "neurallog",
    startState: () => ({ comment: false }),
    token,
    languageData: {
      commentTokens: { line: "%", block: { open: "/*", close: "*/" } },
      closeBrackets: { brackets: ["(", "[", "{", '"'] },
      wordChars: "-",
    },
    tokenTable: {
      predicate: tags.function(tags.variableName),
      logicVariable: tags.definition(tags.variableName),
      builtin: tags.standard(tags.variableName),
      entity: tags.special(tags.string),
      magic: tags.keyword,
      special: tags.special(tags.string),
    },
  };
}
