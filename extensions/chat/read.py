"""The node `read`: a model makes a game from the messages; without a model, you name a game."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langgraph.constants import TAG_NOSTREAM
from langgraph.runtime import Runtime
from pydantic import BaseModel, Field, ValidationError

from shapley_coop.extensions.chat.state import Chat, ChatConfig, fault_of, offered
from shapley_coop.extensions.chat.words import (
    NOT_PLAYED,
    games_in_words,
    not_taken_over,
    proposal_in_words,
)
from shapley_coop.prompts import fill
from shapley_coop.seats.models import chat_model
from shapley_coop.seats.seat import Seat

TRIES = 2
_TEMPLATE = (Path(__file__).parent / "chat_read.md").read_text(encoding="utf-8")

_YES = re.compile(r"\W*(yes|yep|ok|okay|go|go on|approve|approved|do it|begin|start|play)\W*", re.I)
_NO = re.compile(r"\W*(no|stop|cancel|never mind|reject|forget it)\W*", re.I)
_SETTING = re.compile(r"(\w+)=(-?\d{1,9}(?:\.\d{1,6})?|true|false)")


async def read(chat: Chat, runtime: Runtime[ChatConfig]) -> dict[str, Any]:
    """Make a game from the person's messages, or ask the person a question.

    Verdicts: `ready` (a new game waits for a decision), `go` (the person said yes to the waiting
    game), `dropped` (the person said no), and `asked` (the messages are incomplete, or contain
    terms that a game cannot express).
    """
    about = chat.get("messages", [])[chat.get("since", 0) :]
    latest = next((str(m.text) for m in reversed(about) if isinstance(m, HumanMessage)), "")
    if chat.get("game") and _YES.fullmatch(latest):
        return {"verdict": "go"}
    if chat.get("game") and _NO.fullmatch(latest):
        return {"verdict": "dropped", "game": None, "messages": [AIMessage(NOT_PLAYED)]}
    chosen = runtime.context or ChatConfig()
    if chosen.seat().program:
        found = await asyncio.to_thread(named, latest, chosen.workflow)
    else:
        found = await understood(about, chosen.seat())
    if isinstance(found, str):
        return {"verdict": "asked", "game": None, "messages": [AIMessage(found)]}
    proposal, assumed = found
    words = await asyncio.to_thread(proposal_in_words, proposal, assumed)
    kept = {"game": proposal, "assumed": assumed}
    return {"verdict": "ready", **kept, "messages": [AIMessage(words)]}


Found = tuple[dict[str, Any], list[str]] | str
"""A proposed game with the model's assumptions, or the question to ask the person."""


def named(text: str, workflow: str) -> Found:
    """Read a game's name and settings, as in `volunteers, cost=3`; refuse and quote other words."""
    known = offered(workflow)
    words = re.split(r"[\s,;]+", text.strip(" \t\n.!"))
    game = next((word for word in words if word in known), "")
    given = [word for word in words if word not in (game, "play")]
    left = [word for word in given if not _SETTING.fullmatch(word)]
    if left or not game:
        return f"{not_taken_over([' '.join(left)])}\n\n{games_in_words([game] if game else known)}"
    params = {m[1]: _value(m[2]) for m in map(_SETTING.fullmatch, given) if m}
    proposal = {"game": game, "params": params}
    why = fault_of(proposal)
    if why:
        return f"That cannot be played: {why}.\n\n{games_in_words([game])}"
    return proposal, []


def _value(text: str) -> float | bool:
    if text in ("true", "false"):
        return text == "true"
    return float(text) if "." in text else int(text)


class Understood(BaseModel):
    """A small game, or what to ask back. No field has a default, which strict schemas refuse."""

    class Choices(BaseModel):
        """The actions of one agent."""

        agent: str
        actions: list[str]

    class Cell(BaseModel):
        """The payoffs of one joint action."""

        play: list[str] = Field(description="One action per agent, in the order of the agents.")
        pays: list[float] = Field(description="One number per agent, in the same order.")

    question: str = Field(description="What is missing; empty if nothing is.")
    left_out: list[str] = Field(
        description="Quotes of all that was said and that this game does not express; or empty."
    )
    name: str
    about: str
    agents: list[str]
    choices: list[Choices]
    payoffs: list[Cell]
    assumed: list[str]

    def game(self) -> dict[str, Any]:
        """Return the content of a payoff file."""
        return {
            "name": self.name or "a choice",
            "about": self.about,
            "agents": self.agents,
            "actions": {one.agent: one.actions for one in self.choices},
            "payoffs": [cell.model_dump() for cell in self.payoffs],
        }


async def understood(messages: Sequence[AnyMessage], seat: Seat) -> Found:
    """Have a model make a game from the conversation; send an invalid game back to the model.

    Args:
        messages: the conversation about this game.
        seat: the seat with the model.

    Raises:
        CredentialsMissing: the model's key is not set.
    """
    reader = chat_model(seat, agent="host", seed=0).with_structured_output(Understood)
    asked: list[AnyMessage] = [SystemMessage(fill(_TEMPLATE)), *messages]
    why = ""
    for _ in range(TRIES):
        try:
            found: Any = await reader.ainvoke(asked, {"tags": [TAG_NOSTREAM]})
            if isinstance(found, Understood):
                if found.question or found.left_out:
                    return found.question or not_taken_over(found.left_out)
                proposal = {"game": found.game(), "params": {}}
                why = await asyncio.to_thread(fault_of, proposal)
                if not why:
                    return proposal, found.assumed
            else:
                why = "that was no game"
        except ValidationError as error:
            why = f"{error.error_count()} fields are not as asked"
        asked = [*asked, HumanMessage(f"That cannot be played: {why}. Give the whole game again.")]
    return f"I could not make a game of that ({why}). Say it in other words."
