"""What one agent is shown and no other: its notes, its secrets, why its answer was refused."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shapley_coop.deals import Fault
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.secrets import secrets_of
from shapley_coop.state.turn import TurnContext


@dataclass(frozen=True)
class PrivateView:
    """What one agent alone is shown.

    Attributes:
        reasoning: what it reasoned before this bargaining, if it was asked to.
        secret: what its user told it alone.
        utilities: what the game tells it alone, as JSON.
        fault: why its last answer was refused.
    """

    reasoning: str = ""
    secret: str = ""
    utilities: Mapping[str, Any] = field(default_factory=dict)
    fault: Fault | None = None


def private_views(turn: TurnContext, faults: Mapping[str, Fault]) -> dict[str, PrivateView]:
    """What each agent asked now is shown alone; reads the journal and the secrets file.

    Args:
        turn: who is asked.
        faults: agent → why its last answer was refused.

    Raises:
        ValueError: a note is missing in the journal, or the secrets cannot be read.
    """
    table, evaluated = turn.table, turn.evaluated
    pointers = {a: at for a, at in table.get("thoughts", {}).items() if a in turn.asked}
    notes = home().journal.open_all(table["episode"], pointers)
    secrets = secrets_of(evaluated.config.secrets)
    return {
        agent: PrivateView(
            reasoning=notes[agent].answer.text if agent in notes else "",
            secret=secrets.get(agent, ""),
            utilities=evaluated.game.private(agent) if agent in evaluated.agents else {},
            fault=faults.get(agent),
        )
        for agent in turn.asked
    }
