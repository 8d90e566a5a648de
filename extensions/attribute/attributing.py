"""`attribute`: which agent of an app earns its tokens, by what its owner calls success."""

import asyncio
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from shapley_coop.extensions.attribute.absence import check_absent
from shapley_coop.extensions.attribute.advice import MOST_TRIES, advised, one_alone
from shapley_coop.extensions.attribute.answering import check_answers
from shapley_coop.extensions.attribute.app import App
from shapley_coop.extensions.attribute.calls import Calls
from shapley_coop.extensions.attribute.crediting import counted, credited
from shapley_coop.extensions.attribute.finding import found
from shapley_coop.extensions.attribute.forecast import (
    Forecast,
    has_cycle,
    loops,
    of_advice,
    refined,
)
from shapley_coop.extensions.attribute.games import AppGame, Score
from shapley_coop.extensions.attribute.instead import models_lent
from shapley_coop.extensions.attribute.naming import name_of
from shapley_coop.extensions.attribute.opening import calls_of, given_of, stage_of, units_of
from shapley_coop.extensions.attribute.play import play
from shapley_coop.extensions.attribute.result import MOST_FAILED, AppCredit
from shapley_coop.extensions.attribute.settings import Settings, checked
from shapley_coop.extensions.attribute.stage import CallsSpent, Counts, Unit
from shapley_coop.extensions.attribute.tools import tools_watched
from shapley_coop.extensions.attribute.traces import Recorded, read_traces
from shapley_coop.extensions.attribute.values import (
    Values,
    check_value,
    exact_values,
    leave_one_out_values,
    sampled_values,
)

Announce = Callable[[Forecast], Any]
GoOn = Callable[[Forecast], bool]


def attribute(
    graph: Any,
    agents: Sequence[str] | None = None,
    score: Score | None = None,
    inputs: Any = None,
    *,
    progress: Callable[[], Any] = lambda: None,
    announce: Announce = lambda forecast: None,
    go_on: GoOn | None = None,
    **settings: Any,
) -> AppCredit:
    """Attribute an app's score to its agents; it also works where an event loop is running.

    Args:
        graph: a compiled StateGraph; it is not changed, nor are its checkpoints and store.
        agents: names of nodes (`team/writer`: of a subgraph), or of tools that are agents; if not
            given, they are found in a run of the first input, and `found` says why.
        score: of the final state, or of the final state and the input: a number, or several by
            name, of which the first counts; may be async.
        inputs: one input, or a list of them.
        progress: called after each coalition.
        announce: is told the forecast, before anything runs and after the recorded runs.
        go_on: is told, after leave-one-out, what Shapley values take: whether they are wanted.
        settings: see `Settings`.

    Returns:
        Values with errors, what each agent takes, the table of coalitions.

    Raises:
        ValueError: an argument is wrong, the app fails, or the forecast is above `max_calls`.
        CallsSpent: `max_calls` were made; the calls are kept, and the next attempt goes on.
    """
    settings |= {"progress": progress, "announce": announce, "go_on": go_on}
    work = attribute_async(graph, agents, score, inputs, **settings)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(asyncio.run, work).result()


async def attribute_async(
    graph: Any,
    agents: Sequence[str] | None = None,
    score: Score | None = None,
    inputs: Any = None,
    *,
    progress: Callable[[], Any] = lambda: None,
    announce: Announce = lambda forecast: None,
    go_on: GoOn | None = None,
    **settings: Any,
) -> AppCredit:
    """Return the same, awaited; see `attribute`."""
    with_ = checked(settings)
    if score is None:
        raise ValueError("no score: give a function of the final state")
    check_answers(with_.answers)
    app = App(graph, agents or ())
    if agents is not None:
        _check(app, with_)
    recorded = read_traces(with_.trace) if with_.trace else None
    if recorded and with_.samples > 1:
        raise ValueError(f"samples is {with_.samples}: a trace holds one run of each input, give 1")
    units = units_of(given_of(inputs, recorded), with_.samples)
    calls, why, counts = calls_of(app, with_), dict[str, str](), Counts()
    try:
        with tools_watched(), models_lent():
            if agents is None:
                why = await _found(app, calls, with_, recorded, units[0], counts)
                app = App(graph, list(why))
                _check(app, with_)
            stage = replace(stage_of(app, calls, with_, recorded), counts=counts)
            game = AppGame(stage, score, units, with_.at_once, progress)
            return replace(await _attributed(game, with_, announce, go_on), found=why)
    finally:
        calls.close()


def _check(app: App, with_: Settings) -> None:
    """Refuse settings that do not fit the app and its agents."""
    if not app.agents:
        raise ValueError("no agents: name at least one")
    check_absent(with_.absent, app.agents)
    app.check_keys(with_.keep)
    check_value(with_.value, len(app.agents), with_.exact_up_to)


async def _found(
    app: App, calls: Calls, with_: Settings, recorded: Recorded | None, unit: Unit, counts: Counts
) -> dict[str, str]:
    """Return the agents of a run of one input, which is kept, and why each is one.

    Raises:
        ValueError: the app fails.
    """
    stage = replace(stage_of(app, calls, with_, recorded), counts=counts)
    played = await play(stage, unit, ())
    if played.failure:
        raise ValueError(
            f"the app with all its agents, input {unit.number}: {played.failure}"
            f"{stage.not_given(played.failure)}"
        )
    return found(app, played.visits)


def forecast(graph: Any, agents: Sequence[str], inputs: Any, **settings: Any) -> Forecast:
    """Return how many calls `attribute` would take; nothing runs.

    Raises:
        ValueError: an argument is wrong.
    """
    with_ = checked(settings)
    app = App(graph, agents)
    recorded = read_traces(with_.trace) if with_.trace else None
    units = units_of(given_of(inputs, recorded), with_.samples)
    calls = calls_of(app, with_)
    try:
        kept = stage_of(app, calls, with_, recorded).kept(units)
        first = Forecast.before(len(app.agents), len(units), with_.exact_up_to, kept)
        return replace(first, loops=has_cycle(app))
    finally:
        calls.close()


async def _attributed(
    game: AppGame, with_: Settings, announce: Announce, go_on: GoOn | None
) -> AppCredit:
    """Record, forecast, play the coalitions, and compute."""
    stage, n = game.stage, len(game.agents)
    kept = stage.kept(game.units)
    first = Forecast.before(n, len(game.units), with_.exact_up_to, kept)
    first = replace(first, loops=loops(game))
    alone = with_.value == LEAVE_ONE_OUT
    if alone or go_on:
        first = first.leaving_one_out()
    announce(first)
    if not kept and n * len(game.units) > with_.max_calls:
        raise ValueError(
            f"recording {len(game.units)} runs of {n} agents takes about {n * len(game.units)} "
            f"calls, max_calls is {with_.max_calls}: raise it, or give fewer inputs"
        )
    await game.record()
    if alone or go_on:
        _ahead(game, with_, first, LEAVE_ONE_OUT, announce)
        await game.ask(game.everyone ^ 1 << i for i in range(n))
        game.stage.answered(game.units, LEAVE_ONE_OUT)
        more = _refined(game, with_, replace(first, alone=False, plays=2**n), _how(with_))
        if alone or not _goes_on(game, more, go_on):
            found = await leave_one_out_values(game)
            values = None if game.failures else found
            said = with_.model_copy(update={"value": LEAVE_ONE_OUT})
            credit = replace(credited(game, values, said), more=None if alone else more)
            return await _advised(game, with_, credit, first, go_on)
    else:
        _ahead(game, with_, first, _how(with_), announce)
    values = await _values(game, with_)
    game.stage.answered(game.units, _how(with_))
    return await _advised(game, with_, credited(game, values, with_), first, go_on)


def _goes_on(game: AppGame, more: Forecast, go_on: GoOn | None) -> bool:
    """Return whether what is foretold is wanted; who wants more than was allowed gets it."""
    wanted = go_on is None or go_on(more)
    if wanted and go_on and not (more.fits or more.sampled):
        game.stage = game.stage.allowing(more.calls)
    return wanted


async def _advised(
    game: AppGame, with_: Settings, credit: AppCredit, first: Forecast, go_on: GoOn | None
) -> AppCredit:
    """Return the result with advice, where it is wanted."""
    if not with_.advise:
        return credit
    names = [name_of(model) for model in with_.cheaper]
    how = f"advice {with_.may_lose} {names}"
    more = of_advice(first, game, with_.prices, len(names), MOST_TRIES)
    if game.stage.is_answered(game.units, how):
        more = replace(more, calls=0, fits=True)
    if not _goes_on(game, more, go_on):
        remedy = "it was not wanted" if more.fits else f"--max-calls {more.calls} plays it"
        note = f"no advice: {more.most()} {more.plays} plays, {more.takes()}: {remedy}"
        return replace(credit, notes=[*credit.notes, note])
    found, rows = await advised(game, with_.cheaper, with_.prices, with_.may_lose)
    try:
        rows |= await one_alone(game, with_.prices)
        game.stage.answered(game.units, how)
    except CallsSpent as spent:
        note = f"no comparison with one agent alone: {spent}; a larger --max-calls goes on"
        credit = replace(credit, notes=[*credit.notes, note])
    lacking = with_.prices.lacking(names) if with_.prices.by_model else []
    notes = [*credit.notes, *([f"no price for: {', '.join(lacking)}"] if lacking else [])]
    return replace(credit, advice=found, rows=rows, calls=counted(game), notes=notes)


LEAVE_ONE_OUT = "leave_one_out"


def _how(with_: Settings) -> str:
    """Names the coalitions that are played."""
    return (
        f"all for {with_.value}, {with_.exact_up_to}, {with_.target}, {with_.budget}, {with_.seed}"
    )


def _refined(game: AppGame, with_: Settings, first: Forecast, how: str) -> Forecast:
    """Return the forecast after what was played; none where the same was played before."""
    found = refined(first, game, with_.prices)
    if game.stage.is_answered(game.units, how):
        return replace(found, calls=0, tokens=0, seconds=0.0, cost=0.0, fits=True)
    return found


def _ahead(game: AppGame, with_: Settings, first: Forecast, how: str, announce: Announce) -> None:
    """Tell what is to come.

    Raises:
        ValueError: it is above the limit.
    """
    found = _refined(game, with_, first, how)
    announce(found)
    made = game.stage.counts.made
    if not (found.fits or found.sampled):
        raise ValueError(
            f"{made} calls were made to record the runs, and the forecast is {found.calls} more: "
            f"max_calls is {with_.max_calls}; raise it to {made + found.calls}, or give fewer "
            "agents, inputs or samples (what was recorded is kept)"
        )


async def _values(game: AppGame, with_: Settings) -> Values | None:
    """Return the values, if enough plays have a score."""
    n = len(game.agents)
    if n <= with_.exact_up_to:
        await game.ask(range(1 << n))
        return exact_values(game, with_.value) if _enough(game) else None
    await game.ask([0, *(game.everyone ^ 1 << i for i in range(n))])
    if not _enough(game):
        return None
    found = await sampled_values(game, with_.target, with_.budget, with_.seed)
    return found if _enough(game) else None


def _enough(game: AppGame) -> bool:
    """Return whether the worths carry values: v(∅) is known, and few others are not."""
    return game.failed_part() <= MOST_FAILED and all(map(math.isfinite, game.worths[0]))
