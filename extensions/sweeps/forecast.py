"""Forecasts of a sweep's calls and cost, scaled up from one free run (pilot) per condition."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shapley_coop.evals.cell import Cell, Condition
from shapley_coop.evals.prices import Prices, is_free
from shapley_coop.evals.rows import Finished
from shapley_coop.extensions.sweeps.gates import longest_answer
from shapley_coop.extensions.sweeps.local import Local
from shapley_coop.extensions.sweeps.models import is_batched
from shapley_coop.seats.seat import Seat, as_seat
from shapley_coop.state.storage.home import home_for_now

Call = dict[str, Any]


@dataclass(frozen=True)
class Forecast:
    """The expected calls, tokens, cost and time of a sweep.

    Attributes:
        simulated: whether embedded agents replaced the suite's models in the pilots.
        calls: the number of calls to seats.
        input_tokens: the tokens of the letters.
        output_tokens: the tokens of the answers.
        cost: the cost in USD at the prices of the suite's models; None if a model has no price.
        at_longest: the cost in USD if every letter gets the longest answer at every try.
        seconds: the wall time of the pilots, scaled up as if cells were played one by one.
        batches: the least number of successive batches that a run needs, which is the largest
            number of letters to one agent.
    """

    simulated: bool
    calls: float
    input_tokens: float
    output_tokens: float
    cost: float | None
    at_longest: float | None
    seconds: float
    batches: int


async def pilots(
    cells: Sequence[Cell], watch: Callable[[], Any] = lambda: None
) -> dict[Condition, Finished]:
    """Play one run of each condition in a temporary home, and return condition → run.

    The runs are free, because embedded agents replace the models that cost money.

    Args:
        cells: the cells of the sweep.
        watch: called after each condition's run.
    """
    first: dict[Condition, Cell] = {}
    for cell in cells:
        first.setdefault(cell.condition, cell)
    found = {}
    with home_for_now():
        for condition, cell in first.items():
            found[condition] = await Local("pilot").play(_unpaid(cell))
            watch()
    return found


def forecast(
    cells: Sequence[Cell],
    pilots: Mapping[Condition, Finished],
    prices: Prices,
    batch: bool = False,
) -> Forecast:
    """Scale the pilots up to all cells, at the prices of each condition's own models.

    Args:
        cells: the cells of the sweep.
        pilots: condition → its pilot run.
        prices: prices in USD per million tokens.
        batch: whether the sweep uses batches.
    """
    left = Counter(cell.condition for cell in cells)
    calls = {kind: _as_if_by(kind, pilot.row["calls"], batch) for kind, pilot in pilots.items()}

    def scaled(amount: Callable[[Condition], float]) -> float:
        return sum(left[kind] * amount(kind) for kind in pilots)

    def counted(name: str) -> float:
        return scaled(lambda kind: sum(call[name] for call in calls[kind]))

    waits = [Counter(c["agent"] for c in each if c["batched"]) for each in calls.values()]
    known = prices.know(call["model"] for each in calls.values() for call in each)
    return Forecast(
        simulated=any(
            call["model"] != own["model"]
            for kind, pilot in pilots.items()
            for call, own in zip(calls[kind], pilot.row["calls"], strict=True)
        ),
        calls=counted("calls"),
        input_tokens=counted("input_tokens"),
        output_tokens=counted("output_tokens"),
        cost=scaled(lambda kind: prices.cost(calls[kind])) if known else None,
        at_longest=scaled(lambda kind: _at_longest(kind, calls[kind], prices)) if known else None,
        seconds=scaled(lambda kind: pilots[kind].volatile["seconds"]),
        batches=max((count for each in waits for count in each.values()), default=0),
    )


def _as_if_by(condition: Condition, calls: Sequence[Call], batch: bool) -> list[Call]:
    """Return a pilot's calls as if the condition's own models had answered them."""
    seats = condition.settings["seats"]
    models = [seats.get(call["agent"], call)["model"] for call in calls]
    return [
        {**call, "model": model, "batched": batch and is_batched(model)}
        for call, model in zip(calls, models, strict=True)
    ]


def _at_longest(condition: Condition, calls: Sequence[Call], prices: Prices) -> float:
    """Return a pilot's cost in USD if each letter took all tries, each with the longest answer.

    The estimate ignores that a model may talk for more rounds than the embedded agent did.
    """
    total, seats = 0.0, condition.settings["seats"]
    for call in calls:
        if call["attempt"] in (None, 1):
            seat = Seat.model_validate(as_seat(seats.get(call["agent"], call["model"])))
            tokens = call["input_tokens"], longest_answer(seat)
            each = prices.at_worst(call["model"], *tokens, call["batched"])
            total += condition.settings["tries"] * each
    return total


def _unpaid(cell: Cell) -> Cell:
    seats = {
        agent: seat if is_free(seat["model"]) else {"model": "embedded:rational"}
        for agent, seat in cell.room["seats"].items()
    }
    settings = {**cell.condition.settings, "seats": seats}
    return cell._replace(condition=replace(cell.condition, settings=settings))
