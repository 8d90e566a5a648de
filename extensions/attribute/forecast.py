"""What an attribution takes, told before it is played."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from typing import Any

from shapley_coop.extensions.attribute.app import App
from shapley_coop.extensions.attribute.games import AppGame
from shapley_coop.extensions.attribute.metrics import cost, tokens_of
from shapley_coop.extensions.attribute.stage import Played, Stage, Unit, Visit


@dataclass(frozen=True)
class Forecast:
    """What is to come.

    Attributes:
        agents: how many.
        units: inputs, times samples.
        plays: of each input and sample, that of all agents among them.
        sampled: whether only some of them are played.
        calls: that are new. Before anything runs, if each agent is asked once, one after the
            other: 2**n − 1 a unit. After the recorded runs, 2**k for each recorded call, where k
            other agents had finished before it; less what is kept. In leave-one-out 1 + k.
        kept: calls that the same question took before; others of this app may save some, too.
        recorded: whether it rests on recorded runs.
        alone: whether it is leave-one-out.
        advice: whether it is of trying changes.
        tokens: of the new calls; 0 before anything is recorded, or where models do not tell.
        seconds: that the new calls take one after the other.
        cost: USD; None where a model has no price or nothing is recorded yet.
        loops: whether an agent may be asked more often than in the recorded run: the calls are an
            estimate then, and no bound.
        fits: whether no more calls are made with them than are allowed.
    """

    agents: int
    units: int
    plays: int
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
    fits: bool = True

    def leaving_one_out(self) -> "Forecast":
        """Return the same of leave-one-out alone: the app as it is, and once without each agent."""
        n = self.agents
        calls = max(0, self.units * (n + n * (n - 1) // 2) - self.kept)
        return replace(self, plays=n + 1, sampled=False, alone=True, calls=calls)

    def takes(self) -> str:
        """Return its calls, tokens, dollars and seconds."""
        if not self.calls:
            return "no new calls"
        parts = [f"{self.calls} new {'call' if self.calls == 1 else 'calls'}"]
        if self.recorded and self.tokens:
            parts += [f"{self.tokens} tokens"]
        if self.cost:
            parts += [f"{self.cost:.4g} USD"]
        if self.recorded and self.seconds >= 1:
            parts += [f"{self.seconds:.0f} s"]
        return ", ".join(parts)

    def most(self) -> str:
        """Return whether its calls are a bound."""
        is_bound = not self.loops and (self.sampled or self.kept or self.advice)
        return "at most" if is_bound else "about"

    def words(self) -> str:
        """Return one line."""
        told = "forecast after the recorded runs" if self.recorded else "forecast"
        how = "advice, " if self.advice else "leave-one-out, " if self.alone else ""
        of = f"some of {self.plays}" if self.sampled else f"{self.plays}"
        return (
            f"{told}: {how}{self.agents} {'agent' if self.agents == 1 else 'agents'}, {of} plays, "
            f"{self.units} {'run' if self.units == 1 else 'runs'} each: "
            f"{f'{self.most()} ' if self.calls else ''}{self.takes()}"
            + (f" ({self.kept} kept)" if self.kept else "")
        )


def before(stage: Stage, units: Sequence[Unit]) -> Forecast:
    """Return the forecast before anything runs; it is too low where the app's edges lead back."""
    n, kept = len(stage.app.agents), stage.kept(units)
    calls = max(0, len(units) * (2**n - 1) - kept)
    is_sampled = n > stage.settings.exact_up_to
    return Forecast(n, len(units), 2**n, is_sampled, calls, kept, loops=loops(stage))


def loops(stage: Stage, full: Sequence[Played] = ()) -> bool:
    """Return whether a play may ask an agent more often than the recorded ones did.

    A critic who reads an absent writer's blank sends it back until the app gives up, and a model
    that calls agents as tools calls them as often as it likes.
    """
    repeated = any(len(played.of(agent)) > 1 for played in full for agent in stage.app.agents)
    return repeated or bool(stage.wrappers) or has_cycle(stage.app)


def has_cycle(app: App) -> bool:
    """Return whether edges of an app's graph lead back."""
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

    A recorded call is made anew for every subset of the other agents that had finished before it,
    as what it is given may tell them apart; in leave-one-out for each of them alone.
    """
    visits = _asked(game)
    others = [len(visit.after - {visit.path}) for visit in visits]
    times = others if first.alone else [2**k - 1 for k in others]
    kept, again = game.stage.kept(game.units), sum(times)
    new = max(0, again + len(visits) - kept)
    takes = _taken(game, visits, times, min(1.0, new / again) if again else 0.0)
    return replace(first, calls=new, kept=kept, fits=_fits(game, new), **takes)


def of_advice(first: Forecast, game: AppGame, models: int, tries: int) -> Forecast:
    """Return what trying changes takes if each play asks nobody more often than the recorded one.

    That is the most, but in an app with a loop. Plays that are kept take nothing.

    Args:
        first: of the attribution.
        game: with the recorded runs, and the coalitions that were played.
        models: cheaper ones that are tried.
        tries: of one agent alone, at most. They are left out where too few calls are allowed.
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
    return replace(
        first,
        plays=plays + with_models + (tries - 1 if takers else 0),
        sampled=False,
        advice=True,
        calls=calls + again,
        fits=_fits(game, calls),
        **_taken(game, asked, [1] * len(asked), part),
    )


def _asked(game: AppGame) -> list[Visit]:
    """Return the recorded calls of agents, and of others that asked a model."""
    return [visit for visit in game.visits() if visit.path in game.agents or visit.took.models]


def _fits(game: AppGame, calls: int) -> bool:
    return game.stage.counts.made + calls <= game.stage.settings.max_calls


def _taken(
    game: AppGame, visits: Sequence[Visit], times: Sequence[int], part: float
) -> dict[str, Any]:
    """Return what a part of recorded visits takes, each of them so many times."""
    tokens = tokens_of(visits, times)
    return {
        "recorded": True,
        "loops": loops(game.stage, game.full),
        "tokens": round(part * sum(map(sum, (tokens or {}).values()))),
        "seconds": part * sum(v.took.seconds * n for v, n in zip(visits, times, strict=True)),
        "cost": cost(tokens, game.stage.settings.prices, part),
    }


def _changes(game: AppGame, own: Sequence[int], others: int) -> tuple[int, int]:
    """Return the plays that removals still take, and their calls.

    Args:
        game: with the coalitions that were played.
        own: calls of each agent.
        others: calls of those that are present in every play.
    """
    n = len(game.agents)

    def calls_of(mask: int) -> int:
        return others + sum(own[i] for i in range(n) if mask >> i & 1)

    alone = [1 << i for i in range(n)]
    wanted = {0, *alone, *(game.everyone ^ one for one in alone)} - {*game.worths}
    # Of two or more that go, first all at once, then one after the other.
    pairs = (game.everyone ^ one ^ other for one in alone for other in alone if one < other)
    between = min(n, 2**n - 2 * n - 2) if n > 3 and len(game.worths) < 2**n else 0
    most = between * max(map(calls_of, pairs), default=0)
    return len(wanted) + between, sum(map(calls_of, wanted)) + most
