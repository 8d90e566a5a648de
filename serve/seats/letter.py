"""The letter that waits at a person's seat, as the seat's page and programs read it."""

from collections.abc import Mapping
from typing import Any

from shapley_coop.games.gives import legal_in
from shapley_coop.graphs.replies import OpenQuestion
from shapley_coop.seats.person import form as reply_form
from shapley_coop.seats.person import refused_before
from shapley_coop.seats.records import Mail
from shapley_coop.seats.schema import schema_of
from shapley_coop.serve.seats.form import form_of

ANSWERS = {
    "accept": "allow_accept",
    "edit": "allow_edit",
    "response": "allow_respond",
    "ignore": "allow_ignore",
}
"""Kind of reply → the field of an interrupt that allows it, as in LangChain's agent inboxes."""


def seat_letter(mail: Mail, question: OpenQuestion, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return a letter as plain JSON.

    `letter` is the text and `id` its name; `act` is what is asked for, `title` and `description`
    say it in a line; `answers` are the kinds of reply allowed; `fields` is the JSON schema of a
    reply in fields. `parts` are the letter's rules, what is asked of this seat, and why its
    last reply was refused; `form` is what there is to choose from (`form_of`). For programs,
    `facts` are what the letter says as an object, and `answer_schema` is the JSON schema of the
    act's answer. `to_sign` is what an acceptance binds to, for a party with a key; its
    proposal is refused as SIGN, with what it is to sign, until it comes with its signature.

    Args:
        mail: from the journal.
        question: the node that waits for the answer.
        asked: the value of its interrupt.
    """
    asked_for, turn = question.question(), question.turn()
    parts = asked_for.letter
    return {
        "id": name_of(mail),
        "agent": question.agent,
        "act": mail.act,
        "title": turn.question.title,
        "description": refused_before(asked["description"], asked_for.why),
        "letter": mail.letter_text,
        "answers": allowed_replies(asked),
        "fields": reply_form(mail.act, list(legal_in(mail.facts))),
        "parts": {"rules": parts.system, "asked": parts.user, "why": parts.why},
        "form": form_of(turn, question.agent, parts.facts),
        "facts": mail.facts,
        "answer_schema": schema_of(mail.facts, asked_for.carries),
        "to_sign": mail.facts.get("to_sign"),
    }


def name_of(mail: Mail) -> str:
    """A letter's name: another attempt has another one."""
    return f"{mail.letter[:16]}.{mail.attempt}"


def allowed_replies(asked: Mapping[str, Any]) -> list[str]:
    """Return the kinds of reply that an interrupt allows."""
    return [kind for kind, switch in ANSWERS.items() if asked["config"].get(switch)]
