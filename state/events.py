"""The progress of a run: the events of the `custom` stream mode.

Each question to agents sends two events, one before and one after it. Events contain only facts
that are public at the table. docs/events.md explains the events for listeners.
"""

from collections.abc import Mapping
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from shapley_coop.state.judging import Judged
from shapley_coop.state.topics import Phase
from shapley_coop.state.turn import TurnContext

Counts = Mapping[str, int]


class Asked(TypedDict):
    """The event that agents are about to be asked, in parallel."""

    event: Literal["asking"]
    topic: str
    phase: Phase
    turn: int
    round: int
    agents: list[str]


class AgentProgress(TypedDict):
    """The kind and the cost of an agent's answer, without its content, which may be secret."""

    act: str  # "refused" if the agent is asked again
    label: NotRequired[str]  # the label of the fault, or of the reason why the agent passed
    calls: int
    refused: int
    tokens: int


class Answered(TypedDict):
    """The event that all the agents have answered."""

    event: Literal["answered"]
    topic: str
    phase: Phase
    turn: int
    round: int
    seconds: float
    agents: dict[str, AgentProgress]


def asking_event(turn: TurnContext) -> Asked:
    """Return the event for the agents that are about to be asked."""
    return {
        "event": "asking",
        "topic": turn.topic.name,
        "phase": turn.topic.phase,
        "turn": turn.evaluated.turn,
        "round": turn.table["round"],
        "agents": list(turn.asked),
    }


def answered_event(
    turn: TurnContext, judged: Mapping[str, Judged], spent: Mapping[str, Counts], seconds: float
) -> Answered:
    """Return the event with the kinds and costs of the agents' answers."""
    return {
        "event": "answered",
        "topic": turn.topic.name,
        "phase": turn.topic.phase,
        "turn": turn.evaluated.turn,
        "round": turn.table["round"],
        "seconds": seconds,
        "agents": {agent: _progress(one, spent.get(agent, {})) for agent, one in judged.items()},
    }


def _progress(judged: Judged, spent: Counts) -> AgentProgress:
    heard: AgentProgress = {
        "act": judged.output["act"] if judged.output else "refused",
        "calls": spent.get("calls", 0),
        "refused": spent.get("refused", 0),
        "tokens": spent.get("input_tokens", 0) + spent.get("output_tokens", 0),
    }
    return {**heard, "label": judged.draft["label"]} if "label" in judged.draft else heard
