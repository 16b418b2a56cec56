"""The living network as a widget: Python computes, the browser plays and hands back what is moved.

The picture is made once for a question. While a slider moves, only numbers travel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import anywidget
import traitlets

from neurallog_kernel.answers import format_weight
from neurallog_kernel.depth import deep
from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.inspection import Inspector
from neurallog_kernel.evaluate.rule_view import RuleView
from neurallog_kernel.explain.change import what_would_change
from neurallog_kernel.explain.whatif import apart, with_weights
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.pictures.beside import show_alive, show_still, still_class
from neurallog_kernel.pictures.explorer.shown import on_page, refresh, shown, unsettled
from neurallog_kernel.pictures.explorer.widget import Explorer, frame_of
from neurallog_kernel.pictures.inspectable import Inspectable
from neurallog_kernel.pictures.live.graph import CardGraph
from neurallog_kernel.pictures.live.layout import page_height
from neurallog_kernel.pictures.live.reasons import told
from neurallog_kernel.pictures.live.scene import moved_scene, scene
from neurallog_kernel.pictures.live.watch import WeightWatch
from neurallog_kernel.pictures.live.weights import fit, sliders
from neurallog_kernel.pictures.page import LIVE, LIVE_STYLE, framed, module, page, read
from neurallog_kernel.pictures.svg import style
from neurallog_kernel.writing import write_text

FRAMES = 24  # rules that a page has inside


class Watchable(Inspectable, Protocol):
    """What the living network asks of a session."""

    def reweigh(self, weights: Mapping[str, float]) -> Any: ...

    def untrained(self, query: str) -> list[str]: ...


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
    effects = traitlets.Dict().tag(sync=True)  # of each weight, where sliders came to rest
    moved = traitlets.Dict().tag(sync=True)
    training = traitlets.Dict().tag(sync=True)
    closeup = traitlets.Unicode().tag(sync=True)
    error = traitlets.Unicode().tag(sync=True)
    why = traitlets.Bool(False).tag(sync=True)  # whether the explanation is open
    reasons = traitlets.Dict().tag(sync=True)
    changes = traitlets.Dict().tag(sync=True)
    still = traitlets.Unicode().tag(sync=True)

    def __init__(self, session: Watchable, question: str) -> None:
        self.session = session
        self._scratch: Evaluator | None = None  # the program with the moved weights
        self._trained: Evaluator | None = None  # with what a training has learned so far
        self._about: str | None = None
        self._unfolded: tuple[str, ...] = ()
        self._outdated = False  # the program has changed, and the question cannot be asked now
        self._graph = CardGraph()
        self._near: Explorer | None = None
        self._moves = 0
        super().__init__(question=question, still=still_class())
        self.scene = self._scene(question)  # one that cannot be asked is an error here
        self.on_msg(self._heard)
        self.observe(self._asked, names="question")
        self.observe(lambda change: self._reason(), names="why")

    @deep
    def _scene(self, question: str) -> dict[str, Any]:
        evaluator = self.session.inspect().evaluator
        found, self._graph = scene(evaluator, question, self._about, self._unfolded)
        found["sliders"] = sliders(evaluator, found["about"])
        found["notes"] = [*self._untrained(question), *found["notes"]]
        fitted = fit(evaluator)
        return {**found, "loss": fitted} if fitted else found

    @property
    def _drawn(self) -> str:
        """The question of the picture: another one that was typed may be wrong."""
        return str(self.scene["question"])

    def _untrained(self, question: str) -> list[str]:
        """What is still 0 before training."""
        names = self.session.untrained(question)
        if not names:
            return []
        *more, last = names
        said = f"{', '.join(more)} and {last} have" if more else f"{last} has"
        return [f"{said} no weight yet: train the program, or write facts that give one"]

    # -- asking ---------------------------------------------------------------------------------

    def _asked(self, change: Mapping[str, Any]) -> None:
        """Another question, typed in the browser: one that cannot be asked says why."""
        before = self._about, self._unfolded
        self._about, self._unfolded = None, ()
        self._again(self.question)
        if self.error:  # the picture stays, and what was opened in it
            self._about, self._unfolded = before
            self.error = self._still_shown(self.error)

    def _again(self, question: str) -> None:
        try:
            found = self._scene(question)
            self._outdated = False
            with self.hold_sync():  # one message, so that no page shows half of an answer
                self.scene, self.numbers, self.effects = found, {}, {}
                self.moved, self.changes, self.error = {}, {}, ""
                self._reason()
        except NeuralLogError as error:
            self.error = error.message

    def refresh(self) -> None:
        """The program has changed: ask again; what sliders held is let go."""
        self._scratch = self._trained = None
        self._again(self.question)
        typed = self.error
        if typed and self.question.strip() != self._drawn:  # it was wrong before
            self._again(self._drawn)
        if self.error:
            self._outdated = True
            self.moved, self.numbers, self.effects = {}, {}, {}
            self.error = f"this is the program as it was before its last change: {self.error}"
        elif typed:
            self.error = self._still_shown(typed)
        if self._near is not None:
            self._near.refresh()

    def _still_shown(self, error: str) -> str:
        return f"{error}. The picture still shows {self._drawn}"

    def follow(self, answer: str) -> None:
        """Show the slopes and the weights of another answer of the question."""
        self._about = answer
        self._again(self._drawn)

    def unfold(self, card: str) -> None:
        """Show the rules of a predicate that are folded."""
        self._unfolded = (*self._unfolded, card)
        self._again(self._drawn)

    def look_inside(self, card: str) -> Explorer:
        """Open the rule of a card from near, with what is asked of it there, as a double click
        does. It shows the weights that sliders gave."""
        target, query = self._graph.cards[card].opens, self._graph.question(card)
        self._near = Explorer(_Moved(self), target, query=query)
        self.closeup = f"IPY_MODEL_{self._near.model_id}"
        return self._near

    @deep
    def _reason(self) -> None:
        """The explanation of the answer that is followed, where somebody looks at it."""
        about = str(self.scene["about"])
        self.reasons = told(self._evaluator, about) if self.why and about else {}

    @deep
    def ask_for_changes(self) -> None:
        """Look for the smallest edits that put another answer first, as the button does."""
        try:
            found = what_would_change(self._evaluator, self._drawn)
            edits = [
                {"say": str(edit), "name": edit.name, "to": edit.tried, "weight": edit.weight}
                for edit in found
            ]
            self.changes = {"about": found.first, "edits": edits, "said": str(found)}
        except NeuralLogError as error:
            self.changes = {"about": "", "edits": [], "said": error.message}

    @property
    def _evaluator(self) -> Evaluator:
        """Of the program with the weights that sliders gave, or that a training has so far."""
        scratch = self._scratch if self.moved else self._trained
        return scratch or self.session.inspect().evaluator

    # -- sliders --------------------------------------------------------------------------------

    def move(self, name: str, weight: float) -> None:
        """Give a fact or a rule another weight, as a slider does. One that cannot be given
        changes nothing."""
        self._moves += 1
        before = dict(self.moved), self._scratch
        try:
            if self._outdated:
                raise NeuralLogError(self.error)
            self.moved = {**before[0], name: float(weight)}
            found = self._moved_numbers()
        except NeuralLogError as error:
            with self.hold_sync():  # the numbers too: the browser waits for them
                self.moved, self._scratch = before
                self.numbers = {**dict(self.numbers), "move": self._moves}
                self.error = error.message
            return
        with self.hold_sync():
            self.numbers, self.error = found, ""
        self._reason()  # after the answers, which are looked at first
        if self._near is not None:
            self._near.follow()

    @deep
    def weigh_effects(self) -> None:
        """What each weight does to the answer now: a slider has come to rest."""
        if self.moved and self._scratch is not None:
            self.effects = {"sliders": sliders(self._scratch, str(self.scene["about"]))}

    @deep
    def _moved_numbers(self) -> dict[str, Any]:
        """The numbers with the moved weights, for the cards that the picture has."""
        evaluator = self.session.inspect().evaluator
        base = self._scratch or apart(evaluator, evaluator.program)
        program = with_weights(evaluator.program, evaluator.symbols, dict(self.moved))
        self._scratch = base.of(program)
        about: Any = self.scene
        found = moved_scene(self._scratch, self._drawn, about["about"], self._graph.opened)
        found["move"] = self._moves  # equal numbers are an answer too
        fitted = fit(self._scratch)
        return {**found, "loss": fitted} if fitted else found

    def let_go(self) -> None:
        """Give all facts and rules their own weights back."""
        with self.hold_sync():
            self.moved, self.numbers, self.effects = {}, {}, {}
            self.error = self.error if self._outdated else ""
            self._reason()
        if self._near is not None:
            self._near.follow()

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
        refresh(self.session, but=self)

    def _heard(self, widget: Any, content: Any, buffers: Any) -> None:
        match content:
            case {"type": "move", "name": str(name), "weight": int() | float() as weight}:
                self.move(name, weight)
            case {"type": "on page", "more": int(more)}:
                on_page(self, more)
            case {"type": "effects"}:
                self.weigh_effects()
            case {"type": "changes"}:
                self.ask_for_changes()
            case {"type": "let go"}:
                self.let_go()
            case {"type": "keep"}:
                self.keep()
            case {"type": "about", "question": str(answer)}:
                self.follow(answer)
            case {"type": "unfold", "id": str(card)}:
                self.unfold(card)
            case {"type": "open", "id": str(card)} if card in self._graph.called:
                self._open(card)

    def _open(self, card: str) -> None:
        try:
            self.look_inside(card)
        except NeuralLogError as error:
            self.error = error.message

    # -- training -------------------------------------------------------------------------------

    def watch(self) -> WeightWatch:
        """A training callback: `session.train(callbacks=[network.watch()])`."""
        return WeightWatch(self._training, self._follow_training)

    def _training(self, state: dict[str, Any]) -> None:
        if self.moved:  # the training starts from the weights of the program
            self.let_go()
        self.training = state

    @deep
    def _follow_training(self, program: Program) -> None:
        """The numbers of the same cards with the weights so far; the end of the training asks
        anew. What cannot be shown on the way does not end the training."""
        evaluator = apart(self.session.inspect().evaluator, program).of(program)
        about = str(self.scene["about"])
        try:
            found = moved_scene(evaluator, self._drawn, about, self._graph.opened)
            best = found["answers"][0][2] if found["answers"] else ""
            found["sliders"] = sliders(evaluator, about or best)  # untrained, it had no answer
            fitted = fit(evaluator)
        except NeuralLogError:
            return
        unsettled(self)
        self._trained = evaluator
        self._moves += 1
        self.numbers = {**found, "move": self._moves, **({"loss": fitted} if fitted else {})}
        self._reason()
        if self._near is not None:
            self._near.follow()

    # -- display --------------------------------------------------------------------------------

    def html(self) -> str:
        """One page with everything in it, which plays in any browser without a kernel."""
        data = {"question": self._drawn, "scene": dict(self.scene), "numbers": {}, "moved": {}}
        data |= {"training": dict(self.training), "error": "", "still": "", "closeup": ""}
        about = str(self.scene["about"])
        data |= {
            "changes": {},
            "why": False,
            "reasons": told(self._evaluator, about) if about else {},
        }
        data |= {"closeups": self._closeups(), "sheet": style()}
        return page(self._drawn, data, "liveNetwork", LIVE, read(*LIVE_STYLE))

    def _closeups(self) -> dict[str, Any]:
        """The rules that are drawn, from near."""
        opened = [name for name, card in self._graph.cards.items() if ":" in card.opens]
        return {
            name: frame_of(self.session, self._graph.cards[name].opens, self._graph.question(name))
            for name in opened[:FRAMES]
        }

    def write_html(self, path: Any) -> None:
        """The page of `html` as a file, put in place whole."""
        write_text(path, self.html())

    def _ipython_display_(self) -> None:
        """The live view, and beside it the page that a saved notebook keeps."""
        show_alive(self, f"the living network of {self._drawn}")
        shown(self)
        said = self._said()
        kept = framed(self.html(), self.still, page_height(self.scene), said)
        show_still({"text/html": kept, "text/plain": said})

    def _said(self) -> str:
        found: Any = self.scene
        answers = [f"  {name}: {format_weight(weight)}" for name, weight, _ in found["answers"]]
        return "\n".join([f"{self._drawn}:", *answers])


@dataclass(frozen=True)
class _Moved:
    """The session of a living network, with the weights that its sliders gave."""

    network: LiveNetwork

    def rules(self, predicate: str | None = None) -> list[RuleView]:
        named = self.network.session.rules(predicate)
        evaluator = self.network._evaluator
        return [
            RuleView(rule, None, evaluator)
            for signature in dict.fromkeys(view.rule.head.signature for view in named)
            for rule in evaluator.program.definition(signature).rules
        ]

    def plan(self, predicate: str, output: int | None = None) -> str:
        return self.network.session.plan(predicate, output)

    def inspect(self) -> Inspector:
        return Inspector(self.network._evaluator)
