"""Payoffs by counts: an agent's payoff depends on its own action and on one sum over the others.

The games are symmetric and aggregative (Selten 1970; Corchón 1994). All agents have the same
actions, and action k adds k to the sum. Only the sum of the others' actions matters. So the payoffs
need one entry per action and sum, instead of one row per joint action. The entries are given as
exact linear pieces, and each payoff is rounded once, to a whole millionth.

>>> fund = Counts(["keep", "give"], 1000, {"keep": [Piece(0, 20, "0.032")],
...                                        "give": [Piece(0, "0.032", "0.032")]})
>>> fund.pay("give", others=999), fund.pay("keep", others=999)
(32, 51.968)
>>> str(fund.best_total)
'32000'
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from math import comb, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapley_coop.amounts import MICRO, exact, plain
from shapley_coop.games.params import Number
from shapley_coop.games.symmetric import Piece

MOST_CASES = 2_000_000
"""The most entries (actions × sums of the others); larger games are refused."""

_WHOLE = 2**46
"""Amounts below this do not overflow int64 when summed over 10,000 turns."""

Rows = NDArray[Any]
"""An array (action, sum of the others' actions) → the action's payoff, as multiples of 1/unit."""


class Counts:
    """The payoff of every action at every sum of the others' actions.

    Args:
        actions: the actions of each agent; the k-th action, from 0, adds k to the sum.
        n: the number of agents.
        pays: action → the linear pieces of its payoff; the first piece starts at a sum of 0.

    Raises:
        ValueError: there are too many entries, or more than two actions whose payoffs are not
            all single lines of the same slope.
    """

    def __init__(self, actions: Sequence[str], n: int, pays: Mapping[str, Sequence[Piece]]) -> None:
        self.actions, self.n = tuple(actions), n
        self.pieces = {action: tuple(pays[action]) for action in self.actions}
        self.top = len(self.actions) - 1
        self.sums = (n - 1) * self.top
        """The highest sum of the others' actions."""
        if len(self.actions) * (self.sums + 1) > MOST_CASES:
            many = f"{n} agents with {len(self.actions)} actions"
            raise ValueError(f"{many} is too many: use fewer agents or turns")
        if len(self.actions) > 2 and self.line is None:
            raise ValueError("more than two actions need payoffs on lines of one slope")

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> "Counts":
        """Return the payoffs from the facts of a letter.

        Raises:
            KeyError: the facts contain no payoffs by counts.
        """
        told: Mapping[str, Any] = facts["by_count"]
        return _read(
            len(facts["agents"]),
            tuple(
                (action, tuple((p["from"], p["pays"], p["each"]) for p in pieces))
                for action, pieces in told.items()
            ),
        )

    def record(self) -> dict[str, Any]:
        """Return the pieces as plain JSON, for the facts of letters."""
        return {action: list(map(_record, own)) for action, own in self.pieces.items()}

    @cached_property
    def each(self) -> Fraction | None:
        """The common slope `line` if no payoff is rounded; otherwise None."""
        return self.line if self.unit == self._parts else None

    @cached_property
    def line(self) -> Fraction | None:
        """The slope if every action's payoff is one line and all slopes are equal; else None."""
        lines = {(len(own), exact(own[0].each)) for own in self.pieces.values()}
        (count, each), *others = lines
        return each if count == 1 and not others else None

    @cached_property
    def unit(self) -> int:
        """The number in `rows` that stands for 1 in the game's unit."""
        return MICRO if MICRO % self._parts else self._parts

    @cached_property
    def _parts(self) -> int:
        """The least common denominator of all numbers in the pieces."""
        numbers = (x for own in self.pieces.values() for p in own for x in (p.pays, p.each))
        return lcm(*(exact(x).denominator for x in numbers))

    @cached_property
    def extreme(self) -> Fraction:
        """An upper bound on the absolute payoff of an agent in one turn, in the game's unit."""
        pieces = (piece for own in self.pieces.values() for piece in own)
        return max(abs(exact(p.pays)) + abs(exact(p.each)) * self.sums for p in pieces)

    @cached_property
    def rows(self) -> Rows:
        """The payoff of each action at each sum of the others' actions, as multiples of 1/unit."""
        kind: Any = np.int64 if self.extreme * self.unit * self.n < _WHOLE else object
        found = np.zeros((len(self.actions), self.sums + 1), dtype=kind)
        for code, action in enumerate(self.actions):
            for piece in self.pieces[action]:
                further = np.arange(max(0, self.sums + 1 - piece.start), dtype=kind)
                found[code, piece.start :] = self._whole(piece, further)
        return found

    def _whole(self, piece: Piece, further: Rows) -> Rows:
        """Return a piece's payoffs as multiples of 1/unit; finer ones are rounded to millionths."""
        pays, each = (int(exact(x) * self._parts) for x in (piece.pays, piece.each))
        if self.unit == self._parts:
            return np.asarray(pays + each * further)
        exactly = (pays + each * further.astype(object)) * MICRO
        return np.asarray((2 * exactly + self._parts) // (2 * self._parts))

    @cached_property
    def code(self) -> dict[str, int]:
        """Action → its number, which the action adds to the sum."""
        return {action: k for k, action in enumerate(self.actions)}

    def pay(self, action: str, others: int) -> Number:
        """Return the payoff of an action at a sum of the others' actions, in the game's unit."""
        return self.number(self.rows[self.code[action], others])

    def number(self, amount: Any) -> Number:
        """Convert an integer, which counts parts of 1/unit, to an amount in the game's unit."""
        whole = Fraction(int(amount), self.unit)
        return whole.numerator if whole.denominator == 1 else float(whole)

    def least(self, agents: Iterable[str], actions: Mapping[str, str]) -> dict[str, Number]:
        """Return each agent's payoff: the minimum over all actions that agents without an action
        could have taken."""
        codes = {agent: self.code[action] for agent, action in actions.items()}
        least = self.least_of(sum(codes.values()), self.n - len(codes))
        known = {k: self.number(least(k)) for k in {*codes.values(), None}}
        return {agent: known[codes.get(agent)] for agent in agents}

    def least_of(self, total: int, idle: int) -> Any:
        """Return a function from an action's number (None for no action) to its least payoff.

        Args:
            total: the sum of the actions of the agents that acted.
            idle: the number of agents that did not act.
        """

        def least(code: int | None) -> Any:
            if code is not None:
                low = total - code
                return self.rows[code, low : low + idle * self.top + 1].min()
            if not idle:
                return 0
            return self.rows[:, total : total + (idle - 1) * self.top + 1].min()

        return least

    @cached_property
    def best_for_all(self) -> tuple[int, ...]:
        """The number of agents per action at the highest total payoff; if several totals are equal,
        the numbers with fewer agents on later actions."""
        if (line := self.line) is None:
            totals = [self.total((self.n - k, k)) for k in range(self.n + 1)]
            k = totals.index(max(totals))
            return self.n - k, k
        own = (exact(pieces[0].pays) for pieces in self.pieces.values())
        adds = [pays + (self.n - 1) * line * k for k, pays in enumerate(own)]
        return tuple(self.n * (k == adds.index(max(adds))) for k in range(len(self.actions)))

    @property
    def best_total(self) -> Fraction:
        """The largest total payoff of one turn."""
        return Fraction(int(self.total(self.best_for_all)), self.unit)

    @property
    def most(self) -> Fraction:
        """The largest payoff of one agent in one turn."""
        return Fraction(int(self.rows.max()), self.unit)

    def total(self, counts: Sequence[int]) -> Any:
        """Return the total payoff (a multiple of 1/unit) if `counts[k]` agents take action k."""
        total = sum(k * many for k, many in enumerate(counts))
        return sum(many * int(self.rows[k, total - k]) for k, many in enumerate(counts) if many)

    @cached_property
    def habit(self) -> str:
        """The best response if all others mix uniformly; ties go to the first action."""
        if self.line is not None:  # the slopes are equal, so the constants decide
            worth = [int(row[0]) for row in self.rows]
        else:
            chances = [comb(self.n - 1, k) for k in range(self.sums + 1)]
            worth = [sum(map(int.__mul__, chances, map(int, row))) for row in self.rows]
        return self.actions[worth.index(max(worth))]

    def undominated(self) -> list[int]:
        """Return the actions that survive strict iterated dominance by pure actions."""
        left = list(range(len(self.actions)))
        while True:
            own = self.rows[np.ix_(left, self._reachable(left))]
            kept = [
                k
                for at, k in enumerate(left)
                if not any((own[other] > own[at]).all() for other in range(len(left)))
            ]
            if kept == left:
                return left
            left = kept

    def _reachable(self, left: Sequence[int]) -> list[int]:
        """Return the set of all sums of n − 1 agents with these actions (bit s is the sum s)."""
        if left[-1] - left[0] == len(left) - 1:
            return list(range((self.n - 1) * left[0], (self.n - 1) * left[-1] + 1))
        sums, power, times = 1, sum(1 << k for k in left), self.n - 1
        while times:
            sums = _sums(sums, power) if times & 1 else sums
            power, times = (_sums(power, power) if times > 1 else power), times >> 1
        return [s for s in range(self.sums + 1) if sums >> s & 1]

    def secure(self, size: int) -> Fraction:
        """Return the α-value (max-min total) of a coalition of this size in one turn."""
        others = (self.n - size) * self.top
        if self.line is None:
            theirs = np.arange(size + 1)
            least = self.least_together({0: size - theirs, 1: theirs}, np.full(size + 1, others))
            return Fraction(int(least.max()), self.unit)
        alike = ((k, (size - 1) * k) for k in range(len(self.actions)))
        least = max(min(self.rows[k, own], self.rows[k, own + others]) for k, own in alike)
        return Fraction(size * int(least), self.unit)

    def least_together(self, counts: Mapping[int, Rows], others: Rows) -> Rows:
        """Return the least total payoff of agents with these actions, over all sums of the others.

        Args:
            counts: an action's number → the number of agents that take it, arrays of any shape.
            others: the largest sum of the others' actions, an array of the same shape.

        A piecewise linear total is least at the lowest or highest sum, or at an end of a piece.
        """
        low = sum(k * many for k, many in counts.items())
        starts = {p.start for own in self.pieces.values() for p in own if p.start}
        corners = {start + k - back for start in starts for k in counts for back in (0, 1)}
        found = None
        for at in (low, low + others, *(np.clip(c, low, low + others) for c in sorted(corners))):
            total = sum(
                many * self.rows[k, np.clip(at - k, 0, self.sums)] for k, many in counts.items()
            )
            found = total if found is None else np.minimum(found, total)
        return np.asarray(found)


@lru_cache(maxsize=64)
def _read(n: int, told: tuple[tuple[str, tuple[tuple[int, str, str], ...]], ...]) -> Counts:
    """Return the payoffs; cache them, because all letters of a run give the same facts."""
    return Counts(
        [action for action, _ in told], n, {a: [Piece(*p) for p in own] for a, own in told}
    )


def _record(piece: Piece) -> dict[str, Any]:
    pays, each = (plain(exact(x)) for x in (piece.pays, piece.each))
    return {"from": piece.start, "pays": pays, "each": each}


def _sums(one: int, other: int) -> int:
    """Return all sums of one number from each of two sets; bit s of a set is the number s."""
    found, at = 0, 0
    while other >> at:
        if other >> at & 1:
            found |= one << at
        at += 1
    return found
