"""Minds: what agents think in private, one per agent, side by side and never shared."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from shapley_coop.deals import FaultRecord, Rule
from shapley_coop.seats.records import Pointer
from shapley_coop.state.run_config import config_of
from shapley_coop.state.table import AgentOutput, Table

Phase = Literal["negotiation", "action", "settlement"]


@dataclass(frozen=True)
class Topic:
    """What a bargaining is about.

    Attributes:
        name: the talk it is recorded under.
        rules: what an offer has to pass.
        computed: whether values are computed from the record, so that a deal can name the norm.
        letters: the templates that ask for an offer and for an answer to one.
        phase: where its cost is counted.
    """

    name: str
    rules: tuple[Rule, ...]
    computed: bool = False
    letters: tuple[str, str] = ("propose", "answer")
    phase: Phase = "negotiation"


@dataclass(frozen=True, eq=False)
class TurnContext:
    """What a mind is shown: the table as it stands, who is asked, and about what.

    It is the minds' runtime context: handed over by reference, stored nowhere, so that a mind's
    checkpoint holds its own thinking alone. It equals itself alone, so that what all who are asked
    are shown can be remembered by it.
    """

    table: Table
    asked: tuple[str, ...]
    topic: Topic

    @property
    def norms(self) -> list[str]:
        """The norms a deal can name here."""
        return [config_of(self.table["settings"]).norm] if self.topic.computed else []


class AgentTurnState(TypedDict):
    """One agent's private thinking during one turn."""

    draft: str  # what its seat answered last
    cut: bool  # whether the endpoint cut that short
    pointer: NotRequired[Pointer]  # where it waits in the journal; none if it was never asked
    attempt: int  # from 1
    fault: FaultRecord | None  # why it was sent back; None once it is sound
    spoken: NotRequired[AgentOutput]  # what the table will hear
    spent: dict[str, int]  # calls, input_tokens, output_tokens, refused
    seconds: float  # that its answers took


@dataclass(frozen=True)
class PrivateView:
    """What one agent is shown and nobody else.

    Attributes:
        mind: its thinking so far this turn; None at first.
        reasoning: what it reasoned before this bargaining, if it was asked to.
        secret: what its user told it alone.
    """

    mind: AgentTurnState | None
    reasoning: str
    secret: str


def beside(
    minds: dict[str, AgentTurnState], thought: dict[str, AgentTurnState]
) -> dict[str, AgentTurnState]:
    """Put what agents have thought beside what the others have."""
    return {**minds, **thought}


class TurnState(TypedDict):
    """The private state of one asking. No key is shared with the table."""

    minds: Annotated[dict[str, AgentTurnState], beside]
    """Agent → its mind. Written by `ask` and `validate`; gone when the asking ends."""


def pending(minds: dict[str, AgentTurnState], asked: tuple[str, ...]) -> list[str]:
    """Who still has to come up with something sound."""
    return [a for a in asked if a not in minds or minds[a].get("spoken") is None]


def new_spent(**counts: Any) -> dict[str, int]:
    """The cost of one call."""
    return {"calls": 1, "refused": 0, **counts}
