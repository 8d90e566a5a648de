"""The tokens of an agreement among many agents, by delegates and with all agents at the table.

Embedded agents play, so the rate of agreements says nothing about language models. The benchmark
measures only how letters grow.
"""

import asyncio
import time
from dataclasses import dataclass
from statistics import mean
from typing import Any

from benchmarks.seats import scratch
from benchmarks.tables import Cell, Found, Goal, exponent
from shapley_coop.graphs.running import play
from shapley_coop.state.run_config import RunConfig

GAMES = ("public_goods", "volunteers")
LEAST_FITTED = 10
"""The least number of agents whose costs are used to fit the growth."""

DELEGATES, EVERYBODY = "delegates", "shapley_coop"


@dataclass(frozen=True)
class Measured:
    """The averages over some runs of one game at one size.

    Attributes:
        agreed: the fraction of runs that ended with a signed deal.
        tokens: the input and output tokens of a run, in thousands.
        calls: the calls of a run.
        seconds: the wall time of a run on this machine.
    """

    agreed: float
    tokens: float
    calls: float
    seconds: float

    @property
    def each(self) -> float | None:
        """The tokens for one agreement, in thousands; None if no run agreed."""
        return self.tokens / self.agreed if self.agreed else None


def delegates(
    sizes: tuple[int, ...] = (4, 12, 100, 1000),
    everybody: int = 12,
    seeds: int = 3,
    games: tuple[str, ...] = GAMES,
) -> Found:
    """Measure the tokens of an agreement by the number of agents.

    Args:
        sizes: the numbers of agents.
        everybody: the largest size that is also played by `shapley_coop`, where all bargain.
        seeds: the number of runs of each game and size.
        games: the games, played for one turn.
    """
    rows: list[list[Cell]] = []
    slopes: dict[str, float] = {}
    fitted = [n for n in sizes if n >= LEAST_FITTED] or list(sizes)
    for game in games:
        found = {n: _measured(DELEGATES, game, n, seeds if n <= 100 else 1) for n in sizes}
        for n, ours in found.items():
            whole = _measured(EVERYBODY, game, n, seeds) if n <= everybody else None
            rows.append(_row(game, n, ours, whole))
        costs = {n: one.each for n, one in found.items() if n in fitted and one.each}
        if len(costs) > 1:
            slopes[game] = exponent(list(costs), [cost or 0.0 for cost in costs.values()])
    return Found(
        f"Agreements among many: {DELEGATES} beside {EVERYBODY}, in which everybody bargains. One "
        f"turn of each game, embedded agents, {seeds} seeds up to 100 agents and one above.",
        (
            *("game and agents", "tokens of an agreement / everybody bargains"),
            *("tokens of an agreement, k", "agreed", "calls", "seconds"),
            *("everybody: tokens of an agreement, k", "agreed", "calls"),
        ),
        rows,
        [
            Goal(f"tokens of an agreement against agents, {game}: exponent", 1.2, slope)
            for game, slope in slopes.items()
        ],
        [
            "A simulation: embedded agents answered, and how often they agree is no finding.",
            "The exponent is fitted from ten agents on. All of a run is counted: votes, reasons, "
            "offers, signatures, actions; of `shapley_coop` also the written contract, claims and "
            "the last bargaining.",
            f"With everybody at the table above {everybody} agents: not measured.",
        ],
    )


def _row(game: str, n: int, ours: Measured, whole: Measured | None) -> list[Cell]:
    ratio = ours.each / whole.each if whole and whole.each and ours.each else None
    named: list[Cell] = [f"{game}, {n}", ratio, ours.each, f"{ours.agreed:.0%}", ours.calls]
    beside: list[Cell] = [whole.each, f"{whole.agreed:.0%}", whole.calls] if whole else [None] * 3
    return [*named, ours.seconds, *beside]


def _measured(graph: str, game: str, n: int, seeds: int) -> Measured:
    started = time.monotonic()
    with scratch():
        ended = [asyncio.run(_played(graph, game, n, seed)) for seed in range(seeds)]
    used = [outcome["usage"] for outcome in ended]
    return Measured(
        agreed=mean(outcome["contract"] is not None for outcome in ended),
        tokens=mean(use["input_tokens"] + use["output_tokens"] for use in used) / 1e3,
        calls=mean(use["calls"] for use in used),
        seconds=(time.monotonic() - started) / seeds,
    )


async def _played(graph: str, game: str, n: int, seed: int) -> dict[str, Any]:
    params = {"agents": [f"P{i}" for i in range(1, n + 1)], "rounds": 1}
    return await play(graph, RunConfig(game=game, params=params, seed=seed))
