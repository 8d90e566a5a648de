"""Costs over A2A: a request brings the budget that is left, and an answer returns a tree of costs.

The request's metadata: `{"budget": {"calls": 3, "tokens": 9000, "usd": 0.5, "seconds": 60}}`. Zero
means that nothing is left, and a missing key that there is no limit.

The answer's metadata: `{"usage": {"input_tokens": 12, "output_tokens": 3, "usd": 0.01, "agents":
{"Bob": {…}}}}`, which are an agent's own costs, and the same of every agent that it has asked.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shapley_coop.invalid import first_error

BUDGET = "budget"
"""The key of a request's metadata under which the budget is sent."""

COUNTS = (
    ("input_tokens", "prompt_tokens", "promptTokenCount", "prompt_token_count"),
    ("output_tokens", "completion_tokens", "candidatesTokenCount", "candidates_token_count"),
)
"""The names of the input count, then those of the output count."""

DEEPEST, MOST_TOKENS, MOST_USD = 8, 2**31 - 1, 10_000.0
"""The most levels of a tree, and the most tokens and money that one answer may report."""


class Cost(NamedTuple):
    """The cost of some calls: their tokens, and their price in USD, 0 if it is not known."""

    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0


NOTHING = Cost()


def tree_of(own: Cost, agents: Mapping[str, Cost] | None = None) -> dict[str, Any]:
    """Return the tree that an answer's metadata holds: own costs, and those of asked agents."""
    told = {name: value for name, value in own._asdict().items() if name != "usd" or value}
    return {**told, "agents": {a: tree_of(x) for a, x in agents.items()}} if agents else told


def sum_of(tree: Any) -> Cost:
    """Return the sum of a tree of costs.

    Raises:
        ValueError: the tree is malformed, too deep or too large; the error quotes nothing of it.
    """
    found = total(_nodes(tree, DEEPEST))
    if max(found.input_tokens, found.output_tokens) > MOST_TOKENS or found.usd > MOST_USD:
        raise ValueError(f"they exceed {MOST_TOKENS} tokens or {MOST_USD:g} USD")
    return found


def total(costs: Iterable[Cost]) -> Cost:
    """Return the sum of costs."""
    read, written, usd = zip(NOTHING, *costs, strict=True)
    return Cost(sum(read), sum(written), sum(usd))


def _nodes(tree: Any, levels: int) -> Iterable[Cost]:
    if not levels:
        raise ValueError(f"they are nested more than {DEEPEST} levels deep")
    if not isinstance(tree, Mapping) or not isinstance(asked := tree.get("agents", {}), Mapping):
        raise ValueError("they are not objects")
    counts = [_number(tree, names) for names in COUNTS]
    if not all(count.is_integer() for count in counts):
        raise ValueError("a count of tokens is not whole")
    usd = _number(tree, ("usd",)) if "usd" in tree else 0.0
    yield Cost(int(counts[0]), int(counts[1]), usd)
    for one in asked.values():
        yield from _nodes(one, levels - 1)


def _number(tree: Mapping[str, Any], names: Sequence[str]) -> float:
    value = next((tree[name] for name in names if name in tree), None)
    # Protobuf reads every JSON number as a float.
    if not isinstance(value, float) or not isfinite(value) or value < 0:
        raise ValueError(f"{names[0]} is not a number of at least 0")
    return value


class BudgetSpent(ValueError):
    """The error if a request's budget admits no further call; the text names the limit."""


class Budget(BaseModel):
    """What a request lets its answer cost; None sets no limit."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    calls: int | None = Field(default=None, ge=0)
    tokens: int | None = Field(default=None, ge=0)
    usd: float | None = Field(default=None, ge=0)
    seconds: float | None = Field(default=None, ge=0)

    @classmethod
    def read(cls, metadata: Mapping[str, Any]) -> "Budget":
        """Read the budget in a request's metadata; without one there are no limits.

        Raises:
            ValueError: the budget is malformed; the error is one line.
        """
        try:
            return cls.model_validate(metadata.get(BUDGET) or {})
        except ValidationError as error:
            raise ValueError(f"{BUDGET}: {first_error(error, cls)}") from None

    def left(self, calls: int = 0, cost: Cost = NOTHING, seconds: float = 0) -> dict[str, float]:
        """Return what remains of each limited part after these calls.

        Raises:
            BudgetSpent: a part is used up.
        """
        used = (calls, cost.input_tokens + cost.output_tokens, cost.usd, seconds)
        left: dict[str, float] = {}
        for (name, limit), spent in zip(self, used, strict=True):
            if limit is not None and spent >= limit:
                raise BudgetSpent(f"the request's budget of {limit:g} {name} is used up")
            if limit is not None:
                left[name] = limit - spent
        return left
