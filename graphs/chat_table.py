"""From what was said to a small game: by a model's structured output, or by patterns."""

import asyncio
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage
from langgraph.constants import TAG_NOSTREAM
from pydantic import BaseModel, Field, ValidationError

from shapley_coop.games import GameError, load
from shapley_coop.seats import Seat
from shapley_coop.seats.embedded.sentences import Household, read_sentences
from shapley_coop.seats.models import chat_model

MOST_TEXT = 8_000
"""Characters of a conversation that the embedded reader looks at: the latest."""

MOST_AGENTS = 5
TRIES = 2
LEAVES = "leave it"

EXAMPLE = "Let Ann and Ben bargain over who does the dishes; Ann hates it."
LABEL = (
    "(No language model read this: a program looked for sentences such as “who does what”, “Ann "
    "hates it”, “it costs Ann 5”, “it is worth 12 to each”.)"
)

TASK = """You set up a bargaining table from a conversation. Make a small normal-form game of it:
two to five agents, two to four actions for each, and for every joint action what it is worth to
each agent, as a number. Say in `about`, in one or two sentences, what the choice is. List in
`assumed` what nobody said and you assumed, numbers too. Invent no agents. Where it is not said who
bargains or over what, put a short question into `question` and leave the rest empty."""


class Understood(BaseModel):
    """A small game, or what has to be asked back."""

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
    """What a conversation asks to be played, and a label that says who read it.

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
    asked: list[AnyMessage] = [SystemMessage(TASK), *messages]
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


def fault_of(game: Mapping[str, Any]) -> str:
    """Why a table of payoffs cannot be played; empty if it can."""
    if len(game.get("agents") or ()) > MOST_AGENTS:
        return f"at most {MOST_AGENTS} can bargain here"
    try:
        load(dict(game))
    except GameError as error:
        return str(error)
    return ""


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
    """What to ask back; empty if everything is there."""
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
    """The use of it, if anybody does it, less the cost of doing it."""
    gain = said.worth[agent] if said.task in row else 0.0
    return gain - (said.costs[agent] if action == said.task else 0.0)
