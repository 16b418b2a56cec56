"""Errors as a Python caller meets them: by name from the package, and as the builtin they are."""

import pytest

import neurallog_kernel as nl
from neurallog_kernel import NeuralLogError, Session

PROGRAM = "parent(ann, bob). age(ann, 50). q(X) :- parent(X, Y)."


@pytest.fixture
def session():
    s = Session()
    s.add(PROGRAM)
    return s


@pytest.mark.parametrize(
    ("act", "name", "builtin"),
    [
        (lambda s: s.load("no such file.pl"), "LoadError", OSError),
        (lambda s: s.load_table("no such file.csv", "p(a)"), "TableError", OSError),
        (lambda s: s.add("p(a"), "ProgramSyntaxError", ValueError),
        (lambda s: s.add("p(X)."), "NotGroundError", ValueError),
        (lambda s: s.add("age(ann, old)."), "TypeConflictError", TypeError),
        (lambda s: s.add("set_parameter(epochs, -1)."), "ParameterError", ValueError),
        (lambda s: s.query("parnet(ann, X)"), "UnknownPredicateError", LookupError),
        (lambda s: s.query("parent(zoe, X)"), "UnknownEntityError", LookupError),
        (lambda s: s.registry["tanhh"], "UnknownNameError", LookupError),
    ],
)
def test_an_error_is_also_the_builtin_that_a_caller_expects(session, act, name, builtin):
    with pytest.raises(builtin) as caught:
        act(session)
    assert isinstance(caught.value, NeuralLogError)
    assert type(caught.value) is getattr(nl, name)
    assert caught.value.message in str(caught.value)


def test_every_kind_of_error_is_exported():
    kinds = [one for one in vars(nl.errors).values() if isinstance(one, type)]
    errors = {one.__name__ for one in kinds if issubclass(one, NeuralLogError)}
    assert errors <= set(nl.__all__)


def test_what_training_gives_back_is_exported():
    assert {"History", "Metrics", "Callback", "TrainingState"} <= set(nl.__all__)
