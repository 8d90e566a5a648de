"""What the HTTP servers of the command line share: they answer with texts and with JSON."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any

from shapley_coop.serve.view.assets import HEADERS


class Handler(BaseHTTPRequestHandler):
    """Answers requests, and logs none: an address may hold a secret."""

    def head(self, headers: Mapping[str, str], status: HTTPStatus = HTTPStatus.OK) -> None:
        """Send the status and the headers."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def text(
        self, text: str, headers: Mapping[str, str], status: HTTPStatus = HTTPStatus.OK
    ) -> None:
        """Send a whole text."""
        body = text.encode()
        self.head({**headers, "content-length": str(len(body))}, status)
        self.wfile.write(body)

    def json(self, content: Mapping[str, Any], status: HTTPStatus = HTTPStatus.OK) -> None:
        """Send an object; no browser keeps it."""
        kind = {"content-type": "application/json", "cache-control": "no-store"}
        self.text(json.dumps(content), {**HEADERS, **kind}, status)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""
