"""Takes the advice on the constructed apps, and compares it with what is known of them.

A cheaper model does the part of some agents and not of those that `apps.yaml` calls hard. Where the
advice is to play more inputs, so many more are played, and it is asked for again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from extensions.attribute.tests.benchmark.apps import KnownApp
from extensions.attribute.tests.benchmark.cast import PROVIDER, Cast
from extensions.attribute.tests.benchmark.shapes import build
from shapley_coop.evals.prices import Price, Prices
from shapley_coop.extensions.attribute import attribute
from shapley_coop.extensions.attribute.advice import DOWNGRADE, REMOVE
from shapley_coop.extensions.attribute.result import AppCredit

PRICES = Prices(
    {
        f"{PROVIDER}:large": Price(input=1.0, output=4.0),
        f"{PROVIDER}:small": Price(input=0.1, output=0.4),
    }
)
MAY_LOSE = 0.05
MOST_INPUTS = 640
ROUNDS = 5


@dataclass(frozen=True)
class Followed:
    """The advice on one app.

    Attributes:
        app: its name.
        is_right: whether that loses little, and no further change would.
        again: calls that the same question makes a second time.
    """

    app: str
    is_right: bool
    again: int


def follow(apps: Sequence[KnownApp]) -> list[Followed]:
    """Take the advice on each app; of one whose tasks differ, on 20 to begin with."""
    found = []
    for known in apps:
        with TemporaryDirectory() as folder:
            found.append(_followed(known, 20, Path(folder) / "calls.sqlite"))
    return found


def _followed(known: KnownApp, inputs: int, cache: Path) -> Followed:
    for _ in range(ROUNDS):
        credit = _advised(known, inputs, cache)
        more = max(one.more for one in credit.advice)
        if not more or inputs >= MOST_INPUTS:
            break
        inputs = min(MOST_INPUTS, inputs + more)
    again = _advised(known, inputs, cache)
    names = dict(zip(credit.agents, known.agents, strict=True))
    changed = {
        verdict: tuple(names[one.agent] for one in credit.advice if one.verdict == verdict)
        for verdict in (REMOVE, DOWNGRADE)
    }
    return Followed(
        app=known.name,
        is_right=known.is_right(changed[REMOVE], changed[DOWNGRADE], MAY_LOSE),
        again=again.calls["made"],
    )


def _advised(known: KnownApp, inputs: int, cache: Path) -> AppCredit:
    built, small = build(known, inputs), Cast(known, 0).small()
    return attribute(
        built.graph,
        built.agents,
        built.score,
        built.inputs * (2 if known.is_certain else 1),  # of a single run nobody knows
        value="leave-one-out",
        advise=True,
        cheaper=[small],
        may_lose=MAY_LOSE,
        prices=PRICES,
        cache=cache,
        max_calls=10_000_000,
        at_once=1,
    )
