"""Seats with a person, who replies to a letter while the run waits."""

import asyncio
from typing import Any, NoReturn

from langgraph.types import interrupt

from shapley_coop.seats.asking import Enquiry, cut_text
from shapley_coop.seats.person import as_message, request
from shapley_coop.seats.provider import Provider
from shapley_coop.seats.records import Answer, Journal, Mail
from shapley_coop.seats.seat import Seat


async def ask_person(question: Enquiry, journal: Journal) -> Answer:
    """Leave the letter at the person's seat and interrupt the graph until the person replies."""
    q = question
    mail = Mail(q.agent, q.act, q.name, q.text, q.attempt, facts=q.letter.facts)
    mail = await asyncio.to_thread(journal.deliver, q.episode, mail)
    pointer = {"episode": q.episode, "agent": q.agent, "attempt": q.attempt}
    until = mail.since + q.deadline if q.deadline else None
    asked = request(pointer, q.agent, q.act, q.why, until, q.choices)
    schema = asked["review_configs"][0]["args_schema"]
    return as_answer(interrupt(asked, response_schema=schema), q.act)


def as_answer(reply: Any, act: str) -> Answer:
    """Return a person's reply to a question as an answer for the journal."""
    return Answer(cut_text(as_message(reply, act)))


def _check(seat: Seat) -> None:
    """Refuse a person's seat whose model is not exactly `human`."""
    if not seat.human:
        raise ValueError(f"{seat.model}: a person's seat is called just human")


def _no_model(seat: Seat, **_: Any) -> NoReturn:
    raise ValueError(f"{seat.model}: a person answers here, and no model")


PROVIDER = Provider(_no_model, _check, ask=ask_person, read=as_answer)
