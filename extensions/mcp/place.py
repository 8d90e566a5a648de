"""The interface by which tools find and play runs: in a home, or on a server for a caller."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from shapley_coop.evals.verifying import Check
from shapley_coop.state.table import Table


@dataclass(frozen=True)
class Standing:
    """The current state of a run.

    Attributes:
        line: the run's line in a list of runs (`state.listing.list_line`).
        result: the run's result, or None until it has ended.
        table: the latest state of the run's graph.
        why: the reason why the run failed, or "".
        waits_for: agent → the address or command by which its person reads the letter and replies.
    """

    line: Mapping[str, Any]
    result: dict[str, Any] | None
    table: Table
    why: str = ""
    waits_for: dict[str, str] = field(default_factory=dict)


class Place(Protocol):
    """The place where runs are played and found: a home here, or a server."""

    async def begin(self, workflow: str, room: dict[str, Any]) -> str:
        """Start a run and return its name.

        Raises:
            ValueError: the workflow or the configuration is refused.
        """
        ...

    async def wait(self, run: str, seconds: float) -> None:
        """Wait at most `seconds` until a run stops or waits for people."""
        ...

    async def standing(self, run: str) -> Standing:
        """Return the current state of a run.

        Raises:
            ValueError: there is no such run.
        """
        ...

    async def listed(self, game: str, limit: int) -> list[dict[str, Any]]:
        """Return the newest runs, one line each."""
        ...

    async def verified(self, run: str) -> list[Check]:
        """Recompute the results of an ended run.

        Raises:
            ValueError: there is no such run, or it has not ended.
        """
        ...
