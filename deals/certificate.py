"""What a contract does to everybody's incentives, computed before anybody signs.

>>> from games import load
>>> from deals import Deal, Do, Pay, Last, Event
>>> dilemma = load("prisoners_dilemma", {"rounds": 2})
>>> promise = Deal(clauses=[Do(agent=a, action="cooperate") for a in dilemma.agents])
>>> certify(promise, dilemma.facts()).parties["Alice"].deviation.text()
'Alice gains 2 if it does defect at turn 1 where the contract asks for cooperate.'
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from deals.amounts import plain
from deals.clauses import Pay
from deals.contract import Contract
from deals.deal import Deal, read_deal
from deals.enforcement import Enforcement
from deals.faults import Fault
from deals.incentives import (
    Deviation,
    balanced_outcomes,
    contradiction,
    deviation,
    idle_clauses,
    overpaid,
    sufficient_deposit,
    temptation,
    weak_equilibria,
)
from deals.prospects import NOTHING, Prospects
from deals.rules import DEAL_RULES, Rule, Terms, first_fault
from deals.stage import NotFinite, StageGame
from deals.valuations import best, expected, guaranteed, secured
from games import Turn


@dataclass(frozen=True)
class Outlook:
    """What an agent can look forward to, in the game's unit, over the turns left.

    Attributes:
        worst: what it can secure (maximin in pure actions).
        expected: if everybody takes what pays best at once, of what is allowed.
        best: if all that is left open goes well for it.
    """

    worst: Fraction
    expected: Fraction
    best: Fraction


@dataclass(frozen=True)
class Party:
    """What the contract means for one party.

    Attributes:
        without: its outlook with no contract.
        within: its outlook while everybody keeps the contract.
        guaranteed: what it can secure by keeping the contract, whatever the others do.
        deviation: how it would gain by breaking the contract while the others keep it; None if
            keeping it is a best response.
        temptation: a turn at which, for something the others could do then, breaking it pays,
            though all keep it from there on; None if keeping it is dominant at every turn.
    """

    without: Outlook
    within: Outlook
    guaranteed: Fraction
    deviation: Deviation | None
    temptation: Deviation | None

    @property
    def rational(self) -> bool:
        """Individual rationality: it can secure no less than without the contract."""
        return self.within.worst >= self.without.worst


@dataclass(frozen=True)
class Certificate:
    """What was found out about a deal before signing.

    Attributes:
        deal: the deal.
        enforcement: how it would be enforced, with the deposit that was found or given.
        faults: what forbids signing it; empty for a sound deal.
        parties: agent → what it means for that party; empty where the game was not enumerated.
        outcomes: in how many outcomes of a turn the payments were checked to sum to zero.
        notes: what else is worth knowing, a sentence each.
    """

    deal: Deal
    enforcement: Enforcement
    faults: tuple[Fault, ...]
    parties: dict[str, Party] = field(default_factory=dict)
    outcomes: int = 0
    notes: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether nothing forbids signing it."""
        return not self.faults


def certify(
    deal: Deal,
    facts: Mapping[str, Any],
    enforcement: Enforcement | None = None,
    rules: Iterable[Rule] = DEAL_RULES,
    norms: Sequence[str] = (),
    droppable: Sequence[str] = (),
    record: Sequence[Turn] = (),
) -> Certificate:
    """Examine a deal.

    Args:
        deal: what is to be signed.
        facts: the game's, as `games` give them: agents, actions, turns and, for a game that can
            be enumerated, payoffs.
        enforcement: how it is enforced; payments count only where they are made.
        rules: the first that is broken becomes a fault.
        norms: those that are computed at this table.
        droppable: the clauses of a standing contract that it can end.
        record: the turns played before it would be signed; what it means is for those left.

    Returns:
        The certificate; whatever the deal says, nothing is raised.

    Raises:
        ValueError: the facts give no agents, actions or turns.

    Cost: for two agents with two actions and ten turns about 10 ms; `deals.prospects` says how it
    grows.
    """
    enforcement = enforcement or Enforcement()
    agents, actions, turns = facts["agents"], facts["actions"], int(facts["turns"])
    terms = Terms(agents, actions, turns, norms, droppable)
    if fault := first_fault(rules, deal, terms):
        return Certificate(deal, enforcement, (fault,))
    try:
        stage = StageGame.of(facts)
        if fault := _affordable(deal, stage):
            return Certificate(deal, enforcement, (fault,))
        if enforcement.mode == "escrow" and enforcement.deposit is None:
            needed = sufficient_deposit(deal, stage, record)
            enforcement = replace(enforcement, deposit=needed)
        return _enumerated(deal, stage, enforcement, record)
    except NotFinite as reason:
        return Certificate(
            deal, enforcement, (), notes=(f"Incentives were not enumerated: {reason}.",)
        )


def vet(
    raw: Any,
    facts: Mapping[str, Any],
    enforcement: Enforcement | None = None,
    norms: Sequence[str] = (),
) -> Certificate | Fault:
    """Examine a deal as it arrives, as JSON; what cannot be read is a fault."""
    deal = read_deal(raw)
    return deal if isinstance(deal, Fault) else certify(deal, facts, enforcement, norms=norms)


def below_reservation(certificate: Certificate, agent: str, reservation: Fraction) -> Fault | None:
    """RESERVE: refuse to sign for an agent that would be left with less than it requires.

    Compared is what it can expect while everybody keeps the contract. What could not be
    enumerated is not known to reach it, and is refused.
    """
    party = certificate.parties.get(agent)
    if party is None:
        return Fault(
            "RESERVE",
            "What this contract leaves you cannot be computed, so that it is not known to reach "
            f"your reservation value of {plain(reservation)}: do not sign it.",
        )
    if party.within.expected >= reservation:
        return None
    return Fault(
        "RESERVE",
        f"This contract leaves you {plain(party.within.expected)}, less than your reservation "
        f"value of {plain(reservation)}: do not sign it.",
    )


def deposit_of(
    contract: Contract | None,
    facts: Mapping[str, Any],
    enforcement: Enforcement,
    record: Sequence[Turn] = (),
) -> Fraction:
    """What each party has in escrow under a contract: as given, or as much as keeping it needs.

    Nothing without a contract, in another mode, or where a game that was to say how much is
    needed cannot be enumerated. An amendment leaves the deposits as they are.
    """
    if contract is None or enforcement.mode != "escrow" or enforcement.deposit is not None:
        return enforcement.held() if contract else NOTHING
    first = contract["terms"][0]["from_turn"]
    clauses = [term["clause"] for term in contract["terms"] if term["from_turn"] == first]
    before = [turn for turn in record if turn["turn"] < first]
    return _needed(json.dumps({"clauses": clauses}), json.dumps(dict(facts)), json.dumps(before))


@lru_cache(maxsize=64)
def _needed(deal: str, facts: str, record: str) -> Fraction:
    try:
        stage = StageGame.of(json.loads(facts))
        return sufficient_deposit(Deal.model_validate_json(deal), stage, json.loads(record))
    except NotFinite:
        return NOTHING


def _affordable(deal: Deal, stage: StageGame) -> Fault | None:
    """ABLE: nobody promises what it cannot have even if all goes well for it."""
    for cid, pay in deal.pays.items():
        share = deal.share
        most = stage.most(pay.payer)
        if share and share.fractions:
            most = max(most, stage.turns * stage.best_total * share.fractions[pay.payer])
        received = sum(
            (_at_most(other, stage) for other in deal.pays.values() if other.payee == pay.payer),
            NOTHING,
        )
        if pay.basis != "reward" and pay.amount > max(most, NOTHING) + received:
            return Fault(
                "ABLE",
                f"{cid}: {pay.payer} can never pay {plain(pay.amount)}; in the whole game it can "
                f"have at most {plain(max(most, NOTHING) + received)}.",
            )
    return None


def _at_most(pay: Pay, stage: StageGame) -> Fraction:
    match pay.basis:
        case "once":
            return pay.amount
        case "turn":
            return pay.amount * stage.turns
        case "reward":
            return pay.amount * max(stage.most(pay.payer), NOTHING)


def _enumerated(
    deal: Deal, stage: StageGame, enforcement: Enforcement, record: Sequence[Turn]
) -> Certificate:
    within = Prospects(deal, stage, enforcement, record)
    if fault := contradiction(within) or overpaid(within):
        return Certificate(deal, enforcement, (fault,))
    alone = Prospects(Deal(), stage, Enforcement("notional"), record)
    outside = [alone.value(valuation) for valuation in (secured, expected, best)]
    inside = [within.value(valuation) for valuation in (secured, expected, best)]
    least = within.value(guaranteed)
    parties = {
        agent: Party(
            without=Outlook(*(found[i] for found in outside)),
            within=Outlook(*(found[i] for found in inside)),
            guaranteed=least[i],
            deviation=deviation(within, i),
            temptation=temptation(within, i),
        )
        for i, agent in enumerate(stage.agents)
    }
    notes = [f"{cid} never comes to bear in this game." for cid in idle_clauses(within)]
    notes += [
        f"({', '.join(play)}) is a weak equilibrium of a turn without any contract: this one "
        "selects it, and changes no incentive there."
        for play in weak_equilibria(within)
    ]
    outcomes = balanced_outcomes(within)
    return Certificate(deal, enforcement, (), parties, outcomes, tuple(notes))
