"""The living network: numbers of the evaluator, moved weights as an edit would give them."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.pictures.explorer import shown as on_pages
from neurallog_kernel.pictures.live.scene import scene

FACTS = """
parent(ann, bob). parent(bob, cid). 0.8::parent(ann, eve). parent(eve, dan). parent(cid, fay).
0.4::parent(bob, gus). 0.9::friend(ann, cid). friend(eve, gus). old(ann). 0.7::old(cid).
medal(dan, 3). medal(gus, 1).
"""
RULES = """
grandparent(X, Z) :- parent(X, Y), parent(Y, Z).
0.5::knows(X, Y) :- friend(X, Y).
0.3::knows(X, Y) :- grandparent(X, Y), tanh(Y).
knows(X, Y) :- parent(X, Y), not old(Y).
rival(X, Y) :- grandparent(X, Y), enemy(Y, Z).
enemy(zed, yan).
proud(X) :- grandparent(X, Y), medal(Y, M).
"""


@pytest.fixture
def session() -> Session:
    s = Session()
    s.add(FACTS, source="facts")
    s.add(RULES, source="rules")
    return s


def shown(s: Session, question: str, about: str | None = None) -> dict:
    return scene(s.inspect().evaluator, question, about)[0]


def values(found: dict, label: str) -> list[dict]:
    """What the cards of a predicate or a rule give."""
    return [found["values"][card["id"]] for card in found["cards"] if card["name"] == label]


def totals(found: dict, label: str) -> list[float]:
    return [value["total"] for value in values(found, label)]


def test_the_numbers_are_those_of_questions(session: Session) -> None:
    found = shown(session, "knows(ann, Who)")
    answers = session.query("knows(ann, Who)")
    assert [a[:2] for a in found["answers"]] == [[k[0], w] for k, w in answers.weights.items()]
    assert totals(found, "knows") == [pytest.approx(sum(answers.weights.values()))]
    grand = session.query("grandparent(ann, Who)").weights
    (value,) = values(found, "grandparent(X, Z) :- parent(X, Y), parent(Y, Z)")
    assert dict(value["top"]) == {key[0]: weight for key, weight in grand.items()}
    friend = session.query("friend(ann, Who)").weights
    assert totals(found, "0.5::knows(X, Y) :- friend(X, Y)") == [
        pytest.approx(0.5 * sum(friend.values()))
    ]


def test_each_use_of_a_predicate_has_its_own_numbers(session: Session) -> None:
    found = shown(session, "grandparent(ann, Who)")
    assert sorted(totals(found, "parent")) == [pytest.approx(1.8), pytest.approx(2.2)]


def test_a_unary_question_is_followed_for_its_entity(session: Session) -> None:
    found = shown(session, "proud(ann)")
    assert found["answers"][0][:2] == ["proud(ann)", pytest.approx(2.8)]
    (root,) = values(found, "proud(X) :- grandparent(X, Y), medal(Y, M)")
    assert root["top"] == [["ann", pytest.approx(2.8)]]
    assert totals(found, "medal") == [pytest.approx(0.8 * 3 + 0.4)]  # of dan and gus


def test_a_unary_predicate_inside_is_followed_for_the_entity_that_matters() -> None:
    s = Session()
    s.add("height(ann, 2). height(bob, 3). w(k). 0.5::w(m). vote(red). 0.1::vote(blue).")
    s.add("tall(X) :- height(X, H), w(m). score(X, C) :- tall(X), vote(C).")
    found = shown(s, "score(ann, C)")
    (tall,) = values(found, "tall(X) :- height(X, H), w(m)")
    assert tall["top"] == [["ann", 1.0]]  # and not bob, whom nobody asked about
    assert totals(found, "height") == [2.0]
    (card,) = [c for c in found["cards"] if c["name"].startswith("tall")]
    assert [(chip["name"], chip["value"]) for chip in card["chips"]] == [("w(m)", 0.5)]


def test_slopes_are_those_of_small_changes(session: Session) -> None:
    found = shown(session, "knows(ann, Who)", "knows(ann, cid)")
    assert found["about"] == "knows(ann, cid)"
    (grand,) = values(found, "grandparent(X, Z) :- parent(X, Y), parent(Y, Z)")
    slope = dict(grand["back"])["cid"]
    step = 1e-6
    moved = session.live("knows(ann, Who)")
    moved.move("parent(bob, cid)", 1 + step)  # moves grandparent(ann, cid) by as much
    after = {name: weight for name, weight, _ in moved.numbers["answers"]}["cid"]
    before = session.query("knows(ann, cid)").weight
    assert slope == pytest.approx((after - before) / step, rel=1e-4)
    (knows,) = values(found, "knows")
    assert knows["carries"] == pytest.approx(before)


def test_a_question_that_names_its_answer(session: Session) -> None:
    found = session.live("knows(ann, cid)").scene
    weight = session.query("knows(ann, cid)").weights[()]
    assert found["answers"] == [["knows(ann, cid)", weight, "knows(ann, cid)"]]
    assert found["about"] == "knows(ann, cid)"
    assert "friend(ann, cid)" in [slider["name"] for slider in found["sliders"]]


def test_what_the_question_gives_nothing_to_is_left_out(session: Session) -> None:
    found = shown(session, "knows(eve, Who)")
    assert not any("tanh" in card["name"] for card in found["cards"])  # eve has no grandchildren


def test_steps_go_from_the_facts_to_the_predicate(session: Session) -> None:
    found = shown(session, "knows(ann, Who)")
    place = {name: n for n, step in enumerate(found["steps"]) for name in step}
    assert set(place) == {card["id"] for card in found["cards"]}
    assert len(found["arrows"]) >= len(place) - 1
    for arrow in found["arrows"]:
        assert place[arrow["from"]] < place[arrow["to"]]


def test_a_recursive_program_is_unfolded() -> None:
    s = Session()
    s.add("edge(a, b). edge(b, c). 0.5::edge(c, d). edge(a, d).")
    s.add("path(X, Y) :- edge(X, Y). path(X, Y) :- edge(X, Z), path(Z, Y).")
    s.add("set_parameter(recursion_depth, 3).")
    found = shown(s, "path(a, Y)")
    assert len(totals(found, "path")) == 3
    answers = s.query("path(a, Y)").weights.items()
    assert [a[:2] for a in found["answers"]] == [[k[0], w] for k, w in answers]


def test_a_call_that_many_share_has_the_numbers_of_this_caller() -> None:
    """Rules that call each other so often that the plan has them once, with an open input."""
    s = Session()
    pairs = pairwise("abcda")
    s.add(" ".join(f"0.{9 - n}::e{n}({a}, {b})." for a, b in pairs for n in range(6)))
    for n in range(1, 9):
        rules = [f"p{n}(X, Y) :- e{k}(X, Z), p{n - 1}(Z, Y)." for k in range(6)]
        s.add("\n".join(rules))
    s.add("p0(X, Y) :- e0(X, Y).")
    found = shown(s, "p8(a, Y)")
    layers = [s.inspect().layer(("p8", 2))]
    shared = False
    while layers:
        layer = layers.pop()
        shared |= layer.shared is not None
        layers += [call for rule in layer.rules[:1] for call in rule.calls.values()]
    assert shared
    first = s.query("e0(a, Y)").weights
    below = sum(w * sum(s.query(f"p7({k[0]}, Y)").weights.values()) for k, w in first.items())
    assert totals(found, "p7")[0] == pytest.approx(below)


def test_facts_of_three_arguments() -> None:
    s = Session()
    s.add("flight(rome, oslo, air). 0.5::flight(rome, bonn, air). flight(oslo, bonn, sky).")
    s.add("reach(X, Y) :- flight(X, Y, A).")
    found = shown(s, "reach(rome, Y)")
    assert totals(found, "reach(X, Y) :- flight(X, Y, A)") == [pytest.approx(1.5)]


def test_a_large_program_shows_its_strongest_rules_and_the_others_when_asked() -> None:
    s = Session()
    s.add(" ".join(f"0.{i % 9 + 1}::p{i}(a, b)." for i in range(500)))
    s.add(" ".join(f"h(X, Y) :- p{i}(X, Y)." for i in range(500)))
    network = s.live("h(a, Y)")
    rules = [card["id"] for card in network.scene["cards"] if card["kind"] == "rule"]
    assert len(rules) == 6
    assert all(network.scene["values"][name]["total"] == 0.9 for name in rules)
    assert network.scene["cards"][0]["folded"] == 494
    network.unfold("q")
    assert sum(card["kind"] == "rule" for card in network.scene["cards"]) == 40


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("knows(X, Y)", "one open place"),
        ("proud(X)", "one entity"),
        ("nosuch(ann, Y)", "unknown predicate nosuch"),
        ("knows(nobody, Y)", "nobody"),
        ("knows(ann", "expected|unexpected|found"),
    ],
)
def test_a_question_that_cannot_be_followed_says_why(
    session: Session, question: str, message: str
) -> None:
    with pytest.raises(NeuralLogError, match=message):
        session.live(question)


def named(found: dict) -> dict[str, float]:
    return {name: weight for name, weight, _ in found["answers"]}


# -- the widget -----------------------------------------------------------------------------------


def test_a_moved_weight_is_what_an_edit_would_give(session: Session) -> None:
    network = session.live("knows(ann, Who)")
    before = session.query("knows(ann, Who)").weights
    network.move("parent(bob, gus)", 0.9)
    network.move("friend(ann, cid)", 0.1)
    edited = Session()
    edited.add(FACTS.replace("0.4::parent(bob, gus)", "0.9::parent(bob, gus)"), source="facts")
    edited.add("0.1::friend(ann, cid).")
    edited.add(RULES, source="rules")
    expected = edited.query("knows(ann, Who)").weights
    found = named(network.numbers)
    assert found == {key[0]: pytest.approx(weight) for key, weight in expected.items()}
    assert session.query("knows(ann, Who)").weights == before  # the session stays as it is
    network.let_go()
    assert network.numbers == {} and network.moved == {}


def test_a_moved_rule_is_what_an_edit_would_give(session: Session) -> None:
    network = session.live("knows(ann, Who)")
    network.follow("knows(ann, cid)")
    rule = "0.5::knows(X, Y) :- friend(X, Y)."
    assert rule in [one["name"] for one in network.scene["sliders"]]
    network.move(rule, 2.0)
    edited = Session()
    edited.add(FACTS, source="facts")
    edited.add(RULES.replace("0.5::knows", "2::knows"), source="rules")
    expected = edited.query("knows(ann, Who)").weights
    found = named(network.numbers)
    assert found == {key[0]: pytest.approx(weight) for key, weight in expected.items()}
    network.keep()
    assert network.error == ""
    assert session.query("knows(ann, Who)").weights == expected
    assert "2::knows(X, Y) :- friend(X, Y)." in session.program()
    session.undo()
    assert session.query("knows(ann, cid)").weight == pytest.approx(0.45 + 0.3 * 0.76159, abs=1e-4)


def test_a_rule_that_no_text_states_cannot_be_kept_and_nothing_changes() -> None:
    s = Session()
    s.add("q1(a). q2(a). for i in 1 2 do 0.5::p(X) :- q{i}(X). done", source="cell")
    network = s.live("p(a)")
    before = s.version
    network.move("0.5::p(X) :- q1(X).", 1.0)
    assert network.numbers["answers"][0][1] == 1.5
    network.keep()
    assert "no source has the rule" in network.error
    assert s.version == before


def test_a_learned_rule_weight_can_be_moved() -> None:
    pytest.importorskip("tensorflow")
    s = Session()
    s.add('q(a, b). learn_rule_weights("p/2"). p(X, Y) :- q(X, Y). 0.4::example(p, a, b).')
    s.train(epochs=3, learning_rate=0.1)
    network = s.live("p(a, Y)")
    network.move("p(X, Y) :- q(X, Y).", 0.25)
    assert named(network.numbers) == {"b": 0.25}


def test_the_fit_of_the_examples_follows_a_slider(session: Session) -> None:
    session.add("0.5::example(grandparent, ann, cid). 0.8::example(grandparent, ann, dan).")
    network = session.live("grandparent(ann, Who)")
    assert network.scene["loss"]["value"] == pytest.approx(0.5**2 / 2)
    network.move("parent(ann, bob)", 0.5)
    assert network.numbers["loss"]["value"] == pytest.approx(0.0)


def test_a_rule_is_looked_at_from_near(session: Session) -> None:
    network = session.live("knows(ann, Who)")
    near = network.look_inside("q.0")
    assert network.closeup == f"IPY_MODEL_{near.model_id}"
    assert near.scene["title"].startswith("0.5::knows(X, Y) :-")
    network._heard(network, {"type": "open", "id": "nosuch"}, [])
    assert network.closeup == f"IPY_MODEL_{near.model_id}"


def test_the_rule_from_near_has_the_entity_of_the_question(session: Session) -> None:
    network = session.live("grandparent(bob, Who)")
    near = network.look_inside("q")
    assert near.choice["given"] == ["bob", None]
    ways = near.numbers["groundings"]
    weight = session.query(ways["about"]).weight
    assert sum(value for _, value, _ in ways["rows"]) == pytest.approx(weight)


def test_the_rule_from_near_tells_a_function_from_what_goes_into_it() -> None:
    s = Session()
    s.add("has(f, one). 2::w(one, a). -5::w(one, b). score(X, C) :- has(X, I), w(I, C).")
    s.add("kind(X, C) :- score(X, C), softmax(C).", source="kind")
    near = s.live("kind(f, C)").look_inside("q")
    rows = near.numbers["groundings"]["rows"]
    assert [(text, level) for text, _, level in rows] == [
        ("softmax(C)", 0),
        ("score(f, b)", 1),
        ("score(f, a)", 1),
    ]


def test_the_rule_from_near_follows_the_sliders(session: Session) -> None:
    network = session.live("grandparent(ann, Who)")
    near = network.look_inside("q")
    before = near.numbers["result"]
    network.move("parent(ann, bob)", 0.5)
    assert near.numbers["result"] != before
    network.let_go()
    assert near.numbers["result"] == before


def test_kept_weights_are_in_the_text_and_undo_takes_them_back(session: Session) -> None:
    network = session.live("grandparent(ann, Who)")
    before = session.query("grandparent(ann, Who)").weights
    network.move("parent(ann, bob)", 0.5)
    network.keep()
    assert session.query("parent(ann, bob)").weights == {(): 0.5}
    assert network.moved == {}
    assert named(network.scene)["cid"] == 0.5
    session.undo()
    assert session.query("grandparent(ann, Who)").weights == before


def test_a_failed_question_keeps_the_picture_and_an_edit_is_seen(session: Session) -> None:
    network = session.live("grandparent(ann, Who)")
    old = network.scene
    network.question = "nosuch(ann, Who)"
    assert "unknown predicate" in network.error
    assert network.scene == old
    session.add("2::parent(bob, cid).", source="later")
    network.question = "grandparent(ann, Who)"
    assert network.error == ""
    assert named(network.scene)["cid"] == 2.0


def test_an_edit_is_seen_although_a_wrong_question_was_typed(session: Session) -> None:
    network = session.live("grandparent(ann, Who)")
    network.question = "nosuch(ann, Who)"
    assert network.error.endswith("The picture still shows grandparent(ann, Who)")
    session.add("2::parent(bob, cid).", source="later")
    network.refresh()
    assert named(network.scene)["cid"] == session.query("grandparent(ann, cid)").weight == 2.0
    assert "unknown predicate nosuch/2. The picture still shows" in network.error
    network.move("parent(ann, bob)", 0.5)  # of the picture, not of the question that is wrong
    assert (named(network.numbers)["cid"], network.error) == (1.0, "")
    network.let_go()
    session.add("nosuch(ann, fay).", source="more")
    network.refresh()  # now it can be asked
    assert (network.scene["question"], network.error) == ("nosuch(ann, Who)", "")


def test_what_is_gone_cannot_be_moved_and_is_followed_again(session: Session) -> None:
    network = session.live("knows(ann, Who)")
    shown = dict(network.scene)
    session.remove("rules")
    network.refresh()
    assert network.error.startswith("this is the program as it was before its last change: ")
    said = network.error
    network.move("parent(ann, bob)", 0.5)
    assert (network.moved, network.error, network.scene) == ({}, said, shown)
    network.let_go()
    assert network.error == said
    session.add(RULES, source="rules")
    network.refresh()
    assert (network.error, network.scene["answers"]) == ("", shown["answers"])


def test_a_weight_that_cannot_be_moved_leaves_the_others_moved(session: Session) -> None:
    network = session.live("grandparent(ann, Who)")
    network.move("parent(ann, bob)", 0.5)
    answers = named(network.numbers)
    network.move("parent(ann, nobody)", 0.5)
    assert "is not a fact" in network.error
    assert (network.moved, named(network.numbers)) == ({"parent(ann, bob)": 0.5}, answers)
    network.move("parent(bob, cid)", 0.5)
    assert named(network.numbers)["cid"] == 0.25


def test_effects_are_those_of_the_moved_weights(session: Session) -> None:
    network = session.live("grandparent(ann, Who)")

    def effects(found: dict) -> dict[str, float]:
        return {one["name"]: one["slope"] for one in found["sliders"]}

    assert effects(network.scene)["parent(bob, cid)"] == 1.0
    network.move("parent(ann, bob)", 0.25)
    network._heard(network, {"type": "effects"}, [])
    assert effects(network.effects)["parent(bob, cid)"] == 0.25
    network.let_go()
    assert network.effects == {}


def test_moving_after_an_edit_starts_from_the_edit(session: Session) -> None:
    network = session.live("grandparent(ann, Who)")
    network.move("parent(ann, bob)", 0.5)
    session.add("2::parent(bob, cid).", source="later")
    network.move("parent(ann, bob)", 0.25)
    assert named(network.numbers)["cid"] == 0.5


def test_a_fact_that_is_gone_cannot_be_moved(session: Session) -> None:
    network = session.live("grandparent(ann, Who)")
    network.move("parent(ann, nobody)", 0.5)
    assert "is not a fact" in network.error
    network._heard(network, {"type": "move", "name": "parent(ann, bob)", "weight": "much"}, [])
    network._heard(network, "let go", [])  # what is no message is not heard


def test_the_page_holds_everything_and_asks_nobody(session: Session) -> None:
    session.add('odd("</script><b>x", ann). odd(X, Z) :- odd(X, Y), parent(Y, Z).', source="odd")
    text = session.live('odd("</script><b>x", Who)').html()
    assert text.count("</script>") == 2  # the data's and the script's own ends
    assert not re.search(r"(src|href)\s*=\s*[\"']?https?:", text)
    assert "default-src 'none'" in text
    data = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)
    assert data is not None
    assert json.loads(data[1])["scene"]["answers"][0][0] == "ann"


def test_training_moves_the_curves(session: Session) -> None:
    pytest.importorskip("tensorflow")
    session.add("learn(w). wise(X, Y) :- parent(X, Y), w(k). example(wise, ann, bob).")
    network = session.live("wise(ann, Y)")
    session.train(epochs=5, learning_rate=0.1, callbacks=[network.watch()])
    state = network.training
    assert state["phase"] == "end" and len(state["curves"]["loss"]) == 5
    assert len(state["weights"]["w/1"]) == 6
    assert state["weights"]["w/1"][-1] == pytest.approx(session.query("w(k)").weights[()])
    network.refresh()
    assert named(network.scene)["bob"] == pytest.approx(state["weights"]["w/1"][-1])


def test_the_weights_that_move_go_by_their_facts() -> None:
    """Those of two and more arguments were numbered, and nobody could tell which they are."""
    pytest.importorskip("tensorflow")
    session = Session()
    session.add(
        "label(det). label('a noun'). 0.5::gave(ann, bob, pen). 0.25::gave(bob, ann, cup)."
        'learn("next/2"). learn("gave/3"). learn_rule_weights("got/2").'
        "follows(A, B) :- label(A), next(A, B), label(B). got(X, Z) :- gave(X, _, Z)."
        "2::got(X, Z) :- gave(_, X, Z)."
        "example(follows, det, 'a noun'). example(got, bob, cup)."
    )
    network = session.live("follows(det, B)")
    session.train(epochs=4, learning_rate=0.1, seed=1, callbacks=[network.watch()])
    shown = network.training["weights"]
    facts = [name for name in shown if ":-" not in name]
    assert len(facts) >= 4 and any("gave(" in name for name in facts)
    for name in facts:
        assert shown[name][-1] == pytest.approx(session.query(name).weights[()], abs=1e-6)
    assert any(name.startswith("2::got(X, Z) :- gave(_, X, Z)") for name in shown)


def test_the_numbers_follow_a_training_and_the_end_asks_anew() -> None:
    s = Session()
    s.add("p(a, b). p(b, c). learn(w). q(X, Y) :- p(X, Y), w(Y).")
    s.add("example(q, a, b). 0.0::example(q, b, c).", source="examples")
    network = s.live("q(a, Y)")
    seen: list[dict] = []
    network.observe(lambda change: seen.append(change["new"]), names="numbers")
    s.train(epochs=3, callbacks=[network.watch()], seed=1)
    first = seen[0]
    (answer,) = first["answers"]
    assert answer[0] == "b" and 0 < answer[1] != s.query("q(a, b)").weight
    assert {one["name"] for one in first["sliders"]} >= {"w(b)", "p(a, b)"}
    assert first["loss"]["value"] > 0
    assert {card["id"] for card in network.scene["cards"]} >= set(first["values"])
    network.refresh()
    assert network.numbers == {}
    assert network.scene["answers"][0][1] == s.query("q(a, b)").weight


def test_a_training_lets_go_of_sliders_and_its_explanation_follows() -> None:
    s = Session()
    s.add('p(a, b). p(b, c). learn_rule_weights("q/2"). 0.5::q(X, Y) :- p(X, Y).', source="program")
    s.add("example(q, a, b). 0.0::example(q, b, c).", source="examples")
    network = s.live("q(a, Y)")
    network.why = True
    network.move("p(a, b)", 0.25)
    seen: list[tuple] = []

    def look(change: dict) -> None:
        seen.append((network.moved, named(network.numbers)["b"]))

    def explained(change: dict) -> None:
        if network._trained is not None:
            assert change["new"]["value"] == named(network.numbers)["b"]
            seen.append(("explained",))

    network.observe(lambda change: change["new"].get("move") and look(change), names="numbers")
    network.observe(explained, names="reasons")
    s.train(epochs=3, callbacks=[network.watch()], seed=1)
    assert len(seen) >= 2 and seen[0][0] == {} and seen[0][1] != 0.125
    assert ("explained",) in seen
    network.refresh()
    assert network.reasons["value"] == s.query("q(a, b)").weight


def test_what_a_failed_training_showed_on_its_way_is_not_kept() -> None:
    class Broken:
        def on_epoch(self, state) -> None:
            raise ValueError("broken")

    s = Session()
    s.add('p(a, b). learn_rule_weights("q/2"). 0.5::q(X, Y) :- p(X, Y). example(q, a, b).')
    network = s.live("q(a, Y)")
    on_pages.shown(network)
    with pytest.raises(ValueError, match="broken"):
        s.train(epochs=3, callbacks=[network.watch(), Broken()])
    assert named(network.numbers)["b"] != s.query("q(a, b)").weight == 0.5
    on_pages._after_cell()
    assert (network.numbers, named(network.scene)) == ({}, {"b": 0.5})


def test_a_page_has_the_style_of_its_pictures_once(session: Session) -> None:
    page = session.live("knows(ann, Who)").html()
    closeups = json.loads(page.split('id="data">')[1].split("</script>")[0])["closeups"]
    assert len(closeups) >= 3
    assert page.count(".nl-svg .nl-open") == 1
    assert not any(
        "<style" in one["scene"][name] for one in closeups.values() for name in ("dag", "tree")
    )


def test_slopes_without_end_are_no_warning() -> None:
    """Two rules whose slopes are infinite, one upwards and one downwards, have no sum."""
    s = Session()
    s.add("p(a, b). p(a, c). 1e200::w(b). 1e200::v(b). 1e-300::f(b). h(X, Y) :- p(X, Y), f(Y).")
    s.add("k(X, Y) :- h(X, Y), w(Y), v(Y). -2::k(X, Y) :- h(X, Y), v(Y), w(Y).", source="both ways")
    assert s.live("k(a, Y)").scene["answers"][0][0] == "b"
