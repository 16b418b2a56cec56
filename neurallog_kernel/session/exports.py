"""What a session gives away: weights as tables, the program as text, predicates as models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurallog_kernel.depth import deep
from neurallog_kernel.errors import ParameterError, QueryError
from neurallog_kernel.export.embedding import Embedding, embedding_of
from neurallog_kernel.export.weights import Weights, weights_of
from neurallog_kernel.interrupts import unbroken
from neurallog_kernel.knowledge.describe import named, one_named
from neurallog_kernel.knowledge.listing import listing
from neurallog_kernel.state import LiveState, in_turn
from neurallog_kernel.tabular import Tabular, check_format
from neurallog_kernel.writing import check_free, write_text

if TYPE_CHECKING:
    from neurallog_kernel.learning.history import History

_DTYPES = ("float32", "float64")


class SessionExports(LiveState):
    """The part of a session that gives away what it holds."""

    @in_turn
    def save_program(self, path: str | Path) -> None:
        """Write the text of the live program, learned weights included, to a file."""
        write_text(path, listing(self._program, self._symbols))

    @in_turn
    def weights(self, predicate: str | None = None) -> Weights:
        """The facts of a predicate with their weights, as they are now: a table, which can be
        written to a file. `learned` says which weights come from training; those of all predicates
        that are learned if none is named. Rules are there too if their weights are learned.

        >>> from neurallog_kernel import Session
        >>> s = Session()
        >>> _ = s.add("parent(ann, bob). 0.5::parent(bob, cid).")
        >>> s.weights("parent")
          argument_1 argument_2  weight  learned
        0        ann        bob     1.0    False
        1        bob        cid     0.5    False
        """
        program = self._program
        if predicate is None:
            tables = (program.learnables, program.learned_rules)
            chosen = [s for s in program.predicates() if any(s in table for table in tables)]
        else:
            chosen = named(program, predicate)
        found = tuple(weights_of(program, self._relations, self._symbols, s) for s in chosen)
        return Weights(found, together=predicate is None or len(found) > 1)

    @deep
    @in_turn
    def embedding(self, predicates: str | Sequence[str] | None = None) -> Embedding:
        """Predicates as features of entities: a row for each entity, a column for each predicate of
        one place or attribute; a binary predicate has a column for each entity of its second place.

        Names, and patterns such as `"feature_*"`; by default the unary predicates that are learned.

        >>> from neurallog_kernel import Session
        >>> s = Session()
        >>> _ = s.add("0.5::l1(ann). 2::l2(ann). -1::l2(bob). age(bob, 41).")
        >>> _ = s.add("similar(X, Y) :- l1(X), l1(Y). similar(X, Y) :- l2(X), l2(Y).")
        >>> found = s.embedding("l*")
        >>> found.entities, found.features
        (('ann', 'bob'), ('l1', 'l2'))
        >>> found.values.tolist()
        [[0.5, 2.0], [0.0, -1.0]]
        """
        return embedding_of(self._evaluator, predicates)

    @deep
    @in_turn
    @unbroken()
    def to_keras(
        self,
        predicate: str,
        output: int | None = None,
        *,
        unknown: str = "error",
        dtype: str = "float32",
    ) -> Any:
        """A predicate as a `keras.Model`: of a batch of names (or indexes) it gives the weights of
        the entities at `output` (0 is the first place; default the last).

        `model.names` are the entities in the order of the weights. The learned weights are copies:
        training the model leaves the session as it is. Keras layers that the program uses as
        functions are the registered ones themselves. `unknown` is what a name is that the program
        does not know: an "error", or "zero" for a row of zeros.
        """
        from neurallog_kernel.export.entities import check_unknown
        from neurallog_kernel.export.keras_model import keras_model
        from neurallog_kernel.export.question import question_of

        check_unknown(unknown)
        _check_dtype(dtype)
        evaluator = self._evaluator
        question = question_of(evaluator, one_named(evaluator.program, predicate), output)
        return keras_model(evaluator, question, dtype, unknown)

    @deep
    @in_turn
    @unbroken()
    def export_saved_model(
        self,
        predicate: str,
        path: str | Path,
        output: int | None = None,
        *,
        unknown: str = "error",
        dtype: str = "float64",
        overwrite: bool = False,
    ) -> None:
        """Write a predicate as a TensorFlow SavedModel that needs TensorFlow and nothing else.

        Its inputs are names, `argument_1` and so on by place; `serving_default` gives their
        `weights` for all entities at `output`, `names` says which these are, and `top` gives the
        best `k` with their names. A predicate of one place gives one `weight` for each name. The
        weights are those of the program as it is now.
        """
        from neurallog_kernel.export.entities import check_unknown
        from neurallog_kernel.export.question import question_of
        from neurallog_kernel.export.saved_model import save_model

        check_unknown(unknown)
        _check_dtype(dtype)
        check_free(Path(path), overwrite)
        evaluator = self._evaluator
        question = question_of(evaluator, one_named(evaluator.program, predicate), output)
        save_model(question, evaluator.engine, path, dtype, unknown, overwrite)

    @deep
    @in_turn
    def export(
        self,
        predicate: str | None = None,
        *,
        weights: str | Path | None = None,
        embedding: str | Path | None = None,
        history: str | Path | None = None,
        program: str | Path | None = None,
        saved_model: str | Path | None = None,
        spreadsheet_safe: bool = False,
        **options: Any,
    ) -> list[str]:
        """Write several things at once, and say what was written: what the commands `export` do.

        `weights`, `embedding` and `history` are files whose suffix says their format, `program` a
        file of text and `saved_model` a folder; `spreadsheet_safe` is that of `save_table` for all
        tables, `options` are those of `export_saved_model`. What can be seen to be wrong is an
        error before anything is written.
        """
        tables: dict[str | Path, Tabular] = {}
        if weights is not None:
            tables[weights] = self.weights(predicate)
        if embedding is not None:
            tables[embedding] = self.embedding(predicate)
        if history is not None:
            tables[history] = self._last_history()
        for path in tables:
            check_format(path, spreadsheet_safe)
        written = []
        if saved_model is not None:  # first, because it is what most likely fails
            if predicate is None:
                hint = "name the predicate, as in grandparent/2"
                raise QueryError("a SavedModel is the network of one predicate", hint=hint)
            self.export_saved_model(predicate, saved_model, **options)
            written.append(f"{saved_model}: the network of {predicate}")
        for path, table in tables.items():
            table.save_table(path, spreadsheet_safe)
            rows = len(table.to_pandas())
            written.append(f"{path}: {rows:,} row{'' if rows == 1 else 's'}")
        if program is not None:
            self.save_program(program)
            written.append(f"{program}: the program")
        if not written:
            raise QueryError(
                "there is nothing to export",
                hint="say what: weights, embedding, history, program or saved_model",
            )
        return written

    def _last_history(self) -> History:
        if self._state.history is None:
            raise QueryError("there is no history: the program has not been trained")
        return self._state.history


def _check_dtype(dtype: str) -> None:
    if dtype not in _DTYPES:
        raise ParameterError(f"weights cannot be {dtype}", hint=f"say {' or '.join(_DTYPES)}")
