"""The chat model that answers for a seat by asking a remote agent over A2A."""

import asyncio
import json
import logging
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata

from shapley_coop.extensions.a2a.asking.options import options_of
from shapley_coop.seats.answers import Form
from shapley_coop.seats.awaited import LetterChatModel
from shapley_coop.seats.clients import clients_here
from shapley_coop.seats.records import TASK, Answer, Entry, Journal, letter_hash, nonce
from shapley_coop.seats.schema import schema_of
from shapley_coop.seats.seat import Seat, SeatFault
from shapley_coop.seats.usage import USD

if TYPE_CHECKING:
    from a2a.types import Task

    from shapley_coop.extensions.a2a.asking.link import Link
    from shapley_coop.extensions.a2a.asking.reply import Reply
    from shapley_coop.seats.asking import Enquiry

logger = logging.getLogger(__name__)

A2A = "a2a"
"""The provider's name, which is the prefix of the seat's address, as in `a2a:https://…`."""

FIRST_WAIT, LONGEST_WAIT = 0.05, 2.0
"""The first and the longest pause between two polls of a task in seconds; pauses grow by half."""


def check_address(seat: Seat) -> None:
    """Check before the play that a seat's address, options and card key are usable.

    Raises:
        ValueError: the address is not a URL, an option is invalid, or the card key is unreadable.
    """
    from shapley_coop.extensions.a2a.asking.card import card_url, read_card_key

    card_url(seat)
    if key := options_of(seat).card_key:
        read_card_key(Path(key))


def remote_agent(seat: Seat, *, agent: str, seed: int) -> "RemoteAgent":
    """Return the chat model of a seat; `for_letter` gives the model a letter to answer."""
    return RemoteAgent(seat=seat)


class RemoteAgent(LetterChatModel):
    """A chat model that sends a remote agent one question over A2A.

    Attributes:
        seat: the seat with the agent's address.
        question: the letter to answer; None until `for_letter` sets one.
        journal: the journal, from which a resumed run reads the id of the agent's A2A task.
    """

    seat: Seat
    question: Any = None
    journal: Any = None
    cache: bool | None = False

    def for_letter(self, question: "Enquiry", journal: Journal) -> "RemoteAgent":
        """Return a model that asks the remote agent this question (one letter, one attempt)."""
        return RemoteAgent(seat=self.seat, question=question, journal=journal)

    @property
    def _llm_type(self) -> str:
        return A2A

    async def answered(self, messages: list[BaseMessage]) -> AIMessage:
        """Return the agent's answer in tagged text, with the token counts that the agent reports.

        Raises:
            SeatFault: the agent did not answer; one line names the cause and a remedy.
        """
        name = f"{self.question.agent}'s seat ({self.seat.model})"
        try:
            reply = await _Exchange(self.seat, self.question, self.journal).answer()
            if reply.note:
                logger.warning("%s: the costs that it reports are ignored: %s", name, reply.note)
            return _priced(reply)
        except Exception as error:
            from shapley_coop.extensions.a2a.asking.faults import described

            failure = described(error, self.seat, self.question.agent)
        raise SeatFault(failure)  # outside `except`, so that no chained error shows private text


def _priced(reply: "Reply") -> AIMessage:
    """Return a reply as a message with its tokens, and with its price if the agent reports one."""
    if (cost := reply.cost) is None:
        return AIMessage(reply.text)
    read, written = cost.input_tokens, cost.output_tokens
    used = UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written)
    return AIMessage(reply.text, usage_metadata=used, response_metadata={USD: cost.usd})


class _Exchange:
    """One letter's exchange with an agent: it sends the letter and waits for the answer."""

    def __init__(self, seat: Seat, question: "Enquiry", journal: Journal) -> None:
        self._seat, self._question = seat, question
        self._tasks = _Tasks(question, journal)
        self._form: Form | None = schema_of(question.letter.facts, question.carries)

    async def answer(self) -> "Reply":
        """Return the agent's reply; if a task was begun before a restart, continue that task."""
        link = await link_to(self._seat, self._question.agent)
        for task in reversed(await self._tasks.of(self._question.attempt)):
            if (found := await self._go_on(link, task)) is not None:
                return found
        return await self._ask(link, await self._asked_back(link))

    async def _go_on(self, link: "Link", task: str) -> "Reply | None":
        """Return the reply of a task begun before a restart, or None if the task has no reply."""
        from shapley_coop.extensions.a2a.asking.reply import TaskFailed

        known = await link.task(task)
        if known is None:
            return None
        try:
            return await self._wait(link, known)
        except TaskFailed:
            return None  # LangGraph's server returns ended tasks without their answer: ask again

    async def _asked_back(self, link: "Link") -> str:
        """Return the id of the last attempt's task if that task awaits input, or ""."""
        from a2a.types import TaskState

        for task in reversed(await self._tasks.of(self._question.attempt - 1)):
            known = await link.task(task)
            if known is not None and known.status.state == TaskState.TASK_STATE_INPUT_REQUIRED:
                return task
        return ""

    async def _ask(self, link: "Link", task: str) -> "Reply":
        from a2a.types import Message

        from shapley_coop.extensions.a2a.asking.letter import message_of
        from shapley_coop.extensions.a2a.asking.reply import TaskFailed, reply_of

        message = message_of(self._question, self._form, options_of(self._seat).memory, task)
        found: Task | Message | None = None
        async for found in link.send(message, self._question.budget):
            if not isinstance(found, Message) and found.id:
                await self._tasks.keep(found.id, link.card.digest)
            # A continued task's first event shows its state before this message: skip a request.
            if (reply := reply_of(found, self._form)) and not (reply.asks and task):
                return reply
        if found is None or isinstance(found, Message):
            raise TaskFailed("the agent sent no answer")
        return await self._wait(link, found)

    async def _wait(self, link: "Link", task: "Task") -> "Reply":
        """Poll a task until it has an answer; the seat's timeout ends the wait."""
        from shapley_coop.extensions.a2a.asking.reply import reply_of

        wait = FIRST_WAIT
        while (reply := reply_of(task, self._form)) is None:
            await asyncio.sleep(wait)
            wait = min(wait * 1.5, LONGEST_WAIT)
            task = await link.task(task.id) or task
        return reply


class _Tasks:
    """The ids of the A2A tasks that the agent made for each attempt at a letter, in the journal."""

    def __init__(self, question: "Enquiry", journal: Journal) -> None:
        self._question, self._journal = question, journal
        self._kept: set[str] = set()

    async def of(self, attempt: int) -> Sequence[str]:
        """Return the ids of the tasks of one attempt to answer the letter, the latest last."""
        found = await asyncio.to_thread(lambda: list(self._entries(attempt)))
        return [json.loads(entry.answer.text)["task"] for entry in found]

    async def keep(self, task: str, card: str) -> None:
        """Write a task's id to the journal, so that a restart can find the task."""
        if task in self._kept:
            return
        self._kept.add(task)
        q = self._question
        if task not in (known := await self.of(q.attempt)):
            answer = Answer(json.dumps({"task": task, "card": card}))
            name = self._name(q.attempt, len(known) + 1)
            text = json.dumps({"at": q.at, "letter": q.name})
            entry = Entry(q.agent, TASK, A2A, name, text, q.attempt, answer, nonce())
            await self._journal.keep(q.episode, entry)

    def _entries(self, attempt: int) -> list[Entry]:
        found: list[Entry] = []
        q = self._question
        while attempt > 0:
            name = self._name(attempt, len(found) + 1)
            entry = self._journal.find(q.episode, q.agent, name, attempt, A2A)
            if entry is None:
                break
            found.append(entry)
        return found

    def _name(self, attempt: int, number: int) -> str:
        return letter_hash(json.dumps([TASK, self._question.at, attempt, number]))


async def link_to(seat: Seat, agent: str) -> "Link":
    """Return the connection to an agent; each event loop makes one per seat and agent."""
    here = clients_here()
    links, key = here.kept, (A2A, seat, agent)
    if key not in links:
        # Letters that are sent at the same time share the link that the first letter opens.
        links[key] = asyncio.ensure_future(_linked(seat, agent))
        # If every waiter is cancelled, read the exception here, or asyncio warns of it.
        links[key].add_done_callback(lambda made: made.cancelled() or made.exception())
        here.closing.push_async_callback(_close, links[key])
    try:
        return await asyncio.shield(links[key])
    except BaseException:
        if links.get(key) and links[key].done():
            links.pop(key)
        raise


async def _close(link: "asyncio.Future[Link]") -> None:
    if link.done() and not link.cancelled() and not link.exception():
        await link.result().close()


async def _linked(seat: Seat, agent: str) -> "Link":
    # The first import of `a2a` takes a second, which must not block the event loop.
    linking = await asyncio.to_thread(import_module, "shapley_coop.extensions.a2a.asking.link")
    found: Link = await linking.Link.to(seat, agent)
    return found
