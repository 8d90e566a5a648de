"""The role of luck in each agent's value, by replays of the recorded moves on other dice.

The report changes no settlement. The values of one run depend on its dice. If a value's spread
over other dice is as large as the value itself, the value says little about conduct.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shapley_coop.credit import attribute_by
from shapley_coop.games.baseline import RANDOM
from shapley_coop.games.replay import conduct
from shapley_coop.state.characteristic import by_replays
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.settings import game_of

RANGE = (5, 95)
"""The percentiles at the ends of the range that contains 90 % of the values."""

SEEDS = 2**63


@dataclass(frozen=True)
class Spread:
    """The distribution of a number over many dice.

    Attributes:
        sd: the sample standard deviation (n − 1); 0 for a single number.
        low: the 5th percentile.
        high: the 95th percentile.
    """

    mean: float
    sd: float
    low: float
    high: float

    @classmethod
    def of(cls, found: Sequence[float]) -> "Spread":
        """Return the spread of these numbers."""
        low, high = np.percentile(found, RANGE)
        sd = float(np.std(found, ddof=1)) if len(found) > 1 else 0.0
        return cls(float(np.mean(found)), sd, float(low), float(high))


@dataclass(frozen=True)
class OtherDice:
    """The values of a record's moves on other dice.

    Attributes:
        times: the number of seeds.
        values: agent → the spread of the agent's value by the norm.
        improvement: the spread of (total reward − total reward if no agent takes part).
    """

    times: int
    values: dict[str, Spread]
    improvement: Spread

    def as_json(self) -> dict[str, Any]:
        """Return these numbers as plain JSON."""
        return {
            "times": self.times,
            "values": {agent: vars(spread) for agent, spread in self.values.items()},
            "improvement": vars(self.improvement),
        }


def of_run(
    evaluated: EvaluatedTable, norm: str, times: int, done: Callable[[], Any]
) -> dict[str, Any]:
    """Return the report of `coop credit RUN --dice N` (`Extension.dice`)."""
    if not rolls_dice(evaluated):
        return {"times": 0, "why": "no dice are rolled: the values are the same on any"}
    return on_other_dice(evaluated, norm, times, done).as_json()


def rolls_dice(evaluated: EvaluatedTable) -> bool:
    """Return whether a run's values depend on dice."""
    game = evaluated.game
    return not game.own_baseline and (game.rolls_dice or game.baseline.kind == RANDOM)


def on_other_dice(
    evaluated: EvaluatedTable, norm: str, times: int, done: Callable[[], Any] = lambda: None
) -> OtherDice:
    """Replay a record's moves on the dice of the next seeds; compute the values for each seed.

    Args:
        evaluated: the evaluated state of a finished run.
        norm: the norm that computes the values.
        times: the number of seeds, which follow the run's seed.
        done: a callback, called after each seed.

    Raises:
        ValueError: the run's worth is not computed by replays.

    Cost: each seed costs as much as the values of the record.
    """
    if evaluated.game.analysis.credit_rule != "record":
        raise ValueError(
            "other dice need a replay of the record, but this run's worth is by the rule "
            f"{evaluated.game.analysis.credit_rule!r}: play with worth=record"
        )
    did = conduct(evaluated.game, evaluated.record, evaluated.game.baseline)
    settings, seed = evaluated.table["settings"], evaluated.config.seed
    values: dict[str, list[float]] = {agent: [] for agent in evaluated.agents}
    totals = []
    for k in range(1, times + 1):
        other = game_of({**settings, "seed": (seed + k) % SEEDS})
        found = attribute_by(by_replays(other.analysis.repeated(did)), norm)
        totals.append(float(found.total))
        for agent, value in found.values.items():
            values[agent].append(float(value))
        done()
    return OtherDice(times, {a: Spread.of(x) for a, x in values.items()}, Spread.of(totals))
