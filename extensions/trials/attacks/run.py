"""The arena of a trial: it plays an attack as a real run, and reads the result from the records.

The run is in the register of runs like any other, so that `coop show RUN`, `coop letters RUN` and
`coop verify RUN` work on it.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal, cast

import yaml
from langchain_core.runnables import RunnableConfig

from shapley_coop.amounts import MICRO
from shapley_coop.extensions.trials.attacks.seat import (
    Pace,
    Script,
    ScriptedChatModel,
    at_once,
    seated,
)
from shapley_coop.games import load
from shapley_coop.graphs.app import App
from shapley_coop.graphs.catalogue import version
from shapley_coop.graphs.running import follow
from shapley_coop.graphs.threads import configure, open_workflow, table_of
from shapley_coop.seats.records import Entry
from shapley_coop.seats.seat import Seat
from shapley_coop.state.run_config import JUDGE, RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.register import Run
from shapley_coop.state.table import Table

Tamper = Callable[[App, RunnableConfig], Awaitable[Any]]
"""A function that changes a stopped run's stored thread, as an intruder in the store could."""


About = Literal["platform", "seat"]
"""The subject of a check: a guarantee of the platform's code, or a choice of the target seat."""


@dataclass(frozen=True)
class Check:
    """The result of checking a guarantee (`what`): whether it held, and what was seen in the run.

    `about` is the side whose behaviour was checked.
    """

    what: str
    held: bool
    seen: str
    about: About = "platform"


class NotReachedError(Exception):
    """The error if an attack or twin could not begin, as when the target signed nothing."""


@dataclass(frozen=True)
class Played:
    """A run of a trial with its last state and its journal; `me` is the scripted agent."""

    run: Run
    table: Table
    entries: list[Entry]
    me: str

    @property
    def others(self) -> list[str]:
        """All agents but the scripted one, `me`."""
        return [agent for agent in self.table["agents"] if agent != self.me]

    @property
    def settled(self) -> dict[str, Any]:
        """The settlement of the run."""
        return self.table["settlement"] or {}

    @property
    def contract(self) -> dict[str, Any] | None:
        """The contract in force, if any."""
        return cast("dict[str, Any] | None", self.table.get("contract"))

    @property
    def clauses(self) -> list[dict[str, Any]]:
        """The clauses of the contract in force; empty without a contract."""
        return [term["clause"] for term in self.contract["terms"]] if self.contract else []

    @property
    def breaches(self) -> list[dict[str, Any]]:
        """The scripted agent's own breaches of the contract."""
        return [b for b in self.settled["breaches"] if b["agent"] == self.me]

    @property
    def refused(self) -> int:
        """The number of the scripted agent's refused messages."""
        phases = self.table["spent"].values()
        return sum(p["agents"][self.me].get("refused", 0) for p in phases if self.me in p["agents"])

    def calls(self, agent: str) -> int:
        """Return the number of calls that an agent's seat answered."""
        return sum(entry.agent == agent for entry in self.entries)

    def said(self, by: str = "", act: str = "") -> list[Mapping[str, Any]]:
        """Return the public messages, filtered by speaker and by act if these are given."""
        return [
            said
            for said in self.table.get("talk", [])
            if by in ("", said["by"]) and act in ("", said["act"])
        ]

    def letters(self) -> list[Entry]:
        """Return the letters that were shown to the other agents."""
        return [entry for entry in self.entries if entry.agent != self.me]

    def leaked(self, word: str) -> str:
        """Return up to three places where other agents could see a word; [] if there is none."""
        shown = [
            f"a letter to {e.agent} ({e.act})" for e in self.letters() if word in e.letter_text
        ]
        public = ["the shared state"] if word in json.dumps(self.table, ensure_ascii=False) else []
        return ", ".join([*public, *shown][:3])

    def books(self) -> tuple[bool, str]:
        """Return whether the ledger's balances sum to 0 and equal the payoffs; and the balances."""
        balances = home().ledger.balances(self.table["episode"])
        held = {agent: balances.get(agent, 0) for agent in self.table["agents"]}
        paid = {agent: self.settled["payoffs"][agent] for agent in held}
        told = ", ".join(f"{agent} {amount / MICRO:g}" for agent, amount in held.items())
        return sum(balances.values()) == 0 and held == paid, f"ledger: {told}; all sum to zero"


@dataclass(frozen=True)
class Setup:
    """The setup of a run, besides its workflow, the script, and the run's configuration.

    Attributes:
        game: the game to play if the arena names no game.
        turns: the number of turns of the game.
        first: whether the scripted agent speaks first; otherwise it speaks last.
        pace: an async function, awaited before each of the scripted agent's answers.
        patience: how many seconds one request to the scripted seat may take.
        tamper: a node after which the run stops, and the function that changes the thread.
        tell: a secret given to every agent except the scripted one.
        gang: the number of agents, from the first, that follow the script.
        judge: the judge's script; None for no judge.
    """

    game: str = "escape_room"
    turns: int = 1
    first: bool = True
    pace: Pace = at_once
    patience: float = 60
    tamper: tuple[str, Tamper] | None = None
    tell: str = ""
    gang: int = 1
    judge: Script | None = None

    def scripts(self, agents: Sequence[str], me: str, script: Script) -> dict[str, Script]:
        """Return the script of the agent `me`, of each member of its gang, and of the judge."""
        found = dict.fromkeys(agents[: self.gang] if self.gang > 1 else [me], script)
        return found | ({JUDGE: self.judge} if self.judge else {})


AS_USUAL = Setup()


@dataclass
class Arena:
    """One trial: its target, its game and its seed; then its runs and the results of its checks.

    Attributes:
        target: the seat under attack; it plays every agent but the scripted one.
        game: the game of every case; if empty, each case names its game.
        seed: the seed of the game and of embedded agents.
        name: the trial's name, from which the names of its runs and the words of `word` are made.
        played: run name → the run as it was when it first ended, before any fork.
    """

    target: Seat
    game: str
    seed: int
    name: str
    runs: list[str] = field(default_factory=list)
    played: dict[str, Played] = field(default_factory=dict)
    checks: list[Check] = field(default_factory=list)

    def check(self, what: str, held: bool, seen: str, about: About = "platform") -> None:
        """Note the result of a check: whether a guarantee held, and what was seen."""
        self.checks.append(Check(what, held, seen, about))

    def word(self, place: str) -> str:
        """Return a unique word that checks can search for after the run."""
        return f"{place}{sha256(f'{self.name}/{place}'.encode()).hexdigest()[:10]}"

    async def play(
        self,
        graph: str,
        script: Script,
        setup: Setup = AS_USUAL,
        **settings: Any,
    ) -> Played:
        """Play a run to its end.

        Args:
            graph: the workflow's name.
            script: the answers of the scripted agent.
            setup: the game, the agents that follow scripts, and how the run is disturbed.
            **settings: further fields of the run configuration.

        Raises:
            SeatError: a seat did not answer.
            NotReachedError: the gang plays all agents of the game.
        """
        table, params = self.game or setup.game, {"rounds": setup.turns}
        agents = load(table, params, self.seed).agents
        me, name = agents[0 if setup.first else -1], f"{self.name}-{len(self.runs) + 1}"
        scripts = setup.scripts(agents, me, script)
        if setup.gang == len(agents):
            others = f"the {setup.gang} agents of one owner"
            raise NotReachedError(f"{table} has no agent other than {others}")
        settings |= {"seats": self._seats(scripts, me, name, setup)}
        with _secrets(name, [agent for agent in agents if agent != me], setup.tell) as secrets:
            settings |= {"game": table, "params": params, "seed": self.seed, "secrets": secrets}
            await self._follow(name, graph, settings, setup.tamper)
        return await self.read(name, me)

    def _seats(
        self, scripts: Mapping[str, Script], me: str, name: str, setup: Setup
    ) -> dict[str, Seat]:
        """Return the scripted agents' seats, with the target seat for all other agents."""
        seats = {"*": self.target}
        for who, says in scripts.items():
            model = ScriptedChatModel(script=says, pace=setup.pace, agent=who, seed=self.seed)
            seats[who] = seated(model, name if who == me else f"{name}-{who}", setup.patience)
        return seats

    async def _follow(
        self,
        name: str,
        graph: str,
        settings: Mapping[str, Any],
        tamper: tuple[str, Tamper] | None,
    ) -> None:
        """Enter a run in the register of runs, and play it; `scorecard` checked the seats."""
        config = RunConfig.model_validate(settings).resolve()
        await asyncio.to_thread(
            home().runs.begin, name, graph, config.model_dump(mode="json"), version(graph)
        )
        self.runs.append(name)
        run = await asyncio.to_thread(home().runs.get, name)
        if tamper:
            await _tampered(run, *tamper)
        await follow(run)

    async def read(self, name: str, me: str) -> Played:
        """Return the latest state of a run of this arena."""
        run = await asyncio.to_thread(home().runs.get, name)
        table = await table_of(run)
        entries = await asyncio.to_thread(lambda: list(home().journal.entries(table["episode"])))
        found = Played(run, table, entries, me)
        self.played.setdefault(name, found)
        return found


@contextmanager
def _secrets(name: str, agents: list[str], text: str) -> Iterator[str]:
    """Write a secrets file that exists within the `with` block; yield its name ("" if no file)."""
    if not text:
        yield ""
        return
    path = home().secrets / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(dict.fromkeys(agents, text)), encoding="utf-8")
    try:
        yield name
    finally:
        path.unlink()


async def _tampered(run: Run, node: str, tamper: Tamper) -> None:
    """Play a run until a node has ended, then change the thread unless the run has ended."""
    config, start = configure(run), cast(Any, {"room": run.room})
    how: Any = {"context": RunConfig(), "durability": "sync", "interrupt_after": [node]}
    async with open_workflow(run.graph) as app:
        await app.ainvoke(start, config, **how)
        if (await app.aget_state(config)).next:
            await tamper(app, config)
