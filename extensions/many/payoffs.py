"""Payoffs by counts, with the methods that a normal-form game calls on its table of payoffs."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from shapley_coop.amounts import exact
from shapley_coop.by_class import ByClass
from shapley_coop.extensions.many.counts import Counts
from shapley_coop.extensions.many.replays import count_replays
from shapley_coop.games.baseline import ALL_AWAY, AWAY, Baseline, in_words
from shapley_coop.games.params import Number
from shapley_coop.games.replay import Replays
from shapley_coop.games.symmetric import Piece
from shapley_coop.games.table_replay import SURVIVES, UNDECLARED
from shapley_coop.games.turns import Turn, realised_total

if TYPE_CHECKING:
    from shapley_coop.games.matrix import MatrixGame

MOST_NAMED = 8
"""The most agents that rules name one by one."""

MOST_COLUMNS = 4
"""With more actions than this, the table of examples has only the first and the last."""


class CountedPayoffs:
    """The payoffs of a game, by an agent's own action and the sum of the others' actions.

    Args:
        agents: the agents, in order.
        counts: the payoff of each action at each sum of the others' actions.
    """

    def __init__(self, agents: Sequence[str], counts: Counts) -> None:
        self.agents, self.counts = tuple(agents), counts

    def rewards(self, actions: Mapping[str, str]) -> dict[str, Number]:
        """Return each agent's least payoff over all actions of the agents that took no action."""
        return self.counts.least(self.agents, actions)

    def surviving(self) -> Baseline:
        """Return the baseline: the only undominated action, or "away" if there are several."""
        left = self.counts.undominated()
        if len(left) > 1:
            return Baseline(AWAY, ALL_AWAY.words, warning=UNDECLARED)
        chosen = dict.fromkeys(self.agents, self.counts.actions[left[0]])
        return Baseline("actions", f"{in_words(self.agents, chosen)} {SURVIVES}", chosen)

    def replays(self, game: "MatrixGame", record: "Sequence[Turn]") -> Replays | None:
        """Return replays computed by counts; None if the baseline needs a replay turn by turn."""
        return count_replays(game, record, self.counts)

    def classes(self, record: "Sequence[Turn]") -> tuple[ByClass, ...]:
        """Return the α-value for each coalition size, or the realised total for all agents."""
        counts, n = self.counts, len(self.agents)
        own = [counts.secure(size) if size else Fraction(0) for size in range(n)]
        worths = [len(record) * x for x in own]
        whole = [int(x * counts.unit) for x in (*worths, realised_total(record))]
        return (ByClass(np.zeros(n, dtype=int), np.array(whole, dtype=object), counts.unit),)

    def secure(self, coalition: frozenset[str]) -> Fraction:
        """Return a coalition's α-value of one turn, which depends only on its size."""
        return self.counts.secure(len(coalition))

    def most(self, agent: str) -> Fraction:
        """Return the largest payoff of an agent in one turn."""
        return self.counts.most

    @property
    def best_total(self) -> Fraction:
        """The largest total payoff of one turn."""
        return self.counts.best_total

    @cached_property
    def unasked(self) -> dict[str, str]:
        """Agent → its best response if all others mix uniformly."""
        return dict.fromkeys(self.agents, self.counts.habit)

    def facts(self) -> dict[str, Any]:
        """Return the formula for programs: action → the linear pieces of the action's payoff."""
        return {"by_count": self.counts.record()}

    def rules(self, times: str) -> list[str]:
        """Return the formula and a few examples in Markdown, short for any number of agents.

        Args:
            times: the number of repetitions, in words.
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
        """The sums at which a new piece of a formula starts, and the sums just before."""
        starts = {p.start for own in self.counts.pieces.values() for p in own if p.start}
        return {s for start in starts for s in (start - 1, start) if s <= self.counts.sums}


def called(agents: Sequence[str]) -> str:
    """Return the agents' names, or the number and some names of many agents.

    >>> called([f"Agent{k}" for k in range(1, 1001)])
    '1000 agents (Agent1, Agent2, … Agent1000)'
    """
    if len(agents) <= MOST_NAMED:
        return ", ".join(agents)
    return f"{len(agents)} agents ({agents[0]}, {agents[1]}, … {agents[-1]})"


def in_formula(pieces: Sequence[Piece]) -> str:
    """Return the payoff of an action as a formula in S, the sum of the others' actions.

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
