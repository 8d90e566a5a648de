"""The cost of runs in USD, by a dated list of prices that the user can replace.

Prices are USD per million tokens, by the model names of seats; `*` matches anything. Embedded
agents, recordings and people cost nothing. If no separate prices are listed, cached input costs the
price of input, and reasoning costs the price of output.

    date: 2026-06-30
    source: our contract with the provider
    models:
      openai:gpt-5-mini: {input: 0.25, cached_input: 0.025, output: 2.0}
      openai:local-*: {input: 0, output: 0}
    batch:
      openai:*: 0.5

`batch` is the fraction of the price that a call costs in a provider's batch, 1 by default.
A file that has only models is a list without a date.
"""

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from shapley_coop.evals.cell import Row
from shapley_coop.files import read_data
from shapley_coop.invalid import first_error
from shapley_coop.seats.seat import RECORDING, Seat

MILLION = 1_000_000

FORM = "models: {provider:name: {input: 0.25, output: 2.0}}, USD per million tokens"

_SHIPPED = Path(__file__).with_name("prices.yaml")


class Price(BaseModel):
    """The prices of one model, in USD per million tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached_input: float | None = Field(
        default=None,
        ge=0,
        description="The price of input tokens that the provider had in its cache.",
    )
    reasoning: float | None = Field(default=None, ge=0, description="Price of reasoning tokens.")

    def of(self, call: Mapping[str, Any]) -> float:
        """Return the cost of a call, in millionths of a USD.

        Args:
            call: `input_tokens` and `output_tokens`, and if known their parts `cached_tokens` and
                `reasoning_tokens`.
        """
        cached = min(call.get("cached_tokens", 0), call["input_tokens"])
        thought = min(call.get("reasoning_tokens", 0), call["output_tokens"])
        from_cache = self.input if self.cached_input is None else self.cached_input
        unseen = self.output if self.reasoning is None else self.reasoning
        read = (call["input_tokens"] - cached) * self.input + cached * from_cache
        written = (call["output_tokens"] - thought) * self.output + thought * unseen
        return float(read + written)

    def at_worst(self, tokens_in: int, tokens_out: int) -> float:
        """Return the highest possible cost of these tokens, in millionths of a USD."""
        dearest = max(self.input, self.cached_input or 0)
        return tokens_in * dearest + tokens_out * max(self.output, self.reasoning or 0)


class PriceList(BaseModel):
    """The content of a price list's file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    date: datetime.date | None = Field(default=None, description="The date of the prices.")
    source: str = Field(default="", description="The source of the prices.")
    models: dict[str, Price] = Field(description="Model or pattern → its price.")
    batch: dict[str, Annotated[float, Field(ge=0, le=1)]] = Field(
        default={},
        description="Model or pattern → the fraction of its price that a call in a batch costs.",
    )

    @model_validator(mode="before")
    @classmethod
    def _models_alone(cls, content: Any) -> Any:
        if not isinstance(content, dict) or "models" in content:
            return content
        if odd := [str(key) for key in content if not {":", "*"} & {*str(key)}]:
            raise ValueError(f"{odd[0]!r} is neither the key 'models' nor a provider:name")
        return {"models": content}


@dataclass(frozen=True)
class Prices:
    """The content of a price list: the prices of models, or of patterns of models' names.

    Attributes:
        by_model: model or pattern → its price.
        told: the source and the date of the prices in words, to show beside amounts.
        batch: model or pattern → the fraction of its price that a call in a batch costs.
    """

    by_model: Mapping[str, Price]
    told: str = "this list"
    batch: Mapping[str, float] = field(default_factory=dict)

    def of(self, model: str) -> Price:
        """Return the price of a model, by its name or the longest matching pattern.

        Raises:
            ValueError: the list has no price for the model.
        """
        if is_free(model):
            return Price(input=0, output=0)
        if (pattern := _longest_match(self.by_model, model)) is None:
            raise ValueError(f"no price for {model}: add it to the price file")
        return self.by_model[pattern]

    def cost_of_known(self, calls: Iterable[Mapping[str, Any]]) -> float:
        """Return the cost in USD of the calls whose models have a price."""
        return self.cost(call for call in calls if self.know([call["model"]]))

    def cost(self, calls: Iterable[Mapping[str, Any]]) -> float:
        """Return the cost of calls, in USD; each call has its model and tokens (`Price.of`).

        A call whose `batched` is true costs the price of a batch.
        """
        each = (
            self.of(call["model"]).of(call) * self._part(call["model"], call.get("batched", False))
            for call in calls
        )
        return float(sum(each)) / MILLION

    def at_worst(self, model: str, tokens_in: int, tokens_out: int, batched: bool = False) -> float:
        """Return the highest possible cost of one call with these tokens, in USD."""
        worst = self.of(model).at_worst(tokens_in, tokens_out)
        return worst * self._part(model, batched) / MILLION

    def _part(self, model: str, batched: bool) -> float:
        """Return the fraction of its price that a call costs; it is below 1 in some batches."""
        pattern = _longest_match(self.batch, model) if batched else None
        return 1.0 if pattern is None else self.batch[pattern]

    def lacking(self, models: Iterable[str]) -> list[str]:
        """Return the models without a price, sorted, each once."""
        return [
            model
            for model in sorted(set(models))
            if not is_free(model) and _longest_match(self.by_model, model) is None
        ]

    def know(self, models: Iterable[str]) -> bool:
        """Return whether the list has a price for each of these models."""
        return not self.lacking(models)


def _longest_match(patterns: Iterable[str], model: str) -> str | None:
    """Return the longest pattern that matches a model, or None."""
    fitting = [pattern for pattern in patterns if fnmatchcase(model, pattern)]
    return max(fitting, key=len, default=None)


NO_PRICES = Prices({})


def is_free(model: str) -> bool:
    """Return whether a model's answers cost nothing."""
    seat = Seat(model=model)
    return seat.simulated or seat.human or seat.provider == RECORDING


def read_prices(path: Path = _SHIPPED) -> Prices:
    """Return the prices in a file, by default in the list next to this module.

    Raises:
        ValueError: the file cannot be read, or is not a price list.
    """
    try:
        found = PriceList.model_validate(read_data(path, "prices"))
    except ValidationError as error:
        raise ValueError(f"{path}: {first_error(error)}: give {FORM}") from None
    when = f" of {found.date}" if found.date else ", which has no date"
    return Prices(found.models, f"{found.source or path}{when}", found.batch)


def with_cost(row: Row, prices: Prices) -> Row:
    """Return a run's row with the measure `cost` added, or unchanged if a model has no price."""
    if not prices.by_model or not prices.know(call["model"] for call in row["calls"]):
        return row
    measures = {**row["result"].get("measures", {}), "cost": prices.cost(row["calls"])}
    return {**row, "result": {**row["result"], "measures": measures}}
