"""What one agent is shown and no other: its notes, persona and secrets, its refused answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shapley_coop.deals import Fault
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.kept import persona_of
from shapley_coop.state.storage.secrets import secrets_of
from shapley_coop.state.turn import TurnContext


@dataclass(frozen=True)
class Refusal:
    """An answer that could not be used, and goes back to its author.

    Attributes:
        fault: what was wrong with it.
        answer: as its author wrote it.
        attempt: its number, from 1.
        tries: how many answers the author may give; 0 is any number.
    """

    fault: Fault
    answer: str
    attempt: int
    tries: int


@dataclass(frozen=True)
class PrivateView:
    """What one agent alone is shown.

    Attributes:
        reasoning: what it reasoned before this bargaining, if it was asked to.
        secret: what its user told it alone.
        utilities: what the game tells it alone, as JSON.
        refusal: its last answer, if that was refused.
    """

    reasoning: str = ""
    secret: str = ""
    utilities: Mapping[str, Any] = field(default_factory=dict)
    refusal: Refusal | None = None


def private_views(turn: TurnContext, refusals: Mapping[str, Refusal]) -> dict[str, PrivateView]:
    """What each agent asked now is shown alone; reads the journal and the secrets file.

    Args:
        turn: who is asked.
        refusals: agent → its last answer, if that was refused.

    Raises:
        ValueError: a note is missing in the journal, or the secrets cannot be read.
    """
    table, evaluated = turn.table, turn.evaluated
    pointers = {a: at for a, at in table.get("thoughts", {}).items() if a in turn.asked}
    notes = home().journal.open_all(table["episode"], pointers)
    secrets, personas = secrets_of(evaluated.config.secrets), evaluated.config.personas
    return {
        agent: PrivateView(
            reasoning=notes[agent].answer.text if agent in notes else "",
            secret="\n\n".join(
                filter(None, (persona_of(personas.get(agent, "")), secrets.get(agent, "")))
            ),
            utilities=evaluated.game.private(agent) if agent in evaluated.agents else {},
            refusal=refusals.get(agent),
        )
        for agent in turn.asked
    }
