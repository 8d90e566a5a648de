"""No transfer is lost or doubled, whatever is killed, cancelled, forked or played again."""

import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count, repeat
from pathlib import Path
from random import Random

from shapley_coop.graphs import names
from shapley_coop.state.storage.home import Home
from shapley_coop.state.storage.ledger import POSTING
from tests.postgres import postgres
from tests.proofs.proof import Finding, Proof
from tests.trials import Audit, Play, Trial
from tests.warm_coop import Coop, Stop, warm_coop

PLAYS: dict[str, tuple[str, ...]] = {
    "negotiation": ("escape_room", "--graph", "negotiation"),
    "contracts": (
        *("cash_grab", "--graph", "contracts", "--enforcement", "escrow", "--deposit", "2"),
        *("--model", "embedded:contract_keeper", "--agent", "Bob=embedded:defector"),
    ),
    "shapley_coop": ("escape_room",),
}
"""What is played; in `contracts` one deposit is forfeited, and the others are returned; who meets
in pairs asks in parallel, and meets others after the first trade."""

if "pairwise_exchange" in names():
    PLAYS["pairwise_exchange"] = (
        *("task_exchange", "--graph", "pairwise_exchange", "--set", "scenario=generated"),
        *("--set", "additive=true", "--set", "agents=4", "--set", "atoms=8"),
        *("--set", "meetings=2", "--set", "talk=3", "--model", "embedded:rational"),
    )

LANES = 2
MOST = 8
"""Stops at random moments of one run."""

INPUTS = 4
"""New inputs on one thread."""

Way = Callable[[Trial, Random], None]


def at_every_write(trial: Trial, _: Random) -> None:
    """Killed right after whatever it writes first, again and again."""
    trial.through(repeat(Stop(write=1)))


def around_some_writes(trial: Trial, rng: Random) -> None:
    """Killed before or after one of its next writes, again and again."""
    trial.through(_some_write(rng) for _ in count())


def inside_a_posting(trial: Trial, _: Random) -> None:
    """Killed when a posting's lines are written, and not yet committed."""
    trial.through([Stop(write=1, before=True, at=(POSTING,))])


def at_random_moments(trial: Trial, rng: Random) -> None:
    """Killed at any moment."""
    trial.through(Stop(after=rng.random() * trial.play.seconds / 2) for _ in range(MOST))


def cancelled(trial: Trial, rng: Random) -> None:
    """Interrupted as from a keyboard, which cancels its task at a write."""
    trial.through(_some_write(rng, by=signal.SIGINT) for _ in range(MOST))


def back_in_time(trial: Trial, rng: Random) -> None:
    """Forked from every checkpoint that it had at its end, and killed soon after."""
    trial.through()
    for checkpoint in trial.checkpoints():
        trial.fork(checkpoint, _some_write(rng))


def played_again(trial: Trial, rng: Random) -> None:
    """Given new input on its old thread, and killed soon after."""
    trial.through()
    for _ in range(INPUTS):
        trial.again(_some_write(rng))


WAYS: dict[Way, float] = {
    at_every_write: 0.35,
    around_some_writes: 0.25,
    inside_a_posting: 0.01,
    back_in_time: 0.1,
    at_random_moments: 0.3,
    cancelled: 0.1,
    played_again: 0.03,
}
"""Stops of each way, at least, for each kill that there has to be; interrupts are none."""


def attempt(folder: Path, times: int, database: str = "") -> Finding:
    """Stop runs in every way until `times` processes were killed, or some more."""
    coop = warm_coop(Home(folder, database))
    plays = [Play.uninterrupted(coop, *play) for play in PLAYS.items()]
    with ThreadPoolExecutor(LANES) as lanes:
        made = lanes.map(partial(stopped, coop, plays, times), WAYS)
        trials = [trial for way in made for trial in way]
    unsound = sum(coop.run("verify", trial.name).code != 0 for trial in trials)
    audit = Audit.of(coop.home, plays, trials)
    kills = sum(trial.kills for trial in trials)
    interrupts = sum(trial.interrupts for trial in trials)
    return Finding(
        tried=f"{kills:,} kills and {interrupts:,} interrupts of {len(trials):,} runs of "
        f"{', '.join(PLAYS)}: at every write, around it, inside a posting, at random, in forks "
        "from every checkpoint, on threads with new input",
        figure=f"{audit}; {unsound} runs not verified",
        held=audit.clean and not unsound and kills >= times,
    )


def stopped(coop: Coop, plays: list[Play], times: int, way: Way) -> list[Trial]:
    """Make trials of one way until they were stopped as often as its part of times is."""
    trials = list[Trial]()
    while sum(trial.kills + trial.interrupts for trial in trials) < WAYS[way] * times:
        number = len(trials)
        # Each way begins with another play, so that few trials see all of them.
        play = plays[(list(WAYS).index(way) + number) % len(plays)]
        trial = Trial(coop, f"{way.__name__}.{number}", play)
        way(trial, Random(trial.name))
        trials.append(trial)
    return trials


def on_postgres(folder: Path, times: int) -> Finding:
    """The same, on a server."""
    with postgres() as url:
        return attempt(folder, times, url)


def _some_write(rng: Random, by: signal.Signals = signal.SIGKILL) -> Stop:
    return Stop(write=rng.randint(2, 20), before=rng.random() < 0.5, by=by)


NOT_PROMISED = (
    "The ledger is this program's own and binds no bank. New input on a thread begins a new play "
    "with its own payments, unless it has the idempotency key of an earlier one; new input during "
    "an escrow leaves the deposits there."
)
GOAL = "≥ {:,} kills, 0 lost, 0 doubled, sums zero"

PROOFS = {
    "kills": Proof(
        promise="No transfer is lost or doubled (SQLite)",
        goal=GOAL.format(1_500),
        not_promised=NOT_PROMISED,
        attempt=attempt,
        short=80,
        long=1_500,
    ),
    "kills_postgres": Proof(
        promise="No transfer is lost or doubled (Postgres)",
        goal=GOAL.format(500),
        not_promised=(
            "The limits are those on SQLite; if Postgres loses committed data, this program loses"
            " it too."
        ),
        attempt=on_postgres,
        short=20,
        long=500,
    ),
}
