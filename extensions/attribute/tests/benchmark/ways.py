"""Ways to value an app's agents, each asked for the same: values, intervals if it has some, plays.

The ways of others play no app: they are given the worths of our own plays, as many as our sampler
used, so that what is compared is the method and nothing else.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from extensions.attribute.tests.benchmark.shapes import Built
from shapley_coop.extensions.attribute import attribute
from shapley_coop.extensions.attribute.result import AppCredit
from shapley_coop.extras import is_installed

EXACT, SAMPLED, WITHOUT = "ours, exact", "ours, sampled", "ours, leave-one-out"
TOKENS, JUDGE = "in proportion to tokens", "a judge"
SAMPLERS = ("PermutationSamplingSV", "KernelSHAP", "SVARM")
"""Of shapiq: those that estimate Shapley values from a budget of coalitions."""

Judge = Callable[[Mapping[str, Any]], Mapping[str, float]]
"""From what a judge reads to points by agent; see `judged`."""


@dataclass(frozen=True)
class Found:
    """What a way says of one app.

    Attributes:
        values: agent → value, by the names of `KnownApp.agents`; None where it has none.
        intervals: agent → (low, high), where it states 95 % intervals.
        plays: of coalitions, times tasks.
        why: it has no values.
    """

    values: dict[str, float] | None
    intervals: dict[str, tuple[float, float]]
    plays: float
    why: str = ""


def valued(built: Built, cache: Path, judge: Judge | None) -> dict[str, Found]:
    """Value an app's agents in every way.

    Args:
        built: the app.
        cache: the file of calls, which ours share.
        judge: reads one run; None: there is none.

    Returns:
        Way → what it says. Ways that need our plays are absent where these have no values.
    """
    settings: dict[str, Any] = {"cache": cache, "at_once": 1, "max_calls": 10_000_000}

    def ours(**of: Any) -> AppCredit:
        return attribute(built.graph, built.agents, built.score, built.inputs, **settings, **of)

    exact = ours(exact_up_to=len(built.agents))
    sampled = ours(exact_up_to=1)
    without = ours(exact_up_to=1, value="leave_one_out")
    own = {EXACT: exact, SAMPLED: sampled, WITHOUT: without}
    found = {name: _found(built, credit) for name, credit in own.items()}
    if exact.values is None or len(exact.worth) < 2 ** len(built.agents):
        return found
    found[TOKENS] = Found(by_tokens(built, exact), {}, len(built.inputs))
    if judge:
        found[JUDGE] = Found(judged(built, exact, judge), {}, len(built.inputs))
    if is_installed("shapiq"):
        for name in SAMPLERS:
            values = by_shapiq(built.agents, exact.worth, name, len(sampled.worth))
            named = dict(zip(built.known.agents, values, strict=True))
            found[f"shapiq, {name}"] = Found(named, {}, len(sampled.worth) * len(built.inputs))
    return found


def _found(built: Built, credit: AppCredit) -> Found:
    """Return what ours says."""
    names = dict(zip(built.agents, built.known.agents, strict=True))
    plays = len(credit.worth) * len(built.inputs)
    if credit.values is None:
        why = next((note for note in credit.notes if note.startswith("no values")), "no values")
        return Found(None, {}, plays, why)
    stated = credit.interval or {}
    values = {names[agent]: x for agent, x in credit.values.items()}
    return Found(values, {names[agent]: both for agent, both in stated.items()}, plays)


def by_tokens(built: Built, credit: AppCredit) -> dict[str, float]:
    """Divide what all add by the tokens of each agent: the rule of thumb that needs one run."""
    return _divided(built, credit, [credit.spent[agent].tokens or 0.0 for agent in built.agents])


def judged(built: Built, credit: AppCredit, judge: Judge) -> dict[str, float]:
    """Divide what all add by the points that a judge gives who reads one run.

    It is given `agents`, `task`, `result` (the final state) and `score`, and returns points by
    agent; an agent that it does not name gets 0.

    Raises:
        ValueError: it names an agent that the app has not, or a point is no number.
    """
    given = built.inputs[0]
    state = built.graph.invoke(given)
    question = {"agents": list(built.known.agents), "task": given, "result": state}
    points = judge({**question, "score": built.score(state, given)})
    if strangers := {*points} - {*built.known.agents}:
        raise ValueError(f"the judge gives points to {min(strangers)!r}, who is no agent")
    try:
        return _divided(built, credit, [float(points.get(a, 0)) for a in built.known.agents])
    except (TypeError, ValueError):
        raise ValueError("the judge returns points that are no numbers") from None


def _divided(built: Built, credit: AppCredit, parts: Sequence[float]) -> dict[str, float]:
    whole = sum(parts) or 1.0
    shares = [(credit.total or 0.0) * part / whole for part in parts]
    return dict(zip(built.known.agents, shares, strict=True))


def by_shapiq(
    agents: Sequence[str], worths: Mapping[str, float], name: str, budget: int
) -> list[float]:
    """Have shapiq estimate values from so many of the worths that were played."""

    def worth(rows: Any) -> Any:
        held = [zip(agents, row, strict=True) for row in np.atleast_2d(rows)]
        return np.array([worths[",".join(a for a, there in row if there)] for row in held])

    sampler = getattr(import_module("shapiq"), name)(n=len(agents), random_state=0)
    estimate = sampler.approximate(budget, worth)
    return [float(estimate[(i,)]) for i in range(len(agents))]
