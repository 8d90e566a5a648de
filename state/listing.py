"""The entries of lists of runs, and the filter of these lists.

`coop runs` and the viewer's index show the same entries for local and for served runs.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from shapley_coop.escaping import visible_data
from shapley_coop.games.catalogue import game_name
from shapley_coop.state.run_config import OUTSIDERS
from shapley_coop.state.storage.register import Run


def line(
    run: str,
    graph: str,
    created: str,
    state: str,
    settings: Mapping[str, Any],
    status: str = "",
    payoffs: Mapping[str, float] | None = None,
    why: str = "",
) -> dict[str, Any]:
    """Return a run's entry in a list. Until the run ends, the entry's `outcome` is `state`.

    Args:
        run: the run's name.
        graph: the workflow.
        created: the time at which the run began, in ISO 8601.
        state: started, waiting, ended or failed.
        settings: the resolved configuration; empty before the run's first node.
        status: the result's status if the run has ended; else empty.
        payoffs: agent → its payoff in the game's unit, if the run has ended.
        why: the reason why the run waits or has failed, such as the agents that must answer.
    """
    seats = _models(settings.get("seats", {}))
    shown: dict[str, Any] = {
        "run": run,
        "game": game_name(settings.get("game", "")),
        "graph": graph,
        "seed": settings.get("seed", 0),
        "parties": list(seats),
        "seats": seats,
        "created": created,
        "state": state,
        "outcome": status or state,
    }
    if status:
        shown["status"] = status
    if payoffs is not None:
        shown["payoffs"] = {agent: payoffs[agent] for agent in seats if agent in payoffs}
    told: dict[str, Any] = visible_data(shown | ({"why": why} if why else {}))
    return told


def _models(seats: Mapping[str, Any]) -> dict[str, str]:
    """Return agent → the name of its model, for each party."""
    return {
        agent: seat if isinstance(seat, str) else str(seat.get("model", ""))
        for agent, seat in seats.items()
        if agent not in OUTSIDERS
    }


def list_line(run: Run) -> dict[str, Any]:
    """Return the list entry for a run from the register."""
    result = run.result or {}
    status, payoffs = result.get("status", ""), result.get("payoffs")
    return line(run.run, run.graph, run.created, run.state, run.room, status, payoffs, run.why)


@dataclass(frozen=True)
class RunFilter:
    """A filter of runs; a field that is empty or None admits all runs.

    Attributes:
        game: the game's name, or a part of the name.
        graph: the workflow.
        outcome: the status or the state that runs must have, such as "agreed" or "waiting".
        older: how many days ago the run must have begun at least.
    """

    game: str = ""
    graph: str = ""
    seed: int | None = None
    outcome: str = ""
    older: float = 0

    def __call__(self, runs: Iterable[Run]) -> Iterator[Run]:
        """Yield the runs that match, in the given order."""
        latest = datetime.now(UTC) - timedelta(days=self.older)
        for run in runs:
            shown = list_line(run)
            wanted = (
                _key(self.game) in _key(shown["game"]),
                self.graph in ("", run.graph),
                self.seed in (None, shown["seed"]),
                self.outcome in ("", shown["outcome"], run.state),
                not self.older or datetime.fromisoformat(run.created) <= latest,
            )
            if all(wanted):
                yield run


def _key(title: str) -> str:
    """Return a title's letters and digits in lower case, so that stag_hunt matches Stag Hunt."""
    return "".join(filter(str.isalnum, title.lower()))


def age(created: str, now: datetime | None = None) -> str:
    """Return the age of a run in its largest whole unit, or "now".

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
