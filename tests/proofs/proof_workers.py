"""One worker per thread: of several processes that resume a run at once, one plays it."""

import re
from itertools import chain
from pathlib import Path
from random import Random

from shapley_coop.state.storage.home import Home
from tests.embedded_reply import reply
from tests.postgres import postgres
from tests.proofs.counted import Counted, behind, calls
from tests.proofs.proof import Finding, Proof
from tests.stub_openai import StubOpenAI
from tests.trials import Audit, Play, begin
from tests.warm_coop import Ended, Stop, warm_coop

WORKERS = 3
LATENCY = 0.005
BUSY = re.compile(r"coop: \S+ is being played by (process \d+ on .+|another process): .+\n")


def attempt(folder: Path, times: int, database: str = "") -> Finding:
    """Kill a run, resume and kill it again, then have several workers resume it at once."""
    coop = warm_coop(Home(folder, database))
    with StubOpenAI(reply, latency=LATENCY) as stub:
        play = Play.uninterrupted(coop, "whole", behind(stub, "negotiation"))
        trials = [Counted(coop, f"run.{number}", play) for number in range(times)]
        ends = list(chain.from_iterable(at_once(trial) for trial in trials))
        asked = calls(stub)
    for trial in trials:
        trial.results.append(trial.coop.run("show", trial.name, "--json").result)
    audit = Audit.of(coop.home, [play], trials)
    extra = sum(trial.unexcused(asked).total() for trial in trials)
    sent_away = sum((end.code, end.out) == (1, "") and told_who(end.err) for end in ends)
    failed = sum(end.code != 0 for end in ends) - sent_away
    return Finding(
        tried=f"{times:,} runs resumed by {WORKERS} processes at once, right after a worker was "
        f"killed: {sent_away:,} of {len(ends):,} were told who plays",
        figure=f"{extra} extra calls; {audit}; {failed} failed",
        held=not extra and not failed and audit.clean and 2 * sent_away >= times,
    )


def told_who(complaint: str) -> bool:
    """Whether it is one line that says who plays the run, or that somebody does."""
    return BUSY.fullmatch(complaint) is not None


def at_once(trial: Counted) -> list[Ended]:
    """How each worker ended."""
    rng = Random(trial.name)
    trial.live(*begin(trial.name, trial.play.options), stop=Stop(write=rng.randint(1, 20)))
    # A dead worker holds no lease.
    trial.live("resume", trial.name, stop=Stop(write=rng.randint(1, 20)))
    going = [trial.coop.start("resume", trial.name, "--json") for _ in range(WORKERS)]
    return [worker.result() for worker in going]


def on_postgres(folder: Path, times: int) -> Finding:
    """The same, on a server."""
    with postgres() as url:
        return attempt(folder, times, url)


PROOFS = {
    "workers": Proof(
        promise="One worker per thread (SQLite: one machine)",
        goal="0 extra calls, 0 doubled",
        not_promised=(
            "On SQLite a lease is a lock on a file: it binds the processes of one machine, or "
            "of machines whose shared file system honours flock. Programs that run the "
            "workflows with a saver of their own, and LangGraph's server with its own queue, "
            "take no lease."
        ),
        attempt=attempt,
        short=6,
        long=100,
    ),
    "workers_postgres": Proof(
        promise="One worker per thread (Postgres: many machines)",
        goal="0 extra calls, 0 doubled",
        not_promised=(
            "A worker whose connection breaks may finish the step it is in before it notices "
            "that another has taken over: its calls may be repeated, its postings are made "
            "once."
        ),
        attempt=on_postgres,
        short=3,
        long=100,
    ),
}
