"""The `Agreement`: a contract together with its game, its enforcement and the turns played.

Nodes, letters and pages ask an `Agreement` about its contract, so that they need not pass the
contract, the game's facts and the record to every function.
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
    """A cache entry: the latest monitor of a contract, and the contract's terms at that time."""

    kept: tuple[list[Term], Monitor] | None = None


@lru_cache(maxsize=128)
def _slot(digest: str) -> _Slot:
    return _Slot()


def monitor_of(
    contract: Contract | None, record: Sequence[Turn], open_turns: OpenTurns = always_open
) -> Monitor:
    """Return the contract's monitor after all turns of the record. Callers must not change it.

    The latest monitor of each contract is cached. If the record begins with turns that the cached
    monitor has observed, only the turns after them are observed. Recorded turns must not be changed
    in place, because the cache compares turns by identity first and would miss the change. To
    observe further turns, copy the monitor by `Monitor.on`.
    """
    if contract is None:
        return Monitor(None).on(record)
    slot = _slot(contract["hash"])
    terms, known = slot.kept or ([], Monitor(None))
    # Contracts with equal hashes may differ in the game or in the first turn in force.
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
    """A contract, if one is signed, together with its game, its enforcement and the turns played.

    Attributes:
        contract: the signed contract with its amendments; None before the first signing.
        record: the turns played.
        facts: the facts of the game (`facts_of`).
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
        """The monitor after all recorded turns: duties, payments, breaches and verdicts."""
        return monitor_of(self.contract, self.record, self.open_turns)

    @cached_property
    def deposit(self) -> Fraction:
        """The deposit of each party in escrow, in the game's unit."""
        return deposit_of(self.contract, self.facts, self.enforcement, self.record)

    def gifts(self, actions: Mapping[str, str]) -> list[Gift]:
        """Return the gifts due at the end of the next turn, if the agents take these actions."""
        if not self.enforcement.executes:
            return []
        turn: Turn = {"turn": len(self.record) + 1, "actions": dict(actions), "rewards": {}}
        return [each.gift() for each in self.monitor.handing_over(turn)]

    def wrongly_handed(self) -> str:
        """Return in words how recorded gifts first differ from the gifts due; "" if they do not."""
        due = self.monitor.handovers if self.enforcement.executes else []
        told = (recorded_wrongly([x for x in due if x.turn == t["turn"]], t) for t in self.record)
        return next(filter(None, told), "")

    @property
    def parties(self) -> list[str]:
        """The agents that signed the contract or are bound by its clauses in force."""
        if self.contract is None:
            return []
        bound = bound_by(in_force(self.contract).values(), self.facts["agents"])
        return [a for a in self.facts["agents"] if a in bound or a in self.contract["signatures"]]

    def postings(self, over: bool) -> list[Posting]:
        """Return the postings of all deposits, forfeits and returns so far, in ledger order.

        It is safe to post all of them again after every turn: the ledger ignores known postings.

        Args:
            over: whether the game is over, so that deposits not forfeited are returned.
        """
        agents, amount = self.parties, to_micro(self.deposit)
        released = releases(agents, amount, self.monitor.breaches, over)
        return [*deposits(agents, amount), *released] if self.contract else []

    def certificate(self, deal: Deal, norms: Sequence[str] = ()) -> "Certificate":
        """Return the certificate of a deal that would be signed now, first or as an amendment."""
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
        """Return a RESERVE fault if the deal leaves the agent less than its reservation value.

        The reservation value is compared with the agent's earnings so far plus its expected gain
        from now on if all keep the deal. If the game cannot be enumerated, the result is a fault.
        """
        party = self.certificate(deal, norms).parties.get(agent)
        if party is None:
            return short_of(reservation, None)
        held = earnings(self.record, self.facts["agents"])
        if self.enforcement.executes:
            held = apply_payments(held, self.monitor.payments)
        return short_of(reservation, held[agent] + party.within.expected)
