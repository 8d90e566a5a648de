"""The viewer on this machine, with Python alone: `coop view`."""

import json
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from shapley_coop.serve.view.assets import FILES, HEADERS, kind
from shapley_coop.serve.view.feed import END, Feed
from shapley_coop.serve.view.run_sources import RunSource

LOOPBACK = "127.0.0.1"
EVERY = 0.5
"""Seconds between two looks at a run that is being played."""


def viewer(runs: RunSource, port: int, private: bool) -> ThreadingHTTPServer:
    """A server of the page on the loopback address; `serve_forever` starts it.

    Args:
        runs: what there is to see.
        port: where to listen; 0 takes a free one.
        private: whether private reasoning is shown to whoever asks for it.
    """

    class Handler(_Handler):
        shelf = runs
        operator = private

    server = ThreadingHTTPServer((LOOPBACK, port), Handler)
    server.daemon_threads = True
    return server


class _Handler(BaseHTTPRequestHandler):
    """GET of the page's files, of bundles, and of bundles as they change."""

    shelf: RunSource
    operator: bool

    def do_GET(self) -> None:
        """Answer one request."""
        # A name that leads here from elsewhere would let that page read what this one shows.
        host = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        if host not in (LOOPBACK, "localhost"):
            self._send(HTTPStatus.FORBIDDEN, "text/plain", "This page is for this machine.")
            return
        url = urlsplit(self.path)
        asked = parse_qs(url.query).get("private") == ["1"]
        try:
            self._answer([unquote(part) for part in url.path.split("/")[1:]], asked)
        except ValueError as error:
            self._send(HTTPStatus.NOT_FOUND, "text/plain", str(error))
        except ConnectionError:
            # Who asked has left.
            self.close_connection = True

    def _answer(self, path: list[str], private: bool) -> None:
        match path:
            case ["" | "view"]:
                self.send_response(HTTPStatus.FOUND)
                self.send_header("Location", "/view/")
                self.send_header("Content-Length", "0")
                self.end_headers()
            case ["view", ""]:
                self._send(HTTPStatus.OK, kind("index.html"), FILES["index.html"])
            case ["page", name] if name in FILES:
                self._send(HTTPStatus.OK, kind(name), FILES[name])
            case ["view", "runs.json"]:
                self._json({"runs": self.shelf.runs(), "private": self.operator})
            case ["view", "runs", file] if file.endswith(".json"):
                self._json(self._bundle(file.removesuffix(".json"), private))
            case ["view", "runs", run, "events"]:
                self._follow(run, private)
            case _:
                raise ValueError("There is no such page.")

    def _bundle(self, run: str, private: bool) -> dict[str, Any]:
        if private and not self.operator:
            raise ValueError("Private reasoning is shown by coop view --private.")
        return self.shelf.get(run, private)

    def _follow(self, run: str, private: bool) -> None:
        """Server-sent events: what changes, until the run has ended."""
        bundle = self._bundle(run, private)
        self.close_connection = True
        self._head(HTTPStatus.OK, "text/event-stream")
        feed = Feed(self.headers.get("Last-Event-ID"))
        while True:
            self.wfile.write(feed.tell(bundle).encode())
            if bundle["state"] != "started":
                self.wfile.write(END.encode())
                return
            time.sleep(EVERY)
            bundle = self._bundle(run, private)

    def _json(self, content: dict[str, Any]) -> None:
        self._send(HTTPStatus.OK, "application/json", json.dumps(content))

    def _send(self, status: HTTPStatus, media: str, text: str) -> None:
        body = text.encode()
        self._head(status, media, len(body))
        self.wfile.write(body)

    def _head(self, status: HTTPStatus, media: str, length: int | None = None) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, "content-type": media}.items():
            self.send_header(name, value)
        if length is not None:
            self.send_header("content-length", str(length))
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the terminal is for what people asked for."""
