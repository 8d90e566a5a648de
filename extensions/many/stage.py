"""One turn of a game with payoffs by counts, from one agent's view under a contract."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Any

from shapley_coop.deals.analysis.incentives import Deviation, WhateverOthersDo
from shapley_coop.deals.analysis.party import PayoffRange
from shapley_coop.extensions.many.counts import Counts

NOTHING = Fraction(0)
Codes = tuple[int, ...]
"""A set of actions, as their numbers."""


@dataclass(frozen=True, eq=False)
class CountedStage:
    """One turn of a game under a contract, as one agent evaluates it.

    Attributes:
        counts: the payoffs, by an agent's own action and the sum of the others' actions.
        sets: a set of actions that keep the contract → the number of agents with this set.
        own: this agent's actions that keep the contract.
    """

    counts: Counts
    sets: Counter[Codes]
    own: Codes

    @cached_property
    def others(self) -> Counter[Codes]:
        """Set of allowed actions → number of other agents with it: `sets` without this agent."""
        return self.sets - Counter([self.own])

    @cached_property
    def expected(self) -> dict[Codes, Codes]:
        """A set of allowed actions → those of them with the best mean payoff in this turn, if all
        others mix uniformly over their own allowed actions."""
        found = {}
        for own in self.sets:
            others = self.sets - Counter([own])
            means = {k: self._mean(k, others) for k in own}
            best = max(means.values())
            found[own] = tuple(k for k in own if means[k] == best)
        return found

    @cached_property
    def replies(self) -> list[Fraction]:
        """The mean payoff of each action if the others mix over their `expected` actions."""
        others = Counter[Codes]()
        for own, many in self.others.items():
            others[self.expected[own]] += many
        return [self._mean(k, others) for k in range(len(self.counts.actions))]

    @property
    def payoffs(self) -> PayoffRange:
        """The worst, expected and best payoff if all keep the contract."""
        low = sum(min(own) * many for own, many in self.others.items())
        high = sum(max(own) * many for own, many in self.others.items())
        rows = [self.counts.rows[k, low : high + 1] for k in self.own]
        mine = self.expected[self.own]
        return PayoffRange(
            self._whole(max(row.min() for row in rows)),
            sum((self.replies[k] for k in mine), NOTHING) / len(mine),
            self._whole(max(row.max() for row in rows)),
        )

    @property
    def guaranteed(self) -> Fraction:
        """The max-min payoff of actions that keep the contract, while others may breach it."""
        return self._whole(max(self.counts.rows[k].min() for k in self.own))

    @property
    def gain(self) -> Fraction:
        """The best reply's mean payoff minus that of the best reply that keeps the contract."""
        return max(self.replies) - max(self.replies[k] for k in self.own)

    @property
    def breaches(self) -> list[int]:
        """The numbers of the actions that breach the contract."""
        return [k for k in range(len(self.counts.actions)) if k not in self.own]

    @cached_property
    def honest(self) -> int:
        """The action that keeps the contract and over which the best breach gains least."""
        rows = self.counts.rows

        def loss(own: int) -> tuple[int, int]:
            lost = max((int((rows[k] - rows[own]).max()) for k in self.breaches), default=0)
            return max(lost, 0), -int(rows[own].sum())

        return min(self.own, key=loss)

    def whatever(self, turn: int) -> WhateverOthersDo:
        """Return the incentive to breach in this turn, over all sums of the others' actions."""
        owed_now = tuple(self.counts.actions[k] for k in self.own)
        honest = self.counts.actions[self.honest]
        told = [(self.counts.rows[k] - self.counts.rows[self.honest], k) for k in self.breaches]
        gains = [(int(more.max()), int(more.argmax()), k) for more, k in told]
        most = max(gains, key=lambda one: one[0], default=(0, 0, 0))
        free = next((k for more, k in told if (more >= 0).all()), None)
        tempted = Deviation(
            *("", turn, self.counts.actions[most[2]], owed_now, self._whole(most[0])),
            {f"{most[1]} of the others": self.counts.actions[-1]},
            honest,
        )
        equal = Deviation(
            "", turn, self.counts.actions[free or 0], owed_now, NOTHING, instead=honest
        )
        found = tempted if most[0] > 0 else None
        return WhateverOthersDo(bool(self.breaches), found, equal if free is not None else None)

    def _whole(self, amount: Any) -> Fraction:
        return Fraction(int(amount), self.counts.unit)

    def _mean(self, action: int, others: Mapping[Codes, int]) -> Fraction:
        """Return an action's mean payoff if the others mix uniformly over their allowed actions."""
        rows = self.counts.rows
        line = self.counts.line if len(self.counts.actions) > 2 else self.counts.each
        if line is not None:  # with more than two actions, `line` has the unrounded slope
            sums = (Fraction(sum(own), len(own)) * many for own, many in others.items())
            return self._whole(rows[action, 0]) + line * sum(sums, NOTHING)
        fixed = others.get((1,), 0)
        free = others.get((0, 1), 0)
        ways = (comb(free, k) * int(rows[action, fixed + k]) for k in range(free + 1))
        return Fraction(sum(ways), self.counts.unit << free)
