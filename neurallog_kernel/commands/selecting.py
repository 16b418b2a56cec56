"""Commands of cross-validation: how good a training is, and which settings make the best."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from neurallog_kernel.commands.context import Context
from neurallog_kernel.commands.declaration import argument, at_least
from neurallog_kernel.commands.results import Table, saved
from neurallog_kernel.commands.shared import SPREADSHEET_SAFE, TO, command
from neurallog_kernel.errors import ParameterError
from neurallog_kernel.tabular import check_format

_FOLDS = (
    argument("--folds", type=at_least(2), default=5, metavar="N", help="parts to divide into (5)"),
    argument(
        "--groups",
        default="connected",
        metavar="WORD",
        help="what stays together: connected, subject, example, or a predicate",
    ),
    argument("--metric", default="roc_auc", metavar="NAME", help="what is compared (roc_auc)"),
    argument("--seed", type=at_least(0), default=0, help="of the folds and of what is drawn (0)"),
)


@command(
    "cross_validate",
    "How good a training is on training examples that it did not see.",
    argument(
        "values",
        nargs="*",
        metavar="NAME=VALUE",
        help="an option of train, as in learning_rate=0.1",
    ),
    *_FOLDS,
    TO,
    SPREADSHEET_SAFE,
    examples="neurallog cross-validate model.pl --folds 3\n"
    "neurallog cross-validate model.pl --values optimizer=adam epochs=40 --groups subject",
)
def cross_validate(context: Context, options: Namespace) -> Any:
    if options.to:
        check_format(options.to, options.spreadsheet_safe)
    found = context.session.cross_validate(
        folds=options.folds,
        groups=options.groups,
        metric=options.metric,
        fold_seed=options.seed,
        **_settings(options.values),
    )
    if options.to:
        return saved(found, options.to, options.spreadsheet_safe)
    pairs = zip(found.examples, found.values, strict=True)
    rows = [(str(fold), str(held), f"{value:.4f}") for fold, (held, value) in enumerate(pairs, 1)]
    note = f"mean {found.mean:.4f}, deviation {found.deviation:.4f}"
    return Table(("#fold", "#held out", f"#{options.metric}"), rows, note=note, limit=context.rows)


@command(
    "select",
    "Choose settings of a training by cross-validation over the training examples.",
    argument(
        "values",
        nargs="*",
        metavar="NAME=VALUES",
        help="an option of train with its values, as in learning_rate=0.01,0.1",
    ),
    *_FOLDS,
    argument("--tries", type=at_least(1), metavar="N", help="try N combinations, drawn at random"),
    argument("--halving", action="store_true", help="drop the worse half before each further fold"),
    argument(
        "--search",
        choices=("optuna",),
        help="let Optuna propose --tries settings; values may be ranges, as in 0.001..0.3:log",
    ),
    TO,
    SPREADSHEET_SAFE,
    examples="neurallog select model.pl --values learning_rate=0.01,0.1 epochs=10,40\n"
    "neurallog select model.pl --values optimizer=adam,adagrad --folds 3 --halving\n"
    "neurallog select model.pl --values learning_rate=0.001..0.3:log --search optuna --tries 30",
)
def select(context: Context, options: Namespace) -> Any:
    space = _space(options.values)
    if options.to:
        check_format(options.to, options.spreadsheet_safe)
    found = context.session.select(
        space,
        folds=options.folds,
        groups=options.groups,
        metric=options.metric,
        tries=options.tries,
        halving=options.halving,
        search=options.search,
        fold_seed=options.seed,
    )
    if options.to:
        return saved(found, options.to, options.spreadsheet_safe)
    names = list(space)
    rows = [
        (
            *(_shown(choice.settings[name]) for name in names),
            f"{choice.result.mean:.4f}",
            f"{choice.result.deviation:.4f}",
            str(len(choice.result.folds)),
        )
        for choice in found.choices
    ]
    columns = (*names, f"#{options.metric}", "#deviation", "#folds")
    winner = found.program().replace("\n", " ")
    return Table(columns, rows, note=f"best first; as text: {winner}", limit=context.rows)


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _settings(words: list[str]) -> dict[str, Any]:
    """One value for each option.

    >>> _settings(["epochs=5", "optimizer=adam"])
    {'epochs': 5, 'optimizer': 'adam'}
    """
    space = _space(words) if words else {}
    for name, values in space.items():
        if isinstance(values, dict) or len(values) > 1:
            raise ParameterError(
                f"{name} has several values, and one training is measured",
                hint="select compares them: neurallog select",
            )
    return {name: value for name, (value,) in space.items()}


def _space(words: list[str]) -> dict[str, Any]:
    """Values by option, or a range.

    >>> _space(["epochs=5,10", "optimizer=adam", "shuffle=True"])
    {'epochs': [5, 10], 'optimizer': ['adam'], 'shuffle': [True]}
    >>> _space(["epochs=5..10", "learning_rate=0.01..1:log"])
    {'epochs': {'from': 5, 'to': 10}, 'learning_rate': {'from': 0.01, 'to': 1, 'log': True}}
    """
    found: dict[str, Any] = {}
    for word in words:
        name, equals, values = word.partition("=")
        if not (name and equals and values):
            raise ParameterError(
                f"{word!r} is not an option with its values", hint="write learning_rate=0.01,0.1"
            )
        if name in found:
            raise ParameterError(f"{name} is given twice", hint=f"list all its values: {name}=1,2")
        low, dots, high = values.partition("..")
        if dots:
            end, colon, log = high.partition(":")
            found[name] = {"from": _value(low), "to": _value(end)}
            found[name] |= {"log": log == "log"} if colon else {}
        else:
            found[name] = [_value(text) for text in values.split(",")]
    if not found:
        raise ParameterError("select from what?", hint="such as learning_rate=0.01,0.1")
    return found


def _value(text: str) -> Any:
    if text in ("True", "False"):
        return text == "True"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
