"""The viewer of `coop view` on this machine, a server that needs only the standard library."""

import time
from http import HTTPStatus
from http.server import ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from shapley_coop.extensions.page.assets import HEADERS, ROUTES, file, route_of
from shapley_coop.extensions.page.bundle import DONE
from shapley_coop.extensions.page.feed import END, Feed
from shapley_coop.extensions.page.handler import Handler
from shapley_coop.extensions.page.run_sources import RunSource

LOOPBACK = "127.0.0.1"
PLAIN = {**HEADERS, "content-type": "text/plain"}
EVERY = 0.5
"""Seconds between two reads of a run that is being played."""


def viewer(runs: RunSource, port: int, private: bool) -> ThreadingHTTPServer:
    """Return a server of the page on the loopback address; `serve_forever` starts it.

    Args:
        runs: the source of runs to show.
        port: the port to listen on; 0 takes a free port.
        private: whether requests may ask for private reasoning.
    """

    class Routes(ViewHandler):
        source = runs
        operator = private

    server = ThreadingHTTPServer((LOOPBACK, port), Routes)
    server.daemon_threads = True
    return server


class ViewHandler(Handler):
    """The handler of GET requests for the page's routes."""

    source: RunSource
    operator: bool

    def do_GET(self) -> None:
        """Answer one request."""
        if self.is_foreign():
            self.text("This page is for this machine.", PLAIN, HTTPStatus.FORBIDDEN)
            return
        url = urlsplit(self.path)
        private = parse_qs(url.query).get("private") == ["1"]
        try:
            what, name = route_of(url.path if url.path != "/" else ROUTES["redirect"])
            self._answer(what, unquote(name), private)
        except ValueError as error:
            self.text(str(error), PLAIN, HTTPStatus.NOT_FOUND)

    def is_foreign(self) -> bool:
        """Return whether a request names another host than this machine.

        A web page whose host name resolves to this address must not read the viewer's pages.
        """
        host = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        return host not in (LOOPBACK, "localhost")

    def _answer(self, what: str, name: str, private: bool) -> None:
        match what:
            case "redirect":
                self.text("", {"location": ROUTES["index"]}, HTTPStatus.FOUND)
            case "index" | "file":
                self.text(*file(name or "index.html"))
            case "runs":
                self.json({"runs": self.source.runs(), "private": self.operator})
            case "bundle":
                self.json(self._bundle(name, private))
            case "events":
                self._follow(name, private)

    def _bundle(self, run: str, private: bool) -> dict[str, Any]:
        if private and not self.operator:
            raise ValueError("coop view shows private reasoning with --private only.")
        return self.source.get(run, private)

    def _follow(self, run: str, private: bool) -> None:
        """Send server-sent events until the run has ended."""
        bundle = self._bundle(run, private)
        self.close_connection = True
        self.head({**HEADERS, "content-type": "text/event-stream"})
        feed = Feed(self.headers.get("Last-Event-ID"))
        while True:
            self.wfile.write(feed.update(bundle).encode())
            if bundle["state"] in DONE:
                self.wfile.write(END.encode())
                return
            time.sleep(EVERY)
            bundle = self._bundle(run, private)
