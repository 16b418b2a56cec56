"""What the value of a parameter may be: a check for each kind, of the path and the value."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral

from neurallog_kernel.errors import ParameterError, did_you_mean
from neurallog_kernel.functions.combining import resolve_setting
from neurallog_kernel.functions.keras_names import KerasNames
from neurallog_kernel.functions.naming import PARTIAL
from neurallog_kernel.language.syntax import ParameterValue

SettingPath = tuple[str, ...]
SettingCheck = Callable[[SettingPath, ParameterValue], None]

LARGEST = 1e15  # of a number that weighs or bounds something in training

CALLBACKS = (
    "link_prediction_callback",
    "roc_auc",
    "EarlyStopping",
    "ModelCheckpoint",
    "TerminateOnNaN",
    "History",
    "ProgbarLogger",
)
_ELSEWHERE = {
    "TensorBoard": "a program opens no files: write neurallog train --tensorBoard folder",
    "CSVLogger": "a program opens no files: history.write(...) or neurallog train -o folder",
    "BackupAndRestore": "a program opens no files: session.save(...)",
    "RemoteMonitor": "a program opens no connections: give a callback of your own from Python",
    "LambdaCallback": "give a callback of your own from Python: train(callbacks=[...])",
    "LearningRateScheduler": "set_parameter(schedule, cosine), or another schedule by name",
    "ReduceLROnPlateau": "set_parameter(schedule, plateau)",
}


def show_value(value: ParameterValue) -> str:
    """A value as a message shows it."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, tuple):
        return "[" + ", ".join(show_value(v) for v in value) + "]"
    return str(value)


def anything(path: SettingPath, value: ParameterValue) -> None:
    pass


def one_value(path: SettingPath, value: ParameterValue) -> None:
    """A parameter without anything below it."""
    if len(path) > 1:
        raise ParameterError(
            f"{path[0]} has nothing below it", hint=f"write set_parameter({path[0]}, value)"
        )


def whole_number(least: int, most: float = math.inf) -> SettingCheck:
    def check(path: SettingPath, value: ParameterValue) -> None:
        one_value(path, value)
        whole = isinstance(value, float) and value.is_integer() and least <= value <= most
        if not whole:
            raise ParameterError(
                f"{path[0]} must be a whole number of at least {least}"
                f"{f' and at most {most}' if most < math.inf else ''}, not {show_value(value)}"
            )

    return check


def a_depth(path: SettingPath, value: ParameterValue) -> None:
    """A whole number, or that it is to be found."""
    one_value(path, value)
    if value == "until_stable":
        return
    if not isinstance(value, float) or not value.is_integer() or value < 0:
        raise ParameterError(
            f"{path[0]} must be a whole number of at least 0, or until_stable, "
            f"not {show_value(value)}"
        )


def positive(path: SettingPath, value: ParameterValue) -> None:
    one_value(path, value)
    if isinstance(value, bool) or not isinstance(value, float) or value <= 0:
        raise ParameterError(f"{path[0]} must be a number above 0, not {show_value(value)}")


def a_share(path: SettingPath, value: ParameterValue) -> None:
    one_value(path, value)
    if isinstance(value, bool) or not isinstance(value, float) or not 0 < value < 1:
        raise ParameterError(
            f"{path[0]} must be a share between 0 and 1, not {show_value(value)}",
            hint=f"as in set_parameter({path[0]}, 0.2).",
        )


def not_too_large(path: SettingPath, value: ParameterValue) -> None:
    """A number above 0 that single precision can still square."""
    positive(path, value)
    if isinstance(value, float) and value > LARGEST:
        raise ParameterError(f"{path[0]} must be at most {LARGEST:g}, not {show_value(value)}")


def a_weight(path: SettingPath, value: ParameterValue) -> None:
    """How much something counts: a number above 0, or `balanced`."""
    if value == "balanced" and len(path) == 1:
        return
    not_too_large(path, value)


def a_word(path: SettingPath, value: ParameterValue) -> None:
    one_value(path, value)
    if not isinstance(value, str):
        raise ParameterError(f"{path[0]} must be a name, not {show_value(value)}")


def check_seed(seed: object) -> None:
    """A seed is a whole number from 0 on."""
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:  # type: ignore[operator]
        raise ParameterError(f"seed must be a whole number of at least 0, not {seed!r}")


def boolean(path: SettingPath, value: ParameterValue) -> None:
    one_value(path, value)
    if not isinstance(value, bool):
        raise ParameterError(f'{path[0]} must be "True" or "False", not {show_value(value)}')


def one_of(*choices: str) -> SettingCheck:
    def check(path: SettingPath, value: ParameterValue) -> None:
        one_value(path, value)
        if value not in choices:
            known = " or ".join(choices)
            raise ParameterError(f"{path[0]} must be {known}, not {show_value(value)}")

    return check


# -- something by name, or with class_name and config below it ------------------------------------


def in_config(path: SettingPath) -> bool:
    """Whether the value belongs to the settings of what `class_name` names."""
    return len(path) > 2 and path[1] == "config"


def of_keras(names: KerasNames, by_predicate: bool = False, numbers: bool = False) -> SettingCheck:
    """A name of the closed table; with `by_predicate` a predicate's name may stand
    below the parameter's, with `numbers` a number may stand for a name."""

    def check(path: SettingPath, value: ParameterValue) -> None:
        setting = path[0]
        if in_config(path):
            return
        if len(path) > 2 or (len(path) == 2 and path[1] != "class_name" and not by_predicate):
            raise _no_such_form(path)
        if numbers and isinstance(value, float) and len(path) == 1:
            return
        listed = value if isinstance(value, tuple) and by_predicate else (value,)
        for one in listed:
            if not isinstance(one, str):
                raise ParameterError(f"{setting} is a name, not {show_value(one)}")
            if one.lower() != "none" and one not in names.own:
                names.class_name(one)

    return check


def _no_such_form(path: SettingPath) -> ParameterError:
    hint = did_you_mean(path[1], ("class_name", "config")) or "write class_name or config"
    return ParameterError(f"{path[0]} has no {path[1]} below it", hint=hint)


def a_predicate(path: SettingPath, value: ParameterValue) -> None:
    """The name of a predicate, which is looked up where it is used."""
    one_value(path, value)
    if not isinstance(value, str):
        raise ParameterError(f"{path[0]} is the name of a predicate, not {show_value(value)}")


def a_function(path: SettingPath, value: ParameterValue) -> None:
    """The name of a registered function, or `class_name` and `config`; the name is looked up where
    it is used, since functions may be registered later."""
    setting = path[0]
    if in_config(path):
        return
    if len(path) > 2 or (len(path) == 2 and path[1] != "class_name"):
        raise _no_such_form(path)
    if not isinstance(value, str):
        raise ParameterError(f"{setting} is the name of a function, not {show_value(value)}")


def a_combination(path: SettingPath, value: ParameterValue) -> None:
    """A way to combine: by name, by `class_name`, or as the function of a `partial`."""
    setting = path[0]
    if setting == "edge_neutral_element" and (len(path) == 1 or path[1:] == ("config", "value")):
        if value not in (1.0, "one", "tf.constant", "tf.ones"):
            raise ParameterError(
                f"edge_neutral_element is 1 here, not {show_value(value)}: a free variable is "
                "every entity with weight 1"
            )
    elif in_config(path):
        if path[2] != "function_name" or len(path) > 3:
            raise ParameterError(
                f"{setting}: the functions that combine have no setting {path[-1]}",
                hint="write the name alone, such as maximum",
            )
        resolve_setting(setting, value)
    elif len(path) == 1 or path[1:] == ("class_name",):
        if value != PARTIAL or len(path) == 1:
            resolve_setting(setting, value)
    else:
        raise _no_such_form(path)


def combination(path: SettingPath, value: ParameterValue) -> tuple[SettingPath, ParameterValue]:
    """The setting as one name, whichever of its forms it has; a `partial` alone says nothing."""
    if path[0] == "edge_neutral_element":
        return path[:1], "one"
    if path[1:] == ("class_name",) and value == PARTIAL:
        return path, value
    return path[:1], resolve_setting(path[0], value)


def a_callback(path: SettingPath, value: ParameterValue) -> None:
    """`callback, <name>, class_name` or `config`."""
    if len(path) < 2:
        raise ParameterError(
            "a callback has a name of its own",
            hint="write set_parameter(callback, my_name, class_name, EarlyStopping)",
        )
    if len(path) == 2 or path[2] == "class_name":
        name = show_value(value)
        if name in _ELSEWHERE:
            raise ParameterError(f"the callback {name} is not known here", hint=_ELSEWHERE[name])
        if name not in CALLBACKS:
            hint = did_you_mean(name, CALLBACKS) or f"known: {', '.join(CALLBACKS)}"
            raise ParameterError(f"unknown callback {name}", hint=hint)
    elif path[2] != "config" or len(path) != 4:
        hint = "write class_name, or config and the name of a setting"
        raise ParameterError(f"callback {path[1]} has no {path[2]} below it", hint=hint)


def check_reference(path: SettingPath, value: ParameterValue) -> None:
    """The original's `"$p/2[0]"` stands for a number of entities, which is not computed here."""
    for one in value if isinstance(value, tuple) else (value,):
        if isinstance(one, str) and one.startswith("$"):
            raise ParameterError(
                f"{path[0]}: sizes and places such as {one} are not computed here",
                hint="write the number; session.predicates() has the sizes of the types",
            )
