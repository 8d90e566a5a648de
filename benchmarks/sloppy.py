"""Endpoints that answer as small models do: what is refused, what is signed, what it costs.

An embedded agent behind an endpoint on this machine answers soundly; `tests.seats.manners` then
spoils the form of its answers in thirty ways. The same was played at commit 512cc62, which knew
text alone; `sloppy_before.json` keeps what came of it, and

    python -m benchmarks.sloppy 512cc62

plays it again in a checkout of that commit and writes the file anew.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from benchmarks.seats import scratch
from benchmarks.tables import Cell, Found, Goal
from shapley_coop.graphs.catalogue import names
from shapley_coop.graphs.running import play
from shapley_coop.seats.clients import clients
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.settings import game_of
from shapley_coop.state.storage.home import home
from tests import embedded_reply
from tests.seats.manners import MANNERS, RATE, Manner, Sloppy
from tests.stub_openai import StubOpenAI

SEEDS = 20
PER_TOKEN = 4
"""Characters: a rule of thumb, as nothing is tokenised here."""

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

_ROOT = Path(__file__).parents[1]
_BEFORE = Path(__file__).with_name("sloppy_before.json")
_OF_BEFORE = ("benchmarks/sloppy.py", "tests/seats/manners.py", "tests/root.py", "tests/stub_*.py")
"""Files of this tree with which the earlier one plays."""


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
        tokens: of all letters but those that ask for an action, retries included.
    """

    answers: int = 0
    refused: int = 0
    spoilt: int = 0
    deals: int = 0
    runs: int = 0
    failed: int = 0
    tokens: int = 0


def sloppy(seeds: int = SEEDS, workflows: Sequence[str] = (), ways: Sequence[str] = WAYS) -> Found:
    """Refusals, deals and calls of sloppy endpoints, now and before.

    Args:
        seeds: runs of each workflow and way.
        workflows: which; empty is all.
        ways: in which the seats answer.
    """
    before = json.loads(_BEFORE.read_text(encoding="utf-8"))
    rows: list[list[Cell]] = []
    sums = {way: Played() for way in ways}
    for graph in workflows or names():
        if graph in before:
            rows.append(_row(f"{graph}, before: text", Played(**before[graph])))
        for way in ways:
            found = asyncio.run(played(graph, way, seeds))
            rows.append(_row(f"{graph}: {way}", found))
            for name, count in asdict(found).items():
                setattr(sums[way], name, getattr(sums[way], name) + count)
    rows.append(_row("**all, before: text**", _sum(before)))
    rows += [_row(f"**all: {way}**", found) for way, found in sums.items()]
    goals = [
        Goal(f"refused per answer, by {way}", MOST_REFUSED, one.refused / one.answers)
        for way, one in sums.items()
    ]
    return Found(
        f"Endpoints that spoil the form of sound answers in {len(MANNERS)} ways, each at a rate of "
        f"{RATE:.0%} of the answers to which it can happen; {seeds} seeds of each workflow.",
        ("played", "refused per answer", "spoilt", "deals", "calls per run", "tokens per deal"),
        rows,
        goals,
        [
            f"Before: commit 512cc62, {SEEDS} seeds. Embedded agents: no evidence about models.",
            "Before, negotiation admitted payments; now it is over actions alone, and none of "
            "these agents signs the worse side of an escape.",
            f"Tokens, of {PER_TOKEN} characters: the letters of the talk, retries too, by deal.",
            f"Runs that ended as an error: before {_sum(before).failed}, now "
            f"{sum(one.failed for one in sums.values())}.",
            "Two of the kinds cannot be read without a guess: yes in words alone, two actions.",
        ],
    )


def _row(name: str, one: Played) -> list[Cell]:
    spoilt = f"{one.spoilt / one.answers:.0%}"
    deals = f"{one.deals} of {one.runs}"
    tokens = one.tokens / one.deals if one.deals else None
    return [name, one.refused / one.answers, spoilt, deals, one.answers / one.runs, tokens]


def _sum(before: dict[str, dict[str, int]]) -> Played:
    return Played(**{key: sum(one[key] for one in before.values()) for key in asdict(Played())})


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
    with scratch() as folder, patch("shapley_coop.seats.embedded.chat._spoiled", _sound):
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
            entries = home().journal.entries(outcome["episode"])
            talk = sum(len(entry.letter_text) for entry in entries if entry.act != "act")
            found.tokens += talk // PER_TOKEN
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


def main() -> None:
    """Play the workflows of an earlier commit, in text, and keep what came of it."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.sloppy", description=main.__doc__)
    options.add_argument("commit", help="whose workflows to play; 'here' is this tree")
    options.add_argument("--seeds", type=int, default=SEEDS)
    given = options.parse_args()
    if given.commit == "here":
        found = {graph: asdict(asyncio.run(played(graph, "", given.seeds))) for graph in names()}
        sys.stdout.write(json.dumps(found, indent=1) + "\n")
        return
    with TemporaryDirectory() as folder:
        told = _of_commit(given.commit, Path(folder), given.seeds)
    _BEFORE.write_text(told, encoding="utf-8")


def _of_commit(commit: str, folder: Path, seeds: int) -> str:
    """Play in a checkout of a commit; what it prints."""
    archive = ["/usr/bin/env", "git", "archive", commit]
    tree = subprocess.run(archive, cwd=_ROOT, check=True, capture_output=True)
    subprocess.run(["/usr/bin/env", "tar", "-x"], cwd=folder, input=tree.stdout, check=True)
    (folder / "tests" / "seats").mkdir()
    for path in (path for pattern in _OF_BEFORE for path in _ROOT.glob(pattern)):
        (folder / path.relative_to(_ROOT)).write_bytes(path.read_bytes())
    package = folder / "shapley_coop"
    for room in [one for one in folder.iterdir() if one.is_dir() and one != package]:
        (package / room.name).symlink_to(room)
    command = [sys.executable, "-m", "benchmarks.sloppy", "here", "--seeds", str(seeds)]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


if __name__ == "__main__":
    main()
