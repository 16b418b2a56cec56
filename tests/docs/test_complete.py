"""The parts made from code name everything that the code has, and say something of each."""

import ast
import re
from dataclasses import fields
from pathlib import Path

import pytest

import neurallog_kernel
from docs.reference import PARTS, pipeline
from docs.reference.errors import EXAMPLES, all_kinds
from docs.reference.formats import KNOWN
from docs.reference.notices import FINDINGS, NOTICES, found, noticed
from docs.reference.parameters import NETWORK, OPTIONS, TRAINING
from docs.reference.tutorials import in_readme, tutorial_table
from neurallog_kernel import PARAMETERS, Session
from neurallog_kernel.cli.declaration import COMMANDS as SHELL_COMMANDS
from neurallog_kernel.explain.check import IMPORTANT
from neurallog_kernel.functions.combining import COMBINERS
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.learning.choices.options import TrainOptions, decide
from neurallog_kernel.tables.readers.opening import FORMATS
from neurallog_magics.commands import COMMANDS
from neurallog_magics.config import NeuralLog

ROOT = Path(__file__).parents[2]


def in_code(names, text):
    """The names that do not stand in the text as code."""
    return [name for name in names if not re.search(rf"`(?:%?neurallog )?{re.escape(name)}`", text)]


def test_every_part_is_on_a_page_and_every_page_asks_for_known_parts():
    asked = set()
    for page in (ROOT / "docs").glob("*.md"):
        asked |= set(re.findall(r"\{from-code\} ([\w-]+)", page.read_text(encoding="utf-8")))
    assert asked == set(PARTS)


@pytest.mark.parametrize("name", PARTS)
def test_every_part_can_be_made(name):
    assert len(PARTS[name]().splitlines()) > 5


def test_every_magic_command_is_described():
    assert in_code(COMMANDS, PARTS["line-commands"]()) == []


def test_every_argument_of_a_magic_has_help():
    for name, command in COMMANDS.items():
        for one in command.arguments:
            assert one.options.get("help"), f"%neurallog {name}: {one.flags} has no help"


def test_every_setting_of_the_notebook_is_described():
    settings = NeuralLog.class_traits(config=True)
    assert in_code(settings, PARTS["notebook-settings"]()) == []
    assert all(trait.help for trait in settings.values())


def test_every_shell_command_is_described():
    text = PARTS["command-line"]()
    assert in_code(SHELL_COMMANDS, text) == []
    for command in SHELL_COMMANDS.values():
        flags = [flag for a in command.arguments if a.is_option for flag in a.flags]
        assert in_code(flags, text) == []


def test_every_function_is_described():
    assert in_code([f.name for f in Session().registry], PARTS["functions"]()) == []
    assert in_code(COMBINERS, PARTS["combining-functions"]()) == []


def test_every_format_of_tables_is_described():
    assert set(FORMATS) <= set(KNOWN)


def test_every_parameter_is_described_once():
    assert sorted([*NETWORK, *TRAINING]) == sorted(PARAMETERS)


def test_every_option_of_train_is_described():
    assert sorted(OPTIONS) == sorted(field.name for field in fields(TrainOptions))


def test_the_defaults_of_training_are_the_real_ones():
    session = Session()
    session.add("learn(w). h(X) :- p(X), w. p(a). example(h, a).")
    program = session._program
    assert isinstance(program, Program)
    made = decide(program, TrainOptions())
    assert TRAINING["epochs"][0] == str(made.epochs)
    assert TRAINING["batch_size"][0] == str(made.batch_size)
    assert TRAINING["shuffle"][0] == str(made.shuffle)
    assert TRAINING["inverse_relations"][0] == str(made.inverse)
    assert (TRAINING["unlisted"][0] == "false") is not made.labelling.unknown


@pytest.mark.parametrize("kind", list(all_kinds()), ids=lambda kind: kind.__name__)
def test_every_kind_of_error_has_an_example_that_gives_it(kind):
    assert kind in EXAMPLES, f"docs/reference/errors.py has no example of {kind.__name__}"
    for example in EXAMPLES[kind]:
        assert type(example.provoke()) is kind
        assert example.cure


@pytest.mark.parametrize("kind", NOTICES)
def test_a_program_gives_the_notice(kind):
    assert kind in {notice.kind for notice in noticed(NOTICES[kind])}


@pytest.mark.parametrize("kind", FINDINGS)
def test_a_program_has_the_finding(kind):
    assert kind in {notice.kind for notice in found(FINDINGS[kind])}


def kinds_in(folder: str) -> set[str]:
    """The kinds that the code of a folder gives to notices, as far as they are literals."""
    kinds = set()
    for path in (ROOT / "neurallog_kernel" / folder).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Notice":
                first = node.args[0]
                if isinstance(first, ast.Constant):
                    kinds.add(first.value)
    return kinds


def test_every_kind_of_notice_is_described():
    assert kinds_in("knowledge") <= set(NOTICES)
    assert kinds_in("explain") | IMPORTANT <= set(FINDINGS)


def test_everything_public_is_on_the_page_of_the_python_api():
    listed = re.findall(r"auto(?:class|function|data):: ([\w.]+)", PARTS["python-api"]())
    assert sorted(name for name in listed if "." not in name) == sorted(
        set(neurallog_kernel.__all__) - {"__version__"}
    )


def test_the_readme_lists_every_tutorial():
    hint = "python -m docs.reference brings it up to date"
    assert in_readme() == tutorial_table(), hint


@pytest.mark.parametrize(
    "name", ["README.md", "docs/cheatsheet.md", "docs/data.md", "docs/magics.md"]
)
def test_pages_name_commands_that_exist(name):
    page = (ROOT / name).read_text(encoding="utf-8")
    assert set(re.findall(r"(?<!%)%neurallog ([a-z_]+)", page)) <= set(COMMANDS)
    assert set(re.findall(r"(?:^|`)neurallog ([a-z]+)", page, re.MULTILINE)) <= set(SHELL_COMMANDS)


def test_the_picture_of_the_pipeline_is_made_by_its_script_and_has_every_folder():
    drawn = pipeline.PICTURE.read_text(encoding="utf-8")
    assert drawn == pipeline.picture(), "run: python -m docs.reference.pipeline"
    folders = {path.parent.name for path in (ROOT / "neurallog_kernel").glob("*/__init__.py")}
    words = set(re.findall(r"\w+", " ".join(re.findall(r">([^<]+)</text>", drawn))))
    assert folders - words == set()
