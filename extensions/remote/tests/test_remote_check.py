"""Servers that cannot be asked: one line, before anything is written."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.background import in_background
from tests.coop_command import USAGE, Coop, one_line
from tests.evals.swept import SUITE


class Closed(BaseHTTPRequestHandler):
    """A server that knows no caller."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_error(401)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def closed() -> Iterator[str]:
    with in_background(ThreadingHTTPServer(("127.0.0.1", 0), Closed)) as url:
        yield url


def refused(coop: Coop, *urls: str) -> str:
    """The line that says why a sweep does not begin on these servers."""
    Path("suite.yaml").write_text(SUITE, encoding="utf-8")
    asked = [word for url in urls for word in ("--remote", url)]
    said = one_line(coop("sweep", "suite.yaml", "-o", "out", *asked), USAGE)
    assert not Path("out").exists()
    return said


@pytest.mark.parametrize(
    ("url", "why"),
    [("notaurl", "is missing an 'http://' or"), ("http://127.0.0.1:9", "All connection attempts")],
)
def test_a_server_that_is_not_there(coop: Coop, url: str, why: str) -> None:
    said = refused(coop, url)
    assert f"{url}: " in said
    assert why in said


def test_a_server_that_wants_a_token(coop: Coop, closed: str) -> None:
    assert "set COOP_REMOTE_TOKEN to its token" in refused(coop, closed, "http://127.0.0.1:9")
