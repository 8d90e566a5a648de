"""The result of an attribution, as an object and as JSON that `coop credit` reads."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from shapley_coop.extensions.attribute.advice import Advice, Rows
from shapley_coop.extensions.attribute.forecast import Forecast
from shapley_coop.extensions.attribute.games import Failure

MOST_FAILED = 0.1
"""The largest share of plays that may lack a score; above it no values are computed."""


LEAST_SECONDS = 0.1
"""Seconds of an agent's calls per run; shorter times are mostly the machine's overhead."""

Ratios = dict[str, float | None]


@dataclass(frozen=True)
class Drawn:
    """The app's graph: nodes, and edges as dicts with `from`, `to` and `conditional` (bool)."""

    nodes: list[str] = field(default_factory=list)
    edges: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Spent:
    """The resources that an agent uses per run of the whole app: means over the recorded runs.

    Attributes:
        calls: calls of the agent.
        models: calls of its models.
        input_tokens: tokens that its models read; None if a model does not report them.
        output_tokens: tokens that its models wrote; None if a model does not report them.
        cost: USD; None if a model has no price or does not report its tokens.
        seconds: the summed duration of its calls, measured when they were made.
    """

    calls: float
    models: float
    input_tokens: float | None
    output_tokens: float | None
    cost: float | None
    seconds: float = 0.0

    @property
    def tokens(self) -> float | None:
        """The tokens read and written; None if a model does not report them."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True)
class AppCredit:
    """Each agent's credit in a LangGraph app.

    Attributes:
        agents: names, in the given order.
        value: the name of the norm.
        method: "exact", "none", or the sampler and its number of observations.
        absent: the stand-ins for absent agents.
        inputs: the number of inputs.
        samples: how often each coalition plays each input.
        values: agent → value, in the score's unit; None if too many plays failed.
        standard_error: agent → standard error over inputs or samples, and over sampled orders;
            None if all coalitions were played in one run of one input.
        interval: agent → 95 % interval (low, high); None without a standard error.
        leave_one_out: agent → v(N) − v(N without the agent); None if that play failed.
        interactions: "A,B" → the Shapley interaction index of the pair; None unless exact.
        worth: coalition → mean score; only coalitions with a score in every unit.
        spent: agent → the resources that it uses per run of the whole app.
        value_per_dollar: agent → value / cost; None if the cost is 0 or unknown.
        value_per_second: agent → value / seconds; None below `LEAST_SECONDS`.
        calls: name → number. `plays`: plays of the app, each by one coalition on one input. Agents'
            calls in these plays: `made`, `saved` by the cache, and needed `without_cache`. Further
            calls: of `other` nodes and of `models`. `paid`: calls of nodes that asked a model.
        failures: the plays without a score.
        notes: remarks that a reader of the values must know.
        metrics: metric → agent → the agent's share. The metrics are tokens, seconds, cost if models
            have prices, and the scorer's further numbers. A share is a Shapley value if all
            coalitions were played, else leave-one-out.
        found: agent → the reason why a node or tool is an agent, if no agents were named.
        more: the `Forecast` for Shapley values, if only leave-one-out was played.
        advice: an `Advice` for each agent, if advice was wanted.
        rows: score, tokens, seconds and cost of the app as it is, of the app as advised, and of
            one agent alone that uses as many tokens.
        graph: the app's graph, for the drawing.
    """

    agents: list[str]
    value: str
    method: str
    absent: Any
    inputs: int
    samples: int
    values: dict[str, float] | None
    standard_error: dict[str, float] | None
    interval: dict[str, tuple[float, float]] | None
    leave_one_out: dict[str, float | None]
    interactions: dict[str, float] | None
    worth: dict[str, float]
    spent: dict[str, Spent]
    value_per_dollar: Ratios
    value_per_second: Ratios
    calls: dict[str, int]
    failures: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    metrics: dict[str, dict[str, float | None]] = field(default_factory=dict)
    found: dict[str, str] = field(default_factory=dict)
    more: Forecast | None = None
    advice: list[Advice] = field(default_factory=list)
    rows: Rows = field(default_factory=dict)
    graph: Drawn = field(default_factory=Drawn)

    def as_json(self) -> dict[str, Any]:
        """Return the result as plain JSON; `coop credit FILE` reads `agents` and `worth`."""
        return asdict(self)

    def __getitem__(self, agent: str) -> float:
        """Return an agent's value.

        Raises:
            KeyError: the attribution has no agent of this name.
            ValueError: the result has no values; the message says why.
        """
        if self.values is None:
            raise ValueError(next(note for note in self.notes if note.startswith("no values")))
        return self.values[agent]

    @property
    def has_other_value(self) -> bool:
        """Whether the norm is not leave-one-out, so that reports show two values per agent."""
        return self.value != "leave_one_out"

    def known_value(self, agent: str) -> float | None:
        """Return an agent's value, or None if it is unknown."""
        if not self.has_other_value:
            return self.leave_one_out[agent]
        return None if self.values is None else self.values[agent]

    def _repr_html_(self) -> str:
        """Return the HTML that a notebook shows for this result."""
        from shapley_coop.extensions.attribute.page import fragment

        return fragment(self)

    def failed_plays(self) -> list[str]:
        """Return the plays without a score, one line for each coalition and reason."""
        alike: dict[tuple[str, bool, str], list[int]] = {}
        for f in self.failures:
            alike.setdefault((f.coalition or "nobody", f.played, f.reason), []).append(f.input)
        return [
            f"{coalition}, {_first_of(inputs)}: {'failed' if played else 'not played'}: {reason}"
            for (coalition, played, reason), inputs in alike.items()
        ]

    @property
    def total(self) -> float | None:
        """v(N) − v(∅), in the score's unit; None if one of the two is unknown."""
        ends = self.worth.get(",".join(self.agents)), self.worth.get("")
        return None if None in ends else ends[0] - ends[1]  # type: ignore[operator]


def _first_of(inputs: Sequence[int]) -> str:
    first = f"input {inputs[0]}"
    return first if len(inputs) == 1 else f"{len(inputs)} plays, the first of {first}"


def norm_in_words(value: str) -> str:
    """Return a norm's name with hyphens: `leave_one_out` becomes `leave-one-out`."""
    return value.replace("_", "-")


def per(values: Mapping[str, float] | None, spent: Mapping[str, float | None]) -> Ratios:
    """Return each agent's value / spending; None if one is unknown or the spending is 0."""
    return {agent: values[agent] / x if values and x else None for agent, x in spent.items()}


def per_second(values: Mapping[str, float] | None, spent: Mapping[str, Spent]) -> Ratios:
    """Return each agent's value / seconds; None if its calls took less than `LEAST_SECONDS`."""
    took = {agent: one.seconds for agent, one in spent.items()}
    return per(values, {agent: x if x >= LEAST_SECONDS else None for agent, x in took.items()})
