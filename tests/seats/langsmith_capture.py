"""A stand-in for LangSmith on this machine: what a process that is traced would send there."""

import gzip
import json
from collections.abc import Iterator
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from tests.background import in_background

PROJECT = {
    "id": str(uuid4()),
    "tenant_id": str(uuid4()),
    "start_time": "2026-01-01T00:00:00+00:00",
    "reference_dataset_id": None,
}


class Capture:
    """A stand-in for LangSmith that keeps all it is sent."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.project: dict[str, Any] = {}
        capture = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                found = [capture.project] if capture.project else []
                asked = urlsplit(self.path).path
                self._answer(found if asked == "/sessions" else {"version": "0.12"})

            def do_POST(self) -> None:
                body = self._body()
                if urlsplit(self.path).path == "/sessions":
                    capture.project = {**json.loads(body), **PROJECT}
                    self._answer(capture.project)
                    return
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
                capture.bodies.append(head + body)
                self._answer({})

            do_PATCH = do_POST

            def _body(self) -> bytes:
                if length := self.headers.get("Content-Length"):
                    return self.rfile.read(int(length))
                chunks = []
                while size := int(self.rfile.readline(), 16):
                    chunks.append(self.rfile.read(size))
                    self.rfile.readline()
                self.rfile.readline()
                return b"".join(chunks)

            def _answer(self, content: Any) -> None:
                text = json.dumps(content).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    @property
    def text(self) -> str:
        return b"\n".join(self.bodies).decode(errors="replace")

    def feedback(self) -> list[dict[str, Any]]:
        """All the scores that it was sent."""
        parts = [part for body in self.bodies for part in _parts(body)]
        return [value for kind, _, _, value in parts if kind == "feedback"]

    def runs(self) -> dict[str, dict[str, Any]]:
        """Run id → its fields, of its creation and its end together."""
        found: dict[str, dict[str, Any]] = {}
        for body in self.bodies:
            for kind, run, field, value in _parts(body):
                if kind != "feedback":
                    merge(found.setdefault(run, {}), {field: value} if field else value)
        return found


def _parts(body: bytes) -> Iterator[tuple[str, str, str, Any]]:
    """The parts of a multipart body: kind, id, field (empty for all others) and value."""
    for part in BytesParser(policy=HTTP).parsebytes(body).iter_parts():
        name = str(part.get_param("name", header="content-disposition"))
        kind, run, *field = name.split(".")
        content = part.get_payload(decode=True)
        assert isinstance(content, bytes)
        yield kind, run, field[0] if field else "", json.loads(content)


def merge(into: dict[str, Any], more: dict[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            merge(into[key], value)
        elif value is not None:
            into[key] = value


@pytest.fixture
def langsmith() -> Iterator[Capture]:
    """A stand-in of this test's own."""
    capture = Capture()
    with in_background(capture.server):
        yield capture
