"""Progress, as it is told while a run goes on: the events of the `custom` stream mode.

Two a node that asks somebody, and nothing in them that the table does not tell everybody. What
they mean for those who listen is in docs/events.md.
"""

from collections.abc import Mapping
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from shapley_coop.state.table import AgentOutput
from shapley_coop.state.turn import AgentTurnState, Phase, TurnContext


class Asking(TypedDict):
    """Some agents are asked, side by side."""

    event: Literal["asking"]
    topic: str
    phase: Phase
    turn: int
    round: int
    agents: list[str]


class Heard(TypedDict):
    """What kind of thing one agent came up with; what it is, the table tells in time."""

    act: str
    label: NotRequired[str]  # of the fault that ended in a pass
    calls: int
    refused: int
    tokens: int


class Answered(TypedDict):
    """All of them have answered."""

    event: Literal["answered"]
    topic: str
    phase: Phase
    turn: int
    round: int
    seconds: float
    agents: dict[str, Heard]


def asking(moment: TurnContext) -> Asking:
    """Who is about to be asked."""
    table = moment.table
    return {
        "event": "asking",
        "topic": moment.topic.name,
        "phase": moment.topic.phase,
        "turn": len(table.get("record", [])) + 1,
        "round": table["round"],
        "agents": list(moment.asked),
    }


def answered(
    moment: TurnContext,
    minds: Mapping[str, AgentTurnState],
    spoken: Mapping[str, AgentOutput],
    seconds: float,
) -> Answered:
    """What came of it."""
    before = asking(moment)
    return {
        "event": "answered",
        "topic": before["topic"],
        "phase": before["phase"],
        "turn": before["turn"],
        "round": before["round"],
        "seconds": seconds,
        "agents": {agent: _heard(minds[agent], said) for agent, said in spoken.items()},
    }


def _heard(mind: AgentTurnState, said: AgentOutput) -> Heard:
    spent = mind["spent"]
    heard: Heard = {
        "act": said["act"],
        "calls": spent.get("calls", 0),
        "refused": spent.get("refused", 0),
        "tokens": spent.get("input_tokens", 0) + spent.get("output_tokens", 0),
    }
    return {**heard, "label": said["label"]} if "label" in said else heard
