"""Every example on the pages runs and gives what the page shows."""

from pathlib import Path

import pytest

from tests.docs.pages import blocks, check_page

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "teaching").glob("*.md")),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_are_true(page):
    check_page(page)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_has_a_language(page):
    for block in blocks(page.read_text(encoding="utf-8")):
        assert block.language, f"{page.name}:{block.line}"


@pytest.mark.parametrize("name", ["language.md", "functions.md", "cheatsheet.md", "index.md"])
def test_pages_that_teach_have_examples(name):
    assert check_page(ROOT / "docs" / name)


def test_a_wrong_output_is_seen(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```neurallog\np(a).\n?- p(X).\n```\n\n```text\n?- p(X).  no answer\n```\n")
    with pytest.raises(AssertionError, match="the page says otherwise"):
        check_page(page)


def test_an_error_is_not_hidden(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```neurallog\np(a)\n```\n")
    with pytest.raises(AssertionError, match="full stop"):
        check_page(page)
