"""What a notebook shows of a program follows every change of it, whoever makes the change."""

from __future__ import annotations

from typing import Any

import pytest

from neurallog_kernel import Session
from neurallog_kernel.pictures.explorer.shown import on_page

pytest.importorskip("anywidget")

PROGRAM = "parent(ann, bob). 0.5::parent(bob, cid).\ngrand(X, Z) :- parent(X, Y), parent(Y, Z)."
OTHER = PROGRAM.replace("0.5", "0.25")


def followed(notebook: Any) -> Any:
    """A living network that the notebook shows, with two views."""
    notebook.neurallog(PROGRAM, cell="family")
    network = notebook.line("live grand(ann, Y)")
    network._ipython_display_()
    return network


def best(network: Any) -> list[Any]:
    return [pair[:2] for pair in network.scene["answers"]]


def test_an_edit_an_undo_and_a_reset_are_seen(notebook) -> None:
    network = followed(notebook)
    notebook.neurallog(OTHER, cell="family")
    assert best(network) == [["cid", 0.25]]
    notebook.line("undo")
    assert best(network) == [["cid", 0.5]]
    notebook.line("reset")
    assert network.error.startswith("this is the program as it was before its last change: ")
    assert best(network) == [["cid", 0.5]]
    notebook.line("undo")
    assert (best(network), network.error) == ([["cid", 0.5]], "")


def test_a_cell_that_fails_changes_nothing(notebook) -> None:
    network = followed(notebook)
    scene = network.scene
    notebook.neurallog(f"{OTHER}\nbroken(", cell="family")
    session = network.session
    assert best(network) == [["cid", session.query("grand(ann, Y)").weights["cid",]]]
    assert scene["question"] == network.scene["question"]


def test_what_sliders_held_is_let_go_by_an_edit_and_only_by_one(notebook) -> None:
    network = followed(notebook)
    network.move("parent(ann, bob)", 0.5)
    notebook.run("1 + 1")
    assert network.moved == {"parent(ann, bob)": 0.5}
    notebook.neurallog(OTHER, cell="family")
    assert (network.moved, best(network)) == ({}, [["cid", 0.25]])


def test_weights_that_are_kept_reach_the_other_network(notebook) -> None:
    first, second = followed(notebook), notebook.line("live grand(ann, Y)")
    second._ipython_display_()
    first.move("parent(ann, bob)", 0.5)
    first.keep()
    assert best(first) == best(second) == [["cid", 0.25]]


def test_a_program_of_python_is_followed_too(shell, notebook) -> None:
    session = Session()
    session.add(PROGRAM, source="family")
    network = session.live("grand(ann, Y)")
    network._ipython_display_()
    shell.user_ns["session"] = session
    notebook.run("session.add('0.25::parent(bob, cid).', source='later'); None")
    assert best(network) == [[*session.query("grand(ann, Y)").weights.popitem()[0], 0.25]]


def test_the_explorer_follows_and_says_what_is_gone(notebook) -> None:
    notebook.neurallog(PROGRAM, cell="family")
    explorer = notebook.line("explore grand/2")
    explorer._ipython_display_()
    notebook.neurallog(f"{OTHER}\ngrand(X, Y) :- parent(X, Y).", cell="family")
    assert [len(entry["rules"]) for entry in explorer.catalogue] == [2]
    assert "cid 0.25" in explorer.numbers["steps"][-1]["say"]
    notebook.neurallog("likes(ann, tea).", cell="family")
    assert explorer.numbers["error"].startswith("this is the program as it was before")
    notebook.neurallog(PROGRAM, cell="family")
    assert "cid 0.5" in explorer.numbers["steps"][-1]["say"]


def test_what_nobody_sees_is_left_alone_until_it_is_seen_again(notebook) -> None:
    network = followed(notebook)
    network._heard(network, {"type": "on page", "more": 1}, [])
    network._heard(network, {"type": "on page", "more": -1}, [])
    notebook.neurallog(OTHER, cell="family")
    assert best(network) == [["cid", 0.5]]
    network._heard(network, {"type": "on page", "more": 1}, [])
    assert best(network) == [["cid", 0.25]]
    notebook.neurallog(f"{OTHER} parent(bob, dan).", cell="family")
    assert best(network) == [["dan", 1.0], ["cid", 0.25]]
    on_page(object(), 1)  # the close-up of a network is no explorer of its own
