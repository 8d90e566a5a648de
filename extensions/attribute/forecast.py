"""Forecasts of an attribution's calls, tokens, seconds and cost."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from math import ceil
from typing import Any

from shapley_coop.extensions.attribute.app import App
from shapley_coop.extensions.attribute.games import AppGame
from shapley_coop.extensions.attribute.metrics import cost, tokens_of
from shapley_coop.extensions.attribute.stage import Played, Stage, Unit, Visit


@dataclass(frozen=True)
class Forecast:
    """A forecast of the plays and calls to come.

    Attributes:
        agents: the number of agents.
        units: the number of inputs times the number of samples of each input.
        coalitions: the number of plays per sample of an input, with the play of all agents.
        sampled: whether only some of these plays are made.
        calls: new agent calls, without cached ones. Before any run: 2**n − 1 per sample, as if the
            agents were called once each, in sequence. After the recorded runs: 2**k for each
            recorded call before which k other agents had finished; in leave-one-out 1 + k.
        kept: cached calls for the same inputs, agents and stand-ins; other calls may be cached too.
        recorded: whether the forecast is based on recorded runs.
        alone: whether this is a forecast of leave-one-out only.
        advice: whether this is a forecast of advice.
        tokens: tokens of the new calls; 0 before the recorded runs, or if models do not report.
        seconds: the duration of the new calls in sequence.
        cost: USD; None if a model has no price or nothing is recorded yet.
        loops: whether an agent may be called more often than in the recorded run. If so, `calls`
            is an estimate and no bound.
        paid: the new calls that ask a model; 0 before the recorded runs.
        fits: whether the calls made so far and the new calls together are within the limits.
        enough: the least `max_calls` that allows both; 0 before the recorded runs.
    """

    agents: int
    units: int
    coalitions: int
    sampled: bool
    calls: int
    kept: int
    recorded: bool = False
    alone: bool = False
    advice: bool = False
    tokens: int = 0
    seconds: float = 0.0
    cost: float | None = None
    loops: bool = False
    paid: int = 0
    fits: bool = True
    enough: int = 0

    @property
    def plays(self) -> int:
        """The plays of the app: one for each coalition, input and sample."""
        return self.coalitions * self.units

    @property
    def limit(self) -> int:
        """The least `max_calls` that allows the new calls."""
        return max(1, self.paid, self.calls - self.paid)

    def leaving_one_out(self) -> "Forecast":
        """Return the forecast of leave-one-out: the whole app, and one play without each agent."""
        n = self.agents
        calls = max(0, self.units * (n + n * (n - 1) // 2) - self.kept)
        return replace(self, coalitions=n + 1, sampled=False, alone=True, calls=calls)

    def takes(self) -> str:
        """Return in words the calls, tokens, USD and seconds that are forecast."""
        if not self.calls:
            return "no new agent calls"
        parts = [f"{self.calls} new agent {'call' if self.calls == 1 else 'calls'}"]
        if self.recorded and self.paid < self.calls:
            parts[0] += (
                f", {self.paid or 'none'} of which {'asks' if self.paid < 2 else 'ask'} a model"
            )
        if self.recorded and self.tokens:
            parts += [f"{self.tokens} tokens"]
        if self.cost:
            parts += [f"{self.cost:.4g} USD"]
        if self.recorded and self.seconds >= 1:
            parts += [f"{self.seconds:.0f} s"]
        return ", ".join(parts)

    def most(self) -> str:
        """Return "at most" if `calls` is an upper bound, else "about"."""
        is_bound = not self.loops and (self.sampled or self.kept or self.advice)
        return "at most" if is_bound else "about"

    def words(self) -> str:
        """Return the forecast as one line."""
        told = "forecast after the recorded runs" if self.recorded else "forecast"
        how = "advice, " if self.advice else "leave-one-out, " if self.alone else ""
        of = f"some of {self.plays}" if self.sampled else f"{self.plays}"
        return (
            f"{told}: {how}{self.agents} {'agent' if self.agents == 1 else 'agents'}, {of} plays "
            f"of the app: {f'{self.most()} ' if self.calls else ''}{self.takes()}"
            + (f" ({self.kept} kept)" if self.kept else "")
        )


def before(stage: Stage, units: Sequence[Unit]) -> Forecast:
    """Return the forecast before any run, which is too low if the app's graph has cycles."""
    n, kept = len(stage.app.agents), stage.kept(units)
    calls = max(0, len(units) * (2**n - 1) - kept)
    is_sampled = n > stage.settings.exact_up_to
    return Forecast(n, len(units), 2**n, is_sampled, calls, kept, loops=loops(stage))


def loops(stage: Stage, full: Sequence[Played] = ()) -> bool:
    """Return whether a play may call an agent more often than the recorded plays did.

    For example, a critic may send back the blank draft of an absent writer until the app gives up.
    A model that calls agents as tools may call them any number of times.
    """
    repeated = any(len(played.of(agent)) > 1 for played in full for agent in stage.app.agents)
    return repeated or bool(stage.wrappers) or has_cycle(stage.app)


def has_cycle(app: App) -> bool:
    """Return whether an app's graph has a cycle."""
    edges: dict[str, list[str]] = {}
    for edge in app.drawn()[1]:
        edges.setdefault(edge["to"], []).append(edge["from"])
    try:
        TopologicalSorter(edges).prepare()
    except CycleError:
        return True
    return False


def refined(first: Forecast, game: AppGame) -> Forecast:
    """Return the forecast after the recorded runs.

    A call is repeated for every subset of the other agents that had finished before it, because its
    input may depend on them. Leave-one-out repeats the call once for each of these agents.
    """
    visits = _asked(game)
    others = [len(visit.after - {visit.path}) for visit in visits]
    times = others if first.alone else [2**k - 1 for k in others]
    kept, again = game.stage.kept(game.units), sum(times)
    new = max(0, again + len(visits) - kept)
    takes = _taken(game, visits, times, min(1.0, new / again) if again else 0.0)
    paid = _paid(new, visits, [n + 1 for n in times])
    fits, enough = _fits(game, new, paid), _enough(game, new, paid)
    return replace(first, calls=new, kept=kept, paid=paid, fits=fits, enough=enough, **takes)


def of_advice(first: Forecast, game: AppGame, models: int, tries: int) -> Forecast:
    """Return the forecast of advice, assuming as many calls per agent as in the recorded runs.

    This is an upper bound unless the app has a loop. Coalitions already played need no calls.

    Args:
        first: the forecast of the attribution.
        game: the game with its recorded runs and played coalitions.
        models: the number of cheaper models to try.
        tries: how often at most one agent plays alone; `fits` and `enough` do not count this.
    """
    n, asked = len(game.agents), _asked(game)
    own = [sum(visit.path == agent for visit in asked) for agent in game.agents]
    others = len(asked) - sum(own)
    plays, calls = _changes(game, own, others)
    with_models = n * models + n + 1 if models else 0
    calls += with_models * len(asked)
    takers = [of for of, agent in zip(own, game.agents, strict=True) if game.asks_models(agent)]
    again = (tries - 1) * (others + max(takers)) if takers else 0
    part = (calls + again) / len(asked) if asked else 0.0
    paid = _paid(calls, asked, [1] * len(asked))
    return replace(
        first,
        coalitions=plays + with_models + (tries - 1 if takers else 0),
        sampled=False,
        advice=True,
        calls=calls + again,
        paid=paid + again,
        fits=_fits(game, calls, paid),
        enough=_enough(game, calls, paid),
        **_taken(game, asked, [1] * len(asked), part),
    )


def _asked(game: AppGame) -> list[Visit]:
    """Return the recorded calls of agents, and of other nodes that asked a model."""
    return [visit for visit in game.visits() if visit.path in game.agents or visit.took.models]


def _paid(calls: int, visits: Sequence[Visit], times: Sequence[int]) -> int:
    """Estimate how many new calls ask a model, by the proportion among the recorded calls."""
    asking = sum(n for visit, n in zip(visits, times, strict=True) if visit.took.models)
    return ceil(calls * asking / sum(times)) if asking else 0


def _fits(game: AppGame, calls: int, paid: int) -> bool:
    counts, settings = game.stage.counts, game.stage.settings
    plain = counts.made - counts.paid + calls - paid
    return counts.paid + paid <= settings.max_calls and plain <= settings.plain_calls


def _enough(game: AppGame, calls: int, paid: int) -> int:
    """Return the least `max_calls` that allows the calls made so far and the new calls."""
    counts, settings = game.stage.counts, game.stage.settings
    plain = counts.made - counts.paid + calls - paid
    return max(counts.paid + paid, plain if plain > settings.plain_calls else 1)


def _taken(
    game: AppGame, visits: Sequence[Visit], times: Sequence[int], part: float
) -> dict[str, Any]:
    """Return `part` × the tokens, seconds and cost of node calls, each weighted by `times`."""
    tokens = tokens_of(visits, times)
    return {
        "recorded": True,
        "loops": loops(game.stage, game.full),
        "tokens": round(part * sum(map(sum, (tokens or {}).values()))),
        "seconds": part * sum(v.took.seconds * n for v, n in zip(visits, times, strict=True)),
        "cost": cost(tokens, game.stage.settings.prices, part),
    }


def _changes(game: AppGame, own: Sequence[int], others: int) -> tuple[int, int]:
    """Return how many plays the trial removals of agents still need, and how many calls these make.

    Args:
        game: the game with its played coalitions.
        own: the recorded calls of each agent.
        others: the recorded calls of other nodes, which are present in every play.
    """
    n = len(game.agents)

    def calls_of(mask: int) -> int:
        return others + sum(own[i] for i in range(n) if mask >> i & 1)

    alone = [1 << i for i in range(n)]
    wanted = {0, *alone, *(game.everyone ^ one for one in alone)} - {*game.worths}
    # Several removals are tried all at once, then one after the other.
    pairs = (game.everyone ^ one ^ other for one in alone for other in alone if one < other)
    between = min(n, 2**n - 2 * n - 2) if n > 3 and len(game.worths) < 2**n else 0
    most = between * max(map(calls_of, pairs), default=0)
    return len(wanted) + between, sum(map(calls_of, wanted)) + most
