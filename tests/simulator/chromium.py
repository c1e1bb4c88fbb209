"""Headless Chromium for tests of pages: one browser a module, a page that records what it asks for and complains of."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


@contextmanager
def chromium() -> Iterator[Any]:
    """Open a browser; skip the test, with the reason, where there is none."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("there is no chromium to open pages in")
    sync = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (extra: test)")
    with sync.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


class Opened:
    """A page of a file, in a window of its own.

    Attributes
    ----------
    page
        The page.
    asked
        Addresses that it asked for, its own file aside.
    complaints
        Errors and warnings of its console, and errors that nobody caught.
    """

    def __init__(self, browser: Any, path: Path, *, width: int = 1400, dark: bool = False, height: int = 900) -> None:
        self.asked: list[str] = []
        self.complaints: list[str] = []
        window = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            accept_downloads=True,
            reduced_motion="reduce",
        )
        self.page = window.new_page()
        own = path.resolve().as_uri()
        window.route("**/*", lambda route: self._route(route, own))
        self.page.on("console", lambda said: self._said(said.type, said.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(own)

    def _route(self, route: Any, own: str) -> None:
        if route.request.url.split("#")[0] == own:
            route.continue_()
        else:
            self.asked.append(route.request.url)
            route.abort()

    def _said(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.complaints.append(text)

    def faults(self) -> list[str]:
        """Return what axe-core finds that is serious or critical: the rule, and the elements."""
        axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed (extra: test)")
        found = axe.Axe().run(self.page).response["violations"]
        return [
            f"{each['id']}: {[node['html'][:160] for node in each['nodes'][:3]]}"
            for each in found
            if each["impact"] in ("serious", "critical")
        ]

    def reach(self) -> int:
        """Return how many pixels the page is wider than its window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))

    def close(self) -> None:
        """Close the window."""
        self.page.context.close()
