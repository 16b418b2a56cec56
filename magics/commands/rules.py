"""The commands that look for rules and take them in, with the live table."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from neurallog_kernel import NeuralLogError
from neurallog_kernel.commands import SHARED, Note, argument, at_least, learn_options
from neurallog_magics.arguments import NOTEBOOK
from neurallog_magics.context import NotebookContext
from neurallog_magics.display.rules import rules_html

_LEARN = SHARED.commands["learn_rules"]


@NOTEBOOK.command("learn_rules", _LEARN.summary, *_LEARN.arguments)
def learn_rules(context: NotebookContext, options: Namespace) -> Any:
    if options.write or options.to:
        return _LEARN(context, options)
    table = context.session.rule_table(*options.heads, **learn_options(options))
    context.live.table = table
    if not context.has_kernel:
        return table.search()
    try:
        from neurallog_kernel.pictures.rules.widget import RulesView
    except ImportError:
        return table.search()
    view = RulesView(table, context.as_cell, context.relabel, rules_html)
    context.show(view)
    view.search()
    context.keep(table)
    return None


@NOTEBOOK.command(
    "accept",
    "Write rows of the last learn_rules table into a new cell.",
    argument(
        "rows", nargs="*", type=at_least(1), metavar="N", help="numbers (default: the ticked rows)"
    ),
)
def accept(context: NotebookContext, options: Namespace) -> Any:
    table = context.live.table
    if table is None:
        raise NeuralLogError(
            "there is no table of rules yet", hint="%neurallog learn_rules p/2 makes one"
        )
    text = table.text(options.rows or None)
    context.shell.set_next_input(context.as_cell(text), replace=False)
    return Note("the rules are in a cell below: read it, and run it to add them")
