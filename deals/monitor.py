"""What a contract asks at a turn, what it makes due, and where it was broken."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from shapley_coop.deals.language.clauses import Forbid, Pay
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.when import holds
from shapley_coop.games import Turn


@dataclass(frozen=True)
class Duty:
    """What one clause asks of one agent at one turn."""

    clause: str
    agent: str
    action: str
    forbidden: bool


@dataclass(frozen=True)
class Payment:
    """What one clause makes due at one turn, in the game's unit."""

    clause: str
    turn: int
    payer: str
    payee: str
    amount: Fraction


@dataclass(frozen=True)
class Breach:
    """A clause that was not kept: who, when, and what was done instead."""

    clause: str
    agent: str
    turn: int
    evidence: str


def duties(deal: Deal, before: Sequence[Turn], turn: int) -> list[Duty]:
    """What the deal asks at `turn`, given the turns before it."""
    return [
        Duty(cid, clause.agent, clause.action, isinstance(clause, Forbid))
        for cid, clause in deal.duties.items()
        if holds(clause.when, turn, before)
    ]


def payments(deal: Deal, record: Sequence[Turn], since: int = 1) -> list[Payment]:
    """Everything the deal's `Pay` clauses make due over the record, from turn `since` on."""
    due = [
        payment
        for cid, pay in deal.pays.items()
        for payment in _payments(cid, pay, record, since)
        if payment.amount
    ]
    return sorted(due, key=lambda payment: payment.turn)


def _payments(cid: str, pay: Pay, record: Sequence[Turn], since: int) -> list[Payment]:
    due = []
    for n, turn in enumerate(record, start=1):
        if turn["turn"] < since or not holds(pay.when, turn["turn"], record[:n]):
            continue
        amount = pay.amount
        if pay.basis == "reward":
            # A loss cannot be shared: a share of a negative reward would be a payment back.
            amount *= max(Fraction(0), Fraction(str(turn["rewards"].get(pay.payer, 0))))
        due.append(Payment(cid, turn["turn"], pay.payer, pay.payee, amount))
        if pay.basis == "once":
            break
    return due


def breaches(deal: Deal, record: Sequence[Turn], since: int = 1) -> list[Breach]:
    """Every duty that was not kept, from turn `since` on.

    An agent that took no action at a turn at which it owed one is in breach; nobody can breach
    by doing nothing what is forbidden.
    """
    return [
        breach_of(duty, turn)
        for n, turn in enumerate(record)
        if turn["turn"] >= since
        for duty in duties(deal, record[:n], turn["turn"])
        if (turn["actions"].get(duty.agent) == duty.action) == duty.forbidden
    ]


def breach_of(duty: Duty, turn: Turn) -> Breach:
    """The breach of a duty at a turn, with what was done in its place."""
    did = turn["actions"].get(duty.agent, "nothing")
    owed = f"not {duty.action}" if duty.forbidden else duty.action
    evidence = f"turn {turn['turn']}: {duty.agent} did {did}, owed {owed}"
    return Breach(duty.clause, duty.agent, turn["turn"], evidence)
