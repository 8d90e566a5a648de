"""What an attribution comes to: as an object, as JSON that `coop credit` reads."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from shapley_coop.extensions.attribute.advice import Advice, Rows
from shapley_coop.extensions.attribute.forecast import Forecast
from shapley_coop.extensions.attribute.games import Failure

MOST_FAILED = 0.1
"""Above this part of plays without a score there are no values."""


LEAST_SECONDS = 0.1
"""Of an agent's calls in a run: less is mostly the machine's own."""

Ratios = dict[str, float | None]


@dataclass(frozen=True)
class Drawn:
    """The app's graph: its nodes, and its edges: `from`, `to`, and whether it is `conditional`."""

    nodes: list[str] = field(default_factory=list)
    edges: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Spent:
    """What an agent takes in a run of the whole app: means over all plays of all agents.

    Attributes:
        calls: how often it is asked.
        models: model calls.
        input_tokens: read by its models; None where one does not tell.
        output_tokens: written by them; None where one does not tell.
        cost: USD; None where a model has no price, or does not tell its tokens.
        seconds: that its calls took when they were made, one after the other.
    """

    calls: float
    models: float
    input_tokens: float | None
    output_tokens: float | None
    cost: float | None
    seconds: float = 0.0

    @property
    def tokens(self) -> float | None:
        """Read and written; None where a model does not tell."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True)
class AppCredit:
    """Each agent's credit in a LangGraph app.

    Attributes:
        agents: in the given order.
        value: the norm's name.
        method: "exact", or how it was sampled.
        absent: what stood in for absent agents.
        inputs: how many.
        samples: plays of each coalition and input.
        values: agent → value, in the score's unit; None where too many plays failed.
        standard_error: agent → of the mean over inputs or samples, and of sampled orders; None
            where there is one run of one input and all coalitions were played.
        interval: agent → (low, high), 95 %, where there is a standard error.
        leave_one_out: agent → v(N) − v(N without it); None where that play failed.
        interactions: "A,B" → what both add together beyond what each adds; None unless exact.
        worth: coalition → mean score, of those that were played in every unit.
        spent: agent → what it takes in a run of the whole app.
        value_per_dollar: agent → value over cost; None where the cost is 0 or unknown.
        value_per_second: agent → value over seconds; None where it took none.
        calls: of agents, made and saved by the cache; other, of nodes that are no agents; models,
            calls of models; without_cache, what the plays had asked of agents.
        failures: plays without a score.
        notes: what a reader must know.
        metrics: metric → agent → its share of it, beside the score: tokens, seconds, cost where
            models have prices, and the scorer's further numbers. A Shapley value where all
            coalitions were played, else leave-one-out.
        found: agent → why it is one, where the agents were found in a run.
        more: the `Forecast` of Shapley values, where only leave-one-out was played.
        advice: an `Advice` for each agent, where it was asked for.
        rows: whole apps to compare, beside advice: as it is, as advised, one agent alone with as
            many tokens; each with its score, tokens, seconds and cost.
        graph: to draw it.
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
        """Plain JSON; `coop credit FILE` reads its agents and worths."""
        return asdict(self)

    def __getitem__(self, agent: str) -> float:
        """Return an agent's value.

        Raises:
            KeyError: it is no agent of the attribution.
            ValueError: there are no values; the message says why.
        """
        if self.values is None:
            raise ValueError(next(note for note in self.notes if note.startswith("no values")))
        return self.values[agent]

    @property
    def has_other_value(self) -> bool:
        """Whether its values are of another norm than leave-one-out, which is shown, too."""
        return self.value != "leave_one_out"

    def known_value(self, agent: str) -> float | None:
        """Return an agent's value; of leave-one-out also where other agents' are not known."""
        if not self.has_other_value:
            return self.leave_one_out[agent]
        return None if self.values is None else self.values[agent]

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        from shapley_coop.extensions.attribute.page import fragment

        return fragment(self)

    @property
    def total(self) -> float | None:
        """v(N) − v(∅); None where one of them is not known."""
        ends = self.worth.get(",".join(self.agents)), self.worth.get("")
        return None if None in ends else ends[0] - ends[1]  # type: ignore[operator]


def norm_in_words(value: str) -> str:
    """Return a norm's name as people write it: leave-one-out."""
    return value.replace("_", "-")


def per(values: Mapping[str, float] | None, spent: Mapping[str, float | None]) -> Ratios:
    """Return each agent's value over what it spent; None where one is not known, or nothing is."""
    return {agent: values[agent] / x if values and x else None for agent, x in spent.items()}


def per_second(values: Mapping[str, float] | None, spent: Mapping[str, Spent]) -> Ratios:
    """Return value over seconds, where it took time that can be told from noise."""
    took = {agent: one.seconds for agent, one in spent.items()}
    return per(values, {agent: x if x >= LEAST_SECONDS else None for agent, x in took.items()})
