"""Endpoints that answer as small models do: what is refused, and what is signed.

An embedded agent behind an endpoint on this machine answers soundly; `tests.seats.manners` then
spoils the form of its answers in thirty ways.
"""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any
from unittest.mock import patch

from benchmarks.seats import scratch
from benchmarks.tables import Cell, Found, Goal
from shapley_coop.graphs.catalogue import names
from shapley_coop.graphs.running import play
from shapley_coop.seats.clients import clients
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.settings import game_of
from tests import embedded_reply
from tests.seats.manners import MANNERS, RATE, Manner, Sloppy
from tests.stub_openai import StubOpenAI

SEEDS = 20
WAYS = ("text", "schema", "tools")
GAMES = {
    "contracts": "prisoners_dilemma",
    "settlement": "delivered",
    "consent": "delivered",
    "call_market": "trade",
    **dict.fromkeys([name for name in names() if "exchange" in name], "task_exchange"),
}
"""The workflows that do not play the escape room, and what they play."""

MOST_REFUSED = 0.05
"""Goal: the part of all answers in text that is refused; some kinds need a guess to be read."""


@dataclass
class Played:
    """What came of the runs of one workflow.

    Attributes:
        answers: calls of a model.
        refused: answers that were sent back.
        spoilt: answers that were not sound when they arrived.
        deals: runs in which a deal was signed.
        runs: how many there were.
        failed: runs that ended as an error.
    """

    answers: int = 0
    refused: int = 0
    spoilt: int = 0
    deals: int = 0
    runs: int = 0
    failed: int = 0

    def __add__(self, other: "Played") -> "Played":
        """Add the runs of another workflow."""
        mine, theirs = asdict(self), asdict(other)
        return Played(**{count: mine[count] + theirs[count] for count in mine})


def sloppy(seeds: int = SEEDS, workflows: Sequence[str] = (), ways: Sequence[str] = WAYS) -> Found:
    """Count refusals, deals and calls with sloppy endpoints.

    Args:
        seeds: runs of each workflow and way.
        workflows: which; empty is all.
        ways: in which the seats answer.
    """
    found = {way: Played() for way in ways}
    for graph in workflows or names():
        for way in ways:
            found[way] += asyncio.run(played(graph, way, seeds))
    goals = [
        Goal(f"refused per answer, by {way}", MOST_REFUSED, one.refused / one.answers)
        for way, one in found.items()
    ]
    return Found(
        f"Endpoints that spoil the form of sound answers in {len(MANNERS)} ways, each at a rate of "
        f"{RATE:.0%} of the answers to which it can happen; {seeds} seeds of each workflow.",
        ("answered by", "refused per answer", "spoilt", "deals", "calls per run", "failed runs"),
        [_row(way, one) for way, one in found.items()],
        goals,
        [
            "Embedded agents: no evidence about models.",
            "Two of the kinds cannot be read without a guess: yes in words alone, two actions.",
        ],
    )


def _row(way: str, one: Played) -> list[Cell]:
    spoilt = f"{one.spoilt / one.answers:.0%}"
    deals = f"{one.deals} of {one.runs}"
    return [way, one.refused / one.answers, spoilt, deals, one.answers / one.runs, one.failed]


async def played(
    graph: str,
    way: str = "",
    seeds: int = SEEDS,
    manners: Sequence[Manner] = MANNERS,
    rate: float = RATE,
) -> Played:
    """Play one workflow with sloppy seats.

    Args:
        graph: the workflow.
        way: in which the seats answer; empty where a seat has no such setting.
        seeds: from 0; each is a run.
        manners: the kinds that happen, each at this rate.
        rate: 0 plays soundly.
    """
    found = Played()
    in_form = getattr(embedded_reply, "in_form", lambda text, _: text)
    with scratch() as folder, patch("shapley_coop.seats.embedded.chat._spoil", _sound):
        os.environ["COOP_SEND_FACTS"] = "1"
        for seed in range(seeds):
            os.environ["COOP_HOME"] = str(folder / str(seed))
            manner = Sloppy(embedded_reply.reply, in_form, manners, rate)
            with StubOpenAI(manner.say, manner=manner.spoil) as stub:
                async with clients():
                    outcome = await play(graph, _config(graph, way, seed, stub.base_url))
            found.runs += 1
            found.answers += manner.answers
            found.spoilt += manner.spoilt
            found.refused += _refused(outcome)
            found.deals += outcome["contract"] is not None
            found.failed += outcome["status"] == "error"
    return found


def _sound(text: str, rng: Any) -> str:
    """In place of the embedded agents' own carelessness: all of it is to be the endpoint's."""
    return text


def _config(graph: str, way: str, seed: int, base_url: str) -> RunConfig:
    """The room, with a model of its own for each agent: its name seeds what happens to it."""
    given = {"game": GAMES.get(graph, "escape_room"), "seed": seed}
    agents = game_of(RunConfig(**given).resolve().model_dump(mode="json")).agents
    how = {"answers": way} if way else {}
    seats: Any = {
        agent: {"model": f"openai:{agent}-{seed}", "base_url": base_url, **how} for agent in agents
    }
    return RunConfig(**given, seats=seats)


def _refused(outcome: dict[str, Any]) -> int:
    phases = outcome["spending"].values()
    return sum(count["refused"] for phase in phases for count in phase.values())
