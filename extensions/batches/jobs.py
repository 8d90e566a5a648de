"""The batches of a sweep: code that sends and polls them, and answers letters from their results.

The book (`book`) notes the file of each letter before the batch is created. If a letter is asked
again after a kill, its batch answers it, so the letter is not paid for twice.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from openai import APIStatusError, AsyncOpenAI
from openai.types import Batch

from shapley_coop.extensions.batches.book import Held, book
from shapley_coop.extensions.batches.pauses import Pauses
from shapley_coop.extensions.batches.provider import (
    NO_ROOM,
    Provider,
    answer_to,
    fault_of,
    passes,
)
from shapley_coop.seats.clients import clients_here
from shapley_coop.seats.http import http_client
from shapley_coop.seats.records import JournalKey

_OK = 200


class Of(NamedTuple):
    """A question's identity: its letter's name in batches, its episode, and its journal key."""

    name: str
    episode: str
    asked: JournalKey


class Endpoint(NamedTuple):
    """The endpoint, key and model of a batch; OpenAI allows only one model in a batch."""

    base_url: str
    key: str
    model: str


@dataclass(frozen=True)
class Letter:
    """A request, as a line of a batch's file, and its future answer: HTTP status and body."""

    of: Of
    line: bytes
    answer: asyncio.Future[tuple[int, Any]]


@dataclass
class Job:
    """One batch of letters that this process sends or follows.

    Attributes:
        number: the batch's number in this process, from 1.
        endpoint: the endpoint and model of the batch.
        letters: the letters that wait for the batch, by name.
        ended: a future that is done once this process has nothing more to do for the batch.
        batch: the provider's batch, once it has ended.
        lines: letter name → answer, for the answers that no letter has received yet.
    """

    number: int
    endpoint: Endpoint
    letters: dict[str, Letter] = field(default_factory=dict)
    ended: asyncio.Future[None] = field(default_factory=asyncio.Future)
    batch: Batch | None = None
    lines: dict[str, Mapping[str, Any]] = field(default_factory=dict)


class Jobs:
    """The batches of a sweep, which this process sends and polls.

    Args:
        sweep: the id of the sweep to which the letters belong.
        tell: a callback for lines of text on the progress of batches.
        pauses: how long to wait for letters and batches.
    """

    def __init__(self, sweep: str, tell: Callable[[str], Any], pauses: Pauses) -> None:
        self._sweep, self._tell, self._pauses = sweep, tell, pauses
        self._jobs: dict[str, Job] = {}
        self._begun = 0
        self._tasks = set[asyncio.Task[None]]()
        self._providers: dict[tuple[str, str], Provider] = {}

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in the background until `close`."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Stop following the batches; they continue at the provider and stay in the book."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def send(self, endpoint: Endpoint, letters: list[Letter]) -> None:
        """Send letters in a new batch, wait until the batch ends, and answer the letters."""
        job = self._job(endpoint)
        job.letters = {letter.of.name: letter for letter in letters}
        async with self._answering(job):
            provider = self._provider(endpoint)
            file = await provider.upload(b"".join(letter.line for letter in letters))
            self._jobs[file] = job
            held = Held(file, "", time.time())
            keys = {name: letter.of[1:] for name, letter in job.letters.items()}
            await asyncio.to_thread(book().enter, self._sweep, held, keys)
            try:
                batch = await provider.begin(file, held.since)
            except APIStatusError as error:
                if not passes(error):  # a lasting refusal, so there is no batch
                    await asyncio.to_thread(book().forget_file, file)
                raise
            await asyncio.to_thread(book().begun, file, batch)
            await self._finish(job, file, batch)

    def take_up(
        self, endpoint: Endpoint, held: Held, letter: Letter, add: Callable[[Letter], None]
    ) -> None:
        """Answer a letter from its batch, which this process or an earlier one sent.

        Args:
            endpoint: the endpoint and model of the batch.
            held: the file and batch that the book has for the letter.
            letter: the letter that waits.
            add: a function that adds the letter to another batch, if its own was never created.
        """
        job = self._jobs.get(held.file)
        if job is None or (job.ended.done() and job.batch is None):
            job = self._jobs[held.file] = self._job(endpoint)
            self.start(self._resume(job, held, add))
        job.letters[letter.of.name] = letter
        if job.batch is not None:
            self.start(self._settle(job, job.batch))

    async def _resume(self, job: Job, held: Held, add: Callable[[Letter], None]) -> None:
        """Poll an earlier process's batch; if it was never created, put its letters in another."""
        async with self._answering(job):
            batch = held.batch
            if not batch:
                batch = await self._provider(job.endpoint).find(held.file, held.since)
                if not batch:  # the process ended right before it created the batch
                    await asyncio.to_thread(book().forget_file, held.file)
                    letters, job.letters = job.letters, {}
                    for letter in letters.values():
                        add(letter)
                    return
                await asyncio.to_thread(book().begun, held.file, batch)
            await self._finish(job, held.file, batch)

    async def _finish(self, job: Job, file: str, batch: str) -> None:
        """Answer a batch's letters at its end; send them again if the provider's queue was full."""
        ended = await self._followed(job, batch)
        others = [other.ended for other in self._jobs.values() if other.endpoint == job.endpoint]
        others = [end for end in others if end is not job.ended and not end.done()]
        letters = list(job.letters.values())
        if fault_of(ended) == NO_ROOM and (others or len(letters) > 1):
            await asyncio.to_thread(book().forget_file, file)
            job.ended.set_result(None)
            if others:
                await asyncio.wait(others, return_when=asyncio.FIRST_COMPLETED)
                await self.send(job.endpoint, letters)
            else:
                half = len(letters) // 2
                await self.send(job.endpoint, letters[:half])
                await self.send(job.endpoint, letters[half:])
            return
        job.lines = await self._provider(job.endpoint).read(ended)
        job.batch = ended
        await self._settle(job, ended)

    async def _followed(self, job: Job, batch: str) -> Batch:
        """Poll a batch until it has ended, and report its progress."""
        status, told = "", 0
        async for found in self._provider(job.endpoint).looks(batch):
            counts = found.request_counts
            total = (counts.total if counts else 0) or len(job.letters)
            failed = counts.failed if counts else 0
            done = counts.completed + failed if counts else 0
            if found.status != status or done - told >= total / 10:
                status, told = found.status, done
                since = time.strftime("%H:%M", time.localtime(found.created_at))
                line = f"batch {job.number}: {total} letter{'s' * (total != 1)} to "
                line += f"{job.endpoint.model}, {status.replace('_', ' ')} {done}/{total}"
                why = [f"since {since}", *[f"{failed} failed"] * bool(failed), fault_of(found)]
                self._tell(", ".join(filter(None, [line, *why])))
        return found

    async def _settle(self, job: Job, ended: Batch) -> None:
        """Answer the waiting letters from an ended batch; delete failed letters from the book."""
        letters, job.letters = job.letters, {}
        async with self._answering(Job(job.number, job.endpoint, letters)):
            given = {name: answer_to(job.lines.pop(name, None), ended) for name in letters}
            failed = [letters[name].of for name, (status, _) in given.items() if status != _OK]
            lost = [(of.episode, of.name) for of in failed]
            await asyncio.to_thread(book().forget, lost)
            for name, letter in letters.items():
                if not letter.answer.done():
                    letter.answer.set_result(given[name])

    @asynccontextmanager
    async def _answering(self, job: Job) -> AsyncIterator[None]:
        """Pass an error raised in the `with` block on to the waiting letters of a batch."""
        try:
            yield
        except Exception as error:
            for letter in job.letters.values():
                if letter.answer.done():
                    continue
                if isinstance(error, APIStatusError):
                    letter.answer.set_result((error.status_code, {"error": error.body}))
                else:
                    letter.answer.set_exception(error)
        finally:
            if not job.ended.done():
                job.ended.set_result(None)
            self._jobs = {f: j for f, j in self._jobs.items() if j is not job or job.lines}

    def _job(self, endpoint: Endpoint) -> Job:
        self._begun += 1
        return Job(self._begun, endpoint)

    def _provider(self, endpoint: Endpoint) -> Provider:
        at = (endpoint.base_url, endpoint.key)
        if at not in self._providers:
            self._providers[at] = Provider(client_of(*at), self._pauses, self._tell)
        return self._providers[at]


def client_of(base_url: str, key: str) -> AsyncOpenAI:
    """Return a client for an endpoint's files and batches, over this event loop's transport."""
    http = http_client(clients_here())
    return AsyncOpenAI(base_url=base_url, api_key=key, http_client=http)
