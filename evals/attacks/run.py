"""Plays one trial of an attack as a real run, and reads its result from record and ledger.

A trial is a run of an ordinary workflow in the register: `coop show RUN`, `coop letters RUN` and
`coop verify RUN` work on it.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, cast

import yaml
from langchain_core.runnables import RunnableConfig

from shapley_coop.amounts import MICRO
from shapley_coop.evals.attacks.seat import Pace, Script, ScriptedChatModel, at_once, seated
from shapley_coop.games import load
from shapley_coop.graphs.running import App, configured, follow, opened, table_of
from shapley_coop.seats import Seat
from shapley_coop.seats.records import Entry
from shapley_coop.state import Run, RunConfig, Table, home

Meddling = Callable[[App, RunnableConfig], Awaitable[Any]]
"""Changes a stopped run's checkpointed state, as an attacker with access to it could."""


class NotReachedError(Exception):
    """The attack, or its twin, had no occasion, for instance because the target signed nothing."""


@dataclass(frozen=True)
class Played:
    """A run of a trial as it was found afterwards.

    Attributes:
        run: in the register.
        table: its last state.
        entries: the operator's journal.
        me: the scripted agent.
    """

    run: Run
    table: Table
    entries: list[Entry]
    me: str

    @property
    def others(self) -> list[str]:
        """The agents that are attacked."""
        return [agent for agent in self.table["agents"] if agent != self.me]

    @property
    def settled(self) -> dict[str, Any]:
        """The settlement."""
        return self.table["settlement"] or {}

    @property
    def refused(self) -> int:
        """How many of the scripted agent's messages were sent back."""
        phases = self.table["spent"].values()
        return sum(p["agents"][self.me]["refused"] for p in phases if self.me in p["agents"])

    def calls(self, agent: str) -> int:
        """How often an agent was asked."""
        return sum(entry.agent == agent for entry in self.entries)

    def said(self, by: str = "", act: str = "") -> list[Mapping[str, Any]]:
        """Public messages, by whom and of what kind."""
        return [
            said
            for said in self.table.get("talk", [])
            if by in ("", said["by"]) and act in ("", said["act"])
        ]

    def letters(self) -> list[Entry]:
        """What the others were shown."""
        return [entry for entry in self.entries if entry.agent != self.me]

    def beyond(self, word: str) -> str:
        """Where others can read a word of the scripted agent's; empty if nowhere."""
        shown = [
            f"a letter to {e.agent} ({e.act})" for e in self.letters() if word in e.letter_text
        ]
        public = ["the shared state"] if word in json.dumps(self.table, ensure_ascii=False) else []
        return ", ".join([*public, *shown][:3])

    def books(self) -> tuple[bool, str]:
        """Whether the ledger sums to zero and pays what the settlement says."""
        balances = home().ledger.balances(self.table["episode"])
        held = {agent: balances.get(agent, 0) for agent in self.table["agents"]}
        paid = {agent: self.settled["payoffs"][agent] for agent in held}
        told = ", ".join(f"{agent} {amount / MICRO:g}" for agent, amount in held.items())
        return sum(balances.values()) == 0 and held == paid, f"ledger: {told}; all sum to zero"


@dataclass
class Arena:
    """One trial: its target, game and seed.

    Attributes:
        target: the seat that is attacked; every agent but the scripted one sits there.
        game: what is played; empty for each case's own.
        seed: of embedded agents and of the game.
        name: of the trial, from which its runs and words are named.
        runs: the runs it has played so far, by name.
    """

    target: Seat
    game: str
    seed: int
    name: str
    runs: list[str] = field(default_factory=list)

    def word(self, place: str) -> str:
        """A unique word, to be searched for afterwards."""
        return f"{place}{sha256(f'{self.name}/{place}'.encode()).hexdigest()[:10]}"

    async def play(
        self,
        graph: str,
        script: Script,
        game: str = "escape_room",
        turns: int = 1,
        first: bool = True,
        pace: Pace = at_once,
        patience: float = 60,
        meddle: tuple[str, Meddling] | None = None,
        tell: str = "",
        **config: Any,
    ) -> Played:
        """Play a run to its end.

        Args:
            graph: the workflow.
            script: what the scripted agent says; it speaks `first`, or last.
            game: what is played for so many `turns`, unless the arena names a game.
            pace: what it waits for before an answer; `patience` is its seat's timeout in seconds.
            meddle: a node after which the run is stopped, and what is done to it then.
            tell: the others' secret.
            **config: further settings.

        Raises:
            SeatError: a seat did not answer.
        """
        table, params = self.game or game, {"rounds": turns}
        agents = load(table, params, self.seed).agents
        me, name = agents[0 if first else -1], f"{self.name}-{len(self.runs) + 1}"
        model = ScriptedChatModel(script=script, pace=pace, agent=me, seed=self.seed)
        seats = {"*": self.target, me: seated(model, name, patience)}
        with _told(name, [agent for agent in agents if agent != me], tell) as secrets:
            played = {"game": table, "params": params, "seed": self.seed, "seats": seats}
            given = RunConfig.model_validate(played | {"secrets": secrets, **config})
            run = await asyncio.to_thread(_begin, graph, given, name)
            self.runs.append(name)
            if meddle:
                await _stopped(run, *meddle)
            await follow(run)
        return await self.found(name, me)

    async def found(self, name: str, me: str) -> Played:
        """A run of this arena as it stands."""
        run = await asyncio.to_thread(home().runs.get, name)
        table = await table_of(run)
        entries = await asyncio.to_thread(lambda: list(home().journal.entries(table["episode"])))
        return Played(run, table, entries, me)


@contextmanager
def _told(name: str, agents: list[str], text: str) -> Iterator[str]:
    """Give agents a secret for the length of the run; yields the secrets' name."""
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


def _begin(graph: str, room: RunConfig, name: str) -> Run:
    """Enter a run in the register."""
    home().runs.begin(name, graph, room.resolve().model_dump(mode="json"))
    return home().runs.get(name)


async def _stopped(run: Run, node: str, meddling: Meddling) -> None:
    """Play up to a node, and change the state there if the run came that far."""
    config = configured(run)
    async with opened(run.graph) as app:
        start = {"room": run.room}
        await app.ainvoke(
            cast(Any, start), config, context=RunConfig(), durability="sync", interrupt_after=[node]
        )
        if (await app.aget_state(config)).next:
            await meddling(app, config)
