"""The desk of the LangGraph server: letters wait in the journal, answers go on with threads."""

import asyncio
from contextlib import suppress
from typing import Any

from shapley_coop.graphs.replies import OpenQuestion, open_questions, refused
from shapley_coop.seats.person import refused_before
from shapley_coop.seats.records import Mail
from shapley_coop.serve.seats.routes import NothingAsked
from shapley_coop.serve.server.in_process import GOES_ON, inside
from shapley_coop.state import home

PATIENCE = 10.0
"""Seconds that an answer waits while its thread is busy with somebody else's, and to be kept."""

EVERY = 0.2

ANSWERS = {
    "accept": "allow_accept",
    "edit": "allow_edit",
    "response": "allow_respond",
    "ignore": "allow_ignore",
}
"""Kind of answer → the switch of the request that allows it, as inboxes know them."""


class ThreadDesk:
    """Finds the thread that waits for a seat, by the pointer in its interrupt."""

    async def letter(self, episode: str, agent: str) -> dict[str, Any]:
        """The letter at this seat, and how it may be answered."""
        mail = await asyncio.to_thread(_mail, episode, agent)
        thread, asked = await _waiting(episode, agent)
        question = await asyncio.to_thread((await _question(thread, agent)).question)
        return {
            "id": _name(mail),
            "agent": agent,
            "act": mail.act,
            "description": refused_before(asked["value"]["description"], question.why),
            "letter": mail.letter_text,
            "answers": [kind for kind in ANSWERS if _allowed(asked, kind)],
            "fields": asked.get("response_schema"),
        }

    async def answer(self, episode: str, agent: str, reply: dict[str, Any]) -> dict[str, Any]:
        """Resume the thread with this seat's answer; once that is kept, leave it to go on."""
        meant = str(reply.get("id") or _name(await asyncio.to_thread(_mail, episode, agent)))
        thread, asked = await _patiently(episode, agent)
        # While it waited, the letter may have been answered by a second click, or elsewhere.
        if meant != _name(await asyncio.to_thread(_mail, episode, agent)):
            raise ValueError("this letter has been answered: another one waits now")
        kind = str(reply.get("type"))
        if kind not in ANSWERS or not _allowed(asked, kind):
            raise ValueError(
                f"type is one of {', '.join(k for k in ANSWERS if _allowed(asked, k))}"
            )
        response = {"type": kind, "args": reply.get("args")}
        if fault := await refused(await _question(thread, agent), response):
            return {"refused": fault.label, "why": fault.feedback}
        await inside().runs.create(
            thread["thread_id"],
            thread["metadata"]["assistant_id"],
            command={"resume": {asked["id"]: response}},
            metadata={GOES_ON: True},
            durability="sync",
        )
        await _kept(episode, agent, meant)
        return {"taken": meant}


async def _question(thread: Any, agent: str) -> OpenQuestion:
    """What a thread asks an agent now."""
    state: Any = await inside().threads.get_state(thread["thread_id"])
    graph = thread["metadata"]["graph_id"]
    return open_questions(graph, state["values"], state["tasks"])[agent]


def _name(mail: Mail) -> str:
    return f"{mail.letter[:16]}.{mail.attempt}"


def _allowed(asked: Any, kind: str) -> bool:
    return bool(asked["value"]["config"][ANSWERS[kind]])


def _mail(episode: str, agent: str) -> Mail:
    mail = home().journal.mail(episode, agent)
    if mail is None:
        raise NothingAsked
    return mail


async def _waiting(episode: str, agent: str) -> tuple[Any, Any]:
    """The thread that waits for this seat, and its interrupt."""
    found = await inside().threads.search(metadata={"episode": episode}, status="interrupted")
    for thread in found:
        for interrupts in thread["interrupts"].values():
            for asked in interrupts:
                pointer = asked["value"]["pointer"]
                if (pointer["episode"], pointer["agent"]) == (episode, agent):
                    return thread, asked
    raise NothingAsked


async def _kept(episode: str, agent: str, meant: str) -> None:
    """Wait until the journal has the answer, and no kill of the server could lose it any more."""
    loop = asyncio.get_running_loop()
    until = loop.time() + PATIENCE
    with suppress(NothingAsked):
        while _name(await asyncio.to_thread(_mail, episode, agent)) == meant:
            if loop.time() > until:
                return
            await asyncio.sleep(EVERY)


async def _patiently(episode: str, agent: str) -> tuple[Any, Any]:
    loop = asyncio.get_running_loop()
    until = loop.time() + PATIENCE
    while True:
        try:
            return await _waiting(episode, agent)
        except NothingAsked:
            if loop.time() > until:
                raise
        await asyncio.sleep(EVERY)
