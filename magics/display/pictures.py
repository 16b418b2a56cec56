"""Objects of the kernel that a notebook shows as pictures."""

from __future__ import annotations

from neurallog_kernel import Dag, LiteralLayer, PathTree, RuleView, format_clause
from neurallog_kernel.pictures.drawing import Drawing
from neurallog_kernel.pictures.network import network_picture
from neurallog_kernel.pictures.rule import rule_picture
from neurallog_kernel.pictures.show import rule_of
from neurallog_kernel.pictures.tree import tree_picture


def register_formatters(shell) -> None:
    """Let a notebook show rules, DAGs, path trees and layers as pictures."""

    def bundle(make):
        return lambda thing, include=None, exclude=None: Drawing(make(thing))._repr_mimebundle_()

    formatter = shell.display_formatter.mimebundle_formatter
    formatter.for_type(RuleView, bundle(rule_of))
    formatter.for_type(Dag, bundle(lambda dag: rule_picture(dag, title=format_clause(dag.rule))))
    formatter.for_type(PathTree, bundle(tree_picture))
    formatter.for_type(LiteralLayer, bundle(network_picture))
