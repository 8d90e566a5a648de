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

from shapley_coop.escaping import in_markdown
from shapley_coop.extensions.chat.state import Chat, ChatConfig, playable_games, proposal_of
from shapley_coop.extensions.chat.words import (
    NOT_PLAYED,
    cannot_be_played,
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
    latest, chosen = _latest(about), runtime.context or ChatConfig()
    if chat.get("game") and _NO.fullmatch(latest):
        return {"verdict": "dropped", "game": None, "messages": [AIMessage(NOT_PLAYED)]}
    if chat.get("game") and _YES.fullmatch(latest):
        waiting = await asyncio.to_thread(proposal_of, chat["game"], chosen.workflow)
        if not isinstance(waiting, str):
            return {"verdict": "go", "game": waiting}
        found: Found = cannot_be_played(waiting)
    elif chosen.seat().program:
        found = await asyncio.to_thread(read_by_name, latest, chosen.workflow)
    else:
        found = await read_by_model(about, chosen.seat(), chosen.workflow)
    if isinstance(found, str):
        return {"verdict": "asked", "game": None, "messages": [AIMessage(found)]}
    proposal, assumed = found
    words = await asyncio.to_thread(proposal_in_words, proposal, assumed)
    kept = {"game": proposal, "assumed": assumed}
    return {"verdict": "ready", **kept, "messages": [AIMessage(words)]}


Found = tuple[dict[str, Any], list[str]] | str
"""A proposed game with the model's assumptions, or the question to ask the person."""


def _latest(messages: Sequence[AnyMessage]) -> str:
    """Return the person's messages since the last answer; `[attachment]` replaces attachments."""
    said: list[str] = []
    for message in reversed(messages):
        if not isinstance(message, HumanMessage):
            break
        parts = message.content if isinstance(message.content, list) else []
        other = [p for p in parts if isinstance(p, dict) and p.get("type") != "text"]
        said = [str(message.text), *(["[attachment]"] if other else []), *said]
    return "\n".join(said)


def read_by_name(text: str, workflow: str) -> Found:
    """Read a game's name and settings, as in `volunteers, cost=3`; refuse and quote other words."""
    known = playable_games(workflow)
    words = re.split(r"[\s,;]+", text.strip(" \t\n.!"))
    game = next((word for word in words if word in known), "")
    given = [word for word in words if word not in ("", "play")]
    params: dict[str, int | float | bool] = {}
    left = []
    for word in given:
        setting = _SETTING.fullmatch(word)
        if setting and setting[1] not in params:
            params[setting[1]] = _value(setting[2])
        elif word != game or given.count(game) > 1:
            left.append(word)
    if left or not game:
        said = f"{not_taken_over([' '.join(left)])}\n\n" if left else ""
        return said + games_in_words([game] if game else known)
    found = proposal_of({"game": game, "params": params}, workflow)
    if isinstance(found, str):
        return f"{cannot_be_played(found)}\n\n{games_in_words([game])}"
    return found, []


def _value(text: str) -> float | bool:
    if text in ("true", "false"):
        return text == "true"
    return float(text) if "." in text else int(text)


class Understood(BaseModel):
    """A small game, or a question to the person. Strict schemas refuse fields with defaults."""

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
        description="Quotes of everything in the message that this game cannot express; or empty."
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


async def read_by_model(messages: Sequence[AnyMessage], seat: Seat, workflow: str) -> Found:
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
                    refused = not_taken_over(found.left_out) if found.left_out else ""
                    return " ".join(filter(None, (refused, in_markdown(found.question))))
                proposal = await asyncio.to_thread(proposal_of, {"game": found.game()}, workflow)
                if not isinstance(proposal, str):
                    return proposal, found.assumed
                why = proposal
            else:
                why = "that was no game"
        except ValidationError as error:
            why = f"{error.error_count()} fields are not as asked"
        asked = [*asked, HumanMessage(f"That cannot be played: {why}. Give the whole game again.")]
    return f"I could not make a game of that ({in_markdown(why)}). Say it in other words."
