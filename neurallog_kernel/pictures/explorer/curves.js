// Training: widths and labels of the rule's picture follow the weights.

// `looks` is {name: [label, width]}; the layout stays as it is.
function restyle(dag, looks, labels) {
  const groups = parts(dag);
  for (const [name, [label, width, range]] of Object.entries(looks)) {
    const group = groups.get(name);
    if (!group) continue;
    const path = group.querySelector("path") ?? groups.get(`b-${name}`)?.querySelector("path");
    if (path) {
      path.style.strokeWidth = `${width}`;
      if (!group.classList.contains("nl-function")) path.style.strokeDasharray = "none";
    }
    group.dataset.width = width;
    const title = group.querySelector("title");
    if (title) title.textContent = `${title.textContent.split("\nnow ")[0]}\nnow ${range}`;
    const text = group.querySelector("text");
    if (text) {
      const ground = group.classList.contains("nl-ground");
      if (ground) keepLeft(text); // it stands beside the output and may grow to the right only
      text.textContent = `${ground ? "× " : ""}◆ ${labels[name] ?? name} ${label}`;
    }
  }
}

function keepLeft(text) {
  if (text.getAttribute("text-anchor") === "start") return;
  text.setAttribute("x", text.getBBox().x);
  text.setAttribute("text-anchor", "start");
}
