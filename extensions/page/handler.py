"""The base class for the HTTP servers of the command line: answers with texts and JSON."""

import json
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any

from shapley_coop.extensions.page.assets import UNSTORED


class Handler(BaseHTTPRequestHandler):
    """A request handler that logs no requests, because an address may hold a secret."""

    def handle(self) -> None:
        """Answer a connection's requests; ignore it if the client breaks the connection off."""
        with suppress(ConnectionError):
            super().handle()

    def head(self, headers: Mapping[str, str], status: HTTPStatus = HTTPStatus.OK) -> None:
        """Send the status and the headers."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def text(
        self, text: str, headers: Mapping[str, str], status: HTTPStatus = HTTPStatus.OK
    ) -> None:
        """Send a response that consists of one text."""
        body = text.encode()
        self.head({**headers, "content-length": str(len(body))}, status)
        self.wfile.write(body)

    def json(self, content: Mapping[str, Any], status: HTTPStatus = HTTPStatus.OK) -> None:
        """Send an object as JSON; browsers must not store it."""
        kind = {"content-type": "application/json"}
        self.text(json.dumps(content), {**UNSTORED, **kind}, status)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing, because the address may hold a secret."""
