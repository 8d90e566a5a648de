"""The assessment of remote agents: they play on this machine, and the caller gets the results.

The request has the form of AgentBeats (https://agentbeats.dev): JSON in a text, with `config` and
`participants` (role → an agent's A2A address). A role is the name of an agent of the game.

>>> told = '{"participants": {"Bob": "http://127.0.0.1:9019"}, "config": {"seeds": "0-2"}}'
>>> Assessment.read(told).config.seeds
[0, 1, 2]
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from statistics import fmean
from typing import Any, Literal
from uuid import uuid4

from pydantic import AnyHttpUrl, BaseModel, ConfigDict, Field, ValidationError, field_validator

from shapley_coop.deals.language.lenient_json import read_json
from shapley_coop.evals.seeds import Seeds
from shapley_coop.evals.verifying import verify_run
from shapley_coop.extensions.a2a.costs import Budget, BudgetSpent, Cost, total, tree_of
from shapley_coop.games import load, names
from shapley_coop.games.opened import opens
from shapley_coop.graphs.catalogue import builder
from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import table_of
from shapley_coop.invalid import first_error
from shapley_coop.seats.records import BESIDE
from shapley_coop.seats.seat import SeatError
from shapley_coop.state.budget import Budget as RunBudget
from shapley_coop.state.outcome import values_of
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.workflow_config import with_params

MOST_SEEDS = 100

Say = Callable[[str], Awaitable[None]]
"""A callback that sends one line of progress to the caller."""

Setting = Literal[
    "rounds", "norm", "enforcement", "deposit", "disagreement", "renegotiate", "outlook", "tries"
]


Workflow = Literal[
    "llm_only",
    "negotiation",
    "negotiation_priced",
    "short_term",
    "shapley_coop",
    "contracts",
    "mediation",
    "delegates",
    "call_market",
    "pairwise_exchange",
]

_SHAPE = 'write JSON: {"participants": {"ROLE": "http://…"}, "config": {"game": …, "workflow": …}}'


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Config(_Part):
    """The settings of an assessment's runs; all have defaults."""

    game: str = Field(default="escape_room", description="A game's name.")
    params: dict[str, Any] = Field(default={}, description="The game's parameters.")
    workflow: Workflow = "shapley_coop"
    settings: dict[Setting, Any] = Field(default={}, description="Further settings of the run.")
    seeds: Seeds = Field(default=[0], max_length=MOST_SEEDS)
    timeout: float = Field(default=120, gt=0, le=3_600, description="Seconds to answer one letter.")

    @field_validator("params")
    @classmethod
    def _no_files(cls, params: dict[str, Any]) -> dict[str, Any]:
        if named := [key for key, value in params.items() if opens(key, value)]:
            raise ValueError(
                f"{named[0]}: the judge opens no files and imports nothing: name a game that "
                "comes with coop"
            )
        return params

    @field_validator("game")
    @classmethod
    def _named(cls, game: str) -> str:
        """Accept only names of known games, because a caller may not open this machine's files."""
        if game not in names():
            raise ValueError(f"{game[:80]!r} is not a game: choose from {', '.join(names())}")
        return game


class Assessment(_Part):
    """A request for an assessment.

    Attributes:
        participants: role in the game → the A2A address of the participant.
        config: the settings. A role without a participant is played by an embedded rational agent.
    """

    participants: dict[str, AnyHttpUrl] = Field(min_length=1)
    config: Config = Config()

    @classmethod
    def read(cls, text: str) -> "Assessment":
        """Read a request from a text; ignore words or a code fence around the JSON.

        Raises:
            ValueError: the text holds no valid request; the error is one line.
        """
        start = text.find("{")
        told = read_json(text, start) if start >= 0 else "it is missing"
        if isinstance(told, str):
            raise ValueError(f"the message has no readable JSON ({told}): {_SHAPE}")
        try:
            found = cls.model_validate_json(text[start : told.end])
        except ValidationError as error:
            raise ValueError(first_error(error, cls)) from None
        config, page = found.config, builder(found.config.workflow)
        game = load(config.game, with_params(found.room(0), page.game, page.params).params)
        page.check_game(game)
        agents = game.agents
        if unknown := sorted(found.participants.keys() - set(agents)):
            raise ValueError(
                f"participants: {unknown[0]!r} is not an agent of the game: give "
                f"{', '.join(agents)}"
            )
        return found

    def room(self, seed: int) -> RunConfig:
        """Return the configuration of the assessment's run with this seed.

        Raises:
            ValueError: a setting is wrong.
        """
        config, patience = self.config, self.config.timeout
        seats: dict[str, Any] = {"*": "embedded:rational"}
        for agent, url in self.participants.items():
            seats[agent] = {"model": f"a2a:{url}", "timeout": patience}
        given = {"game": config.game, "params": config.params, "seed": seed, "seats": seats}
        try:
            return RunConfig.model_validate({**config.settings, **given})
        except ValidationError as error:
            raise ValueError(first_error(error, RunConfig)) from None


class Spending:
    """The budget of a request, and the answers of its runs up to now."""

    def __init__(self, budget: Budget) -> None:
        self._budget, self._started = budget, time.monotonic()
        self._calls = list[tuple[str, Cost]]()

    def left(self) -> RunBudget:
        """Return what a run may still use; raise `BudgetSpent` if a part is used up."""
        cost, seconds = total(cost for _, cost in self._calls), time.monotonic() - self._started
        left = self._budget.left(len(self._calls), cost, seconds)
        return RunBudget.model_validate({part: x for part, x in left.items() if part != "usd"})

    async def count(self, run: str) -> None:
        """Add the answers of a run, which has ended or was stopped."""
        table = await table_of(home().runs.get(run))
        entries = home().journal.entries(table["episode"]) if table else iter(())
        for entry in await asyncio.to_thread(list, entries):
            x = entry.answer
            if entry.act not in BESIDE and x.input_tokens:  # 0 if no letter was sent
                self._calls.append((entry.agent, Cost(x.input_tokens, x.output_tokens, x.usd)))

    def tree(self, asked: Collection[str]) -> dict[str, Any]:
        """Return the tree of the costs; `asked` names the agents that others play."""
        own = total(cost for agent, cost in self._calls if agent not in asked)
        return tree_of(own, {a: total(x for b, x in self._calls if a == b) for a in asked})


async def assess(asked: Assessment, say: Say, spent: Spending) -> dict[str, Any]:
    """Play one run per seed, and verify each run by recomputing its results.

    Args:
        asked: the request.
        say: a function that is called after each run with a line about the progress.
        spent: the costs up to now; no run begins after the budget is used up.

    Returns:
        Plain JSON. `runs` has one object per run. A run is stopped if an agent does not answer.
        `agents`, `welfare`, `agreement` and `verified` sum up the runs that were not stopped.
    """
    config, runs = asked.config, list[dict[str, Any]]()
    agents = load(config.game, config.params).agents
    for number, seed in enumerate(config.seeds, start=1):
        try:
            outcome = await _play(asked, seed, spent)
        except (SeatError, BudgetSpent) as error:
            runs.append({"seed": seed, "status": "stopped", "why": str(error)})
        else:
            sound = all(check.sound for check in await verify_run(outcome["run"]))
            runs.append({"seed": seed, **_told(outcome), "verified": sound})
        told = runs[-1]
        paid = ", ".join(f"{a} {x:g}" for a, x in told.get("payoffs", {}).items())
        ended = f"{told['status'].replace('_', ' ')}. {told.get('why', paid)}"
        await say(f"{number} of {len(config.seeds)}, seed {seed}: {ended}")
    return {
        "game": config.game,
        "workflow": config.workflow,
        "simulated": [agent for agent in agents if agent not in asked.participants],
        **_means([run for run in runs if "payoffs" in run]),
        "runs": runs,
    }


async def _play(asked: Assessment, seed: int, spent: Spending) -> Mapping[str, Any]:
    """Play one run within what is left of the budget, and count its costs."""
    room, run = asked.room(seed).model_copy(update={"budget": spent.left()}), uuid4().hex
    try:
        outcome = await play(asked.config.workflow, room, run)
    except SeatError:
        await spent.count(run)  # its answers before it stopped are paid for
        raise
    await spent.count(run)
    return outcome


def _told(outcome: Mapping[str, Any]) -> dict[str, Any]:
    claims = outcome["credit"]["claims"]
    over = {agent: claim["over_claim"] for agent, claim in claims.items()}
    broken = [breach["agent"] for breach in outcome["breaches"]]
    return {
        "run": outcome["run"],
        "status": outcome["status"],
        "payoffs": outcome["payoffs"],
        "breaches": {agent: broken.count(agent) for agent in outcome["agents"]},
        "over_claim": {a: max(0.0, float(x)) for a, x in over.items() if x is not None},
        "shapley": dict(values_of(outcome["credit"])),
    }


def _means(ended: list[dict[str, Any]]) -> dict[str, Any]:
    if not ended:
        return {"agents": {}, "welfare": None, "agreement": None, "verified": False}
    agents = {
        agent: {
            "payoff": fmean(run["payoffs"][agent] for run in ended),
            "breaches": fmean(run["breaches"][agent] for run in ended),
            "over_claim": _mean([run["over_claim"].get(agent) for run in ended]),
        }
        for agent in ended[0]["payoffs"]
    }
    return {
        "agents": agents,
        "welfare": fmean(sum(run["payoffs"].values()) for run in ended),
        "agreement": fmean(run["status"] == "agreed" for run in ended),
        "verified": all(run["verified"] for run in ended),
    }


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
