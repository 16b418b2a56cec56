"""A real Chromium for the tests that look at a page, and its promise to ask no other machine."""

from __future__ import annotations

import os
import shutil
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, LocatorAssertions, Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
FLAGS = [
    "--no-sandbox",  # Chromium refuses to run as root without
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = int(os.environ.get("NEURALLOG_PATIENCE", "600"))
"""Seconds; so many for a machine that is busy with something else."""

needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason=f"none of {', '.join(BROWSERS)} is installed"
)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser with the fonts that Matplotlib brings: without any it shows nothing."""
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory(prefix="neurallog-fonts-") as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            headless=True,
            args=FLAGS,
            env={**os.environ, "FONTCONFIG_FILE": str(_fonts(Path(folder)))},
        )
        yield browser
        browser.close()


def _fonts(folder: Path) -> Path:
    """Settings for Fontconfig by which a program finds these fonts and no others."""
    matplotlib = find_spec("matplotlib")
    assert matplotlib is not None and matplotlib.origin is not None
    brought = Path(matplotlib.origin).parent / "mpl-data" / "fonts" / "ttf"
    settings = folder / "fonts.conf"
    settings.write_text(
        f'<?xml version="1.0"?><fontconfig><dir>{escape(str(brought))}</dir>'
        f"<cachedir>{escape(str(folder))}</cachedir></fontconfig>",
        encoding="utf-8",
    )
    return settings


@contextmanager
def local_pages(browser: Browser, width: int, height: int) -> Iterator[BrowserContext]:
    """A window whose pages may ask this machine only; anything else fails the test at the end."""
    context = browser.new_context(viewport={"width": width, "height": height})
    context.set_default_timeout(PATIENCE * 1000)
    hosts: set[str | None] = set()

    def follow(page: Page) -> None:
        page.on("websocket", lambda socket: hosts.add(urlsplit(socket.url).hostname))

    context.on("request", lambda request: hosts.add(urlsplit(request.url).hostname))
    context.on("page", follow)
    yield context
    context.close()
    assert hosts <= {None, "127.0.0.1"}, "a page asked other machines for something"


def expect(locator: Locator) -> LocatorAssertions:
    """Playwright's `expect`, which waits: what a page shows follows a click or a message later."""
    from playwright.sync_api import expect as waiting

    waiting.set_options(timeout=PATIENCE * 1000)
    return waiting(locator)


def until(page: Page, condition: Callable[[], object]) -> None:
    """Wait until a condition holds that `expect` has no words for."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        page.wait_for_timeout(50)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]
