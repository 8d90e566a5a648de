"""What a run costs in USD, and what a sweep would cost: prices, and a forecast from pilot runs.

A price file gives USD per million tokens, by the model names of seats; `*` matches anything.
Embedded agents and recordings cost nothing.

    openai:gpt-5-mini: {input: 0.25, output: 2.0}
    openai:local-*: {input: 0, output: 0}
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from shapley_coop.evals.sweeps.store import Row
from shapley_coop.evals.sweeps.suite import Cell
from shapley_coop.files import first_error, read_data
from shapley_coop.seats import Seat
from shapley_coop.seats.seat import RECORDING

MILLION = 1_000_000


class Price(BaseModel):
    """USD per million tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    input: float = Field(ge=0)
    output: float = Field(ge=0)


@dataclass(frozen=True)
class Prices:
    """Prices by model."""

    by_model: Mapping[str, Price]

    def of(self, model: str) -> Price:
        """The price of a model, by its name or the longest pattern that fits.

        Raises:
            ValueError: there is none.
        """
        if is_free(model):
            return Price(input=0, output=0)
        fitting = [pattern for pattern in self.by_model if fnmatchcase(model, pattern)]
        if not fitting:
            raise ValueError(f"no price for {model}: add it to the price file")
        return self.by_model[max(fitting, key=len)]

    def cost(self, calls: Iterable[Mapping[str, Any]]) -> float:
        """What calls cost, in USD; each names its model and its tokens."""
        priced = ((call, self.of(call["model"])) for call in calls)
        spent = (c["input_tokens"] * p.input + c["output_tokens"] * p.output for c, p in priced)
        return float(sum(spent)) / MILLION

    def know(self, models: Iterable[str]) -> bool:
        """Whether all of these models have a price."""
        try:
            return all(self.of(model) for model in models)
        except ValueError:
            return False


NO_PRICES = Prices({})


def is_free(model: str) -> bool:
    """Whether its answers cost nothing."""
    seat = Seat(model=model)
    return seat.simulated or seat.provider == RECORDING


def read_prices(path: Path) -> Prices:
    """Read a price file.

    Raises:
        ValueError: it cannot be read, or is none.
    """
    try:
        found = TypeAdapter(dict[str, Price]).validate_python(read_data(path, "prices"))
    except ValidationError as error:
        raise ValueError(f"{path}: {first_error(error)}: give model: {{input, output}}") from None
    return Prices(found)


def with_cost(row: Row, prices: Prices) -> Row:
    """The row with its cost among its own measures, where all its models have a price."""
    if not prices.by_model or not prices.know(call["model"] for call in row["calls"]):
        return row
    measures = {**row["result"].get("measures", {}), "cost": prices.cost(row["calls"])}
    return {**row, "result": {**row["result"], "measures": measures}}


def check_prices(prices: Prices, cells: Iterable[Cell]) -> None:
    """Refuse a cost limit that could not be kept.

    Raises:
        ValueError: a model has no price.
    """
    kinds = {id(seated): seated for seated in (cell.room["seats"] for cell in cells)}
    for model in sorted({s["model"] for seated in kinds.values() for s in seated.values()}):
        prices.of(model)


class Pilot(NamedTuple):
    """One run that a forecast is made from, and its wall time in seconds."""

    row: Row
    seconds: float


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
        cost: in USD; None where a model has no price.
        seconds: of the pilot's wall time, one cell after the other.
    """

    cells: int
    pilot: int
    simulated: bool
    calls: float
    input_tokens: float
    output_tokens: float
    cost: float | None
    seconds: float


def stand_ins(cells: Sequence[Cell]) -> list[Cell]:
    """One cell a condition, its paid seats taken by embedded agents, so that a pilot is free."""
    first: dict[tuple[str, int], Cell] = {}
    for cell in cells:
        first.setdefault((cell.suite, cell.condition), cell)
    return [_unpaid(cell) for cell in first.values()]


def forecast(
    cells: Sequence[Cell], pilots: Mapping[tuple[str, int], Sequence[Pilot]], prices: Prices
) -> Forecast:
    """Scale the runs that there are of each condition up to all cells, at its own models' prices.

    Args:
        cells: what is to be run.
        pilots: (suite, condition) → runs of it.
        prices: USD per million tokens.
    """
    counts = ("calls", "input_tokens", "output_tokens")
    totals: dict[str, Any] = dict.fromkeys((*counts, "cost", "seconds"), 0.0)
    known, stood_in = True, False
    for cell in cells:
        runs = pilots[cell.suite, cell.condition]
        for row, seconds in runs:
            # As if the cell's own seats had answered.
            seats = [cell.room["seats"].get(call["agent"], call) for call in row["calls"]]
            calls = [
                {**call, "model": seat["model"]}
                for call, seat in zip(row["calls"], seats, strict=True)
            ]
            stood_in |= calls != row["calls"]
            for key in counts:
                totals[key] += sum(call[key] for call in calls) / len(runs)
            totals["seconds"] += seconds / len(runs)
            known &= prices.know(call["model"] for call in calls)
            totals["cost"] += prices.cost(calls) / len(runs) if known else 0.0
    totals["cost"] = totals["cost"] if known else None
    return Forecast(len(cells), sum(map(len, pilots.values())), stood_in, **totals)


def _unpaid(cell: Cell) -> Cell:
    seats = {
        agent: seat if is_free(seat["model"]) else {"model": "embedded:rational"}
        for agent, seat in cell.room["seats"].items()
    }
    return replace(cell, room={**cell.room, "seats": seats})
