"""Where tools find and play runs: at home, or on a server as one of its callers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from shapley_coop.evals.verifying import Check
from shapley_coop.state.table import Table


@dataclass(frozen=True)
class Standing:
    """How a run stands.

    Attributes:
        line: what a list shows of it, as `state.listing.listed` does.
        result: its result; None until it has ended.
        table: its latest state.
        why: what stopped it, where something did.
        waits_for: agent → where the person at its seat reads the letter and replies.
    """

    line: Mapping[str, Any]
    result: dict[str, Any] | None
    table: Table
    why: str = ""
    waits_for: dict[str, str] = field(default_factory=dict)


class Place(Protocol):
    """Plays and finds runs."""

    async def begin(self, workflow: str, room: dict[str, Any]) -> str:
        """Start a run; its name.

        Raises:
            ValueError: the workflow or the configuration is refused.
        """
        ...

    async def wait(self, run: str, seconds: float) -> None:
        """Return when a run stands still, or after so many seconds."""
        ...

    async def standing(self, run: str) -> Standing:
        """Return how a run stands.

        Raises:
            ValueError: there is no such run.
        """
        ...

    async def listed(self, game: str, limit: int) -> list[dict[str, Any]]:
        """Return the newest runs, one line each."""
        ...

    async def verified(self, run: str) -> list[Check]:
        """Recompute what an ended run states.

        Raises:
            ValueError: there is no such run, or it has not ended.
        """
        ...
