"""The agents of an app, found in its runs: nodes that ask a model, and tools that wrap an agent."""

from collections.abc import Mapping, Sequence

from langgraph.pregel import Pregel

from shapley_coop.extensions.attribute.agents import Place, is_loop
from shapley_coop.extensions.attribute.app import App
from shapley_coop.extensions.attribute.play import play
from shapley_coop.extensions.attribute.stage import Stage, Unit, Visit


def found(app: App, visits: Sequence[Visit]) -> dict[str, str]:
    """Return agent → the reason why it is an agent, in the order of the first calls in the runs.

    If no node asks a model, every node of the runs is an agent.

    Args:
        app: an app without named agents.
        visits: the calls of nodes in the runs.
    """
    why: dict[str, str] = {}
    within = 0
    for visit in visits:
        place = app.places.get(visit.path)
        if place is None:  # made at run time: add its models to its caller's, the next visit
            within += visit.took.models
            continue
        models, within = visit.took.models + within, 0
        if visit.path.startswith("tool:"):
            why.setdefault(visit.path, place.why or "a tool that asks a model")
        elif place.why:
            why.setdefault(visit.path, place.why)
        elif models:
            for path in _members(app, visit.path, visit.places):
                kind = "subgraph" if isinstance(app.bound[path], Pregel) else "node"
                why.setdefault(path, f"a {kind} that asks a model")
    if not why:
        why = {
            visit.path: "a node of the run; none asks a model"
            for visit in visits
            if visit.path in app.places
        }
    return {_name(path, app.places, why): reason for path, reason in why.items()}


def _members(app: App, path: str, asked: Sequence[str]) -> list[str]:
    """Return a node's agents: the node itself, or its inner nodes if several of them ask models."""
    bound = app.bound[path]
    if not isinstance(bound, Pregel) or is_loop(bound):
        return [path]
    below = [place for place in asked if place.startswith(f"{path}/")]
    inner = dict.fromkeys(f"{path}/{x[len(path) + 1 :].partition('/')[0]}" for x in below)
    members = [one for one in inner if one in app.bound]
    if len(members) < 2:
        return [path]
    return [deeper for one in members for deeper in _members(app, one, asked)]


def _name(path: str, places: Mapping[str, Place], others: Mapping[str, str]) -> str:
    """Return a place's usual name, or its path if two places share the name."""
    usual = {other: places[other].names[0] for other in others if other in places}
    return path if list(usual.values()).count(usual[path]) > 1 else usual[path]


async def found_in_runs(stage: Stage, units: Sequence[Unit]) -> dict[str, str]:
    """Run the app on the inputs; return each agent found there → the reason why it is an agent.

    Raises:
        ValueError: the app fails, or the runs need too many calls.
    """
    counts, visits = stage.counts, list[Visit]()
    for unit in (unit for unit in units if unit.sample == 0):
        played = await play(stage, unit, ())
        if played.failure:
            raise ValueError(stage.failed(unit, played))
        visits += played.visits
        stage.check_pace(0, unit.number, len(units))
    if not counts.models:  # without model calls, every node of the run counts as an agent
        counts.made, counts.other = counts.made + counts.other, 0
    return found(stage.app, visits)
