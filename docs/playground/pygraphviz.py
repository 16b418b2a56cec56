"""Graphviz inside the browser: the few calls of pygraphviz that pictures use, done by viz.js."""

import neurallog_viz  # pyright: ignore[reportMissingImports]  the worker registers it


class AGraph:
    def __init__(self, string):
        self.source = string

    def draw(self, format, prog):
        return neurallog_viz.draw(self.source, format, prog).encode()

    def close(self):
        self.source = ""
