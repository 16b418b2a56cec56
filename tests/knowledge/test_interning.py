"""Very many names get the same numbers as one name after the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurallog_kernel import Session
from neurallog_kernel.knowledge import interning
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.language.facts import Names

SHORT = st.text("ab1_ '", max_size=40)
ODD = st.text(st.characters(blacklist_characters="\n"), max_size=20)


@pytest.fixture(autouse=True, params=[1, 12], ids=["crowded slots", "slots"])
def few(request, monkeypatch):
    monkeypatch.setattr(interning, "LEAST", 1)
    monkeypatch.setattr(interning, "_SLOT_BITS", request.param)


@given(st.lists(st.lists(SHORT | ODD, min_size=1), min_size=1), st.lists(SHORT))
def test_numbers_are_those_of_one_name_after_the_other(parts, known):
    given_names = Names(["\n".join(part) for part in parts], list(map(len, parts)))
    packed, plain = SymbolTable(), SymbolTable()
    packed.intern(known)
    plain.intern(known)
    names = [name for part in parts for name in part]
    assert packed.intern(given_names).tolist() == plain.intern(names).tolist()
    assert packed.names(range(len(packed))) == plain.names(range(len(plain)))


@given(st.lists(st.lists(SHORT | ODD, min_size=1), max_size=4), st.lists(SHORT))
def test_columns_together_get_the_numbers_of_one_after_the_other(columns, known):
    packed, plain = SymbolTable(), SymbolTable()
    packed.intern(known)
    plain.intern(known)
    found = packed.intern_all([Names(["\n".join(names)], [len(names)]) for names in columns])
    assert [one.tolist() for one in found] == [plain.intern(names).tolist() for names in columns]
    assert packed.names(range(len(packed))) == plain.names(range(len(plain)))


def test_packed_columns_and_lists_get_numbers_in_their_order():
    table = SymbolTable()
    found = table.intern_all([Names(["b\na"], [2]), ["c", "a"], Names(["d", "b"], [1, 1])])
    assert [one.tolist() for one in found] == [[0, 1], [2, 1], [3, 0]]


@pytest.mark.parametrize("letter", ["e", "\u00e9"])
def test_few_names_of_a_long_part_are_picked(letter):
    names = [f"{letter}{i}" * (i % 3) for i in range(300)]
    packed = Names(["\n".join(names[:200]), "\n".join(names[200:])], [200, 100])
    places = np.array([0, 1, 150, 199, 200, 299])
    assert list(packed.at(places)) == [names[place] for place in places]


@pytest.mark.parametrize("length", [1, 7, 8, 9, 16, 17, 32, 33])
def test_names_that_differ_in_one_letter_only(length):
    names = [letter * length for letter in "ab"]
    names += [name[:-1] + "c" for name in names] + [name[:-1] for name in names]
    table = SymbolTable()
    found = table.intern(Names(["\n".join(names), "\n".join(names[::-1])], [len(names)] * 2))
    assert table.names(found) == names + names[::-1]


def test_a_name_that_ends_in_a_null_is_another_name():
    found = SymbolTable().intern(Names(["a\na\0\n\0"], [3]))
    assert found.tolist() == [0, 1, 2]


def test_a_program_of_many_facts_answers_the_same(monkeypatch):
    text = "".join(f'p(e{i * 7 % 40}, "the long name of number {i % 30}").\n' for i in range(200))

    def answers() -> dict:
        session = Session()
        session.add(text + "q(X, Y) :- p(X, Y).")
        return session.query("q(e7, Y)").weights

    quick = answers()
    monkeypatch.setattr(interning, "LEAST", 10**9)
    assert quick == answers()
    assert quick
