"""Seats for benchmarks: a scripted model with a fixed latency, so that only our code is measured.

A round of talk asks one agent to propose and all others to answer. All agents reject until the last
round, accept there, and then act once a turn. So the waves of calls are known beforehand.
"""

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, ClassVar
from unittest.mock import patch

from langchain_core.messages import BaseMessage

from shapley_coop.seats.awaited import AwaitedChatModel
from shapley_coop.seats.letters import facts_in
from shapley_coop.seats.seat import Seat
from shapley_coop.state.run_config import RunConfig

Script = Callable[[str, list[BaseMessage]], str]
"""A function from an agent's name and letter to the agent's message."""


class ScriptedModel(AwaitedChatModel):
    """A chat model that answers from a script after `latency` seconds, with almost no CPU time."""

    reads_facts: ClassVar[bool] = True

    agent: str = ""
    script: Script
    latency: float = 0.0

    @property
    def _llm_type(self) -> str:
        return "script"

    async def answered(self, messages: list[BaseMessage]) -> str:
        """Return the script's answer after the latency."""
        # Even a sleep of 0 yields to the event loop, as every real call does.
        await asyncio.sleep(self.latency)
        return self.script(self.agent, messages)


@contextmanager
def scripted_reply(script: Script, latency: float = 0.0) -> Iterator[None]:
    """Use scripted models at all seats within the `with` block, built once per agent."""

    @cache
    def scripted(agent: str) -> ScriptedModel:
        return ScriptedModel(agent=agent, script=script, latency=latency)

    def seated(seat: Seat, *, agent: str, seed: int) -> ScriptedModel:
        return scripted(agent)

    with patch("shapley_coop.seats.asking.chat_model", seated):
        yield


def haggler(
    clauses: list[dict[str, Any]], action: str, speech: int = 40, agreeing: bool = True
) -> Script:
    """Return a script that proposes one deal, accepts it in the last round only, and then acts.

    Args:
        clauses: the clauses of the deal.
        action: the action of every agent.
        speech: the characters of each public message.
        agreeing: whether the script accepts the deal in the last round.
    """
    offer = f"<PROPOSAL>{json.dumps({'clauses': clauses})}</PROPOSAL>"

    def answer(agent: str, messages: list[BaseMessage]) -> str:
        told = facts_in(messages)
        if told["ask"] == "act":
            return f"<ACTION>{action}</ACTION>"
        said = f"<s>{chatter(speech, f'{agent} {len(messages[-1].content)}')}</s>"
        if told["ask"] == "propose":
            return said + offer
        last = told["round"] == told["rounds"]
        return f"{said}<ACCEPT>" if agreeing and last else f"{said}<REJECT>"

    return answer


def chatter(length: int, about: str) -> str:
    """Return `length` random characters, since repeated words would compress too well."""
    return "".join(Random(about).choices("etaoin shrdlu", k=length))


def waves(agents: int, rounds: int, turns: int = 1) -> list[int]:
    """Return the number of parallel calls in each wave, if hagglers bargain and then act."""
    return [1, agents - 1] * rounds + [agents] * turns


@dataclass(frozen=True)
class Play:
    """A run that the contenders play.

    Attributes:
        graph: the workflow.
        room: the run's configuration.
        script: the answers of all agents.
        waves: the number of parallel calls in each wave.
        latency: the model's latency in seconds.
        until: the node whose last update stops the clock; empty for the end of the run.
    """

    graph: str
    room: RunConfig
    script: Script
    waves: list[int]
    latency: float
    until: str = ""


def table_of_four(latency: float, rounds: int = 3) -> Play:
    """Return a play in which four agents bargain for some rounds, agree, and act once."""
    room = RunConfig(game="public_goods", params={"rounds": 1}, rounds=rounds)
    script = haggler([{"kind": "do", "agent": "Alice", "action": "give"}], "give")
    return Play("negotiation", room, script, waves(4, rounds), latency)


@contextmanager
def scratch(database: str = "") -> Iterator[Path]:
    """Use a temporary home within the `with` block, without tracing and real keys; yield its path.

    Args:
        database: a Postgres URL for all data; empty for SQLite.
    """
    own = {
        "COOP_DATABASE_URL": database,
        "LANGSMITH_TRACING": "false",
        "LANGGRAPH_STRICT_MSGPACK": "true",
        "OPENAI_API_KEY": "none",  # only endpoints on this machine are called
    }
    with (
        TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        patch.dict(os.environ, {**own, "COOP_HOME": folder}),
    ):
        yield Path(folder)
