"""The explorer: a rule's graph and paths side by side, alive. Python thinks, the browser restyles.

The pictures are made once, here; the browser gets them with a name for every part. After that only
names, numbers and labels travel: the browser says what was clicked or chosen, Python answers.
"""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.evaluate.inspection import Inspector
from neurallog_kernel.evaluate.rule_view import RuleView
from neurallog_kernel.pictures.beside import show_alive, show_still, still_class
from neurallog_kernel.pictures.drawing import Drawing
from neurallog_kernel.pictures.explorer import scene as scenes
from neurallog_kernel.pictures.explorer.groundings import groundings
from neurallog_kernel.pictures.explorer.shown import on_page, shown
from neurallog_kernel.pictures.explorer.still import bundle, harmless
from neurallog_kernel.pictures.explorer.watch import Watch
from neurallog_kernel.pictures.inspectable import Inspectable
from neurallog_kernel.pictures.numbers import numbers as question_numbers
from neurallog_kernel.pictures.page import EXPLORER, EXPLORER_STYLE, module, page, read
from neurallog_kernel.pictures.show import find_rules, rule_of
from neurallog_kernel.pictures.svg import bare, style
from neurallog_kernel.writing import write_text

FRAMES = 60  # rules that a page has inside


def frame_of(session: Inspectable, target: str, query: str | None = None) -> dict[str, Any]:
    """A rule with its pictures and the numbers of a first question, for a page without a kernel."""
    found = Explorer(session, target, query=query)
    found.close()
    return found.frame()


class Explorer(anywidget.AnyWidget):
    """An interactive picture of one rule at a time.

    `choice` says what is shown and is set from both sides; `clicked` lists the parts that were
    clicked, newest last.
    """

    _esm = module("explorer", *EXPLORER)
    _css = read(*EXPLORER_STYLE)

    catalogue = traitlets.List().tag(sync=True)
    choice = traitlets.Dict().tag(sync=True)
    scene = traitlets.Dict().tag(sync=True)
    numbers = traitlets.Dict().tag(sync=True)
    panel = traitlets.Dict().tag(sync=True)
    training = traitlets.Dict().tag(sync=True)
    still = traitlets.Unicode().tag(sync=True)  # the class of the output that stays when saved

    def __init__(
        self,
        session: Inspectable,
        target: str | None = None,
        output: int | None = None,
        query: str | None = None,
    ) -> None:
        catalogue = scenes.catalogue(session)
        if not catalogue:
            raise NeuralLogError("the program has no rules to explore", hint="add a rule first")
        self.session = session
        self.clicked: list[str] = []
        self._view: RuleView | None = None
        self._display_id = ""
        self._snapshot: str | None = None
        super().__init__(catalogue=catalogue, still=still_class())
        self.on_msg(self._heard)
        self._open(self._first_choice(target or catalogue[0]["name"], output, query))
        self.observe(self._chosen, names="choice")

    # -- choosing -------------------------------------------------------------------------------

    @property
    def view(self) -> RuleView:
        """The rule shown."""
        assert self._view is not None
        return self._view

    def _first_choice(self, target: str, output: int | None, query: str | None) -> dict[str, Any]:
        name, colon, number = target.rpartition(":")
        if not (colon and number.isdecimal()):
            name, number = target, "1"
        head = find_rules(self.session, name)[0].rule.head
        given: list[str | None] = [None] * head.arity
        if query is not None:
            given, output = _read_query(self.session.inspect(), query, head, output)
        full = f"{head.predicate}/{head.arity}"
        return {"predicate": full, "rule": int(number), "output": output, "given": given}

    def _chosen(self, change: dict[str, Any]) -> None:
        if change["new"] != change["old"]:
            self._open(change["new"])

    def _open(self, choice: dict[str, Any]) -> None:
        """Show what was chosen; a question that cannot be asked says why."""
        target = f"{choice['predicate']}:{choice['rule']}"
        self._view = find_rules(self.session, target, choice.get("output"))[0]
        inspector = self.session.inspect()
        arity = self.view.rule.head.arity
        output = self.view.dag.output_place
        given = [*choice.get("given", []), *[None] * arity][:arity]
        if arity > 1 and output is not None:
            given[output] = None
        places = scenes.places(given)
        if not places and arity:
            places = scenes.first_question(self.view, inspector)
            given = [places.get(place) for place in range(arity)]
        with self.hold_sync():  # in one message, or the page takes away a field that is typed in
            self.scene = scenes.scene(self.view, inspector)
            self._ask(places)
            self.panel = {}
            self.set_trait("choice", {**choice, "output": output, "given": given})

    def _ask(self, given: dict[int, str]) -> None:
        head = self.view.rule.head
        wanted = {p for p in range(head.arity) if p != self.view.dag.output_place}
        if head.arity == 1:
            wanted = {0}
        missing = wanted - set(given)
        try:
            if missing:
                term = self.scene["places"][min(missing)]["name"]
                raise NeuralLogError(f"name an entity for {term}")
            inspector = self.session.inspect()
            found = question_numbers(self.view, inspector, given)
            self.numbers = {**found, "groundings": groundings(self.view, inspector, given)}
        except NeuralLogError as error:
            self.numbers = {"error": error.message}

    def refresh(self) -> None:
        """The program has changed: ask the same question again. What is gone is said."""
        try:
            found = scenes.catalogue(self.session)
            with self.hold_sync():
                self.catalogue = found or self.catalogue
                self.follow()
        except NeuralLogError as error:
            said = f"this is the program as it was before its last change: {error.message}"
            self.numbers = {"error": said}

    def follow(self) -> None:
        """Ask the same question again; weights that were learned or moved since then count."""
        choice: Any = self.choice
        target = f"{choice['predicate']}:{choice['rule']}"
        before = self.view.rule
        self._view = find_rules(self.session, target, choice.get("output"))[0]
        with self.hold_sync():
            if self.view.rule != before:  # its weight was learned or moved
                self.scene = scenes.scene(self.view, self.session.inspect())
            self._ask(scenes.places(choice["given"]))

    # -- what the browser says ------------------------------------------------------------------

    def _heard(self, widget: Any, content: Any, buffers: Any) -> None:
        kind = content.get("type") if isinstance(content, dict) else None
        if kind == "click" and isinstance(content.get("id"), str):
            self.click(content["id"])
        elif kind == "on page" and isinstance(content.get("more"), int):
            on_page(self, content["more"])
        elif kind == "snapshot" and isinstance(content.get("svg"), str):
            self._snapshot = harmless(content["svg"]) or self._snapshot
            self._refresh()

    def click(self, name: str) -> None:
        """Open what a part of the picture is, as a click does."""
        linked = self.scene["links"].get(name)
        part = linked[0] if linked else name
        self.clicked.append(part)
        numbers: Any = self.numbers
        values = numbers.get("values", {})
        self.panel = scenes.details(self.view, self.session.inspect(), part, values)

    # -- training -------------------------------------------------------------------------------

    def watch(self) -> Watch:
        """A training callback: `session.train(callbacks=[explorer.watch()])`."""
        return Watch(self.view, self.session.inspect(), self._training)

    def _training(self, state: dict[str, Any]) -> None:
        self.training = state
        if state["phase"] == "end":
            self.send({"type": "snapshot"})

    # -- display --------------------------------------------------------------------------------

    def frame(self) -> dict[str, Any]:
        """What is shown, for a page without a kernel: it has the style of the pictures once, and
        offers no other entities."""
        scene, choice = dict(self.scene), dict(self.choice)
        pictures = {name: bare(scene[name]) for name in ("dag", "tree")}
        places = [{**place, "choices": []} for place in scene["places"]]
        entry = next(e for e in self.catalogue if e["name"] == choice["predicate"])
        return {
            "choice": choice,
            "scene": {**scene, **pictures, "places": places},
            "numbers": self.numbers,
            "panel": {},
            "catalogue": [entry],
            "training": {},
            "still": "",
        }

    def html(self) -> str:
        """One page with the rules of the program inside, which plays without a kernel."""
        listed = [f"{e['name']}:{n + 1}" for e in self.catalogue for n in range(len(e["rules"]))]
        choice: Any = self.choice
        shown = f"{choice['predicate']}:{choice['rule']}"
        names = [shown, *(name for name in listed if name != shown)][:FRAMES]
        frames = {name: frame_of(self.session, name) for name in names}
        frames[shown] = self.frame()
        data = {"frames": frames, "first": shown, "sheet": style()}
        return page(str(self.scene["title"]), data, "explorerPage", EXPLORER, read(*EXPLORER_STYLE))

    def write_html(self, path: Any) -> None:
        """The page of `html` as a file, put in place whole."""
        write_text(path, self.html())

    def _ipython_display_(self) -> None:
        """The live view, and beside it the picture that a saved notebook keeps."""
        show_alive(self, f"the explorer of {self.scene['title']}")
        shown(self)
        self._display_id = show_still(self._still())

    def _still(self) -> dict[str, str]:
        drawing = Drawing(rule_of(self.view))
        text = "\n".join([str(drawing), *self._said()])
        return bundle(self._snapshot or drawing.svg, text, self.still)

    def _said(self) -> list[str]:
        """The numbers in words, for those who see the text only."""
        numbers: Any = self.numbers
        if "steps" not in numbers:
            return []
        return [f"{numbers['question']}:", *(f"  {step['say']}" for step in numbers["steps"])]

    def _refresh(self) -> None:
        if self._display_id:
            show_still(self._still(), self._display_id)


def _read_query(
    inspector: Inspector, query: str, head: Any, output: int | None
) -> tuple[list[str | None], int | None]:
    """The entities of a question and its open place; one bare name is the first input."""
    arity = head.arity
    if "(" not in query or query[0] in "'\"":
        name = query.strip().strip("'\"")
        place = arity - 1 if output == 0 and arity > 1 else 0
        return [name if p == place else None for p in range(arity)], output
    signature, given = inspector.read_query(query)
    if signature != (head.predicate, arity):
        asked = f"{signature[0]}/{signature[1]}"
        raise NeuralLogError(f"the question is about {asked}, not {head.predicate}/{arity}")
    if output is None and arity > 1 and None in given:
        output = given.index(None)
    return given, output
