"""Many processes on one SQLite home: they wait for each other, and none is told it is locked."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from shapley_coop.state.storage.home import Home
from tests.proofs.proof import Finding, Proof
from tests.trials import Audit, Play, Trial, begin
from tests.warm_coop import Coop, Ended, warm_coop

AT_A_TIME = 32
EACH = 3
"""Runs of each process at least; with fewer runs there are fewer processes at a time."""


def attempt(folder: Path, times: int) -> Finding:
    """Have so many runs played, each by a process of its own, up to 32 at a time."""
    processes = min(AT_A_TIME, times // EACH)
    coop = warm_coop(Home(folder))
    play = Play.uninterrupted(coop, "whole", ["escape_room"])
    trials = [Trial(coop, f"run.{number}", play) for number in range(times)]
    with ThreadPoolExecutor(processes) as crowd:
        ends = list(crowd.map(partial(played, coop), trials))
    audit = Audit.of(coop.home, [play], trials)
    locked = sum("locked" in end.err for end in ends)
    failed = sum(end.code != 0 for end in ends)
    slowest = max(end.seconds for end in ends)
    return Finding(
        tried=f"{times:,} runs of shapley_coop by {processes} processes at a time, in one home",
        figure=f"{locked} “locked”, {failed} failed, the slowest took {slowest:.1f} s; {audit}",
        held=not locked and not failed and audit.clean,
    )


def played(coop: Coop, trial: Trial) -> Ended:
    """Play a run to its end, and keep what it came to."""
    ended = coop.run(*begin(trial.name, trial.play.options))
    if ended.code == 0:
        trial.results.append(ended.result)
    return ended


PROOFS = {
    "many_processes": Proof(
        promise="SQLite serves many processes at once",
        goal="480 runs by 32 processes, 0 “locked”",
        not_promised=(
            "More processes are no faster: SQLite writes for one at a time. On a network file "
            "system its locks may not hold."
        ),
        attempt=attempt,
        short=24,
        long=480,
    )
}
