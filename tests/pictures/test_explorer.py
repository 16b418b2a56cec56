"""The explorer's Python side: choosing, clicking, numbers, watching training, what is saved."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.pictures.explorer import explore
from neurallog_kernel.pictures.explorer import watch as watching
from neurallog_kernel.pictures.explorer.still import bundle, harmless
from tests.pictures.paper import FACTS, FIGURE_1


@pytest.fixture
def session() -> Session:
    session = Session()
    session.add(FACTS, source="facts")
    session.add(FIGURE_1, source="rule")
    session.add("far(X, Y) :- p0(X, Y). far(X, Y) :- p0(X, Z), p2(Z, Y).", source="far")
    return session


# -- choosing -------------------------------------------------------------------------------------


def test_it_opens_with_a_question_that_has_an_answer(session):
    explorer = explore(session, "target/2")
    assert explorer.choice == {
        "predicate": "target/2",
        "rule": 1,
        "output": 1,
        "given": ["a", None],
    }
    assert explorer.numbers["question"] == "target(a, Y)"
    assert explorer.numbers["result"]["count"] == 2


def test_the_session_opens_it_too(session):
    assert session.explore("far/2:2").choice["rule"] == 2


def test_a_query_says_direction_and_entities(session):
    explorer = explore(session, "target/2", query="target(X, d)")
    assert explorer.choice["output"] == 0
    assert explorer.numbers["question"] == "target(X, d)"


def test_every_rule_and_direction_can_be_chosen(session):
    explorer = explore(session)
    for entry in explorer.catalogue:
        for number, text in enumerate(entry["rules"], start=1):
            explorer.choice = {
                "predicate": entry["name"],
                "rule": number,
                "output": 0,
                "given": [],
            }
            assert explorer.scene["title"] == text
            assert explorer.choice["output"] == 0
            assert "error" not in explorer.numbers


def test_a_question_that_cannot_be_asked_says_why(session):
    explorer = explore(session, "target/2")
    explorer.choice = {**explorer.choice, "given": ["nobody", None]}
    assert explorer.numbers == {"error": "unknown entity nobody at place 1 of target"}


def test_a_program_without_rules_says_so():
    with pytest.raises(NeuralLogError, match="no rules"):
        explore(Session())


# -- numbers --------------------------------------------------------------------------------------


def test_the_numbers_are_the_session_s_answers(session):
    for predicate in ("target/2", "far/2"):
        explorer = explore(session, predicate, query="a")
        name = predicate.partition("/")[0]
        asked = session.query(f"{name}(a, Y)").weights
        shown = {(n,): w for n, w in explorer.numbers["answer"]["top"]}
        assert shown == pytest.approx(asked)


def test_each_step_follows_the_steps_it_needs(session):
    explorer = explore(session, "target/2")
    steps = [name for step in explorer.numbers["steps"] for name in step["ids"]]
    assert steps.index("e0") < steps.index("n1") < steps.index("e2") < steps.index("n2")
    assert explorer.numbers["values"]["e1"]["top"] == [["b", 1.0], ["c", 0.5]]
    assert explorer.numbers["values"]["n1"]["top"] == [["b", 1.0], ["c", 0.25]]
    assert explorer.numbers["values"]["a-n3-n2"]["total"] == 1.25
    assert explorer.numbers["values"]["e6"]["total"] == 0.8


def test_every_rule_of_the_paper_has_numbers():
    from tests.pictures.paper import RULES

    session = Session()
    session.add(FACTS)
    session.add("\n".join(RULES.values()))
    explorer = explore(session)
    for entry in explorer.catalogue:
        for number in range(1, len(entry["rules"]) + 1):
            choice = {"predicate": entry["name"], "rule": number, "output": None, "given": []}
            explorer.choice = choice
            steps = explorer.numbers["steps"]
            assert steps[-1]["last"]
            drawn = set(explorer.scene["labels"])
            assert {name for step in steps for name in step["ids"]} <= drawn


SHAPES = """
q(b, b). 7::q(b, c). 2::q(c, d). s(b). s(c). age(b, 3). flag. 0.5::k(c).
h1(X, X) :- q(X, Y).
h2(X, Y, Z) :- q(X, Y), q(Y, Z), tanh(Z).
h3 :- flag, k(c).
h4(X, c) :- q(X, c), not s(X).
h5(X) :- age(X, A), s(X).
h6(X, Y) :- . h6(b, c).
h7(X, Y) :- q(X, 'nobody'), s(Y), sigmoid(Y), q(U, V).
"""


def test_rules_of_every_shape_can_be_explored():
    session = Session()
    session.add(SHAPES)
    explorer = explore(session)
    for entry in explorer.catalogue:
        arity = int(entry["name"][-1])
        for output in [None, *range(arity)]:
            choice = {"predicate": entry["name"], "rule": 1, "output": output, "given": []}
            explorer.choice = choice
            drawn = set(explorer.scene["labels"])
            assert {n for step in explorer.numbers["steps"] for n in step["ids"]} <= drawn
            asked = [n or f"V{i}" for i, n in enumerate(explorer.choice["given"])]
            query = f"{entry['name'][:-2]}({', '.join(asked)})" if asked else entry["name"][:-2]
            found = session.query(query).weights
            answer = explorer.numbers["answer"]
            if answer["size"] is None:
                assert answer["total"] == pytest.approx(found[()])
            else:
                assert {(n,): w for n, w in answer["top"]} == pytest.approx(found)
            for name in [*drawn, "t0"]:
                explorer.click(name)


# -- clicking and linking -------------------------------------------------------------------------


def test_a_click_opens_what_the_part_is(session):
    explorer = explore(session, "target/2")
    explorer._heard(explorer, {"type": "click", "id": "e1"}, [])
    assert explorer.clicked == ["e1"]
    assert explorer.panel["title"] == "p1(X, Z)"
    assert explorer.panel["rows"] == [["a, b", 1.0], ["a, c", 0.5]]
    explorer.click("n1")
    assert explorer.panel["values"] == [["b", 1.0], ["c", 0.25]]
    explorer.click("a-n3-n2")
    assert "sum" in explorer.panel["lines"][0]


def test_the_steps_of_a_path_lead_to_the_graph(session):
    scene = explore(session, "target/2").scene
    ends = [step for step in scene["ways"] if step.startswith("t")]
    ways = {tuple(n for s in scene["ways"][end] for n in scene["links"][s]) for end in ends}
    assert ("n0", "e0", "n1", "e5", "n1", "e2", "n2") in ways
    assert ("n0", "a-n0-n4", "n4", "e4", "n2") in ways


@pytest.mark.parametrize("content", [None, "x", {}, {"type": "click"}, {"type": "snapshot"}])
def test_nonsense_from_the_browser_is_ignored(session, content):
    explorer = explore(session, "target/2")
    explorer._heard(explorer, content, [])
    assert explorer.clicked == []


# -- training -------------------------------------------------------------------------------------


@dataclass
class State:
    """What training tells its callbacks."""

    epoch: int = 0
    epochs: int = 3
    logs: dict = field(default_factory=dict)
    learned: float = 0.2

    def weights(self):
        return {("w", 0): np.array([self.learned]), ("p3", 2): np.array([0.5, self.learned])}


def train(callback, monkeypatch, batches: int = 20) -> None:
    clock = iter(np.arange(0, 1000, 0.02))  # a batch takes a fiftieth of a second
    monkeypatch.setattr(watching, "monotonic", lambda: float(next(clock)))
    state = State()
    callback.on_begin(state)
    for epoch in range(1, state.epochs + 1):
        for _ in range(batches):
            state.learned += 0.01
            callback.on_batch(state)
        state.epoch, state.logs = epoch, {"loss": 1 / epoch, "roc_auc": 0.5 + epoch / 10}
        callback.on_epoch(state)
    callback.on_end(state)


def test_watching_shows_weights_and_curves(session, monkeypatch):
    session.add("learn(p3).", source="learn")
    explorer = explore(session, "target/2")
    seen = []
    explorer.observe(lambda change: seen.append(change["new"]), names="training")
    train(explorer.watch(), monkeypatch)
    last = explorer.training
    assert last["curves"] == {"loss": [1, 1 / 2, 1 / 3], "roc_auc": [0.6, 0.7, 0.8]}
    assert last["looks"]["e6"] == ["0.8", 7.0, "0.8"]
    assert last["looks"]["e3"][2] == "0.65 (0.5 to 0.8)"
    assert [frame["epoch"] for frame in last["frames"]] == [0, 1, 2, 3]
    assert last["frames"][0]["looks"]["e6"][0] == "0.2"
    widths = [state["looks"]["e6"][1] for state in seen]
    assert widths[0] < widths[-1]


def test_it_is_shown_at_most_four_times_a_second(session, monkeypatch):
    explorer = explore(session, "target/2")
    seen = []
    explorer.observe(lambda change: seen.append(change["new"]), names="training")
    train(explorer.watch(), monkeypatch, batches=200)
    # the clock is asked about twice a batch: 600 batches are some 15 to 30 seconds
    assert 2 < len(seen) < 140
    batches = [state for state in seen if state["phase"] == "batch"]
    assert len(batches) < 130


def test_the_scene_is_not_laid_out_again(session, monkeypatch):
    explorer = explore(session, "target/2")
    seen = []
    explorer.observe(lambda change: seen.append(change), names="scene")
    train(explorer.watch(), monkeypatch)
    assert seen == []


def test_a_ground_literal_follows_its_own_entry():
    session = Session()
    session.add("r(a, b). 0.5::w(w1). 0.25::w(w2). learn(w).")
    session.add("q(X, Y) :- r(X, Y), w(w2).")
    explorer = explore(session, "q/2")
    ((name, signature, at),) = explorer.watch().parts
    assert (name, signature) == ("e1", ("w", 1))
    arrays = {("w", 1): np.array([0.5, 0.25])}
    assert arrays[signature][at] == 0.25


def test_real_training_is_watched():
    pytest.importorskip("tensorflow")
    session = Session()
    session.add("r(a, b). r(a, c). r(b, c). 0.2::w(w1). learn(w).")
    session.add("q(X, Y) :- r(X, Y), w(w1).", source="rule")
    session.add("example(q, a, b). example(q, a, c). example(q, b, c).")
    explorer = explore(session, "q/2")
    before = explorer.numbers["result"]["total"]
    session.train(epochs=5, seed=1, learning_rate=0.1, callbacks=[explorer.watch()])
    state = explorer.training
    assert [state["phase"], state["epoch"], len(state["curves"]["loss"])] == ["end", 5, 5]
    learned = session.query("w(w1)").weights[()]
    assert float(state["looks"]["e1"][0]) == pytest.approx(learned, abs=0.01)
    assert [frame["epoch"] for frame in state["frames"]] == [0, 1, 2, 3, 4, 5]
    assert state["frames"][0]["looks"]["e1"][0] == "0.2"
    explorer.refresh()
    assert explorer.numbers["result"]["total"] > before


def test_explorers_that_are_shown_follow_the_session(session, monkeypatch):
    from neurallog_kernel.pictures import beside
    from neurallog_kernel.pictures.explorer.shown import refresh, watchers

    published = []
    monkeypatch.setattr(beside, "display", lambda *given, **more: published.append(given[0]))
    explorer = explore(session, "target/2")
    assert watchers(session) == []
    explorer._ipython_display_()
    assert len(watchers(session)) == 1
    live, still = published
    assert set(live) == {"application/vnd.jupyter.widget-view+json", "text/plain"}
    assert "image/svg+xml" in still
    session.add("0.4::w.", source="other weight")
    refresh(session)
    assert explorer.numbers["values"]["e6"]["total"] == 0.4


def test_long_training_keeps_a_bounded_history(session):
    watch = explore(session, "target/2").watch()
    state = State(epochs=5000)
    for epoch in range(1, 5001):
        state.epoch = epoch
        watch.on_epoch(state)
    assert len(watch.frames) <= watching.FRAMES
    assert watch.frames[-1]["epoch"] == 5000


# -- what is saved --------------------------------------------------------------------------------


def test_the_browser_s_picture_is_kept_if_it_is_a_picture(session):
    explorer = explore(session, "target/2")
    svg = explorer.scene["dag"].replace('class="nl-svg"', 'class="nl-svg nl-alone"', 1)
    explorer._heard(explorer, {"type": "snapshot", "svg": svg}, [])
    kept = explorer._still()
    assert kept["image/svg+xml"].startswith("<svg")
    assert "the rule gives" in kept["text/plain"]


@pytest.mark.parametrize(
    "text",
    [
        "no picture",
        '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
        '<svg xmlns="http://www.w3.org/2000/svg"><foreignObject/></svg>',
        '<svg xmlns="http://www.w3.org/2000/svg"><a/></svg>',
        "<html/>",
    ],
)
def test_what_is_no_picture_is_refused(text):
    assert harmless(text) is None


def test_a_picture_is_stripped_of_what_could_act():
    text = (
        '<svg xmlns="http://www.w3.org/2000/svg" onload="x()"><style>@import "y";</style>'
        '<path d="M0,0" style="fill:url(http://x)" href="z"/></svg>'
    )
    assert harmless(text).count("onload") == 0
    for word in ("url", "import", "href"):
        assert word not in harmless(text)


def test_the_saved_output_hides_the_message_of_a_dead_widget():
    kept = bundle("<svg/>", "text", "nl-still-1")
    assert ":has(+ .jp-OutputArea-child .nl-still-1)" in kept["text/html"]
    assert bundle(None, "text", "nl-still-1") == {"text/plain": "text"}


def test_a_nasty_name_stays_data(session):
    session.add("p0('<img src=x onerror=alert(1)>', b).", source="nasty")
    explorer = explore(session, "target/2", query="'<img src=x onerror=alert(1)>'")
    assert explorer.numbers["question"].startswith("target(<img src=x")
    assert "<img" not in explorer.scene["dag"]
    assert "<img src=x" not in explorer._still()["text/html"]  # it has an <img> of its own
