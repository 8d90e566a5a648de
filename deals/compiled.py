"""A contract's clauses, compiled: what each asks at a turn, and whether it still can.

Nothing here keeps a history: of the turns played a clause remembers a tuple of values
(`deals.language.condition`) that its caller keeps. The monitor keeps one along the record, the game
tree one for each position.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from shapley_coop.deals.contract import Contract, clause_of
from shapley_coop.deals.language.clauses import Clause
from shapley_coop.deals.language.condition import Condition, Memory
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.effects import Duty, Gift, Split, Transfer
from shapley_coop.games import Turn

Due = TypeVar("Due", Transfer, Gift)
"""What the program executes when it falls due."""

Memories = tuple[Memory, ...]
"""What each clause remembers, in the order of the clauses."""


@dataclass(frozen=True)
class CompiledClause:
    """One clause, the turns for which it stands, its compiled condition, and its effects."""

    cid: str
    clause: Clause
    condition: Condition
    first: int
    last: int | None
    duty: Duty | None
    transfer: Transfer | None
    gift: Gift | None
    split: Split | None

    def stands(self, turn: int) -> bool:
        """Return whether it is in force at that turn."""
        return self.first <= turn and (self.last is None or turn <= self.last)

    def may_bind(self, now: int, turns: int) -> bool:
        """Return whether it may still ask for something from turn `now` to the game's last.

        Nothing keeps an agent from idling, so whatever is owed can be broken.
        """
        if self.split:
            return now <= turns
        last = turns if self.last is None else min(self.last, turns)
        return self.condition.may_hold(max(now, self.first), last)


Clauses = tuple[CompiledClause, ...]


def compile_contract(agreed: Deal | Contract | None) -> Clauses:
    """Return a deal that stands from the first turn on, or a contract with all its amendments."""
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
    """Return one clause that stands from turn `first` to turn `last`."""
    effects = clause.duty, clause.transfer, clause.gift, clause.split
    return CompiledClause(cid, clause, clause.condition(), first, last, *effects)


def start(clauses: Clauses) -> Memories:
    """Return what the clauses remember before the first turn."""
    return tuple([each.condition.start for each in clauses])


def after(clauses: Clauses, memories: Memories, turn: Turn) -> Memories:
    """Return what they remember after one more turn."""
    if not any(memories):
        return memories
    return tuple(
        [each.condition.after(memory, turn) for each, memory in zip(clauses, memories, strict=True)]
    )


def duties_at(clauses: Clauses, memories: Memories, turn: int) -> dict[str, Duty]:
    """Clause id → the duty that binds at a turn, by what is remembered of the turns before."""
    return {
        each.cid: each.duty
        for each, memory in zip(clauses, memories, strict=True)
        if each.duty and each.stands(turn) and each.condition.holds(memory, turn)
    }


def payments_due(
    clauses: Clauses, memories: Memories, turn: int, done: Collection[str]
) -> dict[str, Transfer]:
    """Clause id → the payment that falls due by a turn, by what is remembered with it.

    Args:
        clauses: the contract.
        memories: theirs, after the turn.
        turn: its number.
        done: the ids of what fell due before and does so a single time.
    """
    return _falling_due([each.transfer for each in clauses], clauses, memories, turn, done)


def gifts_due(
    clauses: Clauses, memories: Memories, turn: int, done: Collection[str]
) -> dict[str, Gift]:
    """Clause id → the gift that falls due by a turn, likewise."""
    return _falling_due([each.gift for each in clauses], clauses, memories, turn, done)


def _falling_due(
    effects: Sequence[Due | None],
    clauses: Clauses,
    memories: Memories,
    turn: int,
    done: Collection[str],
) -> dict[str, Due]:
    return {
        each.cid: effect
        for effect, each, memory in zip(effects, clauses, memories, strict=True)
        if effect
        and each.cid not in done
        and each.stands(turn)
        and each.condition.holds(memory, turn)
    }


def only_once(due: Mapping[str, Transfer]) -> frozenset[str]:
    """Return the ids of those payments that fall due a single time."""
    return frozenset(cid for cid, pay in due.items() if pay.basis == "once")
