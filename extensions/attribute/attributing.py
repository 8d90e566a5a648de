"""`attribute`: divide an app's score among its agents.

The modules of this package, in a good order to read them:

input           `command`, `given`, `running`: the command; `settings`; `attributing`: from a graph
                to its result; `demo`: a bundled app.
the app         `loading`: the user's files; `app`: the graph and its copy; `agents`: possible
                agents; `finding`: agents of a run; `walking`: graphs, functions and closures;
                `owncode`: the app's own modules; `steering`: the fields that its edges read.
one play        `play` and `asking`: calls of nodes or of their stand-ins; `absence` and `emptying`:
                stand-ins; `tools`: agents that are tools; `instead`: another model for an agent;
                `scope` and `watching`: counting and tools; `answering`: answers to `interrupt`;
                `overlay`: the store; `naming`: names of models.
all plays       `stage`: shared state; `limits`; `calls`: the cache on disk; `canonical`: equality
                of inputs; `opening`: setup; `traces`: exports of LangSmith.
values          `games`: worths of coalitions; `scoring`: the user's score; `values`: exact or
                sampled; `adjusting`: a sampler; `metrics`; `crediting`: the `result`; `forecast`:
                the calls to expect.
advice          `trials`: plays of changed apps; `advising`: the search for changes; `advice`.
output          `shown`, `figures`, `page`, `drawing`, `summary`, `langsmith_feedback`,
                `pytest_plugin`, `bounty`.
"""

import asyncio
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import Any

from shapley_coop.extensions.attribute.absence import check_absent
from shapley_coop.extensions.attribute.advice import MOST_TRIES, advised, one_alone
from shapley_coop.extensions.attribute.answering import check_answers
from shapley_coop.extensions.attribute.app import App
from shapley_coop.extensions.attribute.crediting import credited
from shapley_coop.extensions.attribute.finding import found_in_runs
from shapley_coop.extensions.attribute.forecast import Forecast, before, of_advice, refined
from shapley_coop.extensions.attribute.games import AppGame
from shapley_coop.extensions.attribute.instead import models_lent
from shapley_coop.extensions.attribute.limits import going_on
from shapley_coop.extensions.attribute.naming import name_of
from shapley_coop.extensions.attribute.opening import opened
from shapley_coop.extensions.attribute.result import MOST_FAILED, AppCredit
from shapley_coop.extensions.attribute.scoring import Score, check_score
from shapley_coop.extensions.attribute.settings import Settings, checked
from shapley_coop.extensions.attribute.stage import CallsSpent
from shapley_coop.extensions.attribute.tools import tools_watched
from shapley_coop.extensions.attribute.values import (
    Values,
    check_value,
    exact_values,
    leave_one_out_values,
    sampled_values,
)

LEAVE_ONE_OUT = "leave_one_out"


def attribute(
    graph: Any,
    agents: Sequence[str] | None = None,
    score: Score | None = None,
    inputs: Any = None,
    **settings: Any,
) -> AppCredit:
    """Divide an app's score among its agents; this also works inside a running event loop.

    Args:
        graph: a compiled StateGraph; its checkpoints and its store stay unchanged.
        agents: names of nodes (`team/writer` in a subgraph), or of tools that are agents. If not
            given, a run of each input finds them; the result's `found` says why.
        score: a function of the final state, or of the final state and the input. It returns a
            number, or a dict name → number whose first number is the score; it may be async.
        inputs: one input, or a list of them.
        settings: see `Settings`.

    Returns:
        Values with errors, the resources that each agent uses, and the worths of coalitions.

    Raises:
        ValueError: an argument is wrong, the app fails, or the forecast is above `max_calls`.
        CallsSpent: `max_calls` calls were made; they are kept, and the next attempt resumes.
    """
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
    **settings: Any,
) -> AppCredit:
    """Divide an app's score among its agents in the running event loop; see `attribute`."""
    chosen = checked(settings)
    scored = check_score(score)
    check_answers(chosen.answers)
    app, why = App(graph, agents or ()), dict[str, str]()
    app.check_permits(chosen.fresh, chosen.safe_tools)
    if agents is not None:
        _check(app, chosen)
    with opened(app, chosen, inputs) as (stage, units), tools_watched(), models_lent():
        if agents is None:
            why = await found_in_runs(stage, units)
            app = App(graph, list(why))
            _check(app, chosen)
        game = AppGame(replace(stage, app=app, wrappers=set(), _questions={}), scored, units)
        return replace(await _Attribution(game, chosen).credit(), found=why)


def forecast(graph: Any, agents: Sequence[str], inputs: Any, **settings: Any) -> Forecast:
    """Return a forecast of the calls that `attribute` would make, without running the app.

    Raises:
        ValueError: an argument is wrong.
    """
    with opened(App(graph, agents), checked(settings), inputs) as (stage, units):
        return before(stage, units)


def _check(app: App, settings: Settings) -> None:
    """Refuse settings that do not fit the app and its agents."""
    if not app.agents:
        raise ValueError("no agents: name at least one")
    check_absent(settings.absent, app.agents)
    app.check_keys(settings.keep)
    check_value(settings.value, len(app.agents), settings.exact_up_to)


@dataclass
class _Attribution:
    """The steps of an attribution: record runs, forecast, play coalitions, compute values.

    Args:
        game: the app's game, of which nothing has been played.
        settings: the user's settings; the stage of the game may hold a changed copy of them.
    """

    game: AppGame
    settings: Settings

    async def credit(self) -> AppCredit:
        """Play as many coalitions as the caller wants, and return the result."""
        game, settings = self.game, self.settings
        first, n = before(game.stage, game.units), len(game.agents)
        alone = settings.value == LEAVE_ONE_OUT
        if alone or settings.go_on:
            first = first.leaving_one_out()
        settings.announce(first)
        await game.record()
        if not first.alone:
            self.announce(first, self.how)
        else:
            expected = self.announce(first, LEAVE_ONE_OUT)
            try:
                await game.ask(game.everyone ^ 1 << i for i in range(n))
            except CallsSpent as spent:
                spent.enough = expected.enough
                return self.partly(spent)
            game.stage.answered(game.units, LEAVE_ONE_OUT)
            more = self.refined(replace(first, alone=False, coalitions=2**n), self.how)
            if alone or not self.goes_on(more):
                without = None if game.failures else leave_one_out_values(game)
                credit = credited(game, without, LEAVE_ONE_OUT)
                return await self.advised(replace(credit, more=None if alone else more), first)
        values = await self.values()
        game.stage.answered(game.units, self.how)
        return await self.advised(credited(game, values, settings.value), first)

    def partly(self, spent: CallsSpent) -> AppCredit:
        """Return the leave-one-out values of the runs played before the limit was reached.

        Raises:
            CallsSpent: there are none.
        """
        game, runs = self.game.reached, len(self.game.units)
        if not game:
            raise spent
        without = None if game.failures else leave_one_out_values(game)
        credit = credited(game, without, LEAVE_ONE_OUT)
        what = "no advice" if self.settings.advise else f"no values of all {runs} runs"
        why = (
            f"{what}: without each agent, {len(game.units)} of {runs} runs are played: {spent}, "
            f"about {max(1, spent.enough - game.stage.counts.paid)} are missing; "
            f"{going_on(spent.enough)}"
        )
        return replace(credit, notes=[*credit.notes, why])

    @property
    def how(self) -> str:
        """The name under which the cache notes that all coalitions for these values were played."""
        of = self.settings
        return f"all for {of.value}, {of.exact_up_to}, {of.target}, {of.budget}, {of.seed}"

    def refined(self, first: Forecast, how: str) -> Forecast:
        """Return the forecast after the plays so far: 0 calls if coalitions `how` were played."""
        found = refined(first, self.game)
        if self.game.stage.is_answered(self.game.units, how):
            return replace(found, calls=0, tokens=0, seconds=0.0, cost=0.0, fits=True)
        return found

    def announce(self, first: Forecast, how: str) -> Forecast:
        """Announce the forecast to the caller, and return it.

        Raises:
            ValueError: the forecast of all coalitions is above the limits.
        """
        found = self.refined(first, how)
        if self.settings.advise:
            advice = of_advice(first, self.game, len(self.settings.cheaper), MOST_TRIES)
            found = replace(found, enough=max(found.enough, advice.enough))
        self.settings.announce(found)
        made, most = self.game.stage.counts.made, self.settings.max_calls
        if not (found.fits or found.sampled or found.alone):
            raise ValueError(
                f"{made} calls were made to record the runs, and the forecast is {found.calls} "
                f"more: max_calls is {most}; raise it to {made + found.calls}, or give fewer "
                "agents, inputs or samples (recorded calls are kept)"
            )
        return found

    def goes_on(self, more: Forecast) -> bool:
        """Ask the caller's `go_on` whether to play more; if so, raise `max_calls` as needed."""
        game, go_on = self.game, self.settings.go_on
        wanted = go_on is None or bool(go_on(more))
        if wanted and go_on and not (more.fits or more.sampled):
            game.stage = game.stage.having(max_calls=game.stage.counts.made + more.calls)
        return wanted

    async def values(self) -> Values | None:
        """Play the coalitions and return the values, or None if too many plays have no score."""
        game, settings, n = self.game, self.settings, len(self.game.agents)
        if n <= settings.exact_up_to:
            await game.ask(range(1 << n))
            return exact_values(game, settings.value) if self.is_enough() else None
        await game.ask([0, *(game.everyone ^ 1 << i for i in range(n))])
        if not self.is_enough():
            return None
        found = await sampled_values(game)
        return found if self.is_enough() else None

    def is_enough(self) -> bool:
        """Return whether values can be computed: v(∅) is known, and few plays have no score."""
        is_nobody_known = all(map(math.isfinite, self.game.worths[0]))
        return self.game.failed_part() <= MOST_FAILED and is_nobody_known

    async def advised(self, credit: AppCredit, first: Forecast) -> AppCredit:
        """Return the result, with advice if the settings and the caller want it."""
        game, settings = self.game, self.settings
        if not settings.advise:
            return credit
        names = [name_of(model) for model in settings.cheaper]
        how = f"advice {settings.may_lose} {names}"
        more = of_advice(first, game, len(names), MOST_TRIES)
        if game.stage.is_answered(game.units, how):
            more = replace(more, calls=0, fits=True)
        why = "" if self.goes_on(more) else "it was not wanted"
        if settings.go_on is None:  # the caller cannot refuse, so play up to the limit
            settings.announce(more)
        counts, notes = game.stage.counts, credit.notes
        left = counts.paid + more.paid
        try:
            found, rows = ([], {}) if why else await advised(game)
        except CallsSpent as spent:
            missing = max(1, more.enough - counts.paid)
            about = f", about {missing} are missing" if more.paid else ""
            why = f"{spent}{about}; {going_on(more.enough)}"
        if why:
            most = f"{more.most()} {more.plays} plays of the app, {more.takes()}"
            return replace(
                credit,
                calls=asdict(counts),
                notes=[*notes, f"no advice: {most}: {why}"],
            )
        try:
            rows |= await one_alone(game)
            game.stage.answered(game.units, how)
        except CallsSpent as spent:
            why = f"no comparison with one agent alone: {spent}; {going_on(left)}"
            notes = [*notes, why]
        if settings.prices.by_model and (lacking := settings.prices.lacking(names)):
            notes = [*notes, f"no price for: {', '.join(lacking)}"]
        return replace(credit, advice=found, rows=rows, calls=asdict(counts), notes=notes)
