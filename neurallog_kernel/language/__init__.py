"""The language front end: program text to clauses and back."""

from neurallog_kernel.language.facts import FactColumns, FactRun, expand
from neurallog_kernel.language.parser import parse, parse_query
from neurallog_kernel.language.printer import (
    format_clause,
    format_literal,
    format_number,
    format_program,
    format_term,
)
from neurallog_kernel.language.templates import expand_templates

__all__ = [
    "FactColumns",
    "FactRun",
    "expand",
    "expand_templates",
    "format_clause",
    "format_literal",
    "format_number",
    "format_program",
    "format_term",
    "parse",
    "parse_query",
]
