"""`attribute`: which agent of an app earns its tokens, by what its owner calls success."""

import asyncio
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shapley_coop.credit.attribution import WITHIN
from shapley_coop.credit.coalitions import coalition_key
from shapley_coop.evals.attribution.absence import check_absent, described
from shapley_coop.evals.attribution.app import App
from shapley_coop.evals.attribution.calls import Call, Calls, Tokens, added
from shapley_coop.evals.attribution.canonical import canonical, digest, renamed
from shapley_coop.evals.attribution.forecast import Forecast, refined
from shapley_coop.evals.attribution.games import AppGame, Score
from shapley_coop.evals.attribution.play import CallsSpent, Limits, Rules, Stage, Unit
from shapley_coop.evals.attribution.result import MOST_FAILED, AppCredit, Drawn, Spent, per_dollar
from shapley_coop.evals.attribution.traces import Recorded, read_traces
from shapley_coop.evals.attribution.values import (
    Values,
    check_value,
    exact_values,
    leave_one_out,
    leave_one_out_values,
    sampled_values,
)
from shapley_coop.evals.measures.stats import mean_interval
from shapley_coop.evals.sweeps.prices import NO_PRICES, Prices
from shapley_coop.files import first_error
from shapley_coop.state import home


class Settings(BaseModel):
    """How an app is attributed."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True, frozen=True)

    absent: Any = Field("blank", description="blank, silent, a function, a model; or by agent.")
    keep: tuple[str, ...] = Field((), description="Keys that absent agents write as they did.")
    samples: int = Field(1, ge=1, le=10_000, description="Plays of each coalition and input.")
    value: str = Field("shapley", description="A norm: shapley, banzhaf, leave_one_out, …")
    fresh: str | tuple[str, ...] = Field(
        "",
        description="Whose tools may act again: toolless (nobody's, the default), all, or nodes; "
        "none: nobody is asked anything new (the default with a trace).",
    )
    safe_tools: tuple[str, ...] = Field((), description="Tools that change nothing.")
    max_calls: int = Field(200, ge=1, description="New node calls, at most.")
    max_steps: int = Field(100, ge=1, le=10_000, description="Steps of one play, at most.")
    max_state: int = Field(1_000_000, ge=1_000, description="Characters a node is given, at most.")
    exact_up_to: int = Field(8, ge=1, description="Agents whose coalitions are all played.")
    target: float = Field(WITHIN, gt=0, description="Sampled until no error is above this part.")
    budget: int | None = Field(None, ge=2, description="Coalitions looked at by the sampler.")
    seed: int = Field(0, ge=0, description="Of sampled orders.")
    at_once: int = Field(4, ge=1, le=1_000, description="Plays that run at the same time.")
    context: Any = Field(None, description="The app's context, as in invoke.")
    config: Any = Field(None, description="The app's config, as in invoke.")
    cache: Path | None = Field(None, description="The file of kept calls; in the home if not set.")
    version: str = Field("", description="Names the app's prompts and models, for the cache.")
    trace: Path | None = Field(None, description="Recorded runs, whose calls are not made again.")
    prices: Any = Field(NO_PRICES, description="USD per million tokens, by model.")


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
    told = {"progress": progress, "announce": announce}
    work = attribute_async(graph, agents, score, inputs, **told, **settings)
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
    with_ = _settings(settings)
    app = App(graph, agents)
    check_absent(with_.absent, app.agents)
    check_value(with_.value, len(app.agents), with_.exact_up_to)
    recorded = read_traces(with_.trace) if with_.trace else None
    given = _given(inputs, recorded)
    units = [
        Unit(number, one, sample)
        for number, one in enumerate(given, start=1)
        for sample in range(with_.samples)
    ]
    calls = _calls(app, with_)
    try:
        game = AppGame(_stage(app, calls, with_, recorded), score, units, with_.at_once, progress)
        return await _attributed(game, with_, announce)
    finally:
        calls.close()


def forecast(graph: Any, agents: Sequence[str], inputs: Any, **settings: Any) -> Forecast:
    """How many calls `attribute` would take; nothing runs.

    Raises:
        ValueError: an argument is wrong.
    """
    with_ = _settings(settings)
    app = App(graph, agents)
    given = _given(inputs, read_traces(with_.trace) if with_.trace else None)
    calls = _calls(app, with_)
    units = len(given) * with_.samples
    try:
        return Forecast.before(len(app.agents), units, with_.exact_up_to, len(calls))
    finally:
        calls.close()


async def _attributed(
    game: AppGame, with_: Settings, announce: Callable[[Forecast], Any]
) -> AppCredit:
    """Record, forecast, play the coalitions, and compute."""
    stage, n = game.stage, len(game.agents)
    kept = len(stage.calls)
    first = Forecast.before(n, len(game.units), with_.exact_up_to, kept)
    announce(first)
    if not kept and n * len(game.units) > with_.max_calls:
        raise ValueError(
            f"recording {len(game.units)} runs of {n} agents takes about {n * len(game.units)} "
            f"calls, max_calls is {with_.max_calls}: raise it, or give fewer inputs"
        )
    await game.record()
    found = refined(first, game, with_.prices)
    announce(found)
    made = stage.counts.made
    if made + found.calls > with_.max_calls and not found.sampled:
        raise ValueError(
            f"{made} calls were made to record the runs, and the forecast is {found.calls} more: "
            f"max_calls is {with_.max_calls}; raise it, or give fewer agents, inputs or samples "
            "(what was recorded is kept)"
        )
    values = await _values(game, with_)
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


def credited(game: AppGame, values: Values | None, with_: Settings) -> AppCredit:
    """The result."""
    agents, counts = game.agents, game.stage.counts
    named = None if values is None else _named(agents, values.mean)
    errors = None if values is None else values.standard_error()
    spent = {agent: _spent(game, agent, with_.prices) for agent in agents}
    return AppCredit(
        agents=list(agents),
        value=with_.value,
        method=values.method if values else "none",
        absent=described(with_.absent),
        inputs=len({unit.number for unit in game.units}),
        samples=with_.samples,
        values=named,
        standard_error=None if errors is None else _named(agents, errors),
        interval=_intervals(agents, values),
        leave_one_out={a: _known(x) for a, x in zip(agents, leave_one_out(game), strict=True)},
        interactions=_pairs(agents, values),
        worth={
            coalition_key(mask, agents): mean(found)
            for mask, found in sorted(game.worths.items())
            if all(map(math.isfinite, found))
        },
        spent=spent,
        value_per_dollar=per_dollar(named, spent),
        calls={
            "made": counts.made,
            "saved": counts.saved,
            "other": counts.other_made,
            "models": counts.models,
            "without_cache": counts.naive,
        },
        failures=sorted(game.failures, key=lambda f: (f.coalition, f.input, f.sample)),
        notes=_notes(game, values, with_),
        graph=Drawn(*game.stage.app.drawn()),
    )


def _notes(game: AppGame, values: Values | None, with_: Settings) -> list[str]:
    """What a reader must know."""
    said, plays = list(game.stage.notes.values()), len(game.worths) * len(game.units)
    said += [f"in the trace, {path}: {why}" for path, why in game.stage.unreadable.items()]
    failed, unplayed = len(game.failures), sum(not f.played for f in game.failures)
    if failed:
        said.append(
            f"{failed} of {plays} plays have no score, {unplayed} of them because a tool or node "
            "was not to be asked again"
        )
    if failed and values is not None:
        said.append("they are filled in by the additive game that fits the others best")
    if values is None:
        reason = "the play of nobody has no score" if 0 in game.worths and not all(
            map(math.isfinite, game.worths[0])
        ) else f"more than {MOST_FAILED:.0%} of the plays have no score"
        said.append(f"no values: {reason}")
    elif values.reached is False:
        said.append("the sampler's budget is spent, and its errors are above the target")
    if len(game.units) == 1:
        said.append("one run of one input: the values are of that run")
    tools = sorted({t for played in game.full for visit in played.visits for t in visit.tools})
    if tools:
        said.append(f"tools that acted in the recorded runs: {', '.join(tools)}")
    silent = [a for a in game.agents if not any(played.of(a) for played in game.full)]
    if silent:
        said.append(f"never asked in the recorded runs: {', '.join(silent)}")
    return said


def _spent(game: AppGame, agent: str, prices: Prices) -> Spent:
    runs, tokens = len(game.full), _tokens(game, agent)
    visits = [visit for played in game.full for visit in played.of(agent)]
    return Spent(
        calls=len(visits) / runs,
        models=sum(visit.models for visit in visits) / runs,
        input_tokens=sum(read for read, _ in tokens.values()) / runs,
        output_tokens=sum(written for _, written in tokens.values()) / runs,
        cost=cost(tokens, prices, 1 / runs),
    )


def _tokens(game: AppGame, agent: str) -> Tokens:
    total: Tokens = {}
    for visit in (visit for played in game.full for visit in played.of(agent)):
        total = added(total, visit.tokens)
    return total


def cost(tokens: Tokens, prices: Prices, part: float = 1.0) -> float | None:
    """USD; None where a model has no price."""
    if not prices.know(tokens):
        return None
    spent = (
        {"model": m, "input_tokens": read, "output_tokens": written}
        for m, (read, written) in tokens.items()
    )
    return part * prices.cost(spent)


def _intervals(
    agents: Sequence[str], values: Values | None
) -> dict[str, tuple[float, float]] | None:
    if values is None or len(values.rows) < 2:
        return None
    found = [mean_interval(list(map(float, own))) for own in values.rows.T]
    return {agent: (e.low, e.high) for agent, e in zip(agents, found, strict=True)}


def _pairs(agents: Sequence[str], values: Values | None) -> dict[str, float] | None:
    if values is None or values.interactions is None:
        return None
    pairs = combinations(range(len(agents)), 2)
    return {f"{agents[i]},{agents[j]}": float(values.interactions[i, j]) for i, j in pairs}


def _named(agents: Sequence[str], numbers: Iterable[float]) -> dict[str, float]:
    return {agent: float(x) for agent, x in zip(agents, numbers, strict=True)}


def _known(x: float) -> float | None:
    return float(x) if math.isfinite(x) else None


def _given(inputs: Any, recorded: Recorded | None) -> list[Any]:
    """The inputs as a list; those of the trace where none are given."""
    if inputs is None and recorded:
        return recorded.inputs
    given = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
    if not given:
        raise ValueError("no inputs: give one, or a list of them")
    return given


def _settings(given: Mapping[str, Any]) -> Settings:
    try:
        return Settings.model_validate(dict(given))
    except ValidationError as error:
        raise ValueError(f"attribute: {first_error(error)}") from None


def _calls(app: App, with_: Settings) -> Calls:
    """The kept calls of this app, by its code, its version and its context."""
    about = digest(
        app.fingerprint(),
        with_.version,
        canonical({"context": with_.context, "configurable": _configurable(with_.config)})[0],
    )
    return Calls(with_.cache or home().folder / "attribution" / "calls.sqlite", about[:24])


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
    return Stage(
        app=app,
        absent=with_.absent,
        calls=calls,
        limits=Limits(with_.max_calls, with_.max_steps, with_.max_state),
        rules=rules,
        keep=frozenset(with_.keep),
        context=with_.context,
        config=with_.config,
        traced=_traced(app, recorded) if recorded else {},
        unreadable=recorded.unreadable if recorded else {},
    )


def _traced(app: App, recorded: Recorded) -> dict[str, list[Call]]:
    """Recorded calls by node and input."""
    found: dict[str, list[Call]] = {}
    for run in recorded.runs:
        try:
            text, ids = canonical(run.given, app.managed(run.path))
        except KeyError:
            raise ValueError(f"the trace has a node {run.path!r}, which the app has not") from None
        call = Call(renamed(run.output, ids), run.tokens, run.models)
        found.setdefault(digest(run.path, text), []).append(call)
    return found
