"""The inbox on the LangGraph server: it reads letters from the journal, and replies to threads."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import Any, TypeVar, cast

from shapley_coop.extensions.people.form import refusal_in_words
from shapley_coop.extensions.people.letter import name_of, seat_letter
from shapley_coop.extensions.people.preview import preview
from shapley_coop.extensions.people.response import response_of
from shapley_coop.extensions.people.standing import NOTHING, standing
from shapley_coop.extensions.server.serving.in_process import go_on, inside, owner_in, waiting_in
from shapley_coop.extensions.server.serving.tenancy import configured
from shapley_coop.graphs.replies import ANSWERED, OpenQuestion, open_questions
from shapley_coop.seats.records import Mail
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.owners import SERVER, Holder, acting_for
from shapley_coop.state.table import Table

PATIENCE = 10.0
"""The longest wait in seconds for a thread to be free, and then for the reply to be stored."""

EVERY = 0.2
"""Seconds between two attempts while waiting."""

Found = TypeVar("Found")


class NothingAsked(LookupError):
    """No letter waits at this seat: the agent has replied, or there is no such seat."""


class ThreadInbox:
    """The inbox of all threads. A thread's interrupt names the seat that must reply."""

    async def letter(self, episode: str, agent: str) -> dict[str, Any]:
        """Return the letter at this seat, as plain JSON (`seat_letter`).

        Raises:
            NothingAsked: no letter waits at this seat.
        """
        waiting = await _find_waiting(episode, agent)
        mail = await _mail(episode, agent)
        if mail is None or waiting is None:
            raise NothingAsked
        thread, asked = waiting
        question = await _question(thread, agent)
        with _owner_of(thread):
            return await asyncio.to_thread(seat_letter, mail, question, asked["value"])

    async def standing(self, episode: str, agent: str) -> dict[str, Any]:
        """Return the state of the run for an agent that need not reply now (`standing`).

        Without tenants, the state also has `run`, the id of the thread that plays the run, and
        `ends`, a table of what every agent ends with.
        """
        thread = await thread_of(episode)
        if thread is None:
            return NOTHING
        state: Any = await inside().threads.get_state(thread["thread_id"])
        waiting = [asked["value"]["pointer"]["agent"] for asked in waiting_in(thread)]
        table, failed = cast(Table, state["values"] or {}), thread["status"] == "error"
        with _owner_of(thread):
            told = await asyncio.to_thread(standing, table, agent, waiting, failed)
        # With tenants, only the run's owner may see its page, and what a game keeps private.
        if configured():
            return {key: said for key, said in told.items() if key != "ends"}
        return {**told, "run": thread["thread_id"]}

    async def preview(self, episode: str, agent: str, fields: Any) -> dict[str, Any]:
        """Return the preview of a draft of this seat's reply (`form.preview`).

        Args:
            episode: the episode of the seat.
            agent: the agent of the seat.
            fields: the fields filled in.

        Raises:
            NothingAsked: no letter waits at this seat.
            ValueError: the fields are not an object.
        """
        waiting = await _find_waiting(episode, agent)
        if waiting is None:
            raise NothingAsked
        thread, _ = waiting
        question = await _question(thread, agent)
        with _owner_of(thread):
            return await asyncio.to_thread(preview, question.turn(), agent, fields)

    async def answer(self, episode: str, agent: str, reply: dict[str, Any]) -> dict[str, Any]:
        """Resume the thread with this seat's reply; return once the journal has the reply.

        The reply's `type` is a kind that the letter allows. For a response, `args` is the message's
        text; for an edit, `{"action": act, "args": fields}`; for `fields`, the form's fields.
        With an `id`, the reply counts only for the letter of that name. Extensions of the run
        read other keys, such as `signature`.

        Raises:
            NothingAsked: no letter waits at this seat.
            ValueError: another letter waits, or the kind or the fields are wrong.
        """
        meant = str(reply.get("id") or _name(await _mail(episode, agent)))
        waiting = await _poll(lambda: _find_waiting(episode, agent))
        mail = await _mail(episode, agent)
        if waiting is None or mail is None:
            raise NothingAsked
        # During the wait, another request may have answered the letter.
        if meant != _name(mail):
            raise ValueError(ANSWERED)
        thread, asked = waiting
        question = await _question(thread, agent)
        response = response_of(reply, mail, question, asked["value"])
        with _owner_of(thread):
            fault = await asyncio.to_thread(question.refusal, response)
        if fault:
            why = refusal_in_words(question.turn(), fault.record())
            return {"refused": fault.label, "why": why}
        about = thread["metadata"]
        owner = owner_in(about)
        await go_on(thread["thread_id"], about["assistant_id"], owner, {asked["id"]: response})
        # A kill of the server before the journal has the reply could lose the reply.
        await _poll(lambda: _is_kept(episode, agent, meant))
        return {"taken": meant}


async def _question(thread: Any, agent: str) -> OpenQuestion:
    """Return the question that a thread currently asks an agent."""
    state: Any = await inside().threads.get_state(thread["thread_id"])
    graph = thread["metadata"]["graph_id"]
    return open_questions(graph, state["values"], state["tasks"])[agent]


def _name(mail: Mail | None) -> str:
    if mail is None:
        raise NothingAsked
    return name_of(mail)


async def _mail(episode: str, agent: str) -> Mail | None:
    # The caller's token is for this seat, so the caller may read this letter of another owner.
    with acting_for(SERVER):
        # Opening the journal blocks like reading it, so the worker thread does both.
        return await asyncio.to_thread(lambda: home().journal.mail(episode, agent))


def _owner_of(thread: Any) -> AbstractContextManager[None]:
    """Act as the owner of a thread within the `with` block, as the thread's runs do."""
    return acting_for(owner_in(thread["metadata"]), thread["thread_id"])


async def _find_waiting(episode: str, agent: str) -> tuple[Any, Any] | None:
    """Return the thread that waits for this seat, with its interrupt; None if no thread waits."""
    for thread in await _threads(episode, status="interrupted"):
        for asked in waiting_in(thread):
            pointer = asked["value"]["pointer"]
            if (pointer["episode"], pointer["agent"]) == (episode, agent):
                return thread, asked
    return None


async def thread_of(episode: str) -> Any | None:
    """Return the thread of an episode, whatever its status; None if no thread plays the episode."""
    return next(iter(await _threads(episode)), None)


async def _threads(episode: str, **more: Any) -> list[Any]:
    """Return the threads that play an episode, not those that merely name it in their metadata."""
    found = await inside().threads.search(metadata={"episode": episode}, **more)
    claimed = await asyncio.to_thread(lambda: home().owners.of_episode(episode))
    if not (claimed and claimed.thread):
        return list(found)
    return [
        thread
        for thread in found
        if Holder(owner_in(thread["metadata"]), thread["thread_id"]) == claimed
    ]


async def _is_kept(episode: str, agent: str, letter: str) -> bool | None:
    """Return True if a letter does not wait for its agent any more, or None if it still waits."""
    latest = await _mail(episode, agent)
    return True if latest is None or _name(latest) != letter else None


async def _poll(look: Callable[[], Awaitable[Found | None]]) -> Found | None:
    """Call `look` until it returns a value or `PATIENCE` seconds have passed; return the result."""
    loop = asyncio.get_running_loop()
    end = loop.time() + PATIENCE
    while True:
        found = await look()
        if found is not None or loop.time() > end:
            return found
        await asyncio.sleep(EVERY)
