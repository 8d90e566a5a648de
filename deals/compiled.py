"""A contract's clauses, compiled: what each asks at a turn, and whether it still can.

Nothing here keeps a history: of the turns played a clause remembers a tuple of values
(`deals.language.condition`) that its caller keeps. The monitor keeps one along the record, the game
tree one for each position.
"""

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from shapley_coop.deals.contract import Contract, clause_of
from shapley_coop.deals.language.clauses import Clause, Do, Forbid, Give, Pay, Share
from shapley_coop.deals.language.condition import Asked, Condition, Memory, compiled_condition
from shapley_coop.deals.language.deal import Deal
from shapley_coop.games import Turn

Due = TypeVar("Due", Pay, Give)
"""What the program executes when it falls due."""

Memories = tuple[Memory, ...]
"""What each clause remembers, in the order of the clauses."""


@dataclass(frozen=True)
class CompiledClause:
    """One clause, the turns for which it stands, and its compiled condition."""

    cid: str
    clause: Clause
    condition: Condition
    first: int
    last: int | None

    def stands(self, turn: int) -> bool:
        """Whether it is in force at that turn."""
        return self.first <= turn and (self.last is None or turn <= self.last)

    def may_bind(self, now: int, turns: int) -> bool:
        """Whether it may still ask for something from turn `now` to the game's last.

        Nothing keeps an agent from idling, so whatever is owed can be broken.
        """
        if isinstance(self.clause, Share):
            return now <= turns
        last = turns if self.last is None else min(self.last, turns)
        return self.condition.may_hold(max(now, self.first), last)


Clauses = tuple[CompiledClause, ...]


def compiled(agreed: Deal | Contract | None) -> Clauses:
    """A deal that stands from the first turn on, or a contract with all its amendments."""
    if isinstance(agreed, Deal):
        return tuple(compiled_clause(cid, clause) for cid, clause in agreed.ids().items())
    terms = agreed["terms"] if agreed else []
    return tuple(
        compiled_clause(term["id"], clause_of(term), term["from_turn"], term["to_turn"])
        for term in terms
    )


def compiled_clause(
    cid: str, clause: Clause, first: int = 1, last: int | None = None
) -> CompiledClause:
    """One clause that stands from turn `first` to turn `last`."""
    when = "always" if isinstance(clause, Share) else clause.when
    return CompiledClause(cid, clause, compiled_condition(when, _asked(clause)), first, last)


def _asked(clause: Clause) -> Asked:
    """Whether a condition is read before a turn or after it."""
    return "after" if isinstance(clause, Pay | Give) else "before"


def start(clauses: Clauses) -> Memories:
    """What the clauses remember before the first turn."""
    return tuple([each.condition.start for each in clauses])


def after(clauses: Clauses, memories: Memories, turn: Turn) -> Memories:
    """What they remember after one more turn."""
    if not any(memories):
        return memories
    return tuple(
        [each.condition.after(memory, turn) for each, memory in zip(clauses, memories, strict=True)]
    )


def owed(clauses: Clauses, memories: Memories, turn: int) -> dict[str, Do | Forbid]:
    """Clause id → the duty that binds at a turn, by what is remembered of the turns before."""
    return {
        each.cid: each.clause
        for each, memory in zip(clauses, memories, strict=True)
        if isinstance(each.clause, Do | Forbid)
        and each.stands(turn)
        and each.condition.holds(memory, turn)
    }


def falling_due(
    kind: type[Due], clauses: Clauses, memories: Memories, turn: int, done: Collection[str]
) -> dict[str, Due]:
    """Clause id → the payment or gift that falls due by a turn, by what is remembered with it.

    Args:
        kind: which of the two.
        clauses: the contract.
        memories: theirs, after the turn.
        turn: its number.
        done: the ids of what fell due before and does so a single time.
    """
    return {
        each.cid: each.clause
        for each, memory in zip(clauses, memories, strict=True)
        if isinstance(each.clause, kind)
        and each.cid not in done
        and each.stands(turn)
        and each.condition.holds(memory, turn)
    }


def only_once(due: dict[str, Pay]) -> frozenset[str]:
    """The ids of those payments that fall due a single time."""
    return frozenset(cid for cid, pay in due.items() if pay.basis == "once")


def amount_due(pay: Pay, reward: Fraction) -> Fraction:
    """What is paid, given the payer's reward of the turn.

    A loss cannot be shared: a share of a negative reward would be a payment back.
    """
    return pay.amount * max(Fraction(0), reward) if pay.basis == "reward" else pay.amount
