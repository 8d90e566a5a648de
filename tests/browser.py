"""A real Chromium, headless, as the tests of the page use it."""

import atexit
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.waiting import HANGS, wait_for

FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-sync", "--disable-background-networking", "--disable-component-update"),
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
    """A tab that shares nothing with those before it."""
    executable = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = _connected(playwright, executable)
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, **options
        )
        context.set_default_timeout(1_000 * HANGS)
        try:
            yield Tab(context.new_page())
        finally:
            context.close()


def _connected(playwright: Any, executable: str) -> Any:
    """The browser; another one if it has stopped answering, as Chromium once did for ever."""
    from playwright.sync_api import TimeoutError as Unanswered

    connect = playwright.chromium.connect_over_cdp
    try:
        return connect(_running(executable), timeout=1_000 * HANGS / 5)
    except Unanswered:
        _running.cache_clear()
        return connect(_running(executable), timeout=1_000 * HANGS)


@cache
def _running(executable: str) -> str:
    """Where the one Chromium of all tabs listens; it ends with this process."""
    profile = TemporaryDirectory(ignore_cleanup_errors=True)
    address = Path(profile.name, "DevToolsActivePort")
    command = [executable, *FLAGS, "--remote-debugging-port=0", f"--user-data-dir={profile.name}"]
    browser = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def end() -> None:
        with profile, browser:
            browser.terminate()

    atexit.register(end)

    def listens() -> list[str]:
        assert browser.poll() is None, f"Chromium ended with code {browser.returncode}"
        written = address.read_text().split() if address.exists() else []
        return written if len(written) == 2 else []

    port, path = wait_for("Chromium", listens)
    return f"ws://127.0.0.1:{port}{path}"


def picture(opened: Tab, folder: Path, name: str) -> None:
    """Keep a screenshot: in the folder that COOP_TEST_PICTURES names, else in the test's own."""
    kept = Path(os.environ.get("COOP_TEST_PICTURES") or folder)
    opened.page.screenshot(path=kept / f"{name}.png", full_page=True)
