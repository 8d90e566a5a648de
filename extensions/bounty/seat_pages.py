"""The seat pages of a run of this home: each person gets a link that shows only its own letter.

Each link holds a secret that is made anew whenever the pages are served. Anyone who has a link can
read the person's letter and answer for the person, so give the link to nobody else.
"""

import asyncio
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from http.server import ThreadingHTTPServer
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, cast
from urllib.parse import quote, unquote

from shapley_coop.graphs.replies import OpenQuestion, open_questions
from shapley_coop.seats.records import Mail
from shapley_coop.serve.seats.form import DRAFT, FIELDS, message_of, preview
from shapley_coop.serve.seats.letter import allowed_replies, name_of, seat_letter
from shapley_coop.serve.view.assets import file
from shapley_coop.serve.view.handler import Handler
from shapley_coop.state.table import Table

EVERY = 30.0
"""Deadlines are checked when no answer has come for this number of seconds."""

MOST_BYTES = 100_000
"""The largest size of a reply, in bytes."""


class Seats:
    """A server with a page for each person of a run.

    Args:
        run: the run's row in the register.
        people: the people who have a seat page.
        host: the address to listen on.
        port: the port to listen on; 0 for a free port.

    Raises:
        ValueError: the server cannot listen on this host and port.
    """

    def __init__(self, run: Any, people: Sequence[str], host: str, port: int) -> None:
        self._run, self._lock = run, Lock()
        self._answered: SimpleQueue[str] = SimpleQueue()
        self._keys = {secrets.token_urlsafe(24): agent for agent in people}
        seats = self

        class Pages(_Handler):
            desk = seats

        try:
            self._server = ThreadingHTTPServer((host, port), Pages)
        except OSError as error:
            raise ValueError(f"--serve {host}:{port}: {error.strerror}") from None
        self._server.daemon_threads = True

    @property
    def links(self) -> dict[str, str]:
        """Person → the URL of its page."""
        host, port = self._server.server_address[:2]
        place = f"[{host!s}]" if ":" in str(host) else str(host)
        return {
            agent: f"http://{place}:{port}/seat/{key}/{quote(agent, safe='')}"
            for key, agent in self._keys.items()
        }

    def until(self, settled: Callable[[], bool]) -> None:
        """Serve the pages until the run has ended.

        Args:
            settled: called after each answer; resumes the run, and returns whether the run ended.
        """
        Thread(target=self._server.serve_forever, daemon=True).start()
        try:
            while True:
                with self._lock:
                    if settled():
                        return
                with suppress(Empty):  # a deadline may have passed without an answer
                    self._answered.get(timeout=EVERY)
        finally:
            self._server.shutdown()
            self._server.server_close()

    def owner(self, key: str, agent: str) -> str | None:
        """Return the agent if the key in a link is this agent's key, else None."""
        given = key.encode()
        found = [a for own, a in self._keys.items() if secrets.compare_digest(own.encode(), given)]
        return agent if found == [agent] else None

    def letter(self, agent: str) -> dict[str, Any] | None:
        """Return the letter that waits for a person's answer, or None."""
        with self._lock:
            found = asyncio.run(_waiting(self._run, agent))
        return seat_letter(*found) if found else None

    def reply(self, agent: str, reply: Mapping[str, Any]) -> dict[str, Any] | None:
        """Hand in a reply, or preview a draft; return None if no letter waits for the person.

        Raises:
            ValueError: the reply is refused; the message gives the reason.
        """
        with self._lock:
            if (found := asyncio.run(_waiting(self._run, agent))) is None:
                return None
            mail, question, asked = found
            kind, args = reply.get("type"), reply.get("args")
            if kind == DRAFT:
                return preview(question.turn(), agent, args)
            if reply.get("id") != name_of(mail):
                raise ValueError("id: the waiting letter is another one than this reply names")
            if kind == FIELDS:
                kind, args = "response", message_of(mail.act, args)
            if kind not in (kinds := allowed_replies(asked)):
                raise ValueError(f"type is one of {', '.join(kinds)}")
            from shapley_coop.graphs.running import answer

            if fault := asyncio.run(answer(self._run, agent, {"type": kind, "args": args})):
                raise ValueError(f"{fault.label}: {fault.feedback}")
        self._answered.put(agent)
        return {"taken": name_of(mail)}


async def _waiting(run: Any, agent: str) -> tuple[Mail, OpenQuestion, dict[str, Any]] | None:
    """Return a person's waiting letter, its open question and its interrupt's value, or None."""
    from shapley_coop.graphs.threads import configure, open_workflow
    from shapley_coop.state.storage.home import home

    async with open_workflow(run.graph) as app:
        state = await app.aget_state(configure(run))
    asked = {i.value["pointer"]["agent"]: i.value for i in state.interrupts}
    mail = home().journal.mail(state.values.get("episode", ""), agent)
    if mail is None or agent not in asked:
        return None
    questions = open_questions(run.graph, cast(Table, state.values), state.tasks)
    return mail, questions[agent], asked[agent]


class _Handler(Handler):
    """The handler of the seat pages' HTTP requests."""

    desk: Seats
    timeout = EVERY  # seconds until a silent connection is closed

    def do_GET(self) -> None:
        """Send the page, one of the page's files, or the letter as JSON."""
        match self.path.split("?")[0].strip("/").split("/"):
            case ["page", name]:
                try:
                    text, headers = file(name)
                except ValueError as error:
                    self.json({"detail": str(error)}, HTTPStatus.NOT_FOUND)
                else:
                    self.text(text, headers)
            case ["seat", key, agent] if owner := self.desk.owner(key, unquote(agent)):
                if "text/html" in self.headers.get("accept", ""):
                    self.text(*file("seat.html"))
                else:
                    self._found(self.desk.letter(owner))
            case _:
                self.json({"detail": "There is no such page"}, HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        """Take a reply or a draft."""
        parts = self.path.strip("/").split("/")
        owner = self.desk.owner(parts[1], unquote(parts[2])) if len(parts) == 3 else None
        if parts[0] != "seat" or owner is None:
            self.json({"detail": "There is no such page"}, HTTPStatus.NOT_FOUND)
            return
        try:
            self._found(self.desk.reply(owner, self._body()))
        except ValueError as error:
            self.json({"detail": str(error)}, HTTPStatus.UNPROCESSABLE_ENTITY)

    def _body(self) -> Mapping[str, Any]:
        # A foreign page can make a browser post a form here, but not JSON, so forms are refused.
        if self.headers.get_content_type() != "application/json":
            raise ValueError("send the reply as application/json")
        length = self.headers.get("content-length", "")
        if not length.isdigit() or int(length) > MOST_BYTES:
            raise ValueError(f"send the reply as JSON of at most {MOST_BYTES} bytes")
        try:
            found = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise ValueError("send the reply as one JSON object") from None
        if not isinstance(found, dict):
            raise ValueError("send the reply as one JSON object")
        return found

    def _found(self, content: dict[str, Any] | None) -> None:
        if content is None:
            self.json({"detail": "No letter waits at this seat now"}, HTTPStatus.NOT_FOUND)
        else:
            self.json(content)
