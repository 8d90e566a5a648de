"""Payoffs by counts as a normal-form game asks for them: the same questions as of a table."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from shapley_coop.amounts import exact
from shapley_coop.extensions.many.counts import Counts
from shapley_coop.extensions.many.replays import count_replays
from shapley_coop.games.baseline import ALL_AWAY, AWAY, Baseline, in_words
from shapley_coop.games.classes import ByClass
from shapley_coop.games.params import Number
from shapley_coop.games.replay import Replays
from shapley_coop.games.symmetric import Piece
from shapley_coop.games.table_replay import SURVIVES, UNDECLARED
from shapley_coop.games.turns import Turn, realised_total

if TYPE_CHECKING:
    from shapley_coop.games.matrix import MatrixGame

MOST_NAMED = 8
"""Agents that rules name one by one."""

MOST_COLUMNS = 4
"""Actions that have a column each in the table of examples."""


class CountedPayoffs:
    """What every agent gets, by its own action and what the others' actions sum up to.

    Args:
        agents: in order.
        counts: what each action pays.
    """

    def __init__(self, agents: Sequence[str], counts: Counts) -> None:
        self.agents, self.counts = tuple(agents), counts

    def rewards(self, actions: Mapping[str, str]) -> dict[str, Number]:
        """Return each agent's minimum over the actions of those that took none."""
        return self.counts.least(self.agents, actions)

    def surviving(self) -> Baseline:
        """What survives strict dominance, if that is one action; else away, with a warning."""
        left = self.counts.undominated()
        if len(left) > 1:
            return Baseline(AWAY, ALL_AWAY.words, warning=UNDECLARED)
        chosen = dict.fromkeys(self.agents, self.counts.actions[left[0]])
        return Baseline("actions", f"{in_words(self.agents, chosen)} {SURVIVES}", chosen)

    def replays(self, game: "MatrixGame", record: "Sequence[Turn]") -> Replays | None:
        """Many coalitions at once; None where the baseline asks for step by step."""
        return count_replays(game, record, self.counts)

    def classes(self, record: "Sequence[Turn]") -> tuple[ByClass, ...]:
        """What a coalition can secure depends on its size alone; all have what was realised."""
        counts, n = self.counts, len(self.agents)
        own = [counts.secure(size) if size else Fraction(0) for size in range(n)]
        worths = [len(record) * x for x in own]
        whole = [int(x * counts.unit) for x in (*worths, realised_total(record))]
        return (ByClass(np.zeros(n, dtype=int), np.array(whole, dtype=object), counts.unit),)

    def secure(self, coalition: frozenset[str]) -> Fraction:
        """The α-value of one turn: it depends on the coalition's size alone."""
        return self.counts.secure(len(coalition))

    def most(self, agent: str) -> Fraction:
        """Return the most that an agent can earn in one turn."""
        return self.counts.most

    @property
    def best_total(self) -> Fraction:
        """The most that all together can earn in one turn."""
        return self.counts.best_total

    @cached_property
    def unasked(self) -> dict[str, str]:
        """Agent → what pays it best if all others are equally likely to do anything."""
        return dict.fromkeys(self.agents, self.counts.habit)

    def facts(self) -> dict[str, Any]:
        """The formula for programs: action → from which sum of the others on it pays what."""
        return {"by_count": self.counts.record()}

    def rules(self, times: str) -> list[str]:
        """Return the formula, and a few examples, in Markdown: of the same length for any number.

        Args:
            times: how often it is played, in words.
        """
        actions, last = self.counts.actions, self.counts.sums
        numbers = ", ".join(f"{action} {k}" for k, action in enumerate(actions))
        summed = (
            f"how many of the other {len(self.agents) - 1} do {actions[1]}"
            if len(actions) == 2
            else f"the sum of the numbers of the other {len(self.agents) - 1} ({numbers})"
        )
        shown = actions if len(actions) <= MOST_COLUMNS else (actions[0], actions[-1])
        return [
            f"{called(self.agents)} choose an action at the same time, {times}. What each then "
            f"gets depends on its own action and on S: {summed}.",
            "",
            *(f"- {action}: {in_formula(self.counts.pieces[action])}" for action in actions),
            "",
            "| S | " + " | ".join(f"{action} gets" for action in shown) + " |",
            "|" + " --- |" * (len(shown) + 1),
            *(
                f"| {s} | " + " | ".join(f"{self.counts.pay(a, s):.10g}" for a in shown) + " |"
                for s in sorted({0, last, *(round(last * k / 4) for k in (1, 2, 3)), *self._steps})
            ),
        ]

    @property
    def _steps(self) -> set[int]:
        """The sums at which a formula changes, and those before."""
        starts = {p.start for own in self.counts.pieces.values() for p in own if p.start}
        return {s for start in starts for s in (start - 1, start) if s <= self.counts.sums}


def called(agents: Sequence[str]) -> str:
    """Return who plays: few by their names, many by their number and some of the names.

    >>> called([f"Agent{k}" for k in range(1, 1001)])
    '1000 agents (Agent1, Agent2, … Agent1000)'
    """
    if len(agents) <= MOST_NAMED:
        return ", ".join(agents)
    return f"{len(agents)} agents ({agents[0]}, {agents[1]}, … {agents[-1]})"


def in_formula(pieces: Sequence[Piece]) -> str:
    """Return what an action pays, in terms of S.

    >>> in_formula([Piece(0, -1), Piece(3, 10, "0.5")])
    '-1; from S = 3 on, 10 + 0.5 × (S - 3)'
    """
    return "; ".join(
        (f"from S = {piece.start} on, " if piece.start else "") + _line(piece) for piece in pieces
    )


def _line(piece: Piece) -> str:
    pays, each = (f"{float(exact(x)):.10g}" for x in (piece.pays, piece.each))
    if not exact(piece.each):
        return pays
    return f"{pays} + {each} × " + (f"(S - {piece.start})" if piece.start else "S")
