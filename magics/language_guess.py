"""Python in a NeuralLog cell, NeuralLog in a Python cell: how to tell, and what to say."""

from __future__ import annotations

import ast
import builtins
import re

from neurallog_kernel import NeuralLogError, Session


def is_python(text: str) -> bool:
    """Whether a text that is not NeuralLog is Python: a statement, or a call of a builtin.

    >>> [is_python(t) for t in ("x = 3", "import os", "print('hi')", "parent(ann, bob)", "p(a) q")]
    [True, True, True, False, False]
    """
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return False
    return any(not isinstance(one, ast.Expr) or _calls_builtin(one.value) for one in body)


def _calls_builtin(value: ast.expr) -> bool:
    called = value.func if isinstance(value, ast.Call) else None
    return isinstance(called, ast.Name) and hasattr(builtins, called.id)


def is_neurallog(text: str) -> bool:
    """Whether a text that is not Python is NeuralLog.

    >>> [is_neurallog(t) for t in ("p(a).", "?- p(a, X)", "p(X) :- q(X)", "df.", "x[1:-1")]
    [True, True, True, False, False]
    """
    text = text.strip()
    if text.startswith("?-") or re.search(r"\)\s*:-\s", text):
        return True
    try:
        Session().add(text)
    except NeuralLogError:
        return False
    return "(" in text
