"""The pages of a run of this home: each person's seat at a link of its own, and the run's page.

>>> pages = SeatPages(run, ["Alice"], "127.0.0.1", 0)  # doctest: +SKIP
>>> pages.links["Alice"]  # doctest: +SKIP
'http://127.0.0.1:31245/Jd0…/seat/xk3…/Alice'
>>> outcome = await pages.follow()  # doctest: +SKIP

Each link holds a secret of the run and one of the person, both derived from the home's key: the
links are the same whenever this home serves the run (`links`). Whoever has a link can read the
person's letter and answer for the person.
"""

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from http import HTTPStatus
from threading import Thread
from typing import Any, cast
from urllib.parse import quote, unquote

from langchain_core.runnables import RunnableConfig
from langgraph.types import Interrupt

from shapley_coop.extensions.page.assets import UNSTORED, file
from shapley_coop.extensions.page.bundle import DONE
from shapley_coop.extensions.page.local import ViewHandler
from shapley_coop.extensions.page.run_sources import HomeSource
from shapley_coop.extensions.people.form import DRAFT, refusal_in_words
from shapley_coop.extensions.people.letter import name_of, seat_letter
from shapley_coop.extensions.people.links import STALE, WHY, address_of, is_same, key_of, listen
from shapley_coop.extensions.people.preview import preview
from shapley_coop.extensions.people.response import one_object, response_of
from shapley_coop.extensions.people.standing import NOTHING, standing
from shapley_coop.extensions.people.waiting import find_waiting, state_of
from shapley_coop.extensions.server.notice import notice_page
from shapley_coop.graphs.replies import ANSWERED, by_agent
from shapley_coop.graphs.running import Waiting, Watcher, answer, follow
from shapley_coop.seats.records import Mail
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.leases import Busy
from shapley_coop.state.table import Table

EVERY = 30.0
"""Deadlines are checked when no answer has come for this number of seconds."""

SOON = 0.05
"""Seconds between two checks whether the journal has an answer."""

MOST_BYTES = 100_000
"""The largest size of a reply, in bytes."""

Given = tuple[dict[str, Any], Interrupt, "asyncio.Future[None]"]
"""A response, the interrupt it answers, and a future that is done when the run has taken it."""


class SeatPages:
    """A server with a page for each person of a run, and one of the run; it starts at once.

    Attributes:
        links: person → the URL of its page.
        record: the URL of the run's public page.
        endings: person → sentences on the run's end, which replace those of `standing`; the page of
            a person left out says nothing of the end. If `endings` is None, `standing`'s stay.
    """

    def __init__(self, run: Any, people: Sequence[str], host: str, port: int) -> None:
        """Listen on a host and a port; 0 takes the run's usual port, or else a free one.

        Raises:
            ValueError: the server cannot listen there.
        """
        self.endings: Mapping[str, Sequence[str]] | None = None
        self._run, self._loop = run, cast("asyncio.AbstractEventLoop | None", None)
        self._given = asyncio.Queue[Given]()
        self._handed_in = dict[str, str]()  # person → the letter last answered at its page
        self._keys = {key_of(run, agent): agent for agent in people}
        self._table = key_of(run)

        class Pages(_Handler):
            desk, source = self, HomeSource(only=run.run)

        server = listen(run, host, port, Pages)
        server.daemon_threads = True
        at = f"{address_of(server)}/{self._table}"
        self.links = {a: f"{at}/seat/{key}/{quote(a, safe='')}" for key, a in self._keys.items()}
        self.record = f"{at}/view/?run={quote(run.run, safe='')}"
        Thread(target=server.serve_forever, daemon=True).start()

    async def follow(
        self, watch: Watcher | None = None, traced: RunnableConfig | None = None
    ) -> dict[str, Any]:
        """Play the run to its end as `graphs.running.follow` does, with the answers from the pages.

        Raises:
            Exception: any that `graphs.running.follow` raises, except `Waiting`.
        """
        self._loop, waited = asyncio.get_running_loop(), False
        try:
            while True:
                try:
                    return await follow(self._run, watch, traced=traced)
                except Waiting:
                    waited = True
                except Busy:  # a person may answer by a command at the same time
                    if not waited:
                        raise
                with suppress(TimeoutError):  # a deadline may have passed without an answer
                    await self._hear(*await asyncio.wait_for(self._given.get(), EVERY), watch)
        finally:
            self._loop = None

    async def _hear(
        self, response: Any, asked: Interrupt, heard: "asyncio.Future[None]", watch: Any
    ) -> None:
        try:
            agent = asked.value["pointer"]["agent"]
            fault = await answer(self._run, agent, response, watch, asked.id)
            wrong = fault and fault.feedback
        except (ValueError, Busy) as refused:
            wrong = str(refused)
        if not heard.done():
            heard.set_exception(ValueError(wrong)) if wrong else heard.set_result(None)

    def owner(self, key: str, agent: str) -> str | None:
        """Return the agent to whose page the key in a link belongs, or None."""
        found = [a for own, a in self._keys.items() if is_same(own, key)]
        return agent if found == [agent] else None

    def is_table(self, key: str) -> bool:
        """Return whether a key opens the page that everybody in the run may see."""
        return is_same(self._table, key)

    def letter(self, agent: str) -> dict[str, Any] | None:
        """Return the letter that waits for a person, or None."""
        found = asyncio.run(find_waiting(self._run, agent))
        return seat_letter(found[0], found[1], found[2].value) if found else None

    def standing(self, agent: str) -> dict[str, Any]:
        """Return the state of the run for a person who need not reply now (`standing`)."""
        state = asyncio.run(state_of(self._run))
        waiting = [*by_agent(state.interrupts)]
        found = standing(cast(Table, state.values), agent, waiting, failed=False)
        if not found["over"]:
            return found
        if self.endings is not None and agent not in self.endings:
            return NOTHING
        if self.endings is not None:
            found |= {"told": self.endings[agent], "ends": None}
        return found | {"run": self._run.run}

    def reply(self, agent: str, reply: Mapping[str, Any]) -> dict[str, Any] | None:
        """Submit a reply, or preview a draft; return None if no letter waits for the person.

        Raises:
            ValueError: the reply is to another letter, or has a wrong form.
        """
        found, loop = asyncio.run(find_waiting(self._run, agent)), self._loop
        if found is None or loop is None:
            return None
        mail, question, asked = found
        if reply.get("type") == DRAFT:
            return preview(question.turn(), agent, reply.get("args"))
        if reply.get("id") != name_of(mail):
            raise ValueError(ANSWERED)
        response = response_of(reply, mail, question, asked.value)
        if fault := question.refusal(response):
            why = refusal_in_words(question.turn(), fault.record())
            return {"refused": fault.label, "why": why}
        taking = self._take(response, mail, asked)
        with suppress(CancelledError):  # the command was stopped in the meantime
            asyncio.run_coroutine_threadsafe(taking, loop).result()
        return {"taken": name_of(mail)}

    async def _take(self, response: Any, mail: Mail, asked: Interrupt) -> None:
        """Give a person's response to the run, and wait until the journal has it.

        The agents that are asked next may take long, and the person need not wait for them.
        """
        letter, episode = name_of(mail), asked.value["pointer"]["episode"]
        if self._handed_in.get(mail.agent) == letter:  # a double click sends the same reply twice
            raise ValueError(ANSWERED)
        self._handed_in[mail.agent] = letter
        heard = asyncio.get_running_loop().create_future()
        self._given.put_nowait((response, asked, heard))
        while not heard.done():
            left = await asyncio.to_thread(home().journal.mail, episode, mail.agent)
            if left is None or name_of(left) != letter:
                return
            await asyncio.wait([heard], timeout=SOON)
        if heard.exception():
            del self._handed_in[mail.agent]
        heard.result()


class _Handler(ViewHandler):
    """The handler of the pages' HTTP requests: a key in the address opens one seat, or the run."""

    desk: SeatPages
    operator = False
    timeout = EVERY  # seconds until a silent connection is closed

    def is_foreign(self) -> bool:
        """Return False: any host name will do, because the key in the address protects the page."""
        return False

    def do_GET(self) -> None:
        """Send the run's page, a seat's page, one of the pages' files, or the letter as JSON."""
        key, *parts = self.path.split("?")[0].strip("/").split("/")
        if parts and parts[0] != "seat" and self.desk.is_table(key):
            self.path = self.path.removeprefix(f"/{key}")
            super().do_GET()
        elif owner := self._owner():
            if "text/html" in self.headers.get("accept", ""):
                self.text(*file("seat.html"))
            else:
                self._found(owner, self.desk.letter(owner))

    def do_POST(self) -> None:
        """Take a person's reply, or a draft to preview."""
        if owner := self._owner():
            try:
                self._found(owner, self.desk.reply(owner, self._body()))
            except ValueError as error:
                self.json({"detail": str(error)}, HTTPStatus.UNPROCESSABLE_ENTITY)

    def _bundle(self, run: str, private: bool) -> dict[str, Any]:
        """Return the bundle; before the run's end without costs: they can betray sealed actions."""
        found = super()._bundle(run, private)
        return found if found["state"] in DONE else {**found, "cost": None}

    def _owner(self) -> str | None:
        """Return the person whose seat the address opens; if there is none, send a 404 error."""
        match self.path.split("?")[0].strip("/").split("/"):
            case [table, "seat", key, agent] if self.desk.is_table(table):
                if owner := self.desk.owner(key, unquote(agent)):
                    return owner
        if "text/html" in self.headers.get("accept", ""):
            html = {**UNSTORED, "content-type": "text/html; charset=utf-8"}
            self.text(notice_page(STALE, WHY), html, HTTPStatus.NOT_FOUND)
        else:
            self.json({"detail": f"{STALE} {WHY}"}, HTTPStatus.NOT_FOUND)
        return None

    def _body(self) -> Mapping[str, Any]:
        # A foreign page can make a browser post a form here, but not JSON, so forms are refused.
        if self.headers.get_content_type() != "application/json":
            raise ValueError("send the reply as application/json")
        length = self.headers.get("content-length", "")
        if not length.isdigit() or int(length) > MOST_BYTES:
            raise ValueError(f"send the reply as JSON of at most {MOST_BYTES} bytes")
        return one_object(self.rfile.read(int(length)))

    def _found(self, owner: str, content: dict[str, Any] | None) -> None:
        if content is None:
            self.json(self.desk.standing(owner), HTTPStatus.NOT_FOUND)
        else:
            self.json(content)
