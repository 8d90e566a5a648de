"""`attribute`: which agent of an app earns its tokens, by what its owner calls success."""

import asyncio
import inspect
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from shapley_coop.extensions.attribute.absence import check_absent
from shapley_coop.extensions.attribute.answering import check_answers
from shapley_coop.extensions.attribute.app import App
from shapley_coop.extensions.attribute.calls import Call, Calls
from shapley_coop.extensions.attribute.canonical import canonical, digest, renamed
from shapley_coop.extensions.attribute.crediting import credited
from shapley_coop.extensions.attribute.forecast import Forecast, refined
from shapley_coop.extensions.attribute.games import AppGame, Score
from shapley_coop.extensions.attribute.result import MOST_FAILED, AppCredit
from shapley_coop.extensions.attribute.settings import Settings, checked
from shapley_coop.extensions.attribute.stage import Limits, Rules, Stage, Unit
from shapley_coop.extensions.attribute.tools import tools_watched
from shapley_coop.extensions.attribute.traces import Recorded, read_traces
from shapley_coop.extensions.attribute.values import (
    Values,
    check_value,
    exact_values,
    leave_one_out_values,
    sampled_values,
)
from shapley_coop.state import home

USUAL_STEPS = 100
"""Of a play, where the app has no limit of its own."""


def attribute(
    graph: Any,
    agents: Sequence[str],
    score: Score,
    inputs: Any,
    *,
    progress: Callable[[], Any] = lambda: None,
    announce: Callable[[Forecast], Any] = lambda forecast: None,
    **settings: Any,
) -> AppCredit:
    """Attribute an app's score to its agents; it also works where an event loop is running.

    Args:
        graph: a compiled StateGraph; it is not changed, nor are its checkpoints and store.
        agents: names of its nodes; `team/writer` is a node of a subgraph.
        score: of the final state, or of the final state and the input: a number; may be async.
        inputs: one input, or a list of them.
        progress: called after each coalition.
        announce: is told the forecast, before anything runs and after the recorded runs.
        settings: see `Settings`.

    Returns:
        Values with errors, what each agent takes, the table of coalitions.

    Raises:
        ValueError: an argument is wrong, the app fails with all its agents, or the forecast is
            above `max_calls`.
        CallsSpent: `max_calls` were made; the calls are kept, and the next attempt goes on.
    """
    work = attribute_async(
        graph, agents, score, inputs, progress=progress, announce=announce, **settings
    )
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(asyncio.run, work).result()


async def attribute_async(
    graph: Any,
    agents: Sequence[str],
    score: Score,
    inputs: Any,
    *,
    progress: Callable[[], Any] = lambda: None,
    announce: Callable[[Forecast], Any] = lambda forecast: None,
    **settings: Any,
) -> AppCredit:
    """The same, awaited; see `attribute`."""
    with_ = checked(settings)
    app = App(graph, agents)
    check_absent(with_.absent, app.agents)
    check_answers(with_.answers)
    app.check_keys(with_.keep)
    check_value(with_.value, len(app.agents), with_.exact_up_to)
    recorded = read_traces(with_.trace) if with_.trace else None
    given = _given(inputs, recorded)
    if recorded and with_.samples > 1:
        raise ValueError(f"samples is {with_.samples}: a trace holds one run of each input, give 1")
    units = _units(given, with_.samples)
    calls = _calls(app, with_)
    try:
        game = AppGame(_stage(app, calls, with_, recorded), score, units, with_.at_once, progress)
        with tools_watched():
            return await _attributed(game, with_, announce)
    finally:
        calls.close()


def forecast(graph: Any, agents: Sequence[str], inputs: Any, **settings: Any) -> Forecast:
    """How many calls `attribute` would take; nothing runs.

    Raises:
        ValueError: an argument is wrong.
    """
    with_ = checked(settings)
    app = App(graph, agents)
    recorded = read_traces(with_.trace) if with_.trace else None
    units = _units(_given(inputs, recorded), with_.samples)
    calls = _calls(app, with_)
    try:
        kept = _stage(app, calls, with_, recorded).kept(units)
        return Forecast.before(len(app.agents), len(units), with_.exact_up_to, kept)
    finally:
        calls.close()


async def _attributed(
    game: AppGame, with_: Settings, announce: Callable[[Forecast], Any]
) -> AppCredit:
    """Record, forecast, play the coalitions, and compute."""
    stage, n = game.stage, len(game.agents)
    kept = stage.kept(game.units)
    first = Forecast.before(n, len(game.units), with_.exact_up_to, kept)
    announce(first)
    if not kept and n * len(game.units) > with_.max_calls:
        raise ValueError(
            f"recording {len(game.units)} runs of {n} agents takes about {n * len(game.units)} "
            f"calls, max_calls is {with_.max_calls}: raise it, or give fewer inputs"
        )
    await game.record()
    how = (
        f"all for {with_.value}, {with_.exact_up_to}, {with_.target}, {with_.budget}, {with_.seed}"
    )
    found = refined(first, game, with_.prices)
    if stage.is_answered(game.units, how):
        found = replace(found, calls=0)
    announce(found)
    made = stage.counts.made
    if made + found.calls > with_.max_calls and not found.sampled:
        raise ValueError(
            f"{made} calls were made to record the runs, and the forecast is {found.calls} more: "
            f"max_calls is {with_.max_calls}; raise it, or give fewer agents, inputs or samples "
            "(what was recorded is kept)"
        )
    values = await _values(game, with_)
    stage.answered(game.units, how)
    return credited(game, values, with_)


async def _values(game: AppGame, with_: Settings) -> Values | None:
    """The values, if enough plays have a score."""
    n = len(game.agents)
    if with_.value == "leave_one_out" and n > with_.exact_up_to:
        await game.ask([0, *(game.everyone ^ 1 << i for i in range(n))])
        return None if game.failures else await leave_one_out_values(game)
    if n <= with_.exact_up_to:
        await game.ask(range(1 << n))
        return exact_values(game, with_.value) if _enough(game) else None
    await game.ask([0, *(game.everyone ^ 1 << i for i in range(n))])
    if not _enough(game):
        return None
    found = await sampled_values(game, with_.target, with_.budget, with_.seed)
    return found if _enough(game) else None


def _enough(game: AppGame) -> bool:
    """Whether the worths carry values: v(∅) is known, and few others are not."""
    return game.failed_part() <= MOST_FAILED and all(map(math.isfinite, game.worths[0]))


def _units(given: Sequence[Any], samples: int) -> list[Unit]:
    """Each input's samples; an input that is given again is asked again."""
    found, seen = [], Counter[str]()
    for number, one in enumerate(given, start=1):
        text = canonical(one)[0]
        found += [Unit(number, one, sample, seen[text]) for sample in range(samples)]
        seen[text] += 1
    return found


def _given(inputs: Any, recorded: Recorded | None) -> list[Any]:
    """The inputs as a list; those of the trace where none are given."""
    if inputs is None and recorded:
        return recorded.inputs
    given = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
    if not given:
        raise ValueError("no inputs: give one, or a list of them")
    return given


def _calls(app: App, with_: Settings) -> Calls:
    """The kept calls of this app, by its code, its version and its context."""
    about = digest(
        app.fingerprint(),
        *_codes(with_.absent),
        *([canonical(with_.answers)[0]] if isinstance(with_.answers, Mapping) else []),
        *(_codes(with_.answers) if callable(with_.answers) else []),
        with_.version,
        canonical({"context": with_.context, "configurable": _configurable(with_.config)})[0],
    )
    return Calls(with_.cache or home().folder / "attribution" / "calls.sqlite", about[:24])


def _codes(absent: Any) -> list[str]:
    """The code of the functions that stand in for agents."""
    several = absent.values() if isinstance(absent, Mapping) else [absent]
    found = []
    for one in several:
        try:
            found.append(inspect.getsource(one))
        except (TypeError, OSError):  # no function, or typed into a prompt
            found.append("")
    return found


def _configurable(config: Any) -> Any:
    return (config or {}).get("configurable")


def _stage(app: App, calls: Calls, with_: Settings, recorded: Recorded | None) -> Stage:
    fresh = with_.fresh or ("none" if recorded else "toolless")
    if isinstance(fresh, str) and fresh not in ("toolless", "all", "none"):
        raise ValueError(f"fresh is {fresh!r}: give toolless, all, none, or names of nodes")
    tools_of = frozenset(() if isinstance(fresh, str) else fresh)
    asks = fresh != "none"
    rules = Rules(
        ask=asks,
        record=asks or recorded is None,
        tools_of=None if fresh == "all" else tools_of,
        safe_tools=frozenset(with_.safe_tools),
    )
    own = app.steps(with_.config)
    steps, notes = with_.max_steps or own or USUAL_STEPS, {}
    if own and steps > own:
        notes["steps"] = f"plays may take {steps} steps, and the app's own limit is {own}"
    return Stage(
        app=app,
        absent=with_.absent,
        calls=calls,
        limits=Limits(with_.max_calls, steps, with_.max_state),
        notes=notes,
        wrappers={
            path
            for path, at in app.places.items()
            if path not in app.nodes and (at.why or path in app.names)
        },
        rules=rules,
        keep=frozenset(with_.keep),
        context=with_.context,
        config=with_.config,
        answers=with_.answers,
        traced=_traced(app, recorded) if recorded else {},
        unreadable=recorded.unreadable if recorded else {},
    )


def _traced(app: App, recorded: Recorded) -> dict[str, dict[int, list[Call]]]:
    """Recorded calls by node and input, and by run."""
    found: dict[str, dict[int, list[Call]]] = {}
    for run in recorded.runs:
        try:
            text, ids = canonical(run.given, app.managed(run.path))
        except KeyError:
            raise ValueError(f"the trace has a node {run.path!r}, which the app has not") from None
        call = Call(renamed(run.output, ids), run.tokens, run.models)
        found.setdefault(digest(run.path, text), {}).setdefault(run.root, []).append(call)
    return found
