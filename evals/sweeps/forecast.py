"""What a sweep would take: scaled up from a run of each condition, before anything is paid."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from shapley_coop.evals.sweeps.cells import Cell, Condition
from shapley_coop.evals.sweeps.gates import longest_answer
from shapley_coop.evals.sweeps.local import Local
from shapley_coop.evals.sweeps.prices import Prices, is_batched, is_free
from shapley_coop.evals.sweeps.stored import Row
from shapley_coop.seats.seat import Seat, as_seat
from shapley_coop.state.storage.home import home_for_now

COUNTED = ("calls", "input_tokens", "output_tokens")


class Pilot(NamedTuple):
    """A run that a forecast is made from, and its wall time in seconds."""

    row: Row
    seconds: float


@dataclass(frozen=True)
class Forecast:
    """What a sweep would take.

    Attributes:
        cells: how many are to be run.
        pilot: how many runs the forecast is made from: one of each condition.
        simulated: whether embedded agents stood in for the suite's models in the pilot.
        calls: to seats.
        input_tokens: shown to them.
        output_tokens: answered by them.
        cost: in USD, at the prices of the suite's models; None where one has no price.
        at_longest: the same if each letter were answered as long, and tried as often, as may be.
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
    cost: float | None
    at_longest: float | None
    seconds: float
    batches: int = 0


async def pilots(
    cells: Sequence[Cell], watch: Callable[[], Any] = lambda: None
) -> dict[Condition, Pilot]:
    """Play one run of each condition; none of them is kept.

    They are free: embedded agents replace the models that cost money.

    Args:
        cells: what is to be run.
        watch: called once for each condition.
    """
    found: dict[Condition, Pilot] = {}
    with home_for_now():
        for kind, cell in _first(cells).items():
            finished = await Local("pilot").play(_unpaid(cell))
            found[kind] = Pilot(finished.row, finished.volatile["seconds"])
            watch()
    return found


def forecast(
    cells: Sequence[Cell], pilots: Mapping[Condition, Pilot], prices: Prices, batch: bool = False
) -> Forecast:
    """Scale the pilots up to all cells, at the prices of each condition's own models.

    Args:
        cells: what is to be run.
        pilots: condition → a run of it.
        prices: USD per million tokens.
        batch: whether letters are asked in batches.
    """
    left = Counter(cell.condition for cell in cells)
    totals: dict[str, Any] = dict.fromkeys((*COUNTED, "seconds"), 0.0)
    known, stood_in, cost, dearest, in_a_row = True, False, 0.0, 0.0, 0
    for kind, cell in _first(cells).items():
        (row, seconds), scale = pilots[kind], left[kind]
        calls = _as_if_by(cell, row, batch)
        stood_in |= [c["model"] for c in calls] != [c["model"] for c in row["calls"]]
        waits = Counter(call["agent"] for call in calls if call["batched"])
        in_a_row = max(in_a_row, *waits.values(), 0)
        for key in COUNTED:
            totals[key] += scale * sum(call[key] for call in calls)
        totals["seconds"] += scale * seconds
        known &= prices.know(call["model"] for call in calls)
        if known:
            cost += scale * prices.cost(calls)
            dearest += scale * _at_longest(cell, calls, prices)
    totals |= {"cost": cost, "at_longest": dearest} if known else {"cost": None, "at_longest": None}
    return Forecast(len(cells), len(pilots), stood_in, batches=in_a_row, **totals)


def _first(cells: Sequence[Cell]) -> dict[Condition, Cell]:
    """Return the first cell of each condition."""
    first: dict[Condition, Cell] = {}
    for cell in cells:
        first.setdefault(cell.condition, cell)
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
    settings = {**cell.condition.settings, "seats": seats}
    return cell._replace(condition=replace(cell.condition, settings=settings))
