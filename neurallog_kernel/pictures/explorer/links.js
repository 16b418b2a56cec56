// The two pictures as one: what is under the pointer lights up in both; keys do what the mouse does.

function linked(dag, tree, scene, onOpen) {
  const inDag = parts(dag);
  const inTree = parts(tree);
  const back = new Map(); // from a part of the graph to the parts of the tree that show it
  for (const [step, names] of Object.entries(scene.links)) {
    for (const name of names) back.set(name, [...(back.get(name) ?? []), step]);
  }

  // A path lights its edges in the graph; an edge lights its steps in the tree.
  function light(name) {
    const steps = inTree.has(name) ? scene.ways[name] ?? [name] : back.get(name) ?? [];
    const edges = inTree.has(name)
      ? new Set(steps.flatMap((step) => scene.links[step] ?? []))
      : new Set([name]);
    mark(inDag, edges);
    mark(inTree, new Set(steps));
  }

  function mark(groups, lit) {
    for (const [name, group] of groups) {
      group.classList.toggle("nlx-lit", lit.has(name));
      group.classList.toggle("nlx-dim", lit.size > 0 && !lit.has(name));
    }
    for (const number of dag?.querySelectorAll(".nlx-number") ?? []) {
      if (groups === inDag) {
        number.classList.toggle("nlx-dim", lit.size > 0 && !lit.has(number.dataset.for));
      }
    }
  }

  function darken() {
    for (const groups of [inDag, inTree]) mark(groups, new Set());
  }

  for (const groups of [inDag, inTree]) {
    const names = [...groups.keys()].filter((name) => !name.startsWith("b-"));
    names.forEach((name, index) => {
      const group = groups.get(name);
      const title = group.querySelector("title");
      group.setAttribute("role", "button");
      group.setAttribute("tabindex", index === 0 ? "0" : "-1");
      group.setAttribute("aria-label", title?.textContent.split("\n").join(", ") ?? name);
      group.addEventListener("pointerenter", () => light(name));
      group.addEventListener("pointerleave", darken);
      group.addEventListener("focus", () => light(name));
      group.addEventListener("blur", darken);
      group.addEventListener("click", () => onOpen(name));
      group.addEventListener("keydown", (event) => {
        const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (by) step(groups, names, index, by);
        else if (event.key === "Home") step(groups, names, 0, 0);
        else if (event.key === "End") step(groups, names, names.length - 1, 0);
        else if (event.key === "Enter" || event.key === " ") onOpen(name);
        else return;
        event.preventDefault();
        event.stopPropagation(); // or the notebook takes the key for itself
      });
    });
  }

  function step(groups, names, index, by) {
    const next = (index + by + names.length) % names.length;
    groups.get(names[index]).setAttribute("tabindex", "-1");
    const group = groups.get(names[next]);
    group.setAttribute("tabindex", "0");
    group.focus();
  }

  return { light, darken, inDag, inTree };
}
