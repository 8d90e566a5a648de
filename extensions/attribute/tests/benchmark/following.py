"""Takes the advice on the constructed apps, and compares it with what is known of them.

A cheaper model does the part of some agents and not of those that `apps.yaml` calls hard. Where the
advice is to play more inputs, so many more are played, and it is asked for again.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from extensions.attribute.tests.benchmark.apps import KnownApp
from extensions.attribute.tests.benchmark.cast import PROVIDER, Cast
from extensions.attribute.tests.benchmark.shapes import build
from shapley_coop.evals.prices import Price, Prices
from shapley_coop.extensions.attribute import attribute
from shapley_coop.extensions.attribute.advice import DOWNGRADE, REMOVE, Advice
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
        seed: of its tasks.
        removed: agents.
        small: agents that are asked with the cheaper model.
        is_right: whether that loses little, and no further change would.
        inputs: that were played in the end.
        stated: losses with a 95 % interval that can be compared with what is known.
        held: how many of them hold it.
        again: calls that the same question makes a second time.
    """

    app: str
    seed: int
    removed: tuple[str, ...]
    small: tuple[str, ...]
    is_right: bool
    inputs: int
    stated: int
    held: int
    again: int

    @property
    def words(self) -> str:
        """The advice in words."""
        removed, small = (", ".join(names) or "nobody" for names in (self.removed, self.small))
        return f"remove {removed}, downgrade {small}, of {self.inputs} inputs"


def follow(
    apps: Sequence[KnownApp],
    seeds: Iterable[int] = (0,),
    inputs: int = 20,
    progress: Callable[[], Any] = lambda: None,
) -> list[Followed]:
    """Take the advice on each app.

    Args:
        apps: with known values.
        seeds: of tasks and failures; apps that are alike in every run have the first one alone.
        inputs: tasks to begin with, of an app whose tasks differ.
        progress: called after each app and seed.
    """
    found = []
    for known in apps:
        for seed in list(seeds)[: 1 if known.is_certain else None]:
            with TemporaryDirectory() as folder:
                found.append(_followed(known, seed, inputs, Path(folder) / "calls.sqlite"))
            progress()
    return found


def _followed(known: KnownApp, seed: int, inputs: int, cache: Path) -> Followed:
    for _ in range(ROUNDS):
        credit = _advised(known, seed, inputs, cache)
        more = max(one.more for one in credit.advice)
        if not more or inputs >= MOST_INPUTS:
            break
        inputs = min(MOST_INPUTS, inputs + more)
    again = _advised(known, seed, inputs, cache)
    names = dict(zip(credit.agents, known.agents, strict=True))
    changed = {
        verdict: tuple(names[one.agent] for one in credit.advice if one.verdict == verdict)
        for verdict in (REMOVE, DOWNGRADE)
    }
    simple = [one for one in credit.advice if _is_simple(one) and not known.is_certain]
    held = [_holds(known, names[one.agent], one) for one in simple]
    return Followed(
        app=known.name,
        seed=seed,
        removed=changed[REMOVE],
        small=changed[DOWNGRADE],
        is_right=known.is_right(changed[REMOVE], changed[DOWNGRADE], MAY_LOSE),
        inputs=1 if known.is_certain else credit.inputs,
        stated=len(held),
        held=sum(held),
        again=again.calls["made"],
    )


def _advised(known: KnownApp, seed: int, inputs: int, cache: Path) -> AppCredit:
    built, small = build(known, inputs, seed), Cast(known, seed).small()
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


def _is_simple(one: Advice) -> bool:
    """Return whether its loss is that of removing one agent from the whole app."""
    return one.error is not None and one.model is None and "can go" not in one.why


def _holds(known: KnownApp, agent: str, one: Advice) -> bool:
    assert one.loss is not None
    assert one.error is not None
    return abs(known.leave_one_out()[agent] - one.loss) <= one.error + 1e-9


def summary(followed: Sequence[Followed]) -> dict[str, int]:
    """Count what is right, over apps and seeds."""
    return {
        "runs": len(followed),
        "right": sum(one.is_right for one in followed),
        "stated": sum(one.stated for one in followed),
        "held": sum(one.held for one in followed),
        "again": sum(one.again for one in followed),
    }
