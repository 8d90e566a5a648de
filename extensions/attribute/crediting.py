"""The result of a played game: values, the resources that agents use, and notes."""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from itertools import combinations
from statistics import mean

from shapley_coop.credit.coalitions import coalition_key
from shapley_coop.evals.prices import is_free
from shapley_coop.extensions.attribute.absence import described
from shapley_coop.extensions.attribute.games import AppGame
from shapley_coop.extensions.attribute.metrics import by_agent, cost, tokens_of
from shapley_coop.extensions.attribute.result import (
    MOST_FAILED,
    AppCredit,
    Drawn,
    Spent,
    per,
    per_second,
)
from shapley_coop.extensions.attribute.values import Values, leave_one_out


def credited(game: AppGame, values: Values | None, by: str) -> AppCredit:
    """Return the attribution's result from a played game.

    Args:
        game: the app's game, with the plays made so far.
        values: the agents' values; None if too many plays failed.
        by: the norm's name.
    """
    agents, settings = game.agents, game.stage.settings
    named = None if values is None else _named(agents, values.mean)
    errors = None if values is None else values.standard_error()
    spans = None if values is None else values.intervals()
    spent = {agent: _spent(game, agent) for agent in agents}
    return AppCredit(
        agents=list(agents),
        value=by,
        method=values.method if values else "none",
        absent=described(settings.absent),
        inputs=len({unit.number for unit in game.units}),
        samples=settings.samples,
        values=named,
        standard_error=None if errors is None else _named(agents, errors),
        interval=None if spans is None else dict(zip(agents, spans, strict=True)),
        leave_one_out={a: _known(x) for a, x in zip(agents, leave_one_out(game), strict=True)},
        interactions=_pairs(agents, values),
        worth={
            coalition_key(mask, agents): mean(found)
            for mask, found in sorted(game.worths.items())
            if all(map(math.isfinite, found))
        },
        spent=spent,
        value_per_dollar=per(named, {agent: one.cost for agent, one in spent.items()}),
        value_per_second=per_second(named, spent),
        calls=asdict(game.stage.counts),
        failures=sorted(game.failures, key=lambda f: (f.coalition, f.input, f.sample)),
        notes=_notes(game, values, by),
        metrics=by_agent(game),
        graph=Drawn(*game.stage.app.drawn()),
    )


def _notes(game: AppGame, values: Values | None, by: str) -> list[str]:
    """Return the remarks that a reader of the values must know."""
    said = list(game.stage.notes.values())
    said += [f"in the trace, {path}: {why}" for path, why in game.stage.unreadable.items()]
    said += _of_failures(game, values, by)
    if values is not None and values.reached is False:
        said.append("the sampler's budget is spent, and its errors are above the target")
    return said + _of_inputs(game) + _of_absence(game) + _of_runs(game)


def _of_failures(game: AppGame, values: Values | None, by: str) -> list[str]:
    """Return the remarks on plays without a score."""
    failed, unplayed = len(game.failures), sum(not f.played for f in game.failures)
    plays = len(game.worths) * len(game.units)
    said = []
    if failed:
        said.append(
            f"{failed} of {plays} plays have no score, {unplayed} of them because a tool or node "
            "was not to be asked again"
        )
    if failed and values is not None:
        said.append("they are filled in by the additive game that fits the others best")
    if values is None and by == "leave_one_out":
        said.append("no values: of some agent no play without it has a score in all runs")
    elif values is None:
        reason = (
            "the play of nobody has no score"
            if 0 in game.worths and not all(map(math.isfinite, game.worths[0]))
            else f"more than {MOST_FAILED:.0%} of the plays have no score"
        )
        said.append(f"no values: {reason}")
    return said


def _of_inputs(game: AppGame) -> list[str]:
    """Return the remark on what the values and their intervals are over."""
    inputs = len({unit.number for unit in game.units})
    if len(game.units) == 1:
        return ["one run of one input: the values are of that run"]
    if inputs > 1 and game.stage.settings.samples > 1:
        return [
            f"intervals are over the {inputs} inputs: more inputs narrow them, "
            "samples only steady the values of each input"
        ]
    return []


def _of_absence(game: AppGame) -> list[str]:
    """Return the remarks on absent agents whose fields steer the run."""
    said = []
    for agent in game.agents:
        keys = game.stage.steering(agent, game.full)
        if fields := game.stage.kept_fields(agent, game.full):
            said.append(
                f"an absent {agent} writes {', '.join(fields)} as it did, which steers the run: a "
                "conditional edge reads it"
            )
        if routes := [key for key, names_a_node in keys.items() if names_a_node]:
            said.append(
                f"an absent {agent} leaves {', '.join(routes)} empty, which names nodes: if that "
                f"steers the run, --keep {routes[0]}, or --absent {agent}=path.py:function"
            )
    return said


def _of_runs(game: AppGame) -> list[str]:
    """Return the remarks that follow from the recorded runs."""
    prices = game.stage.settings.prices
    said, visits = [], game.visits()
    if tools := sorted({tool for visit in visits for tool in visit.took.tools}):
        said.append(f"tools that acted in the recorded runs: {', '.join(tools)}")
    models = {model for visit in visits for model in visit.took.tokens}
    if untold := {v.path for v in visits if v.took.models and not v.took.tokens}:
        said.append(
            f"no tokens and no USD: models of {', '.join(sorted(untold))} do not report them"
        )
    elif not models:
        said.append("no tokens and no USD: no model was asked")
    if models and all(is_free(model) for model in models):
        said.append("A simulation: embedded models answered, no language model did.")
    if prices.by_model and (lacking := prices.lacking(models)):
        said.append(f"no price for: {', '.join(lacking)}")
    if silent := _never_ran(game, {visit.path for visit in visits}):
        said.append(f"never ran on these inputs: {', '.join(silent)}")
    others = [path for path in dict.fromkeys(v.path for v in visits) if _is_other(game, path)]
    if others:
        places = game.stage.app.places
        names = [places[path].names[0] if path in places else path for path in others]
        said.append(f"not named, present in every coalition: {', '.join(names)}")
    return said


def _never_ran(game: AppGame, ran: Collection[str]) -> list[str]:
    """Return what did not run for any input: agents, other nodes, tools that wrap an agent."""
    app = game.stage.app
    places = [
        place.names[0]
        for path, place in app.places.items()
        if path not in {*app.names, *ran}
        and (place.why or (path in app.bound and "/" not in path))
        and _is_other(game, path)
    ]
    return [agent for agent in game.agents if agent not in ran] + places


def _is_other(game: AppGame, path: str) -> bool:
    """Return whether a node is neither an agent, nor contains one, nor is a `ToolNode`."""
    app = game.stage.app
    has_agents = any(inner.startswith(f"{path}/") for inner in app.names)
    is_agent = path in game.agents or has_agents
    return not is_agent and not hasattr(app.bound.get(path), "tools_by_name")


def _spent(game: AppGame, agent: str) -> Spent:
    runs = len(game.full)
    visits = game.visits(agent)
    tokens = tokens_of(visits)
    return Spent(
        calls=len(visits) / runs,
        models=sum(visit.took.models for visit in visits) / runs,
        input_tokens=None if tokens is None else sum(r for r, _ in tokens.values()) / runs,
        output_tokens=None if tokens is None else sum(w for _, w in tokens.values()) / runs,
        cost=cost(tokens, game.stage.settings.prices, 1 / runs),
        seconds=sum(visit.took.seconds for visit in visits) / runs,
    )


def _pairs(agents: Sequence[str], values: Values | None) -> dict[str, float] | None:
    if values is None or values.interactions is None:
        return None
    pairs = combinations(range(len(agents)), 2)
    return {f"{agents[i]},{agents[j]}": float(values.interactions[i, j]) for i, j in pairs}


def _named(agents: Sequence[str], numbers: Iterable[float]) -> dict[str, float]:
    return {agent: float(x) for agent, x in zip(agents, numbers, strict=True)}


def _known(x: float) -> float | None:
    return float(x) if math.isfinite(x) else None
