"""A power cut pays nothing twice: whatever was not yet on the disk is gone, and the run goes on."""

import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path
from random import Random

from shapley_coop.state import Home
from tests.counted import letter_of
from tests.embedded_reply import reply
from tests.power_cut import PROGRAM, cut
from tests.proof import Finding, Proof
from tests.proof_kills import PLAYS
from tests.stub_openai import StubOpenAI
from tests.trials import UNKNOWN, Audit, Play, Trial, told
from tests.warm_coop import NEVER, Ended, Stop, warm_coop

AGENTS = ("Alice", "Bob")


def attempt(folder: Path, times: int) -> Finding:
    """Cut the power before or after each write of runs, in homes of their own, and resume them."""
    with StubOpenAI(reply) as stub:
        plays = [_whole(folder / f"whole {name}", name, stub) for name in _plays(stub)]
        cuts, again, faults = 0, 0, list[str]()
        for number in count():
            if cuts >= times:
                break
            play = plays[number % len(plays)]
            one = _Cut(folder / f"cut {number}", play, Random(number))
            one.through(number // len(plays), stub)
            cuts += one.cuts
            again += one.asked_again
            faults += one.faults
    return Finding(
        tried=f"{cuts:,} power cuts, before and after each write, of runs of {', '.join(PLAYS)}; "
        "of the checkpoints' log, and of the books' log after the last durable commit, a part or "
        "nothing was left",
        figure=f"{len(faults)} runs lost, doubled or unverified, {again} letters asked again that "
        f"the journal had{': ' + faults[0] if faults else ''}",
        held=not faults and not again and cuts >= times,
    )


def _plays(stub: StubOpenAI) -> dict[str, tuple[str, ...]]:
    """What is played, by models behind the stub where no character is needed."""
    return {
        name: options
        if "--model" in options
        else (
            *options,
            *(f"--agent={agent}=openai:{agent}" for agent in AGENTS),
            "--base-url",
            stub.base_url,
        )
        for name, options in PLAYS.items()
    }


def _whole(folder: Path, name: str, stub: StubOpenAI) -> Play:
    return Play.uninterrupted(warm_coop(Home(folder)), "r", _plays(stub)[name])


class _Cut:
    """One run in a home of its own, whose power is cut twice.

    Attributes:
        cuts: how often it was.
        asked_again: letters that the journal had an answer to after a cut, and that were asked.
        faults: what is wrong at the end.
    """

    def __init__(self, folder: Path, play: Play, rng: Random) -> None:
        self._coop, self._play, self._rng = warm_coop(Home(folder)), play, rng
        self.cuts = self.asked_again = 0
        self.faults: list[str] = []

    def through(self, number: int, stub: StubOpenAI) -> None:
        """Cut the power at a write of the first life and at one of the second, and go on."""
        first = Stop(write=1 + number // 2, before=number % 2 == 1)
        second = Stop(write=self._rng.randint(2, 30), before=self._rng.random() < 0.5)
        begun = ["run", *self._play.options, "--name", "r", "--json"]
        command = begun
        for stop in (first, second, NEVER):
            seen = len(stub.requests)
            known = self._answered()
            ended = self._coop.run(*command, stop=stop, program=PROGRAM)
            if UNKNOWN in ended.err:
                ended = self._coop.run(*begun, stop=stop, program=PROGRAM)
            self.asked_again += sum(letter_of(one) in known for one in stub.requests[seen:])
            if ended.killed:
                cut(self._coop.home, self._rng)
                self.cuts += 1
            command = ["resume", "r", "--json"]
        where = [("before" if s.before else "after") + f" write {s.write}" for s in (first, second)]
        self._audit(ended, f"cut {' and '.join(where)}: ")

    def _audit(self, ended: Ended, where: str) -> None:
        if ended.code:
            self.faults.append(f"{where}{ended.err}")
            return
        trial, result = Trial(self._coop, "r", self._play), ended.result
        trial.results.append(result)
        audit = Audit.of(self._coop.home, [], [trial])
        verified = self._coop.run("verify", "r")
        if not audit.clean or verified.code:
            is_, was = told(result), told(self._play.whole)
            keys = [key for key in was if is_.get(key) != was[key]]
            self.faults.append(f"{where}{audit} {keys}; {verified.out}{verified.err}")

    def _answered(self) -> set[str]:
        file = self._coop.home.folder / "books.sqlite"
        if not file.exists():
            return set()
        with closing(sqlite3.connect(file)) as books:
            tables = "select count(*) from sqlite_master where name = 'answers'"
            if not books.execute(tables).fetchone()[0]:
                return set()
            return {row[0] for row in books.execute("select letter from answers")}


PROOFS = {
    "power_cut": Proof(
        promise="A power cut pays nothing twice (SQLite)",
        goal="0 lost, 0 doubled, 0 letters asked again that the journal had",
        not_promised=(
            "The cut is simulated: what SQLite has told the disk to keep is kept, and of the rest "
            "a part. A disk that loses what it says it has written loses it here too. Answers that "
            "the journal had not yet written durably are asked, and paid for, again."
        ),
        attempt=attempt,
        short=24,
        long=300,
    )
}
