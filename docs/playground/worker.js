// Python in the browser: Pyodide from the folder beside this file, with NumPy, SciPy and NeuralLog.
import { loadPyodide } from "./pyodide/pyodide.mjs";
import { instance } from "./viz/dist/viz.js";

const HOME = "/neurallog";
const step = (say) => postMessage({ type: "step", say });
let answer = null;

async function start() {
  step("Starting Python …");
  const python = await loadPyodide();
  const viz = await instance();
  python.registerJsModule("neurallog_viz", {
    draw: (source, format, engine) => viz.renderString(source, { format, engine }),
  });
  step("Loading NumPy and SciPy …");
  const wanted = ["numpy", "scipy"];
  await python.loadPackage(wanted, { errorCallback: () => {} });
  const missing = wanted.filter((name) => !(name in python.loadedPackages));
  if (missing.length) throw new Error(`${missing.join(" and ")} for Pyodide cannot be loaded`);
  step("Loading NeuralLog …");
  const packed = await fetch("neurallog.zip");
  if (!packed.ok) throw new Error("neurallog.zip is missing");
  python.unpackArchive(await packed.arrayBuffer(), "zip", { extractDir: HOME });
  python.runPython(`import sys; sys.path.insert(0, "${HOME}")`);
  python.runPython("import json\nfrom playground_engine import answer");
  answer = python.runPython("lambda text: json.dumps(answer(text))");
  postMessage({ type: "ready" });
}

onmessage = ({ data }) => {
  let result;
  try {
    result = JSON.parse(answer(data.text));
  } catch (error) {  // a fault of ours: the next run begins anew
    result = { error: `NeuralLog failed: ${said(error)}`, line: 0, notices: "", questions: [] };
  }
  postMessage({ type: "result", number: data.number, result });
};

// Of an error of Python the last line that names an error says what is wrong; Pyodide adds advice below.
function said(error) {
  const lines = String(error.message ?? error).trim().split("\n");
  return lines.findLast((line) => /^[\w.]*(Error|Exception)\b/.test(line)) ?? lines.at(-1);
}
start().catch((error) => postMessage({ type: "failed", say: said(error) }));
