"""Seats for benchmarks: a scripted model with a fixed latency, so that only our code is measured.

A round of talk asks one agent to propose and all others to answer. All agents reject until the last
round, accept there, and then act once a turn. So the waves of calls are known beforehand.
"""

import asyncio
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, ClassVar
from unittest.mock import patch

from langchain_core.messages import BaseMessage
from pydantic import ConfigDict

from shapley_coop.seats.awaited import AwaitedChatModel
from shapley_coop.seats.letters import facts_in, with_facts
from shapley_coop.seats.seat import Seat

Script = Callable[[str, str], str]
"""A function from an agent's name and letter to the agent's message."""

Heard = Callable[[list[BaseMessage]], None]
"""A function that is called with every letter when it arrives."""

_LETTERS = Random(0)
_WORDS = ["".join(_LETTERS.choices("etaoinshrdlu", k=_LETTERS.randint(2, 9))) for _ in range(2000)]

_READ = ("ask", "round", "rounds")
"""The facts of a letter that a script uses."""

_ASKED = re.compile(r'"ask": "(\w+)"')
_ROUND = re.compile(r'"round": (\d+), "rounds": (\d+)')


class ScriptedModel(AwaitedChatModel):
    """A chat model that answers from a script after `latency` seconds, with almost no CPU time."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    reads_facts: ClassVar[bool] = True

    agent: str
    script: Script
    latency: float = 0.0
    heard: Heard | None = None

    @property
    def _llm_type(self) -> str:
        return "script"

    async def answered(self, messages: list[BaseMessage]) -> str:
        """Return the script's answer after the latency."""
        if self.heard is not None:
            self.heard(messages)
        # Even a sleep of 0 yields to the event loop, as every real call does.
        await asyncio.sleep(self.latency)
        known = {key: x for key, x in facts_in(messages).items() if key in _READ}
        return self.script(self.agent, with_facts(str(messages[-1].content), known))


@contextmanager
def scripted_reply(
    script: Script, latency: float = 0.0, heard: Heard | None = None
) -> Iterator[None]:
    """Use scripted models at all seats within the `with` block, built once per agent.

    Args:
        script: the models' answers.
        latency: the seconds that each answer takes.
        heard: called with every letter.
    """
    own = {"script": script, "latency": latency, "heard": heard}
    models: dict[str, ScriptedModel] = {}

    def rote_model(seat: Seat, *, agent: str, seed: int) -> ScriptedModel:
        if agent not in models:
            models[agent] = ScriptedModel(agent=agent, **own)
        return models[agent]

    with patch("shapley_coop.seats.asking.chat_model", rote_model):
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

    def answer(agent: str, letter: str) -> str:
        said = f"<s>{chatter(speech, f'{agent} {len(letter)}')}</s>"
        match asked(letter):
            case "propose":
                return said + offer
            case "act":
                return f"<ACTION>{action}</ACTION>"
        now, last = round_of(letter)
        return f"{said}<ACCEPT>" if agreeing and now == last else f"{said}<REJECT>"

    return answer


def chatter(length: int, about: str) -> str:
    """Return `length` characters of varying words, since repeated words would compress too well."""
    chosen = Random(about).choices(_WORDS, k=length // 2)
    return " ".join(chosen)[:length]


def asked(letter: str) -> str:
    """Return the act that a letter asks for, from the facts at its end."""
    act: str = _ASKED.findall(letter, letter.rindex("```json"))[-1]
    return act


def round_of(letter: str) -> tuple[int, int]:
    """Return the number of the current round of talk and of the last one."""
    now, last = _ROUND.findall(letter, letter.rindex("```json"))[-1]
    return int(now), int(last)


def waves(agents: int, rounds: int, turns: int = 1) -> list[int]:
    """Return the number of parallel calls in each wave, if hagglers bargain and then act."""
    return [1, agents - 1] * rounds + [agents] * turns


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
    before = {name: os.environ.get(name) for name in ("COOP_HOME", *own)}
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ.update(own, COOP_HOME=folder)
        try:
            yield Path(folder)
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
