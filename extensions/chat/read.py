"""Read: from what was said to a small game, by a model's structured output or by patterns."""

import asyncio
import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langgraph.constants import TAG_NOSTREAM
from langgraph.runtime import Runtime
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shapley_coop.extensions.chat.sentences import Household, read_sentences
from shapley_coop.extensions.chat.state import Chat, ChatConfig, fault_of
from shapley_coop.extensions.chat.words import NOT_PLAYED, table_in_words
from shapley_coop.prompts import fill
from shapley_coop.seats.models import chat_model
from shapley_coop.seats.seat import Seat

MOST_TEXT = 8_000
"""Characters of a conversation that the embedded reader looks at: the latest."""

TRIES = 2
_TEMPLATE = (Path(__file__).parent / "chat_read.md").read_text(encoding="utf-8")
LEAVES = "leave it"

EXAMPLE = "Let Ann and Ben bargain over who does the dishes; Ann hates it."
LABEL = (
    "(No language model read this: a program looked for sentences such as “who does what”, “Ann "
    "hates it”, “it costs Ann 5”, “it is worth 12 to each”.)"
)

_YES = re.compile(r"\W*(yes|yep|ok|okay|go|go on|approve|approved|do it|begin|start|play)\W*", re.I)
_NO = re.compile(r"\W*(no|stop|cancel|never mind|reject|forget it)\W*", re.I)


async def read(chat: Chat, runtime: Runtime[ChatConfig]) -> dict[str, Any]:
    """Make a table of what was said, or ask back.

    Verdicts: `ready` (it waits for a decision), `go` (the person said yes to the one that waited),
    `dropped` (said no), and `asked` (something is missing).
    """
    about = chat.get("messages", [])[chat.get("since", 0) :]
    latest = next((str(m.text) for m in reversed(about) if isinstance(m, HumanMessage)), "")
    if chat.get("game") and _YES.fullmatch(latest):
        return {"verdict": "go"}
    if chat.get("game") and _NO.fullmatch(latest):
        return {"verdict": "dropped", "game": None, "messages": [AIMessage(NOT_PLAYED)]}
    found, label = await understood(about, (runtime.context or ChatConfig()).seat())
    if found.question:
        told = "\n\n".join(filter(None, (found.question, label)))
        return {"verdict": "asked", "game": None, "messages": [AIMessage(told)]}
    game = found.game()
    words = table_in_words(game, found.assumed, label)
    return {
        "verdict": "ready",
        "game": game,
        "assumed": found.assumed,
        "messages": [AIMessage(words)],
    }


def _without_defaults(schema: dict[str, Any]) -> None:
    """Leave defaults out of a JSON schema: a provider that enforces it may refuse them."""
    for field in schema["properties"].values():
        field.pop("default", None)


class Understood(BaseModel):
    """A small game, or what has to be asked back."""

    model_config = ConfigDict(json_schema_extra=_without_defaults)

    class Choices(BaseModel):
        """What one agent can do."""

        agent: str
        actions: list[str]

    class Cell(BaseModel):
        """What one joint action is worth."""

        play: list[str] = Field(description="One action per agent, in the order of the agents.")
        pays: list[float] = Field(description="One number per agent, in the same order.")

    question: str = Field(default="", description="What is missing; empty if nothing is.")
    name: str = ""
    about: str = ""
    agents: list[str] = []
    choices: list[Choices] = []
    payoffs: list[Cell] = []
    assumed: list[str] = []

    def game(self) -> dict[str, Any]:
        """As `RunConfig.game` takes it."""
        return {
            "name": self.name or "a choice",
            "about": self.about,
            "agents": self.agents,
            "actions": {one.agent: one.actions for one in self.choices},
            "payoffs": [cell.model_dump() for cell in self.payoffs],
        }


async def understood(messages: Sequence[AnyMessage], seat: Seat) -> tuple[Understood, str]:
    """Return what a conversation asks to be played, and a label that says who read it.

    Args:
        messages: the conversation about this table.
        seat: which model reads it; a program leaves it to the patterns.

    Raises:
        CredentialsMissing: the model's key is not set.
    """
    if seat.program:
        text = ". ".join(str(m.text) for m in messages if isinstance(m, HumanMessage))
        return await asyncio.to_thread(_by_patterns, text[-MOST_TEXT:]), LABEL
    reader = chat_model(seat, agent="host", seed=0).with_structured_output(Understood)
    asked: list[AnyMessage] = [SystemMessage(fill(_TEMPLATE)), *messages]
    why = ""
    for _ in range(TRIES):
        try:
            found: Any = await reader.ainvoke(asked, {"tags": [TAG_NOSTREAM]})
            if isinstance(found, Understood):
                why = "" if found.question else await asyncio.to_thread(fault_of, found.game())
                if not why:
                    return found, ""
            else:
                why = "that was no table"
        except ValidationError as error:
            why = f"{error.error_count()} fields are not as asked"
        asked = [*asked, HumanMessage(f"That cannot be played: {why}. Give the whole game again.")]
    return Understood(question=f"I could not make a game of that ({why}). {_say()}"), ""


def _by_patterns(text: str) -> Understood:
    said = read_sentences(text)
    if question := _missing(said):
        return Understood(question=question)
    options = (said.task, LEAVES)
    cells = [
        Understood.Cell(play=list(row), pays=[_worth(said, a, x, row) for a, x in _own(said, row)])
        for row in product(options, repeat=len(said.agents))
    ]
    found = Understood(
        name=said.task,
        about=f"Who will {said.task}? Whoever does bears the cost; all have the use of it.",
        agents=said.agents,
        choices=[Understood.Choices(agent=a, actions=list(options)) for a in said.agents],
        payoffs=cells,
        assumed=said.assumed,
    )
    why = fault_of(found.game())
    return Understood(question=f"That cannot be played: {why}. {_say()}") if why else found


def _missing(said: Household) -> str:
    """Return what to ask back; empty if everything is there."""
    if len(said.agents) < 2:
        alone = f"{said.agents[0]} and who else? " if said.agents else "Who bargains with whom? "
        return f"{alone}{_say()}"
    if not said.task:
        return f"Over what do {' and '.join(said.agents)} bargain? {_say()}"
    if said.strangers:
        who = said.strangers[0]
        return (
            f"{who} does not bargain so far. Shall {who} take part? Then name all who do. {_say()}"
        )
    return ""


def _say() -> str:
    return f"Say for example: {EXAMPLE}"


def _own(said: Household, row: Sequence[str]) -> list[tuple[str, str]]:
    return list(zip(said.agents, row, strict=True))


def _worth(said: Household, agent: str, action: str, row: Sequence[str]) -> float:
    """Return the use of it, if anybody does it, less the cost of doing it."""
    gain = said.worth[agent] if said.task in row else 0.0
    return gain - (said.costs[agent] if action == said.task else 0.0)
