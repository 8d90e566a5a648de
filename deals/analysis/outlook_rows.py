"""The rows of an outlook: each agent's payoff in one case, exact or with a range."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import plain

EVERYBODY = "all keep it"
NO_DEAL = "no deal"
SURE = "what each can be sure of"

LOW, HIGH = Fraction(5, 100), Fraction(95, 100)
"""The quantiles at the ends of a range: nine in ten plays lie between them."""

DECIMALS = 2
"""The number of decimals of a mean over plays and of its range."""


def breaks(agent: str) -> str:
    """Return the name of the case in which one agent breaks the offer."""
    return f"{agent} breaks it"


@dataclass(frozen=True)
class Range:
    """An amount in the game's unit, either certain or with a range.

    Attributes:
        mean: the amount, or its mean over plays.
        ends: the bounds between which nine in ten plays lie; None if the amount is certain.
    """

    mean: Fraction
    ends: tuple[Fraction, Fraction] | None = None

    def record(self) -> dict[str, str]:
        """Return the amount as plain JSON."""
        if self.ends is None:
            return {"mean": plain(self.mean)}
        low, high = self.ends
        return {"mean": plain(self.mean), "low": plain(low), "high": plain(high)}


@dataclass(frozen=True)
class Row:
    """Each agent's payoff in one case.

    Attributes:
        condition: the case: `all keep it`, `X breaks it`, or `no deal`.
        payoffs: agent → its payoff.
        who: the agent that breaks the offer, or "".
        by: in words, what the agents do in this case: what is agreed, the breaker's actions, or
            their behaviour without a deal.
        alike: other agents that would get the same payoff by breaking the offer instead.
    """

    condition: str
    payoffs: Mapping[str, Range]
    who: str = ""
    by: str = ""
    alike: tuple[str, ...] = ()

    def record(self) -> dict[str, Any]:
        """Return the row as plain JSON."""
        told = {agent: amount.record() for agent, amount in self.payoffs.items()}
        row = {"if": self.condition, "who": self.who, "by": self.by, "payoffs": told}
        return {**row, "alike": list(self.alike)} if self.alike else row


def certain(amounts: Mapping[str, Fraction]) -> dict[str, Range]:
    """Return exact amounts as ranges without ends."""
    return {agent: Range(amount) for agent, amount in amounts.items()}


def average(ends: Sequence[tuple[Mapping[str, Fraction], int]], exact: bool) -> dict[str, Range]:
    """Return each agent's mean payoff and its range over plays.

    Args:
        ends: pairs of all agents' payoffs and the number of plays that ended with these payoffs.
        exact: whether the game has no dice, so that one play is enough.
    """
    if exact:
        return certain(ends[0][0])
    whole = sum(times for _, times in ends)
    found = {}
    for agent in ends[0][0]:
        ranked = sorted((amounts[agent], times) for amounts, times in ends)
        mean = sum((amount * times for amount, times in ranked), Fraction(0)) / whole
        low, high = (_quantile(ranked, part * whole) for part in (LOW, HIGH))
        found[agent] = Range(round(mean, DECIMALS), (round(low, DECIMALS), round(high, DECIMALS)))
    return found


def _quantile(ranked: Sequence[tuple[Fraction, int]], rank: Fraction) -> Fraction:
    """Return the smallest amount that at least `rank` plays do not exceed."""
    seen = 0
    for amount, times in ranked:
        seen += times
        if seen >= rank:
            return amount
    return ranked[-1][0]


def told_by_turn(deeds: Sequence[tuple[int, str]], now: int, last: int) -> str:
    """Return actions with their turns in words.

    >>> told_by_turn([(1, "defect"), (2, "defect"), (4, "take")], 1, 9)
    'defect at turns 1 to 2, take at turn 4'
    """
    if now == last and len(deeds) == 1:
        return deeds[0][1]
    spans: list[list[Any]] = []
    for turn, action in deeds:
        if spans and spans[-1][2] == action and spans[-1][1] == turn - 1:
            spans[-1][1] = turn
        else:
            spans.append([turn, turn, action])
    if len(spans) == 1 and spans[0][:2] == [now, last]:
        return f"{spans[0][2]} at every turn"
    words = [
        f"{action} at turn {first}" if first == end else f"{action} at turns {first} to {end}"
        for first, end, action in spans[:MOST_SPANS]
    ]
    return ", ".join(words) + (", …" if len(spans) > MOST_SPANS else "")


MOST_SPANS = 4
