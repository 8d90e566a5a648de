"""Runs that are stopped repeatedly and resumed, and an audit of the ledger afterwards."""

import signal
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, count, repeat
from typing import Any

from shapley_coop.deals.enforcement import ESCROW
from shapley_coop.state.storage.facts import parts_of
from shapley_coop.state.storage.home import Home
from tests.books import facts_of
from tests.travel import AGAIN, CHECKPOINTS, FORK
from tests.warm_coop import COOP, NEVER, Coop, Ended, Stop

MICRO = 1_000_000
OWN = {"run", "episode", "seats", "timing"}
"""The fields of a result that differ between equal runs."""

LIVES = 1_000
"""An upper bound of the processes that one trial can need."""

INTERRUPTED = 130
UNKNOWN = "there is no run"

Transfer = tuple[Any, ...]


@dataclass(frozen=True)
class Play:
    """What a trial plays, and how it goes when nobody stops it.

    Attributes:
        options: of `coop run`; `{run}` in them is the run's name.
        whole: its result.
        transfers: what the ledger shows of it.
        seconds: how long it takes.
    """

    options: tuple[str, ...]
    whole: dict[str, Any]
    transfers: Counter[Transfer]
    seconds: float

    @classmethod
    def uninterrupted(cls, coop: Coop, name: str, options: Iterable[str]) -> "Play":
        """Play it once."""
        ended = coop.run(*begin(name, options))
        transfers = transfers_of(coop.home)[ended.result["episode"]]
        return cls(tuple(options), ended.result, transfers, ended.seconds)


@dataclass
class Trial:
    """One run, however often it is stopped.

    Attributes:
        coop: where it is played.
        name: the run's.
        play: what is played.
        kills: how often it was killed.
        interrupts: how often it was interrupted.
        results: what it came to, each time that it came to its end.
    """

    coop: Coop
    name: str
    play: Play
    kills: int = 0
    interrupts: int = 0
    results: list[dict[str, Any]] = field(default_factory=list)

    def through(self, stops: Iterable[Stop] = ()) -> None:
        """Play to the end, each life stopped as the next of `stops` says, as long as there are."""
        stop = chain(stops, repeat(NEVER))
        self._live_on(self.live(*begin(self.name, self.play.options), stop=next(stop)), stop)

    def checkpoints(self) -> list[str]:
        """The ids of its thread's checkpoints, the oldest first."""
        found: list[str] = self.coop.run(self.name, program=CHECKPOINTS).result
        return found

    def fork(self, checkpoint: str, stop: Stop = NEVER) -> None:
        """Go on from an earlier checkpoint, and from wherever that is stopped, to the end."""
        self._live_on(self.live(self.name, checkpoint, stop=stop, program=FORK), repeat(NEVER))

    def again(self, stop: Stop = NEVER) -> None:
        """Give the thread its input again; it goes on from wherever that is stopped."""
        self._live_on(self.live(self.name, stop=stop, program=AGAIN), repeat(NEVER))

    def live(self, *argv: str, stop: Stop, program: str = COOP) -> Ended:
        """One life: a process that ends, or is stopped."""
        ended = self.coop.run(*argv, stop=stop, program=program)
        interrupted = stop.by == signal.SIGINT and ended.code == INTERRUPTED
        stopped = ended.killed or interrupted
        assert stopped or ended.code == 0 or UNKNOWN in ended.err, f"{self.name}: {ended.err}"
        self.kills += ended.killed
        self.interrupts += interrupted
        return ended

    def _live_on(self, ended: Ended, stops: Iterator[Stop]) -> None:
        """Resume until a life comes to the end, and keep what that says.

        A run that was stopped before it was accepted has to begin again. One that was stopped when
        nothing was left to do is left alone, and says the same once more.
        """
        lives = count(1)
        while ended.code:
            assert next(lives) < LIVES, f"{self.name} gets nowhere: {ended.err}"
            stop = NEVER if self._is_over() else next(stops)
            ended = self.live("resume", self.name, "--json", stop=stop)
            if UNKNOWN in ended.err:
                ended = self.live(*begin(self.name, self.play.options), stop=stop)
        self.results.append(ended.result)

    def _is_over(self) -> bool:
        with suppress(ValueError):
            return self.coop.home.runs.get(self.name).state == "ended"
        return False


@dataclass(frozen=True)
class Audit:
    """The ledger of a home, held against the trials that were made there.

    Attributes:
        lost: transfers of plays that ended, which it does not show.
        doubled: transfers that it shows beside those.
        unbalanced: plays after which an agent does not hold its payoff, something is left in
            escrow, or the accounts do not sum to zero.
        different: results that are not those of an uninterrupted run.
    """

    lost: int
    doubled: int
    unbalanced: int
    different: int

    @classmethod
    def of(cls, home: Home, plays: Iterable[Play], trials: Sequence[Trial]) -> "Audit":
        """Look at everything that the ledger holds."""
        results = [(play, play.whole) for play in plays]
        results += [(trial.play, result) for trial in trials for result in trial.results]
        due = {result["episode"]: play.transfers for play, result in results}
        books = transfers_of(home)
        nothing = Counter[Transfer]()
        return cls(
            lost=sum((due[e] - books.get(e, nothing)).total() for e in due),
            doubled=sum((books[e] - due.get(e, nothing)).total() for e in books),
            unbalanced=sum(not balanced(home, r["episode"], micro(r)) for _, r in results),
            different=sum(told(result) != told(play.whole) for play, result in results),
        )

    @property
    def clean(self) -> bool:
        """Whether the audit found no fault."""
        return not (self.lost or self.doubled or self.unbalanced or self.different)

    def __str__(self) -> str:
        sums = f"{self.unbalanced} ledgers that do not add up" if self.unbalanced else "sums zero"
        otherwise = f", {self.different} results differ" if self.different else ""
        return f"{self.lost} lost, {self.doubled} doubled, {sums}{otherwise}"


def begin(name: str, options: Iterable[str]) -> list[str]:
    """The command that begins a run."""
    return ["run", *(option.format(run=name) for option in options), "--name", name, "--json"]


def told(result: dict[str, Any]) -> dict[str, Any]:
    """A result without the fields that differ between equal runs."""
    return {key: value for key, value in result.items() if key not in OWN}


def transfers_of(home: Home) -> dict[str, Counter[Transfer]]:
    """Episode → every line that the ledger has of it."""
    found: dict[str, Counter[Transfer]] = {}
    for posting in facts_of(home, "posting"):
        for number, line in enumerate(posting.value["lines"]):
            transfer = (*parts_of(posting.key), number, *line)
            found.setdefault(posting.scope, Counter())[transfer] += 1
    return found


def micro(result: dict[str, Any]) -> dict[str, int]:
    """A result's payoffs in millionths."""
    return {agent: round(amount * MICRO) for agent, amount in result["payoffs"].items()}


def balanced(home: Home, episode: str, payoffs: dict[str, int]) -> bool:
    """Whether everybody holds its payoff, in millionths, and nothing is left in escrow."""
    balances = home.ledger.balances(episode)
    held = {agent: balances.get(agent, 0) for agent in payoffs}
    return held == payoffs and balances.get(ESCROW, 0) == 0 == sum(balances.values())
