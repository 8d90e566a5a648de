"""How many calls an attribution takes, told before they are made."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from shapley_coop.evals.sweeps.prices import Prices
from shapley_coop.extensions.attribute.calls import Tokens, added
from shapley_coop.extensions.attribute.games import AppGame


@dataclass(frozen=True)
class Forecast:
    """What is to come.

    Attributes:
        agents: how many.
        units: inputs, times samples.
        coalitions: that there are.
        sampled: whether only some of them are played.
        calls: new node calls. Before anything runs, if each agent is asked once, one after the
            other: 2**n − 1 a unit. After the recorded runs, 2**k for each recorded call, where k
            other agents had finished before it; less what is kept.
        kept: calls that the same question took before; others of this app may save some, too.
        recorded: whether it rests on recorded runs.
        cost: USD; None where a model has no price or nothing is recorded yet.
    """

    agents: int
    units: int
    coalitions: int
    sampled: bool
    calls: int
    kept: int
    recorded: bool = False
    cost: float | None = None

    @classmethod
    def before(cls, agents: int, units: int, exact_up_to: int, kept: int) -> "Forecast":
        """The forecast before anything runs."""
        calls = max(0, units * (2**agents - 1) - kept)
        return cls(agents, units, 2**agents, agents > exact_up_to, calls, kept)

    def words(self) -> str:
        """One line."""
        told = "forecast after the recorded runs" if self.recorded else "forecast"
        money = f", {self.cost:.4g} USD" if self.cost else ""
        of = f"some of {self.coalitions}" if self.sampled else f"{self.coalitions}"
        most = "at most" if self.sampled or self.kept else "about"
        return (
            f"{told}: {self.agents} agents, {of} coalitions, {self.units} "
            f"{'run' if self.units == 1 else 'runs'} each: {most} {self.calls} new calls{money}"
            + (f" ({self.kept} kept)" if self.kept else "")
        )


def refined(first: Forecast, game: AppGame, prices: Prices) -> Forecast:
    """The forecast after the recorded runs.

    A recorded call is made anew for every subset of the other agents that had finished before it,
    as what it is given may tell them apart.
    """
    agents = frozenset(game.agents)
    calls, tokens = 0, Tokens()
    for visit in (visit for played in game.full for visit in played.visits):
        if visit.path not in agents and not visit.models:
            continue
        times = 2 ** len(visit.after - {visit.path})
        calls += times
        tokens = added(tokens, _times(visit.tokens, times - 1))
    kept = game.stage.kept(game.units)
    new = max(0, calls - kept)
    part = new / calls if calls else 0.0
    models = {"input_tokens": 0, "output_tokens": 0}
    money = (
        part
        * prices.cost(
            {"model": model, **models, "input_tokens": read, "output_tokens": written}
            for model, (read, written) in tokens.items()
        )
        if prices.know(tokens)
        else None
    )
    return replace(first, calls=new, kept=kept, recorded=True, cost=money)


def _times(tokens: Mapping[str, tuple[int, int]], times: int) -> Tokens:
    return {model: (read * times, written * times) for model, (read, written) in tokens.items()}
