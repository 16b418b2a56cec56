"""Every run draws the same cases, and a JupyterLab in Chromium for the tests that look at a page.

NEURALLOG_HYPOTHESIS=explore draws other cases, to find new ones.
"""

import os
import signal
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from tests.lab import Lab, Notebook

settings.register_profile("same", derandomize=True, database=None, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("NEURALLOG_HYPOTHESIS", "same"))

# In the background of a shell nobody can press Ctrl-C, so it is ignored; some tests press it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def patient_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted work ends a search for rules, never the clock of a busy machine."""
    from neurallog_kernel.induction import clock

    monkeypatch.setattr(clock, "MOMENT", 600.0)


# What the fixtures below need is imported in them: most tests look at no page.


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Lab"]:
    """JupyterLab from this environment with nobody's settings."""
    from tests.lab import running_lab

    with running_lab(tmp_path_factory.mktemp("lab")) as lab:
        yield lab


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from tests.chromium import chromium

    with chromium() as browser:
        yield browser


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page; whatever it asks from another machine fails the test."""
    from tests.chromium import local_pages

    with local_pages(browser, 1200, 1000) as context:
        yield context.new_page()


@pytest.fixture(scope="module")
def open_notebook(lab: "Lab", browser: Any) -> Iterator[Callable[..., "Notebook"]]:
    """Opens a new notebook, or one with a saved content, in a page that asks no other machine."""
    from tests.chromium import local_pages
    from tests.lab import Notebook

    with local_pages(browser, 1360, 1000) as context:

        def opened(name: str, saved: dict | None = None) -> Notebook:
            if saved is None:
                lab.write(name, [])
            else:
                lab.keep(name, saved)
            notebook = Notebook(context.new_page(), lab, name)
            notebook.wait_idle()
            notebook.command("application:toggle-left-area")
            return notebook

        yield opened
