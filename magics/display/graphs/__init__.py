"""Pictures as data: what is drawn, apart from how it is drawn."""

from neurallog_magics.display.graphs.model import Arrow, Mark, Picture, shorten
from neurallog_magics.display.graphs.network import network_picture
from neurallog_magics.display.graphs.rule import rule_picture
from neurallog_magics.display.graphs.tree import tree_picture
from neurallog_magics.display.graphs.typemap import type_map

__all__ = [
    "Arrow",
    "Mark",
    "Picture",
    "network_picture",
    "rule_picture",
    "shorten",
    "tree_picture",
    "type_map",
]
