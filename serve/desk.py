"""The desk of the LangGraph server: letters wait in the journal, answers go on with threads."""

import asyncio
from typing import Any

from seats import Mail
from serve.inside import inside
from serve.seating import NothingAsked
from state import home

PATIENCE = 10.0
"""Seconds that an answer waits while its thread is busy with somebody else's."""

EVERY = 0.2

ANSWERS = {"accept": "allow_accept", "edit": "allow_edit", "response": "allow_respond"}
ANSWERS |= {"ignore": "allow_ignore"}


class ThreadDesk:
    """Finds the thread that waits for a seat, by the pointer in its interrupt."""

    async def letter(self, episode: str, agent: str) -> dict[str, Any]:
        """The letter at this seat, and how it may be answered."""
        mail = await asyncio.to_thread(_mail, episode, agent)
        _, asked = await _waiting(episode, agent)
        allowed = asked["value"]["config"]
        return {
            "agent": agent,
            "act": mail.act,
            "attempt": mail.attempt,
            "letter": {"system": "", "user": mail.letter_text},
            "actions": [kind for kind, switch in ANSWERS.items() if allowed[switch]],
            "schema": asked.get("response_schema"),
        }

    async def answer(self, episode: str, agent: str, reply: dict[str, Any]) -> dict[str, Any]:
        """Resume the thread with this seat's answer, and leave it to go on."""
        thread, asked = await _patiently(episode, agent)
        if reply.get("type") not in ANSWERS or not asked["value"]["config"][ANSWERS[reply["type"]]]:
            raise ValueError(f"type is one of {', '.join(ANSWERS)}, as far as the letter allows it")
        await inside().runs.create(
            thread["thread_id"],
            thread["metadata"]["assistant_id"],
            command={"resume": {asked["id"]: reply}},
            durability="sync",
        )
        return {"taken": True}


def _mail(episode: str, agent: str) -> Mail:
    mail = home().journal.mail(episode, agent)
    if mail is None:
        raise NothingAsked
    return mail


async def _waiting(episode: str, agent: str) -> tuple[Any, Any]:
    """The thread that waits for this seat, and its interrupt."""
    found = await inside().threads.search(values={"episode": episode}, status="interrupted")
    for thread in found:
        for interrupts in thread["interrupts"].values():
            for asked in interrupts:
                pointer = asked["value"]["pointer"]
                if (pointer["episode"], pointer["agent"]) == (episode, agent):
                    return thread, asked
    raise NothingAsked


async def _patiently(episode: str, agent: str) -> tuple[Any, Any]:
    await asyncio.to_thread(_mail, episode, agent)
    loop = asyncio.get_running_loop()
    until = loop.time() + PATIENCE
    while True:
        try:
            return await _waiting(episode, agent)
        except NothingAsked:
            if loop.time() > until:
                raise
        await asyncio.sleep(EVERY)
