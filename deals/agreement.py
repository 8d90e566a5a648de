"""A contract where it stands: beside the game, its enforcement, and the turns played so far.

What nodes, letters and pages ask about a contract is asked here, with what they all would have to
pass along.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from shapley_coop.amounts import to_micro
from shapley_coop.deals.analysis.incentives import deposit_of
from shapley_coop.deals.analysis.reservation import short_of
from shapley_coop.deals.contract import Contract, Term, in_force
from shapley_coop.deals.enforcement import Enforcement, Posting, deposits, releases
from shapley_coop.deals.goods import recorded_wrongly
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.monitor import Monitor
from shapley_coop.deals.parties import bound_by
from shapley_coop.deals.settlement import apply_payments, earnings
from shapley_coop.games import Turn
from shapley_coop.games.goods import Gift
from shapley_coop.games.open_turns import OpenTurns, always_open

if TYPE_CHECKING:
    from shapley_coop.deals.analysis.certificate import Certificate


class _Slot:
    """Where a contract's latest monitor is kept, with the terms that it was made for."""

    kept: tuple[list[Term], Monitor] | None = None


@lru_cache(maxsize=128)
def _slot(digest: str) -> _Slot:
    return _Slot()


def monitor_of(
    contract: Contract | None, record: Sequence[Turn], open_turns: OpenTurns = always_open
) -> Monitor:
    """Return the contract's monitor after every turn of the record, to be read: it is shared.

    Of each contract the latest monitor is kept: of a record that begins with the turns that it has
    observed, only the rest is observed, and a fork in time is judged from where it parts. Turns
    are compared as lists are, by identity first: a turn once recorded is not changed in place.
    Whoever wants to observe more takes a copy by `Monitor.on`.
    """
    if contract is None:
        return Monitor(None).on(record)
    slot = _slot(contract["hash"])
    terms, known = slot.kept or ([], Monitor(None))
    # A hash says neither from which turn on a contract stands nor which game it is for.
    if terms != contract["terms"] or known.open_turns != open_turns:
        known = Monitor(contract, open_turns)
    if known.turns == record:
        return known
    found = known.on(record)
    if len(found.turns) >= len(known.turns):
        slot.kept = (contract["terms"], found)
    return found


@dataclass(frozen=True)
class Agreement:
    """What is signed, if anything is, after the turns of a record.

    Attributes:
        contract: what was signed, with its amendments; None before.
        record: the turns played.
        facts: the game's (`facts_of`).
        enforcement: how the contract is enforced.
        open_turns: the turns at which an action can be taken (`Game.open_turns`).
    """

    contract: Contract | None
    record: Sequence[Turn]
    facts: Mapping[str, Any]
    enforcement: Enforcement
    open_turns: OpenTurns = always_open

    @cached_property
    def monitor(self) -> Monitor:
        """The contract held against the record: duties, payments, breaches and verdicts."""
        return monitor_of(self.contract, self.record, self.open_turns)

    @cached_property
    def deposit(self) -> Fraction:
        """What each party has in escrow, in the game's unit."""
        return deposit_of(self.contract, self.facts, self.enforcement, self.record)

    def gifts(self, actions: Mapping[str, str]) -> list[Gift]:
        """The goods that change hands by the end of the next turn, if these actions are taken."""
        if not self.enforcement.executes:
            return []
        turn: Turn = {"turn": len(self.record) + 1, "actions": dict(actions), "rewards": {}}
        return [each.gift() for each in self.monitor.handing_over(turn)]

    def wrongly_handed(self) -> str:
        """Where the record hands over other goods than the contract has it; empty if nowhere."""
        due = self.monitor.handovers if self.enforcement.executes else []
        told = (recorded_wrongly([x for x in due if x.turn == t["turn"]], t) for t in self.record)
        return next(filter(None, told), "")

    @property
    def parties(self) -> list[str]:
        """Who signed the contract, or is bound by it: all agents but those who left it."""
        if self.contract is None:
            return []
        bound = bound_by(in_force(self.contract).values(), self.facts["agents"])
        return [a for a in self.facts["agents"] if a in bound or a in self.contract["signatures"]]

    def postings(self, over: bool) -> list[Posting]:
        """All that the deposits have come to so far, in the order in which the ledger posts it.

        It is safe to post all of it again after every turn: the ledger ignores what it has.

        Args:
            over: whether the game is over, so that what is not forfeited is returned.
        """
        agents, amount = self.parties, to_micro(self.deposit)
        released = releases(agents, amount, self.monitor.breaches, over)
        return [*deposits(agents, amount), *released] if self.contract else []

    def certificate(self, deal: Deal, norms: Sequence[str] = ()) -> "Certificate":
        """What a deal would do to everybody's incentives if it were signed, or amended, now."""
        from shapley_coop.deals.analysis.certificate import certify

        return certify(
            deal,
            self.facts,
            self.enforcement,
            norms=norms,
            record=self.record,
            standing=self.contract,
            open_turns=self.open_turns,
        )

    def below_reservation(
        self, deal: Deal, agent: str, reservation: Fraction, norms: Sequence[str] = ()
    ) -> Fault | None:
        """RESERVE: refuse to sign for an agent that the deal leaves with less than it requires.

        Its reservation value is compared with what it has earned so far, plus what it can expect
        while all keep the contract. A game that could not be enumerated does not pass.
        """
        party = self.certificate(deal, norms).parties.get(agent)
        if party is None:
            return short_of(reservation, None)
        held = earnings(self.record, self.facts["agents"])
        if self.enforcement.executes:
            held = apply_payments(held, self.monitor.payments)
        return short_of(reservation, held[agent] + party.within.expected)
