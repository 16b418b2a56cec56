"""The living network as a widget: Python computes, the browser plays and hands back what is moved.

The picture is made once for a question. While a slider moves, only numbers travel.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol
from uuid import uuid4

import anywidget
import traitlets
from IPython.display import display

from neurallog_kernel.depth import deep
from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.explain.whatif import apart, with_weights
from neurallog_kernel.language.printer import format_number
from neurallog_kernel.pictures.explorer.shown import shown
from neurallog_kernel.pictures.explorer.widget import Explorer, frame_of
from neurallog_kernel.pictures.inspectable import Inspectable
from neurallog_kernel.pictures.live.graph import CardGraph
from neurallog_kernel.pictures.live.scene import moved_scene, scene
from neurallog_kernel.pictures.live.watch import WeightWatch
from neurallog_kernel.pictures.live.weights import fit, sliders
from neurallog_kernel.pictures.page import LIVE, LIVE_STYLE, framed, module, page, read
from neurallog_kernel.writing import write_text

FRAMES = 24  # rules that a page has inside


class Watchable(Inspectable, Protocol):
    """What the living network asks of a session."""

    def reweigh(self, weights: Mapping[str, float]) -> Any: ...


class LiveNetwork(anywidget.AnyWidget):
    """The network of a question, alive.

    `question` is set from both sides. `moved` holds the weights that sliders gave to facts and
    rules: answers and numbers are those that there would be, and the session stays as it is until
    `keep`.
    """

    _esm = module("liveNetwork", *LIVE)
    _css = read(*LIVE_STYLE)

    question = traitlets.Unicode().tag(sync=True)
    scene = traitlets.Dict().tag(sync=True)
    numbers = traitlets.Dict().tag(sync=True)
    moved = traitlets.Dict().tag(sync=True)
    training = traitlets.Dict().tag(sync=True)
    closeup = traitlets.Unicode().tag(sync=True)
    error = traitlets.Unicode().tag(sync=True)
    still = traitlets.Unicode().tag(sync=True)

    def __init__(self, session: Watchable, question: str) -> None:
        self.session = session
        self._scratch: Evaluator | None = None
        self._about: str | None = None
        self._unfolded: tuple[str, ...] = ()
        self._graph = CardGraph()
        self._near: Explorer | None = None
        super().__init__(question=question, still=f"nl-still-{uuid4().hex[:12]}")
        self.scene = self._scene()  # a question that cannot be asked is an error here
        self.on_msg(self._heard)
        self.observe(self._asked, names="question")

    @deep
    def _scene(self) -> dict[str, Any]:
        evaluator = self.session.inspect().evaluator
        found, self._graph = scene(evaluator, self.question, self._about, self._unfolded)
        found["sliders"] = sliders(evaluator, found["about"])
        fitted = fit(evaluator)
        return {**found, "loss": fitted} if fitted else found

    # -- asking ---------------------------------------------------------------------------------

    def _asked(self, change: Mapping[str, Any]) -> None:
        """Another question, typed in the browser: one that cannot be asked says why."""
        self._about, self._unfolded = None, ()
        self._again()

    def _again(self) -> None:
        try:
            found = self._scene()
            with self.hold_sync():  # one message, so that no page shows half of an answer
                self.scene, self.numbers, self.moved, self.error = found, {}, {}, ""
        except NeuralLogError as error:
            self.error = error.message

    def refresh(self) -> None:
        """The program has changed: ask again; what sliders held is let go."""
        self._scratch = None
        self._again()
        if self._near is not None:
            self._near.refresh()

    def follow(self, answer: str) -> None:
        """Show the slopes and the weights of another answer of the question."""
        self._about = answer
        self._again()

    def unfold(self, card: str) -> None:
        """Show the rules of a predicate that are folded."""
        self._unfolded = (*self._unfolded, card)
        self._again()

    def look_inside(self, target: str) -> Explorer:
        """Open a rule (`p/2:3`) from near, as a double click does."""
        self._near = Explorer(self.session, target)
        self.closeup = f"IPY_MODEL_{self._near.model_id}"
        return self._near

    # -- sliders --------------------------------------------------------------------------------

    def move(self, name: str, weight: float) -> None:
        """Give a fact or a rule another weight, as a slider does."""
        self.moved = {**dict(self.moved), name: float(weight)}
        try:
            found = self._moved_numbers()
            with self.hold_sync():
                self.numbers, self.error = found, ""
        except NeuralLogError as error:
            self.error = error.message

    @deep
    def _moved_numbers(self) -> dict[str, Any]:
        """The numbers with the moved weights, for the cards that the picture has."""
        evaluator = self.session.inspect().evaluator
        base = self._scratch or apart(evaluator, evaluator.program)
        program = with_weights(evaluator.program, evaluator.symbols, dict(self.moved))
        self._scratch = base.of(program)
        about: Any = self.scene
        found = moved_scene(self._scratch, self.question, about["about"], self._graph.opened)
        fitted = fit(self._scratch)
        return {**found, "loss": fitted} if fitted else found

    def let_go(self) -> None:
        """Give all facts and rules their own weights back."""
        with self.hold_sync():
            self.moved, self.numbers = {}, {}

    def keep(self) -> None:
        """Write the moved weights into the program, where its text states them."""
        moved: Any = self.moved
        if not moved:
            return
        try:
            self.session.reweigh(dict(moved))
        except NeuralLogError as error:
            self.error = error.message
            return
        self.send({"type": "kept", "weights": dict(moved)})
        self.refresh()

    def _heard(self, widget: Any, content: Any, buffers: Any) -> None:
        match content:
            case {"type": "move", "name": str(name), "weight": int() | float() as weight}:
                self.move(name, weight)
            case {"type": "let go"}:
                self.let_go()
            case {"type": "keep"}:
                self.keep()
            case {"type": "about", "question": str(answer)}:
                self.follow(answer)
            case {"type": "unfold", "id": str(card)}:
                self.unfold(card)
            case {"type": "open", "target": str(target)}:
                self._open(target)

    def _open(self, target: str) -> None:
        try:
            self.look_inside(target)
        except NeuralLogError as error:
            self.error = error.message

    # -- training -------------------------------------------------------------------------------

    def watch(self) -> WeightWatch:
        """A training callback: `session.train(callbacks=[network.watch()])`."""
        return WeightWatch(self.session.inspect(), self._training)

    def _training(self, state: dict[str, Any]) -> None:
        self.training = state

    # -- display --------------------------------------------------------------------------------

    def html(self) -> str:
        """One page with everything in it, which plays in any browser without a kernel."""
        data = {"question": self.question, "scene": dict(self.scene), "numbers": {}, "moved": {}}
        data |= {"training": dict(self.training), "error": "", "still": "", "closeup": ""}
        data["closeups"] = self._closeups()
        return page(self.question, data, "liveNetwork", LIVE, read(*LIVE_STYLE))

    def _closeups(self) -> dict[str, Any]:
        """The rules that are drawn, from near."""
        targets = [card.opens for card in self._graph.cards.values() if ":" in card.opens]
        return {
            target: frame_of(self.session, target) for target in dict.fromkeys(targets[:FRAMES])
        }

    def write_html(self, path: Any) -> None:
        """The page of `html` as a file, put in place whole."""
        write_text(path, self.html())

    def _ipython_display_(self) -> None:
        """The live view, and beside it the page that a saved notebook keeps."""
        live = self._repr_mimebundle_() or {}
        data = live[0] if isinstance(live, tuple) else live
        view = {"application/vnd.jupyter.widget-view+json", "text/plain"}
        data = {mime: content for mime, content in data.items() if mime in view}
        data["text/plain"] = f"the living network of {self.question}"
        display(data, raw=True)
        shown(self)
        said = self._said()
        kept = framed(self.html(), self.still, 760, said)
        display({"text/html": kept, "text/plain": said}, raw=True)

    def _said(self) -> str:
        found: Any = self.scene
        answers = [f"  {name}: {format_number(weight)}" for name, weight, _ in found["answers"]]
        return "\n".join([f"{self.question}:", *answers])
