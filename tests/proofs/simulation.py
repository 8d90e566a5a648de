"""Runs whose faults are all drawn from a seed: clock, disk, database, endpoint and process.

    python -m tests.proofs.simulation 20261122.17

plays one again and tells each of its lives. What a run comes to must not depend on its faults: it
is held against one that met none. The promise's long and short forms are in `proof_simulation`.
"""

import json
import signal
import sqlite3
import sys
from collections import deque
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from shapley_coop.state.storage.facts import parts_of
from shapley_coop.state.storage.home import Home
from shapley_coop.state.storage.journal import ANSWER
from tests.proofs.counted import letter_of
from tests.proofs.plain_reply import reply
from tests.proofs.power_cut import cut
from tests.proofs.proof_kills import PLAYS
from tests.proofs.simulated import PROGRAM
from tests.stub_faults import Fault
from tests.stub_openai import StubOpenAI
from tests.trials import INTERRUPTED, UNKNOWN, Audit, Play, Trial, told
from tests.warm_coop import NEVER, Ended, Stop, warm_coop

AGENTS = ("Alice", "Bob")
MOST_LIVES = 5
WRITES = 40
DAY = 86_400

DISK = (
    "database or disk is full",
    "attempt to write a readonly database",
    "database is locked",
    "disk I/O error",
)
ENDPOINT = (
    Fault.rate_limited(retry_after=0.01),
    Fault.server_error(500, retry_after=0.01),
    Fault.server_error(503, retry_after=0.01),
    Fault.bad_key(),
    Fault.out_of_quota(),
    Fault.reset(),
    Fault.garbage(),
    Fault.html(),
    Fault.empty_body(),
)


@dataclass(frozen=True)
class Life:
    """The faults of one process.

    Attributes:
        stop: when it is killed or interrupted.
        power: whether the power is cut with it, so that only what was synced is left.
        skew: seconds by which its clock is off.
        fails: the write from which on the disk fails, and what SQLite says; None for a sound disk.
        endpoint: what meets its calls, in their order.
    """

    stop: Stop = NEVER
    power: bool = False
    skew: float = 0.0
    fails: dict[str, Any] | None = None
    endpoint: tuple[Fault | None, ...] = ()

    @classmethod
    def drawn(cls, rng: Random) -> "Life":
        """A life with some of the faults."""
        by = signal.SIGINT if rng.random() < 0.15 else signal.SIGKILL
        at = Stop(write=rng.randint(1, WRITES), before=rng.random() < 0.5, by=by)
        fails = {"at": rng.randint(1, WRITES), "says": rng.choice(DISK)}
        met = [rng.choice(ENDPOINT) if rng.random() < 0.3 else None for _ in range(12)]
        return cls(
            stop=at if rng.random() < 0.6 else NEVER,
            power=rng.random() < 0.5,
            skew=rng.choice((0.0, rng.uniform(-5, 5), rng.uniform(-DAY, DAY))),
            fails=fails if rng.random() < 0.35 else None,
            endpoint=tuple(met) if rng.random() < 0.5 else (),
        )

    def __str__(self) -> str:
        when = "before" if self.stop.before else "after"
        told = [f"clock {self.skew:+.1f} s"] if self.skew else []
        told += [f"write {self.fails['at']} on: {self.fails['says']}"] if self.fails else []
        told += [f"{sum(map(bool, self.endpoint))} faults of the endpoint"] if self.endpoint else []
        if self.stop.write:
            told.append(f"{self.stop.by.name} {when} write {self.stop.write}")
        return ", ".join([*told, *(["power cut"] if self.power else [])]) or "no fault"


@dataclass
class Simulated:
    """One run and what came of it.

    Attributes:
        seed: from which all is drawn.
        lives: what was done to it, and how each life ended.
        faults: what must not be.
    """

    seed: str
    lives: list[str]
    faults: list[str]


def options(name: str, stub: StubOpenAI) -> tuple[str, ...]:
    """What is played, by models behind the stub where no character is needed."""
    if "--model" in PLAYS[name]:
        return PLAYS[name]
    seats = [f"--agent={agent}=openai:{agent}" for agent in AGENTS]
    return (*PLAYS[name], *seats, "--base-url", stub.base_url)


def undisturbed(folder: Path) -> dict[str, Play]:
    """Each play without a fault."""
    with StubOpenAI(reply) as stub:
        return {
            name: Play.uninterrupted(
                warm_coop(Home(folder / f"whole {name}")), "r", options(name, stub)
            )
            for name in PLAYS
        }


def simulate(seed: str, folder: Path, plays: dict[str, Play]) -> Simulated:
    """Play one run through lives drawn from a seed; see `live_through`."""
    rng = Random(seed)
    name = rng.choice(list(plays))
    lives = [Life.drawn(rng) for _ in range(rng.randint(1, MOST_LIVES))]
    return live_through(seed, name, lives, folder, plays)


def live_through(
    seed: str, name: str, lives: Sequence[Life], folder: Path, plays: dict[str, Play]
) -> Simulated:
    """Play one run through some lives, then to its end, and audit it."""
    rng, done = Random(f"{seed}: what a cut leaves"), Simulated(seed, [], [])
    with StubOpenAI(reply) as stub:
        run = _Run(folder, ["run", *options(name, stub), "--name", "r", "--json"], stub, done)
        for life in lives:
            run.live(life, rng)
        ended = run.live(Life(), rng)
    if ended.code == 0:
        _audit(run, plays[name], ended.result, done)
    else:
        done.faults.append(f"it did not end: {ended.err}")
    return done


class _Run:
    """A run in a home of its own."""

    def __init__(self, folder: Path, begun: list[str], stub: StubOpenAI, done: Simulated) -> None:
        self.coop = warm_coop(Home(folder))
        self._begun, self._stub, self._done = begun, stub, done

    def live(self, life: Life, rng: Random) -> Ended:
        """One life, what the power leaves after it, and what it may not have done."""
        known, seen = self._answered(), len(self._stub.requests)
        self._stub.faults = deque(life.endpoint)
        faults = json.dumps({"skew": life.skew, "fails": life.fails})
        ended = self._go_on(faults, life.stop)
        if life.power:
            cut(self.coop.home, rng)
        how = "killed" if ended.killed else f"exit code {ended.code}: {ended.err.strip()[:200]}"
        self._done.lives.append(f"{life} → {how}")
        if again := sum(letter_of(r) in known for r in self._stub.requests[seen:] if r.is_call):
            self._done.faults.append(f"{again} letters asked again that the journal had")
        interrupted = life.stop.by == signal.SIGINT and ended.code in (INTERRUPTED, 1)
        if ended.code > 0 and not interrupted and _own_lines(ended.err) != 1:
            self._done.faults.append(
                f"an error in {len(ended.err.splitlines())} lines: {ended.err}"
            )
        return ended

    def _go_on(self, faults: str, stop: Stop) -> Ended:
        with_key = ["resume", "r", "--json"]
        ended = self.coop.run(faults, *with_key, stop=stop, program=PROGRAM)
        if UNKNOWN in ended.err:
            ended = self.coop.run(faults, *self._begun, stop=stop, program=PROGRAM)
        return ended

    def _answered(self) -> set[str]:
        file = self.coop.home.folder / "books.sqlite"
        if not file.exists():
            return set()
        with closing(sqlite3.connect(file)) as books:
            tables = "select count(*) from sqlite_master where name = 'facts'"
            if not books.execute(tables).fetchone()[0]:
                return set()
            keys = books.execute("select key from facts where kind = ?", [ANSWER])
            return {parts_of(row[0])[0] for row in keys}


def _own_lines(err: str) -> int:
    """How many lines an error has; 0 where one is not ours."""
    lines = err.strip().splitlines()
    return len(lines) if all(line.startswith("coop: ") for line in lines) else 0


def _audit(run: _Run, play: Play, result: dict[str, Any], done: Simulated) -> None:
    trial = Trial(run.coop, "r", play)
    trial.results.append(result)
    audit = Audit.of(run.coop.home, [], [trial])
    if not audit.clean:
        is_, was = told(result), told(play.whole)
        done.faults.append(f"{audit} {[key for key in was if is_.get(key) != was[key]]}")
    verified = run.coop.run("verify", "r")
    if verified.code:
        done.faults.append(verified.out + verified.err)


def main(seeds: list[str]) -> int:
    """Play runs again and tell what happens; 1 if something happens that must not."""
    held = True
    with TemporaryDirectory() as folder:
        plays = undisturbed(Path(folder))
        for seed in seeds:
            done = simulate(seed, Path(folder) / seed, plays)
            print(
                f"{seed}:", *done.lives, *[f"FAULT: {fault}" for fault in done.faults], sep="\n  "
            )
            held &= not done.faults
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
