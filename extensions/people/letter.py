"""The letter that waits at a person's seat, as JSON for the seat's page and for programs."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from shapley_coop.extensions.people.form import form_of, refusal_in_words
from shapley_coop.graphs.replies import OpenQuestion
from shapley_coop.seats.person import refused_before
from shapley_coop.seats.records import Mail
from shapley_coop.seats.schema import schema_of

ANSWERS = {
    "accept": "allow_accept",
    "edit": "allow_edit",
    "response": "allow_respond",
    "ignore": "allow_ignore",
}
"""Kind of reply → the key in an interrupt that allows this kind, as in LangChain's Agent Inbox."""


def seat_letter(mail: Mail, question: OpenQuestion, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return a person's letter as plain JSON.

    `letter` is the letter's text and `id` its name. `act` names the question; `title` and
    `description` are the question in words. `answers` are the allowed kinds of reply. `sections`
    are the same letter for a person, without tags and JSON, and `why` is the reason of the last
    refusal in the form's words. `deadline` is in seconds since the epoch, or None. `form` lists
    the choices (`form_of`). For programs, `facts` hold the letter's content as an object, and
    `answer_schema` is the JSON schema of the answer. `to_sign` is the text that a party with a key
    must sign to accept the offer. If the party sends an unsigned proposal, the refusal has the
    label SIGN and the text to sign.

    Args:
        mail: the letter, as the journal has it.
        question: the question that the thread asks now.
        asked: the value of the thread's interrupt.
    """
    asked_for, turn = question.question(), question.turn()
    letter = asked_for.letter
    return {
        "id": name_of(mail),
        "agent": question.agent,
        "act": mail.act,
        "title": turn.question.title,
        "description": refused_before(asked["description"], asked_for.why),
        "letter": mail.letter_text,
        "answers": allowed_replies(asked),
        "sections": [asdict(section) for section in question.for_person()],
        "why": refusal_in_words(turn, fault) if (fault := letter.facts.get("fault")) else "",
        "deadline": asked.get("deadline"),
        "form": form_of(turn, question.agent, letter.facts),
        "facts": mail.facts,
        "answer_schema": schema_of(mail.facts, asked_for.carries),
        "to_sign": mail.facts.get("to_sign"),
    }


def name_of(mail: Mail) -> str:
    """Return a letter's name; a letter repeated after a refused answer gets a new name."""
    return f"{mail.letter[:16]}.{mail.attempt}"


def allowed_replies(asked: Mapping[str, Any]) -> list[str]:
    """Return the kinds of reply that an interrupt of the run allows."""
    return [kind for kind, switch in ANSWERS.items() if asked["config"].get(switch)]
