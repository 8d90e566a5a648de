"""The settings of an attribution, with their checks."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shapley_coop.credit.characteristic import WITHIN
from shapley_coop.evals.prices import NO_PRICES
from shapley_coop.invalid import first_error

PLAIN_CALLS = 2_000
"""The most new agent calls without a model, unless `max_calls` is higher: they cost no money."""


class Settings(BaseModel):
    """The settings of an attribution: the keyword arguments of `attribute`."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True, frozen=True)

    absent: Any = Field("blank", description="blank, silent, a function, a model; or agent → one.")
    keep: tuple[str, ...] = Field((), description="Keys that stand-ins write as the agents did.")
    samples: int = Field(1, ge=1, le=10_000, description="Plays of each input by each coalition.")
    value: str = Field("shapley", description="A norm: shapley, banzhaf, leave-one-out, …")
    fresh: str | tuple[str, ...] = Field(
        "toolless",
        description="The agents whose tools may act again: toolless (no agents), all, or names of "
        "nodes; none: no new calls are made (the default with a trace).",
    )
    safe_tools: tuple[str, ...] = Field((), description="Tools that change nothing.")
    max_calls: int = Field(200, ge=1, description="The most new agent calls that ask a model.")
    max_steps: int | None = Field(
        None,
        ge=1,
        le=10_000,
        description="The most steps of one play; by default the app's own limit.",
    )
    max_state: int = Field(1_000_000, ge=1_000, description="The most characters of an input.")
    exact_up_to: int = Field(8, ge=1, description="Play all coalitions of at most so many agents.")
    target: float = Field(WITHIN, gt=0, description="The largest error, in (max − min worth) / n.")
    budget: int | None = Field(None, ge=2, description="The most coalitions to sample.")
    seed: int = Field(0, ge=0, description="The seed of the sampled orders.")
    at_once: int = Field(4, ge=1, le=1_000, description="Plays that run at the same time.")
    context: Any = Field(None, description="The app's context, as in invoke.")
    config: Any = Field(None, description="The app's config, as in invoke.")
    answers: Any = Field(
        None, description="Answers to interrupts: a function of the value, or a mapping by node."
    )
    cache: Path | None = Field(None, description="The file of kept calls; by default in the home.")
    version: str = Field("", description="A version of the app's prompts and models.")
    trace: Path | None = Field(None, description="Recorded runs, whose calls are not repeated.")
    advise: bool = Field(False, description="Whether changes of the app are tried: see `Advice`.")
    cheaper: tuple[Any, ...] = Field((), description="Chat models to try besides the agents' own.")
    may_lose: float = Field(
        0.05, ge=0, le=1, description="The fraction of v(N) − v(∅) that a change may lose."
    )
    progress: Callable[[], Any] = Field(lambda: None, description="Called after each play.")
    announce: Callable[[Any], Any] = Field(
        lambda forecast: None,
        description="Called with the `Forecast`: before any run, and after the recorded runs.",
    )
    go_on: Callable[[Any], bool] | None = Field(
        None,
        description="Called after leave-one-out with the `Forecast` of Shapley values or advice; "
        "returns whether to play them.",
    )
    prices: Any = Field(NO_PRICES, description="USD per million tokens, by model.")

    @property
    def asks(self) -> bool:
        """Whether new calls may be made."""
        return self.fresh != "none"

    @property
    def plain_calls(self) -> int:
        """The most new agent calls in which no model is asked."""
        return max(self.max_calls, PLAIN_CALLS)

    def may_act(self, path: str, tool: str) -> bool:
        """Return whether a tool of a node may act again after the recorded run."""
        named = () if isinstance(self.fresh, str) else self.fresh
        return self.fresh == "all" or path in named or tool in self.safe_tools

    def absent_for(self, agent: str) -> Any:
        """Return the stand-in for an agent; "blank" if none is set."""
        return self.absent.get(agent, "blank") if isinstance(self.absent, Mapping) else self.absent


def checked(given: Mapping[str, Any]) -> Settings:
    """Return validated settings.

    Raises:
        ValueError: a setting is unknown or invalid.
    """
    try:
        named = {"value": given["value"].replace("-", "_")} if "value" in given else {}
        fresh = given.get("fresh") or ("none" if given.get("trace") else "toolless")
        found = Settings.model_validate({**given, **named, "fresh": fresh})
    except ValidationError as error:
        raise ValueError(f"attribute: {first_error(error)}") from None
    if isinstance(fresh, str) and fresh not in ("toolless", "all", "none"):
        raise ValueError(f"fresh is {fresh!r}: give toolless, all, none, or names of nodes")
    if not isinstance(found.config, Mapping | None):
        raise ValueError("attribute: config is not a mapping, such as {configurable: …}")
    for one in found.cheaper:
        if not isinstance(one, BaseChatModel):
            name = getattr(one, "__name__", type(one).__name__)
            raise ValueError(f"cheaper: {name} is not a chat model")
    return found
