"""Compiled clauses of a contract: the effects due at a turn, and whether a clause may still bind.

The memory of a clause is a tuple of values that summarises the turns played
(`deals.language.condition`). The callers store the memories: the monitor stores them after each
turn of the record, and the game tree at each position.
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
"""An effect that the program executes when it falls due."""

Memories = tuple[Memory, ...]
"""The memory of each clause, in the order of the clauses."""


@dataclass(frozen=True)
class CompiledClause:
    """One clause, the turns at which it is in force, its compiled condition, and its effects."""

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
        """Return whether the clause is in force at that turn."""
        return self.first <= turn and (self.last is None or turn <= self.last)

    def may_bind(self, now: int, turns: int) -> bool:
        """Return whether the clause may still bind between turn `now` and the last turn, `turns`.

        A duty that may bind may also be broken, because an agent can always take no action.
        """
        if self.split:
            return now <= turns
        last = turns if self.last is None else min(self.last, turns)
        return self.condition.may_hold(max(now, self.first), last)


Clauses = tuple[CompiledClause, ...]


def compile_contract(agreed: Deal | Contract | None) -> Clauses:
    """Compile a deal in force from turn 1 on, or a contract with all its amendments."""
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
    """Compile one clause that is in force from turn `first` to turn `last`."""
    effects = clause.duty, clause.transfer, clause.gift, clause.split
    return CompiledClause(cid, clause, clause.condition(), first, last, *effects)


def start(clauses: Clauses) -> Memories:
    """Return the memories of the clauses before the first turn."""
    return tuple([each.condition.start for each in clauses])


def after(clauses: Clauses, memories: Memories, turn: Turn) -> Memories:
    """Return the memories of the clauses after one more turn, given those before this turn."""
    if not any(memories):
        return memories
    return tuple(
        [each.condition.after(memory, turn) for each, memory in zip(clauses, memories, strict=True)]
    )


def duties_at(clauses: Clauses, memories: Memories, turn: int) -> dict[str, Duty]:
    """Return clause id → the duty that binds at a turn, given the memories before that turn."""
    return {
        each.cid: each.duty
        for each, memory in zip(clauses, memories, strict=True)
        if each.duty and each.stands(turn) and each.condition.holds(memory, turn)
    }


def payments_due(
    clauses: Clauses, memories: Memories, turn: int, done: Collection[str]
) -> dict[str, Transfer]:
    """Return clause id → the payment that falls due at the end of a turn.

    Args:
        clauses: the compiled clauses of the contract.
        memories: the memories of the clauses after the turn.
        turn: the number of the turn.
        done: the ids of the "once" payments that fell due at an earlier turn.
    """
    return _falling_due([each.transfer for each in clauses], clauses, memories, turn, done)


def gifts_due(
    clauses: Clauses, memories: Memories, turn: int, done: Collection[str]
) -> dict[str, Gift]:
    """Return clause id → the gift that falls due at the end of a turn; see `payments_due`."""
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
    """Return the ids of the payments whose basis is "once"."""
    return frozenset(cid for cid, pay in due.items() if pay.basis == "once")
