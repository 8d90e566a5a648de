"""The schema of answers to questions about a letter; also an agent that agrees in words alone."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from shapley_coop.seats.answer import Answer
from shapley_coop.seats.asked import Asked, without_deals
from shapley_coop.seats.elements import In


class Understood(Answer):
    """Your answers to the numbered questions."""

    answers: Annotated[list[str], In("s", lambda said: "\n".join(map(str, said)))] = Field(
        description='One line for each question, as in "1: 3.5".'
    )


QUESTION = Asked("comprehend", "answer questions about a letter", Understood, lambda me: "")


def in_words(agent: str, seed: int) -> Any:
    """Return an agent's program that agrees on contracts in words alone, and then signs them."""

    def answer(facts: dict[str, Any], words: str) -> str | Mapping[str, Any]:
        if facts["ask"] == "contract_propose":
            return f"<s>{agent} does {facts['legal'][0]} at every turn.</s>"
        if "offer" in facts and facts["ask"] != "act":
            return "<ACCEPT>"
        return {"action": facts["legal"][0]} if facts["ask"] == "act" else without_deals(facts)

    return answer


PROGRAMS = ("in_words",)
