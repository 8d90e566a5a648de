"""A real Chromium, headless, as the tests of the page use it."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]
DESK, PHONE = (1360, 900), (390, 844)


def chromium() -> str:
    """Where Debian's Chromium is; the test is skipped where it is not, or Playwright is not."""
    pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    return found


class Tab:
    """A page, and whatever it complained about."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("requestfailed", self._failed)

    def _failed(self, request: Any) -> None:
        # The page itself closes the stream of a run that has ended.
        if not (request.url.endswith("/events") and request.failure == "net::ERR_ABORTED"):
            self.complaints.append(f"failed: {request.url}")

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def text(self) -> str:
        """All that can be read."""
        return str(self.page.locator("body").inner_text())

    def overflows(self) -> bool:
        """Whether it has to be scrolled sideways."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth > innerWidth"))


@contextmanager
def tab(size: tuple[int, int] = DESK, scheme: str = "light", **options: Any) -> Iterator[Tab]:
    """A tab of a browser with an empty profile."""
    executable = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as profile:
        browser = playwright.chromium.launch_persistent_context(
            profile,
            executable_path=executable,
            headless=True,
            args=FLAGS,
            viewport={"width": size[0], "height": size[1]},
            color_scheme=scheme,
            **options,
        )
        try:
            yield Tab(browser.pages[0])
        finally:
            browser.close()


def picture(opened: Tab, folder: Path, name: str) -> None:
    """Keep a screenshot: in the folder that COOP_TEST_PICTURES names, else in the test's own."""
    kept = Path(os.environ.get("COOP_TEST_PICTURES") or folder)
    opened.page.screenshot(path=kept / f"{name}.png", full_page=True)
