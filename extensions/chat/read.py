"""The node `read`: a model makes a game from the messages; without a model, you name a game."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langgraph.constants import TAG_NOSTREAM
from langgraph.runtime import Runtime
from pydantic import BaseModel, Field, ValidationError

from shapley_coop.escaping import in_markdown
from shapley_coop.extensions.chat.state import Chat, ChatConfig, playable_games, proposal_of
from shapley_coop.extensions.chat.terms import dropped, invented, not_expressed
from shapley_coop.extensions.chat.words import (
    NOT_PLAYED,
    cannot_be_played,
    games_in_words,
    not_taken_over,
    proposal_in_words,
    quoted,
)
from shapley_coop.prompts import fill
from shapley_coop.seats.models import chat_model
from shapley_coop.seats.seat import Seat

TRIES = 2
_TEMPLATE = (Path(__file__).parent / "chat_read.md").read_text(encoding="utf-8")

_YES = re.compile(r"\W*(yes|yep|ok|okay|go|go on|approve|approved|do it|begin|start|play)\W*", re.I)
_NO = re.compile(r"\W*(no|no,? thank(s| you)|stop|cancel|never mind|reject|forget it)\W*", re.I)
_SETTING = re.compile(r"(\w+)=(-?\d{1,9}(?:\.\d{1,6})?|true|false)")


async def read(chat: Chat, runtime: Runtime[ChatConfig]) -> dict[str, Any]:
    """Make a game from the person's messages, or ask the person a question.

    Verdicts: `ready` (a new game waits for a decision), `go` (the person said yes to the waiting
    game), `dropped` (the person said no), and `asked` (the messages are incomplete, or contain
    terms that a game cannot express).
    """
    about = chat.get("messages", [])[chat.get("since", 0) :]
    latest, chosen = ["", *_turns(about)][-1], runtime.context or ChatConfig()
    if chat.get("game") and _NO.fullmatch(latest):
        return {"verdict": "dropped", "game": None, "messages": [AIMessage(NOT_PLAYED)]}
    if chat.get("game") and _YES.fullmatch(latest):
        waiting = await asyncio.to_thread(proposal_of, chat["game"], chosen.workflow)
        if not isinstance(waiting, str):
            return {"verdict": "go", "game": waiting}
        found: Found = cannot_be_played(waiting)
    elif chosen.seat().program:
        found = await asyncio.to_thread(read_by_name, latest, chosen.workflow, chat.get("game"))
    else:
        found = await read_by_model(about, chosen.seat(), chosen.workflow)
    if isinstance(found, str):
        return {"verdict": "asked", "game": None, "messages": [AIMessage(found)]}
    proposal, notes = found
    words = await asyncio.to_thread(proposal_in_words, proposal, notes)
    kept = {"game": proposal, "notes": notes}
    return {"verdict": "ready", **kept, "messages": [AIMessage(words)]}


Found = tuple[dict[str, Any], list[str]] | str
"""A proposed game with notes on how the words became it, or the question to ask the person."""


def _turns(messages: Sequence[AnyMessage]) -> list[str]:
    """Return the person's turns; a turn joins the messages between two answers."""
    turns = []
    for is_said, part in groupby(messages, key=lambda one: isinstance(one, HumanMessage)):
        if is_said:
            turns.append("\n".join(text for message in part for text in _texts(message)))
    return turns


def _texts(message: AnyMessage) -> list[str]:
    parts = message.content if isinstance(message.content, list) else []
    other = [p for p in parts if isinstance(p, dict) and p.get("type") != "text"]
    return [str(message.text), *(["[attachment]"] if other else [])]


def read_by_name(text: str, workflow: str, waiting: Mapping[str, Any] | None = None) -> Found:
    """Read a game's name and settings, as in `volunteers, cost=3`; refuse and quote other words.

    Settings alone change the game that waits for a decision.
    """
    known = playable_games(workflow)
    words = re.split(r"[\s,;]+", text.strip(" \t\n.!"))
    game = next((word for word in words if word in known), "")
    given = [word for word in words if word not in ("", "play")]
    params, before = dict[str, int | float | bool](), dict[str, Any]()
    left = []
    for word in given:
        setting = _SETTING.fullmatch(word)
        if setting and setting[1] not in params:
            params[setting[1]] = _value(setting[2])
        elif word != game or given.count(game) > 1:
            left.append(word)
    changed = proposal_of(waiting, workflow) if params and not game else ""
    if isinstance(changed, dict):
        game, before = changed["game"], changed["params"]
    if left or not game:
        said = f"{not_taken_over([' '.join(left)])}\n\n" if left else ""
        return said + games_in_words([game] if game else known)
    found = proposal_of({"game": game, "params": {**before, **params}}, workflow)
    if isinstance(found, str):
        return f"{cannot_be_played(found)}\n\n{games_in_words([game])}"
    return found, []


def _value(text: str) -> float | bool:
    if text in ("true", "false"):
        return text == "true"
    return float(text) if "." in text else int(text)


class Understood(BaseModel):
    """A small game, or a question to the person. Strict schemas permit no defaults."""

    class Choices(BaseModel):
        """The actions of one agent."""

        agent: str
        actions: list[str]

    class Cell(BaseModel):
        """The payoffs of one joint action."""

        play: list[str] = Field(description="One action per agent, in the order of the agents.")
        pays: list[float] = Field(description="One number per agent, in the same order.")

    question: str = Field(description="What is missing; empty if nothing is.")
    taken: list[str] = Field(description="Quotes of all that was said and that this game holds.")
    left_out: list[str] = Field(
        description="Quotes of everything in the message that this game cannot express; or empty."
    )
    withdrawn: list[str] = Field(
        description="Quotes of earlier messages that a later message took back or replaced."
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

    def lacks(self, said: Sequence[str]) -> list[str]:
        """Return quotes of what the person said and the game does not express."""
        held = [*self.taken, *self.left_out]
        parts = [
            *self.left_out,
            *not_expressed(self.taken, self.game()),
            *dropped(said[:-1], [*held, *self.withdrawn]),
            *dropped(said[-1:], held),
        ]
        return list(dict.fromkeys(parts))

    def notes(self, said: Sequence[str]) -> list[str]:
        """Return notes in Markdown by which the person can check how words became the game."""
        assumed = in_markdown("; ".join([*self.assumed, *invented(said, self.game())]))
        lines = [
            f"Taken over, as the table shows it: {quoted(self.taken)}." if self.taken else "",
            f"No longer in it: {quoted(self.withdrawn)}." if self.withdrawn else "",
            f"Assumed, as nobody said so: {assumed}." if assumed else "",
        ]
        return [line for line in lines if line]


async def read_by_model(messages: Sequence[AnyMessage], seat: Seat, workflow: str) -> Found:
    """Have a model make a game from the conversation; send an invalid game back to the model.

    Args:
        messages: the conversation about this game, without earlier games.
        seat: the seat whose model reads.

    Raises:
        CredentialsMissing: the model's key is not set.
    """
    reader = chat_model(seat, agent="host", seed=0).with_structured_output(Understood)
    asked: list[AnyMessage] = [SystemMessage(fill(_TEMPLATE)), *messages]
    said = [turn for turn in _turns(messages) if not (_YES.fullmatch(turn) or _NO.fullmatch(turn))]
    why, lacking = "", list[str]()
    for _ in range(TRIES):
        try:
            found: Any = await reader.ainvoke(asked, {"tags": [TAG_NOSTREAM]})
        except ValidationError as error:
            why = f"{error.error_count()} fields are not as asked"
        else:
            if not isinstance(found, Understood):
                why = "that was no game"
            elif found.question:
                refused = not_taken_over(found.left_out) if found.left_out else ""
                return " ".join(filter(None, (refused, in_markdown(found.question))))
            elif lacking := found.lacks(said):
                if found.left_out:
                    break
                why = f"it does not hold {quoted(lacking)}: quote it in `left_out`"
            else:
                proposal = await asyncio.to_thread(proposal_of, {"game": found.game()}, workflow)
                if not isinstance(proposal, str):
                    return proposal, found.notes(said)
                why = proposal
        asked = [*asked, HumanMessage(f"That cannot be played: {why}. Give the whole game again.")]
    if lacking:
        return not_taken_over(lacking)
    return f"I could not make a game of that ({in_markdown(why)}). Say it in other words."
