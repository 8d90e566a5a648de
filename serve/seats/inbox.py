"""The inbox on the LangGraph server: letters from the journal, replies as resumed threads."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from shapley_coop.graphs.replies import OpenQuestion, check_reply, open_questions
from shapley_coop.seats.person import as_message
from shapley_coop.seats.records import Mail
from shapley_coop.serve.seats.form import FIELDS, message_of, preview
from shapley_coop.serve.seats.letter import allowed_replies, name_of, seat_letter
from shapley_coop.serve.server.in_process import go_on, inside, owner_in, waiting_in
from shapley_coop.state.additions import find_additions
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.owners import SERVER, Holder, acting_for

PATIENCE = 10.0
"""The longest wait in seconds, for a busy thread and then for the reply to be kept."""

EVERY = 0.2
"""Seconds between two looks while waiting."""

Found = TypeVar("Found")


class NothingAsked(LookupError):
    """No letter waits at this seat: it has replied, or there is no such seat."""


class ThreadInbox:
    """Finds the thread that waits for a seat by the pointer in its interrupt."""

    async def letter(self, episode: str, agent: str) -> dict[str, Any]:
        """Return the letter at this seat, as plain JSON (`seat_letter`).

        Raises:
            NothingAsked: no letter waits there.
        """
        waiting = await _find_waiting(episode, agent)
        mail = await _mail(episode, agent)
        if mail is None or waiting is None:
            raise NothingAsked
        thread, asked = waiting
        question = await _question(thread, agent)
        with _owner_of(thread):
            return await asyncio.to_thread(seat_letter, mail, question, asked["value"])

    async def preview(self, episode: str, agent: str, fields: Any) -> dict[str, Any]:
        """Return what a draft of this seat's reply would come to (`form.preview`).

        Args:
            episode: which play it is of.
            agent: whose seat it is.
            fields: what was filled in.

        Raises:
            NothingAsked: no letter waits there.
            ValueError: the fields are no object.
        """
        waiting = await _find_waiting(episode, agent)
        if waiting is None:
            raise NothingAsked
        thread, _ = waiting
        question = await _question(thread, agent)
        with _owner_of(thread):
            return await asyncio.to_thread(preview, question.turn(), agent, fields)

    async def answer(self, episode: str, agent: str, reply: dict[str, Any]) -> dict[str, Any]:
        """Resume the thread with this seat's reply; return once the reply is kept.

        `type` is one of the allowed kinds; `args` of a response is the message's text, of an
        edit `{"action": act, "args": fields}`; with an `id`, only that letter is answered. With
        the type `fields`, `args` are those of the form, and say what a message would. Other
        keys are read by the run's extensions, as `signature`.

        Raises:
            NothingAsked: no letter waits there.
            ValueError: the reply is refused, with the reason; the letter stays open.
        """
        meant = str(reply.get("id") or _name(await _mail(episode, agent)))
        waiting = await _poll(lambda: _find_waiting(episode, agent))
        mail = await _mail(episode, agent)
        if waiting is None or mail is None:
            raise NothingAsked
        # During the wait, another request may have answered the letter.
        if meant != _name(mail):
            raise ValueError("this letter has been answered: another one waits now")
        thread, asked = waiting
        kind, args = str(reply.get("type")), reply.get("args")
        if kind == FIELDS:
            kind, args = "response", message_of(mail.act, args)
        if kind not in (kinds := allowed_replies(asked["value"])):
            raise ValueError(f"type is one of {', '.join(kinds)}")
        question = await _question(thread, agent)
        response = _carry({"type": kind, "args": args}, question, reply)
        with _owner_of(thread):
            fault = await check_reply(question, response)
        if fault:
            return {"refused": fault.label, "why": fault.feedback}
        about = thread["metadata"]
        owner = owner_in(about)
        await go_on(thread["thread_id"], about["assistant_id"], owner, {asked["id"]: response})
        # Until the journal has the reply, a kill of the server could lose it.
        await _poll(lambda: _is_kept(episode, agent, meant))
        return {"taken": meant}


def _carry(
    response: dict[str, Any], question: OpenQuestion, reply: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a reply whose message carries what stood beside it for the run's extensions.

    Raises:
        ValueError: an extension cannot read it.
    """
    if response["type"] == "ignore":
        return response
    config = question.turn().evaluated.config
    carried = "".join(one.addition.carried(reply) for one in find_additions(config))
    return {"type": "response", "args": as_message(response) + carried} if carried else response


async def _question(thread: Any, agent: str) -> OpenQuestion:
    """Return what a thread asks an agent now."""
    state: Any = await inside().threads.get_state(thread["thread_id"])
    graph = thread["metadata"]["graph_id"]
    return open_questions(graph, state["values"], state["tasks"])[agent]


def _name(mail: Mail | None) -> str:
    if mail is None:
        raise NothingAsked
    return name_of(mail)


async def _mail(episode: str, agent: str) -> Mail | None:
    # The caller's token is for this seat, whoever owns the episode.
    with acting_for(SERVER):
        # Opening the journal blocks as well, so that it belongs in the thread.
        return await asyncio.to_thread(lambda: home().journal.mail(episode, agent))


def _owner_of(thread: Any) -> AbstractContextManager[None]:
    """Read and write the books for the owner of a thread, as its runs do."""
    return acting_for(owner_in(thread["metadata"]), thread["thread_id"])


async def _find_waiting(episode: str, agent: str) -> tuple[Any, Any] | None:
    """Return the thread that waits for this seat, and its interrupt."""
    for thread in await _threads(episode, status="interrupted"):
        for asked in waiting_in(thread):
            pointer = asked["value"]["pointer"]
            if (pointer["episode"], pointer["agent"]) == (episode, agent):
                return thread, asked
    return None


async def thread_of(episode: str) -> Any | None:
    """The thread of an episode, whatever it does; None if there is none."""
    return next(iter(await _threads(episode)), None)


async def _threads(episode: str, **more: Any) -> list[Any]:
    """Return the threads that are an episode's, and do not only name it."""
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
    """Return True once no such letter waits for an agent any more; None before."""
    latest = await _mail(episode, agent)
    return True if latest is None or _name(latest) != letter else None


async def _poll(look: Callable[[], Awaitable[Found | None]]) -> Found | None:
    """Look again until something is found, or patience ends."""
    loop = asyncio.get_running_loop()
    end = loop.time() + PATIENCE
    while True:
        found = await look()
        if found is not None or loop.time() > end:
            return found
        await asyncio.sleep(EVERY)
