"""A dictionary in layers is a dictionary, its order included, and copies do not disturb it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurallog_kernel.knowledge.persistent_dict import Layers, differing

KEY = st.integers(0, 12)
STEP = st.one_of(
    st.tuples(st.just("set"), KEY, st.integers(0, 99)),
    st.tuples(st.just("delete"), KEY, st.just(0)),
    st.tuples(st.sampled_from(["copy", "look"]), KEY, st.just(0)),
)


@settings(deadline=None, database=None, derandomize=True, max_examples=200)
@given(st.dictionaries(KEY, st.integers(0, 99)), st.lists(STEP, max_size=40))
def test_it_is_a_dictionary(start: dict[int, int], steps: list[tuple[str, int, int]]) -> None:
    layers, plain = Layers(start), dict(start)
    kept = [(layers, dict(plain))]
    for what, key, value in steps:
        if what == "set":
            layers[key], plain[key] = value, value
        elif what == "delete":
            assert layers.pop(key, None) == plain.pop(key, None)
        elif what == "look":
            assert list(layers.items()) == list(plain.items())
        else:
            kept.append((layers, dict(plain)))
            layers = layers.copy()
        assert layers.get(key) == plain.get(key)
        assert (key in layers, len(layers)) == (key in plain, len(plain))
        if what != "copy" and kept[-1][0] is layers:
            kept[-1] = (layers, dict(plain))
    for one, expected in [*kept, (layers, plain)]:
        assert list(one.items()) == list(expected.items())
        assert (list(one), list(one.values())) == (list(expected), list(expected.values()))


def test_what_is_not_there_is_an_error() -> None:
    layers = Layers({"a": 1})
    del layers["a"]
    with pytest.raises(KeyError):
        del layers["a"]
    with pytest.raises(KeyError):
        layers["a"]
    assert not layers


def test_differing_keys_of_copies_and_of_others():
    first = Layers({"a": 1, "b": 2, "c": 3})
    second = first.copy()
    second["b"], second["d"] = 5, 4
    del second["a"]
    assert differing(first, second) == differing(second, first) == {"a", "b", "d"}
    assert differing(first.copy(), first) == set()
    assert differing({"a": 1}, second) == {"a", "b", "c", "d"}
    list(second)  # puts its entries together: they have no base in common any more
    assert differing(first, second) == {"a", "b", "d"}
