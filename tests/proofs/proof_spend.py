"""Little is paid for twice: how many calls are repeated when a process is killed."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from pathlib import Path
from random import Random

from shapley_coop.state.storage.home import Home
from tests.embedded_reply import reply
from tests.proofs.counted import Counted, Letters, behind, calls
from tests.proofs.proof import Finding, Proof
from tests.stub_openai import StubOpenAI
from tests.trials import Audit, Play
from tests.warm_coop import Coop, Stop, warm_coop

GRAPHS = ("shapley_coop", "negotiation")
LATENCY = 0.02
MOST = 5
"""Kills at random moments of one run."""

Way = Callable[[Counted, Random], Iterable[Stop]]


def around_writes(_: Counted, rng: Random) -> Iterable[Stop]:
    """Before or right after one of the next writes, again and again."""
    return (Stop(write=rng.randint(2, 12), before=rng.random() < 0.5) for _ in count())


def at_random_moments(trial: Counted, rng: Random) -> Iterable[Stop]:
    """At any moment; most of them pass waiting for the model."""
    return (Stop(after=rng.random() * trial.play.seconds) for _ in range(MOST))


WAYS = (around_writes, at_random_moments)


def attempt(folder: Path, times: int) -> Finding:
    """Kill runs whose models are behind an endpoint, and count what it is asked."""
    coop = warm_coop(Home(folder))
    with StubOpenAI(reply, latency=LATENCY) as stub:
        plays = [Play.uninterrupted(coop, graph, behind(stub, graph)) for graph in GRAPHS]
        with ThreadPoolExecutor(len(WAYS)) as lanes:
            made = dict(
                zip(WAYS, lanes.map(partial(killed, coop, plays, times), WAYS), strict=True)
            )
        asked = calls(stub)
    trials = [trial for way in WAYS for trial in made[way]]
    audit = Audit.of(coop.home, plays, trials)
    unexcused = sum(trial.unexcused(asked).total() for trial in trials)
    each = [f"{_mean(made[way], asked):.2f} {way.__name__}" for way in WAYS]
    mean, kills = _mean(trials, asked), sum(trial.kills for trial in trials)
    return Finding(
        tried=f"{kills:,} kills of {len(trials):,} runs whose models take {LATENCY:g} s",
        figure=f"mean {mean:.2f} calls repeated ({', '.join(each).replace('_', ' ')}), "
        f"{unexcused} that had not been in flight; {audit}",
        held=mean <= 0.5 and not unexcused and audit.clean and kills >= times,
    )


def killed(coop: Coop, plays: list[Play], times: int, way: Way) -> list[Counted]:
    """Kill runs in one way, each until it has come to its end; each way has its part of times."""
    trials = list[Counted]()
    while sum(trial.kills for trial in trials) < times / len(WAYS):
        number = len(trials)
        trial = Counted(coop, f"{way.__name__}.{number}", plays[number % len(plays)])
        trial.through(way(trial, Random(trial.name)))
        trials.append(trial)
    return trials


def _mean(trials: list[Counted], asked: dict[str, Letters]) -> float:
    kills = sum(trial.kills for trial in trials)
    return sum(trial.repeated(asked).total() for trial in trials) / max(1, kills)


PROOFS = {
    "spend": Proof(
        promise="Little is spent twice",
        goal="mean ≤ 0.5 calls repeated, none that was not in flight",
        not_promised=(
            "A call in flight when its process dies is repeated and paid again; with a slow model "
            "most kills hit such a call."
        ),
        attempt=attempt,
        short=30,
        long=400,
    )
}
