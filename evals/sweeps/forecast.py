"""What a sweep would take: scaled up from pilot runs, with a range once there are several of each.

The range is a 95 % prediction interval of the sum over the cells that are left, from the spread of
what runs of the same condition cost: T ± t·√Σ N_c² s_c² (1/n_c + 1/N_c), with N_c cells of a
condition left and n_c runs of it known.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import fmean, variance
from typing import Any, NamedTuple

from shapley_coop.evals.sweeps.gates import longest_answer
from shapley_coop.evals.sweeps.prices import Prices, is_batched, is_free
from shapley_coop.evals.sweeps.stored import Row
from shapley_coop.evals.sweeps.suite import Cell
from shapley_coop.extras import LibraryMissing, needing
from shapley_coop.seats import Seat, as_seat

Kind = tuple[str, int]
"""A suite, and the rank of one of its conditions."""

COUNTED = ("calls", "input_tokens", "output_tokens")
LEVEL = 0.95


class Pilot(NamedTuple):
    """One run that a forecast is made from, and its wall time in seconds."""

    row: Row
    seconds: float


class Range(NamedTuple):
    """A sum of money to come, in USD.

    Attributes:
        likely: the mean.
        low: of the prediction interval; None where no condition has two runs, or scipy is absent.
        high: see `low`.
        why: there is no interval.
    """

    likely: float
    low: float | None = None
    high: float | None = None
    why: str = "from one run of each condition, so without a range"

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.likely:.4f} USD, {self.why}"
        return f"{self.low:.4f} to {self.high:.4f} USD, most likely {self.likely:.4f}"


@dataclass(frozen=True)
class Forecast:
    """What a sweep would take.

    Attributes:
        cells: how many are to be run.
        pilot: how many runs the forecast is made from.
        simulated: whether embedded agents stood in for the suite's models in the pilot.
        calls: to seats.
        input_tokens: shown to them.
        output_tokens: answered by them.
        cost: None where a model has no price. Where others stood in, it is from what their answers
            would cost to what the longest answers would; the former counts as most likely.
        seconds: of the pilot's wall time, one cell after the other.
        batches: that the longest run waits for in a row at least, where letters are asked in them:
            as many as one of its agents is sent letters.
    """

    cells: int
    pilot: int
    simulated: bool
    calls: float
    input_tokens: float
    output_tokens: float
    cost: Range | None
    seconds: float
    batches: int = 0


def stand_ins(cells: Sequence[Cell]) -> list[Cell]:
    """One cell a condition, its paid seats taken by embedded agents, so that a pilot is free."""
    return [_unpaid(cell) for cell in _first(cells).values()]


def forecast(
    cells: Sequence[Cell],
    pilots: Mapping[Kind, Sequence[Pilot]],
    prices: Prices,
    batch: bool = False,
) -> Forecast:
    """Scale the runs that there are of each condition up to all cells, at its own models' prices.

    Args:
        cells: what is to be run.
        pilots: (suite, condition) → runs of it.
        prices: USD per million tokens.
        batch: whether letters are asked in batches.
    """
    left = Counter((cell.suite, cell.condition) for cell in cells)
    totals: dict[str, Any] = dict.fromkeys((*COUNTED, "seconds"), 0.0)
    costs: dict[Kind, list[float]] = {}
    known, stood_in, dearest, in_a_row = True, False, 0.0, 0
    for kind, cell in _first(cells).items():
        runs = pilots[kind]
        for row, seconds in runs:
            calls = _as_if_by(cell, row, batch)
            stood_in |= [c["model"] for c in calls] != [c["model"] for c in row["calls"]]
            waits = Counter(call["agent"] for call in calls if call["batched"])
            in_a_row = max(in_a_row, *waits.values(), 0)
            for key in COUNTED:
                totals[key] += left[kind] * sum(call[key] for call in calls) / len(runs)
            totals["seconds"] += left[kind] * seconds / len(runs)
            known &= prices.know(call["model"] for call in calls)
            if known:
                costs.setdefault(kind, []).append(prices.cost(calls))
                dearest += left[kind] * _at_longest(cell, calls, prices) / len(runs)
    cost = expected(left, costs) if known else None
    if cost and stood_in:  # How much real models differ, stand-ins do not tell.
        cost = Range(cost.likely, cost.likely, dearest)
    count = sum(map(len, pilots.values()))
    return Forecast(len(cells), count, stood_in, cost=cost, batches=in_a_row, **totals)


def expected(left: Mapping[Kind, int], costs: Mapping[Kind, Sequence[float]]) -> Range:
    """What the cells that are left will cost.

    Args:
        left: condition → how many.
        costs: condition → what runs of it cost; at least one of each that is left.
    """
    means = {kind: fmean(costs[kind]) for kind in left}
    likely = sum(left[kind] * means[kind] for kind in left)
    several = {kind: variance(costs[kind]) for kind in left if len(costs[kind]) > 1}
    freedom = sum(len(costs[kind]) - 1 for kind in several)
    if not freedom:
        return Range(likely)
    # A condition of one run is taken to vary as the others do, in parts of its mean.
    relative = sum(
        (len(costs[kind]) - 1) * spread / means[kind] ** 2
        for kind, spread in several.items()
        if means[kind]
    )
    try:
        with needing("reports", "its range"):
            # Takes longer to import than a sweep with nothing to do.
            from scipy.special import stdtrit
    except LibraryMissing as absent:
        return Range(likely, why=str(absent))
    total = 0.0
    for kind, cells in left.items():
        spread = several.get(kind, relative / freedom * means[kind] ** 2)
        total += cells**2 * spread * (1 / len(costs[kind]) + 1 / cells)
    half = float(stdtrit(freedom, 0.5 + LEVEL / 2)) * sqrt(total)
    return Range(likely, max(0.0, likely - half), likely + half)


def _first(cells: Sequence[Cell]) -> dict[Kind, Cell]:
    """The first cell of each condition."""
    first: dict[Kind, Cell] = {}
    for cell in cells:
        first.setdefault((cell.suite, cell.condition), cell)
    return first


def _as_if_by(cell: Cell, row: Row, batch: bool) -> list[dict[str, Any]]:
    """A run's calls as if a cell's own seats had answered, in batches or letter by letter."""
    seats = cell.room["seats"]
    models = [seats.get(call["agent"], call)["model"] for call in row["calls"]]
    return [
        {**call, "model": model, "batched": batch and is_batched(model)}
        for call, model in zip(row["calls"], models, strict=True)
    ]


def _at_longest(cell: Cell, calls: Sequence[Mapping[str, Any]], prices: Prices) -> float:
    """What the same letters cost, in USD, if each is tried as often and answered as long as may be.

    A model may also talk for more rounds than its stand-in did; that is not in it.
    """
    total = 0.0
    for call in calls:
        if call["attempt"] in (None, 1):
            seat = Seat.model_validate(
                as_seat(cell.room["seats"].get(call["agent"], call["model"]))
            )
            tokens = call["input_tokens"], longest_answer(seat)
            each = prices.at_worst(call["model"], *tokens, call["batched"])
            total += cell.room["tries"] * each
    return total


def _unpaid(cell: Cell) -> Cell:
    seats = {
        agent: seat if is_free(seat["model"]) else {"model": "embedded:rational"}
        for agent, seat in cell.room["seats"].items()
    }
    return replace(cell, room={**cell.room, "seats": seats})
