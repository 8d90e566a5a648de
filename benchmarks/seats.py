"""Seats for benchmarks: a scripted model with a set latency, so that only our code is measured.

A round of talk asks one agent to propose and all others to answer; everybody rejects until the
last round, accepts there, and then acts once a turn. What is asked is therefore known beforehand.
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
"""From an agent's name and its letter to its message."""

Heard = Callable[[list[BaseMessage]], None]
"""Called with every letter as it arrives."""

_LETTERS = Random(0)
_WORDS = ["".join(_LETTERS.choices("etaoinshrdlu", k=_LETTERS.randint(2, 9))) for _ in range(2000)]

_READ = ("ask", "round", "rounds")
"""The facts of a letter that a script goes by."""

_ASKED = re.compile(r'"ask": "(\w+)"')
_ROUND = re.compile(r'"round": (\d+), "rounds": (\d+)')


class ScriptedModel(AwaitedChatModel):
    """Answers after `latency` seconds, with a few microseconds of work."""

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
        """What the script says, once the time is over."""
        if self.heard is not None:
            self.heard(messages)
        # A sleep of 0 still gives way to others, as every real call does.
        await asyncio.sleep(self.latency)
        known = {key: x for key, x in facts_in(messages).items() if key in _READ}
        return self.script(self.agent, with_facts(str(messages[-1].content), known))


@contextmanager
def scripted_reply(
    script: Script, latency: float = 0.0, heard: Heard | None = None
) -> Iterator[None]:
    """Seat scripted models everywhere: built once per agent, as models behind a network are.

    Args:
        script: what they answer.
        latency: seconds that each answer takes.
        heard: is told every letter.
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
    """Proposes the same deal until the last round, in which it is accepted; then acts.

    Args:
        clauses: of the deal.
        action: what everybody does.
        speech: characters of each public message.
        agreeing: whether it is accepted in the end.
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
    """So many characters of varying words: repeated ones would compress too well."""
    chosen = Random(about).choices(_WORDS, k=length // 2)
    return " ".join(chosen)[:length]


def asked(letter: str) -> str:
    """What a letter asks for, from its facts, which come last."""
    act: str = _ASKED.findall(letter, letter.rindex("```json"))[-1]
    return act


def round_of(letter: str) -> tuple[int, int]:
    """The round of talk, and the last one."""
    now, last = _ROUND.findall(letter, letter.rindex("```json"))[-1]
    return int(now), int(last)


def waves(agents: int, rounds: int, turns: int = 1) -> list[int]:
    """How many are asked at once, wave by wave, when hagglers bargain and then act."""
    return [1, agents - 1] * rounds + [agents] * turns


@contextmanager
def scratch(database: str = "") -> Iterator[Path]:
    """A home of its own for runs, nothing traced, and no key.

    Args:
        database: a Postgres URL for everything; empty keeps it in SQLite.
    """
    own = {
        "COOP_DATABASE_URL": database,
        "LANGSMITH_TRACING": "false",
        "LANGGRAPH_STRICT_MSGPACK": "true",
        "OPENAI_API_KEY": "none",  # whatever is called is on this machine
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
