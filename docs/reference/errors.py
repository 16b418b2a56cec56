"""Each kind of error with a text that provokes it, the message it really gives, and the cure."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from docs.reference.markdown import block, sections
from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel import errors as kinds
from neurallog_kernel.commands import Usage
from neurallog_kernel.errors import TableError
from neurallog_kernel.packages import MissingPackageError
from neurallog_magics.commands import COMMANDS
from neurallog_magics.errors import Interrupted


@dataclass(frozen=True)
class Example:
    """A mistake: program text and perhaps a question, or something done in Python."""

    program: str
    cure: str
    question: str = ""
    python: str = ""
    act: Callable[[Session], object] | None = None

    def provoke(self) -> NeuralLogError:
        """The error that the example gives."""
        session = Session()
        try:
            session.add(self.program, source="cell")
            if self.question:
                session.query(self.question)
            if self.act:
                self.act(session)
        except NeuralLogError as error:
            return error
        raise AssertionError(f"nothing is wrong with {self.program!r}")


@contextmanager
def _folder() -> Iterator[Path]:
    """A folder for the files of an example; its name is taken out of the message."""
    with tempfile.TemporaryDirectory() as name:
        try:
            yield Path(name)
        except NeuralLogError as error:
            error.message = error.message.replace(f"{name}/", "")
            raise


def _open_text_as_model(_: Session) -> None:
    with _folder() as folder:
        path = folder / "model.nlz"
        path.write_text("parent(ann, bob).", encoding="utf-8")
        Session.open(path)


def _without_pyarrow(session: Session) -> None:
    with _folder() as folder:
        path = folder / "people.parquet"
        path.write_bytes(b"PAR1")
        with mock.patch.dict(sys.modules, {"pyarrow": None, "pyarrow.parquet": None}):
            session.load_table(path, "age(name, age)")


EXAMPLES: dict[type[NeuralLogError], tuple[Example, ...]] = {
    kinds.ProgramSyntaxError: (
        Example(
            "grandparent(X, Z) :- parent(X, Y) parent(Y, Z).",
            "The caret is where reading stopped; what is missing is there or just before. Nothing "
            "of the text has taken effect.",
        ),
        Example("parent(ann bob).", "The hint names the usual slip where one is recognised."),
    ),
    kinds.NotGroundError: (
        Example(
            "likes(ann, X).",
            "A clause without `:-` is a fact and names entities. For everybody at once, write a "
            "rule. Names that begin with a capital are variables: quote them (`'Ann'`) or write "
            "them small.",
        ),
    ),
    kinds.ArityError: (
        Example(
            "tall(ann). tall(bob).",
            "Decode a predicate that has its inputs first and the label last, as in "
            "`tag(Word, Label)`. A fact may have any number of arguments.",
            python='session.decode("tall", ["ann", "bob"])',
            act=lambda session: session.decode("tall", ["ann", "bob"]),
        ),
    ),
    kinds.TypeConflictError: (
        Example(
            "age(ann, 31).\nage(bob, young).",
            "A place holds numbers or entities, never both. Use another predicate for one of them.",
        ),
    ),
    kinds.AttributeJoinError: (
        Example(
            "age(ann, 31). age(bob, 31).\nsame_age(X, Y) :- age(X, A), age(Y, A).",
            "Numbers are values, not things to meet at. Make classes of them first, as entities: "
            "`decade(ann, thirties).`",
        ),
    ),
    kinds.NegationError: (
        Example(
            "age(ann, 31).\nageless(X) :- person(X), not age(X, A).",
            "A complement is known for relations (1 minus the weight), not for numbers or "
            "functions. Negate a predicate that you define.",
        ),
    ),
    kinds.TemplateError: (
        Example(
            "likes({a}, bob).",
            "Braces are filled in by a `for` loop around the clause, or, in a rule, by the "
            "predicates of the program.",
        ),
    ),
    kinds.DirectiveError: (
        Example(
            "set_parameter(epochs).",
            "The hint shows the form of the directive.",
        ),
    ),
    kinds.ParameterError: (
        Example(
            "set_parameter(recursion_depth, deep).",
            "See [Parameters](parameters.md) for what each takes.",
        ),
    ),
    kinds.UnknownNameError: (
        Example(
            "set_parameter(recursion_dept, 2).",
            "The nearest known name is suggested; [Parameters](parameters.md) and "
            "[Functions](functions.md) list them all.",
        ),
    ),
    kinds.UnknownPredicateError: (
        Example(
            "parent(ann, bob).",
            "The question names a predicate or an arity that the program does not have.",
            question="parnet(ann, X)",
        ),
    ),
    kinds.UnknownEntityError: (
        Example(
            "parent(ann, bob). owns(dora, car).",
            "The entity is unknown at that place of the predicate. Where it stands elsewhere in "
            "the program, the message says so: perhaps two arguments are swapped.",
            question="parent(dora, X)",
        ),
    ),
    kinds.QueryError: (
        Example(
            "parent(ann, bob). 0::parent(cleo, bob).",
            "The question can be asked, but no answer has a weight, so there is nothing to "
            "explain. Name the entities to see why it is 0.",
            python='session.explain("parent(cleo, X)")',
            act=lambda session: session.explain("parent(cleo, X)"),
        ),
    ),
    kinds.BoundError: (
        Example(
            "e(a, b). e(b, a).\n"
            "for i in 0 1 2 3 4 5 6 7 8 9 do\n"
            "    for j in 0 1 2 3 4 5 6 7 8 9 do\n"
            "        p{i}(X, Y) :- e(X, Z), p{j}(Z, Y).\n"
            "    done\n"
            "done",
            "Rules that call each other along many ways, bodies with very many paths and questions "
            "about very many pairs are refused before they run. The message names what grows.",
            question="p0(a, Y)",
        ),
    ),
    kinds.LoadError: (
        Example(
            "",
            "Check the path; it is taken from the folder in which Python runs.",
            python='session.load("famly.pl")',
            act=lambda session: session.load("famly.pl"),
        ),
    ),
    kinds.CheckpointError: (
        Example(
            "",
            "Only files written by `save` can be opened. Every part of such a file is checked, and "
            "nothing in it is run.",
            python='Session.open("model.nlz")      # a text file under the wrong name',
            act=_open_text_as_model,
        ),
    ),
    TableError: (
        Example(
            "",
            "The pattern names columns of the table. See [Data in and out](data.md).",
            python='people = [{"name": "ann", "age": 31}]\n'
            'session.load_table(people, "age(name, years)")',
            act=lambda session: session.load_table(
                [{"name": "ann", "age": 31}], "age(name, years)"
            ),
        ),
    ),
    MissingPackageError: (
        Example(
            "",
            "Some parts need packages that the rest does not need.",
            python='session.load_table("people.parquet", "age(name, age)")   # without pyarrow',
            act=_without_pyarrow,
        ),
    ),
    Usage: (
        Example(
            "",
            "`%neurallog COMMAND --help` shows what a command takes.",
            python="%neurallog train --epoch 3",
            act=lambda _: COMMANDS["train"].parse("--epoch 3"),
        ),
    ),
}


def all_kinds() -> Iterator[type[NeuralLogError]]:
    """Every kind of mistake that the program and the notebook know; to stop a cell is none."""
    waiting = [NeuralLogError]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            waiting.append(kind)
            ours = kind.__module__.startswith(("neurallog_kernel.", "neurallog_magics."))
            if ours and kind is not Interrupted:
                yield kind


def error_kinds() -> str:
    """A section for each kind, its messages made now."""
    parts = []
    for kind, examples in EXAMPLES.items():
        name = kind.__name__
        first = (kind.__doc__ or "").strip().splitlines()[0]
        parts.append(f"({kind.kind}-error)=\n### {name}")
        parts.append(f"{first} Its `kind` is `{kind.kind}`.")
        for one in examples:
            parts += _shown(one)
    return sections(parts)


def _shown(one: Example) -> Iterator[str]:
    if one.program:
        yield block(one.program + (f"\n?- {one.question}." if one.question else ""), "neurallog")
    if one.python:
        yield block(one.python, "python" if not one.python.startswith("%") else "neurallog")
    yield block(str(one.provoke()), "text")
    yield one.cure
