"""The folds of a cross-validation are those of scikit-learn's StratifiedGroupKFold."""

from __future__ import annotations

import warnings

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedGroupKFold

from neurallog_kernel.learning.examples.folds import fold_numbers


@st.composite
def divisions(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int, int]:
    """Groups, classes, how many folds, and a seed; scikit-learn wants a group and a member of the
    largest class for every fold."""
    number = draw(st.integers(2, 6))
    examples = draw(st.integers(number, 60))
    groups = draw(st.lists(st.integers(0, 20), min_size=examples, max_size=examples))
    classes = draw(st.lists(st.integers(0, 1), min_size=examples, max_size=examples))
    groups[:number] = range(number)
    classes[:number] = [0] * number
    return np.array(groups), np.array(classes), number, draw(st.integers(0, 9))


@given(divisions())
def test_folds_are_those_of_scikit_learn(division: tuple[np.ndarray, np.ndarray, int, int]):
    groups, classes, number, seed = division
    maker = StratifiedGroupKFold(n_splits=number, shuffle=True, random_state=seed)
    expected = np.zeros(len(groups), dtype=int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a class is rarer than the folds
        for fold, (_, held) in enumerate(maker.split(groups, classes, groups)):
            expected[held] = fold
    assert fold_numbers(groups, classes, number, seed).tolist() == expected.tolist()


@given(divisions())
def test_groups_stay_whole(division: tuple[np.ndarray, np.ndarray, int, int]):
    groups, classes, number, seed = division
    fold = fold_numbers(groups, classes, number, seed)
    assert all(len(set(fold[groups == group].tolist())) == 1 for group in set(groups.tolist()))
    assert set(fold.tolist()) <= set(range(number))
