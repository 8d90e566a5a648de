"""A run in a line: what lists of runs show of it, and how they are filtered."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from shapley_coop.games.catalogue import title
from shapley_coop.state.storage.register import Run


def listed(run: Run) -> dict[str, Any]:
    """What a list shows of a run; `outcome` is its status, or its state until it has ended."""
    line = {
        "run": run.run,
        "game": title(run.room.get("game", "")),
        "graph": run.graph,
        "seed": run.room.get("seed", 0),
        "created": run.created,
        "state": run.state,
        "outcome": run.result["status"] if run.result else run.state,
    }
    if run.result:
        line["status"] = run.result["status"]
    return line | ({"why": run.why} if run.why else {})


@dataclass(frozen=True)
class RunFilter:
    """Which runs are meant; what is empty or None is not looked at.

    Attributes:
        game: its name, or a part of it.
        graph: the workflow.
        seed: the seed.
        outcome: its status, or its state until it has ended.
        older: days since it was begun, at least.
    """

    game: str = ""
    graph: str = ""
    seed: int | None = None
    outcome: str = ""
    older: float = 0

    def __call__(self, runs: Iterable[Run]) -> Iterator[Run]:
        """The runs that pass, in their order."""
        latest = datetime.now(UTC) - timedelta(days=self.older)
        for run in runs:
            line = listed(run)
            wanted = (
                _key(self.game) in _key(line["game"]),
                self.graph in ("", run.graph),
                self.seed in (None, line["seed"]),
                self.outcome in ("", line["outcome"], run.state),
                not self.older or datetime.fromisoformat(run.created) <= latest,
            )
            if all(wanted):
                yield run


def _key(title: str) -> str:
    """A title by its letters and digits: stag_hunt is Stag Hunt."""
    return "".join(filter(str.isalnum, title.lower()))


def age(created: str, now: datetime | None = None) -> str:
    """How long ago, in one unit.

    >>> age("2026-01-01T00:00:00+00:00", datetime(2026, 1, 3, 5, tzinfo=UTC))
    '2 days'
    """
    seconds = ((now or datetime.now(UTC)) - datetime.fromisoformat(created)).total_seconds()
    units = (("day", 86_400), ("hour", 3_600), ("minute", 60))
    for name, size in units:
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {name}{'' if count == 1 else 's'}"
    return "now"
