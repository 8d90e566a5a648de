"""No secret leaks: canaries in all that is private are found in nothing that others see."""

import asyncio
import json
import logging
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

from shapley_coop.games import load
from shapley_coop.graphs import names
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow
from shapley_coop.graphs.threads import configure, open_workflow
from shapley_coop.seats.seat import SeatError
from shapley_coop.seats.tracing import HIDE
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.register import Run
from tests.background import in_background
from tests.embedded_reply import reply
from tests.graphs.test_privacy import MODES, every_word, found_in
from tests.proofs.canaries import Planter, in_files, shown_to_others
from tests.proofs.hostile import Asked, at_home
from tests.proofs.proof import Finding, Proof
from tests.root import ROOT
from tests.scripted import facts
from tests.seats.test_tracing import Capture
from tests.stub_openai import Reply, StubOpenAI

PLAYED = {
    "shapley_coop": "escape_room",
    "contracts": "prisoners_dilemma",
    "task_exchange": "task_exchange",
    "short_term": "escape_room",
    "negotiation": "escape_room",
    "settlement": "delivered",
    "consent": "delivered",
    "llm_only": "escape_room",
    **({"pairwise_exchange": "task_exchange"} if "pairwise_exchange" in names() else {}),
}
"""The workflows, and what is played in each."""

PARAMS: dict[str, dict[str, Any]] = {
    "pairwise_exchange": {
        "scenario": "generated",
        "additive": True,
        "agents": 4,
        "atoms": 8,
        "meetings": 2,
        "talk": 4,
    }
}
"""Workflow → the game's parameters, where its own would show less: who meets others has more to
keep from them."""

TRACED_EVERY = 7
"""One run in so many is played by the command line, over HTTP, and traced with `hide` on."""


@dataclass
class Tally:
    """What was planted, and what was found where it should not be.

    Attributes:
        planted: canaries, by what they stand for.
        places: what was searched, and how many characters of it.
        leaks: canary and place.
        missing: canaries that are not even where they belong, so that they prove nothing.
        runs: how many were played.
    """

    planted: Counter[str] = field(default_factory=Counter)
    places: Counter[str] = field(default_factory=Counter)
    leaks: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    runs: int = 0

    def search(self, place: str, text: str, planter: Planter) -> None:
        """Look for every canary in what others see."""
        self.places[place] += len(text)
        self.leaks += [f"{word} in {place}" for word in found_in(text, whose=planter.planted)]

    def close(self, planter: Planter, episode: str, homeful: Path) -> None:
        """Look where every run leaves something; and that the canaries were there at all."""
        self.runs += 1
        self.planted.update(canary.place.partition("-")[0] for canary in planter.planted)
        self.places["letters"] += sum(len(letter) for _, letter in planter.letters)
        self.leaks += shown_to_others(planter) + in_files(homeful, planter)
        kept = every_word(list(home().journal.entries(episode)))
        own = [canary for canary in planter.planted if canary.owner != "nobody"]
        self.missing += {canary.word for canary in own} - found_in(kept, whose=own)


def attempt(folder: Path, times: int) -> Finding:
    """Play run after run, until so many canaries were planted."""
    tally = Tally()
    for number, workflow in enumerate(cycle(PLAYED)):
        place = folder / str(number)
        asyncio.run(played(place, workflow, number, tally))
        if number % TRACED_EVERY == 0:
            _traced(place / "traced", workflow, number, tally)
        if tally.planted.total() >= times:
            break
    kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(tally.planted.items()))
    return Finding(
        tried=f"{tally.planted.total():,} canaries "
        f"({kinds}) in {tally.runs} runs; searched "
        + ", ".join(f"{n / 1e3:,.0f} kB of {place}" for place, n in tally.places.items())
        + ", and all files",
        figure=f"{len(tally.leaks)} found verbatim, {len(tally.missing)} not planted"
        f"{'; '.join(['', *sorted(tally.leaks)[:3], *tally.missing[:3]])}",
        held=not tally.leaks and not tally.missing and all(tally.places.values()),
    )


async def played(place: Path, workflow: str, number: int, tally: Tally) -> None:
    """A run in this process: its streams, state, register, ledger, logs and error."""
    game, params = PLAYED[workflow], PARAMS.get(workflow, {})
    planter = Planter(load(game, params).agents, breaks=4)
    with at_home(place, planter.answer, **planter.keys()) as homeful, _heard() as log:
        planter.secrets(homeful / "secrets" / "nest.yaml")
        run = prepare(workflow, RunConfig(game=game, params=params, seed=number, secrets="nest"))
        try:
            await _streamed(run, {"room": run.room}, planter, tally)
        except SeatError as failure:
            tally.search("errors", every_word(failure), planter)
            await _streamed(run, None, planter, tally)
        outcome = await follow(run)
        episode = outcome["episode"]
        told = every_word([outcome, home().runs.list(), home().ledger.lines(episode)])
        tally.search("results", told, planter)
        tally.search("logs", every_word([vars(record) for record in log]), planter)
        tally.close(planter, episode, homeful)


async def _streamed(run: Run, given: Any, planter: Planter, tally: Tally) -> None:
    """Follow a run by all that it streams to whoever is no operator, then read its history."""
    came: list[Any] = []
    async with open_workflow(run.graph) as app:
        config = configure(run)
        try:
            async for part in app.astream(
                given, config, context=RunConfig(), stream_mode=list(MODES), durability="sync"
            ):
                came.append(part)
        finally:
            tally.search("streams", every_word(came), planter)
            history = [list(snapshot) async for snapshot in app.aget_state_history(config)]
            tally.search("states", every_word(history), planter)


def _traced(place: Path, workflow: str, number: int, tally: Tally) -> None:
    """A run of the command line, its models behind HTTP, all of it traced and hidden."""
    params = PARAMS.get(workflow, {})
    planter, langsmith = Planter(load(PLAYED[workflow], params).agents), Capture()
    keys = planter.keys()
    with (
        at_home(place, **keys) as homeful,
        StubOpenAI(_over_http(planter)) as stub,
        in_background(langsmith.server),
    ):
        planter.secrets(homeful / "secrets" / "nest.yaml")
        seats = [f"--agent={agent}=openai:{agent}" for agent in planter.agents]
        game = [PLAYED[workflow], "--graph", workflow, "--seed", str(number)]
        game += [f"--set={key}={json.dumps(value)}" for key, value in params.items()]
        given = ["--base-url", stub.base_url, "--secrets", "nest"]
        done = subprocess.run(
            [sys.executable, "-m", "shapley_coop", "run", *game, *seats, *given],
            cwd=ROOT,
            env={**os.environ, **_tracing(langsmith.url), HIDE: "true"},
            capture_output=True,
            text=True,
            timeout=600,
            check=True,
        )
        tally.search("traces", langsmith.text, planter)
        tally.search("terminal", done.stdout + done.stderr, planter)
        (run,) = home().runs.list()
        assert run.result is not None, "the command line has ended it"
        tally.close(planter, run.result["episode"], homeful)


def _over_http(planter: Planter) -> Reply:
    """Planted answers for the stub; the model's name tells whose letter it is."""

    def answer(messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
        letter = "\n\n".join(message["content"] for message in messages)
        known, sound = facts(letter), reply(messages, request)
        return planter.answer(Asked(request["model"], known["ask"], known, letter, sound))

    return answer


def _tracing(url: str) -> dict[str, str]:
    on = {"LANGSMITH_TRACING": "true", "LANGCHAIN_TRACING_V2": "true"}
    return {**on, "LANGSMITH_ENDPOINT": url, "LANGSMITH_API_KEY": "lsv2_x"}


@contextmanager
def _heard() -> Iterator[list[logging.LogRecord]]:
    """Every record of every logger, at any level."""
    records: list[logging.LogRecord] = []
    handler = logging.Handler()
    handler.emit = records.append  # type: ignore[method-assign]
    root, level = logging.getLogger(), logging.getLogger().level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield records
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


PROOFS = {
    "secrets": Proof(
        promise="No secret leaks",
        goal="0 canaries found verbatim",
        not_promised=(
            "An agent may tell its own secrets, the operator sees everything, and a provider "
            "keeps letters as it likes."
        ),
        attempt=attempt,
        short=60,
        long=500,
    )
}
