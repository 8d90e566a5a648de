"""The HTTP transport that sends the letters of a sweep through a cheaper batch API.

The cells (runs) of a sweep do not depend on each other. Letters to one model are gathered until
every unfinished cell waits, or no new letter has come for a while. They become the lines of one
file for the endpoint's `/files` and `/batches` (OpenAI's Batch API). A line has the unchanged body
of the client's request, and the request gets the line's answer as its response. So the client
parses answers and repeats failed requests as usual.

Under a cost limit, a batch takes as many letters as the remaining money covers at their highest
possible cost. Letters of the oldest runs come first; the others wait until the batch has ended.
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import httpx2
from openai import OpenAIError

from shapley_coop.evals.prices import is_free
from shapley_coop.extensions.batches.book import book
from shapley_coop.extensions.batches.jobs import Endpoint, Jobs, Letter, Of, client_of
from shapley_coop.extensions.batches.pauses import USUAL, Pauses
from shapley_coop.extensions.batches.provider import ENDPOINT, LARGEST, MOST, failure
from shapley_coop.extensions.sweeps.models import is_batched
from shapley_coop.extensions.sweeps.purse import Purse, SpendingLimit
from shapley_coop.seats.asking import Enquiry
from shapley_coop.seats.faults import describe_error
from shapley_coop.seats.models import chat_model
from shapley_coop.seats.records import JournalKey, letter_hash
from shapley_coop.seats.seat import Seat, SeatError

_COMPLETIONS = "chat/completions"
_NO_SUCH = {404, 405, 501}


@dataclass
class Call:
    """A question that is sent in a batch.

    Attributes:
        of: the letter's name in batches, and its key in the journal.
        run: the number of the question's run, in the order of the runs' first questions.
        worst: the question's highest possible cost in USD.
        reserved: the id of the money that the purse reserved for the question; "" for none.
    """

    of: Of
    run: int
    worst: float
    reserved: str = ""


_asking: ContextVar[Call] = ContextVar("asking")


class Batches(httpx2.AsyncBaseTransport):
    """The transport that answers requests for chat completions from batches.

    Args:
        sweep: the id of the sweep to which the letters belong.
        purse: the account of the sweep's spending, with the cost limit.
        playing: a function that returns the number of cells being played.
        tell: a callback for lines of text on the progress of batches.
        pauses: how long to wait for letters and batches.
    """

    def __init__(
        self,
        sweep: str,
        purse: Purse,
        playing: Callable[[], int],
        tell: Callable[[str], Any],
        pauses: Pauses = USUAL,
    ) -> None:
        self._playing, self._tell, self._pauses = playing, tell, pauses
        self._jobs = Jobs(sweep, tell, pauses)
        self._purse = purse
        self._gathered: dict[Endpoint, list[tuple[Call, Letter]]] = {}
        self._runs: dict[str, int] = {}
        self._waiting = Counter[str]()
        self._given = set[str]()
        self._coming = set[str]()
        self.client = httpx2.AsyncClient(transport=self)

    async def check(self, seats: Iterable[Seat]) -> None:
        """Check, before any money is spent, that the endpoints of the seats support batches.

        Raises:
            ValueError: an endpoint lacks batches or does not answer, or no seat can use batches.
        """
        paid = [seat for seat in seats if not is_free(seat.model)]
        asked = [seat for seat in paid if is_batched(seat.model)]
        if not asked:
            raise ValueError("--batch: no seat has an openai: model: leave out --batch")
        for seat in sorted(asked, key=repr):
            client = cast(Any, chat_model(seat, agent="", seed=0)).root_async_client
            try:
                await client_of(str(client.base_url), client.api_key).batches.list(limit=1)
            except OpenAIError as error:
                why = describe_error(error, seat, seat.timeout)
                if getattr(error, "status_code", None) in _NO_SUCH:
                    why = f"{seat.base_url or 'its endpoint'} has no /batches: leave it out"
                raise ValueError(f"--batch: {seat.model}: {why}") from None
        for model in sorted({seat.model for seat in paid if seat not in asked}):
            self._tell(f"{model} is asked letter by letter, at its full price")

    @asynccontextmanager
    async def asking(self, seat: Seat, question: Enquiry, worst: float) -> AsyncIterator[Call]:
        """Treat requests in the `with` block as this question's, and its cell as waiting.

        Raises:
            SpendingLimit: the remaining money does not cover the question.
        """
        q = question
        asked = JournalKey(q.agent, q.name, q.attempt, seat.model)
        name = letter_hash(json.dumps([q.episode, *asked]))
        run = self._runs.setdefault(q.episode, len(self._runs))
        call = Call(Of(name, q.episode, asked), run, worst)
        before = _asking.set(call)
        self._waiting[q.episode] += 1
        self._coming.add(name)
        try:
            yield call
        except SeatError:
            if not call.reserved:
                await self._purse.check()  # raises `SpendingLimit` if no money is left
            if name in self._given:  # forget the letter, whose answer was unreadable
                await asyncio.to_thread(book().forget, [(q.episode, name)])
            raise
        finally:
            self._given.discard(name)
            self._coming.discard(name)
            self._waiting[q.episode] -= 1
            if not self._waiting[q.episode]:
                del self._waiting[q.episode]
            _asking.reset(before)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer a request for a chat completion from a batch."""
        body = json.loads(await request.aread())
        base_url = str(request.url).removesuffix(_COMPLETIONS)
        if base_url == str(request.url) or body.get("stream"):
            status, told = failure("not_batched")
            return httpx2.Response(status, json=told, request=request)
        call = _asking.get()
        key = request.headers.get("authorization", "").removeprefix("Bearer ")
        line = {"custom_id": call.of.name, "method": "POST", "url": ENDPOINT, "body": body}
        data = f"{json.dumps(line)}\n".encode()
        letter = Letter(call.of, data, asyncio.get_running_loop().create_future())
        endpoint = Endpoint(base_url, key, body["model"])
        held = await asyncio.to_thread(book().find, call.of.episode, call.of.name)
        if held is None:
            self._add(endpoint, call, letter)
        else:
            with suppress(SpendingLimit):  # the letter is paid for, so no limit stops it
                call.reserved = await self._purse.try_to(call.worst) or call.reserved
            self._jobs.take_up(endpoint, held, letter, partial(self._add, endpoint, call))
        self._coming.discard(call.of.name)
        status, told = await letter.answer
        self._coming.add(call.of.name)  # the client now reads the answer or repeats the request
        if status == httpx2.codes.OK:
            self._given.add(call.of.name)
        return httpx2.Response(status, json=told, request=request)

    async def aclose(self) -> None:
        """Stop following the batches; they continue at the provider and stay in the book."""
        await self._jobs.close()

    def _add(self, endpoint: Endpoint, call: Call, letter: Letter) -> None:
        """Put a letter among those for the next batch."""
        gathered = self._gathered.setdefault(endpoint, [])
        gathered.append((call, letter))
        if len(gathered) == 1:
            self._jobs.start(self._gather(endpoint))

    async def _gather(self, endpoint: Endpoint) -> None:
        """Send the gathered letters once all cells wait, or no new letter has come for a while."""
        quiet = 0.0
        while gathered := self._gathered.get(endpoint):
            before = len(gathered), self._purse.under_way
            await asyncio.sleep(self._pauses.settled)
            same = before == (len(gathered), self._purse.under_way)
            quiet = quiet + self._pauses.settled if same else 0.0
            everybody = len(self._waiting) >= self._playing() and not self._coming
            if (quiet and everybody) or quiet >= self._pauses.gathered:
                await self._send_off(endpoint)

    async def _send_off(self, endpoint: Endpoint) -> None:
        """Send as many letters as the remaining money covers; without money, refuse all letters."""
        waiting = sorted(self._gathered[endpoint], key=lambda one: one[0].run)
        try:
            paid = await self._paid_for([call for call, _ in waiting])
        except SpendingLimit:
            paid = len(waiting)
            for _, letter in waiting:
                letter.answer.set_result(failure("cost_limit"))
        else:
            for letters in _files([letter for _, letter in waiting[:paid]]):
                self._jobs.start(self._jobs.send(endpoint, letters))
        gone = {call.of.name for call, _ in waiting[:paid]}
        rest = [one for one in self._gathered.pop(endpoint) if one[0].of.name not in gone]
        if rest:
            self._gathered[endpoint] = rest

    async def _paid_for(self, calls: Sequence[Call]) -> int:
        """Reserve money for the calls in order, while it lasts; return how many are covered."""
        for number, call in enumerate(calls):
            if not call.reserved:
                made = await self._purse.try_to(call.worst)
                if made is None:
                    return number
                call.reserved = made
        return len(calls)


def _files(letters: Sequence[Letter]) -> Iterator[list[Letter]]:
    """Yield lists of letters, one list per file, within the limits `MOST` and `LARGEST`."""
    file, size = list[Letter](), 0
    for letter in letters:
        if file and (len(file) == MOST or size + len(letter.line) > LARGEST):
            yield file
            file, size = [], 0
        file.append(letter)
        size += len(letter.line)
    if file:
        yield file
