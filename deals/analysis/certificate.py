"""The certificate of a contract: the agents' incentives under the contract, before signing.

>>> from shapley_coop.games import load
>>> from shapley_coop.deals.language.clauses import Do, Pay
>>> from shapley_coop.deals.language.deal import Deal
>>> from shapley_coop.deals.language.when import Last, Event
>>> dilemma = load("prisoners_dilemma", {"rounds": 2})
>>> promise = Deal(clauses=[Do(agent=a, action="cooperate") for a in dilemma.agents])
>>> certify(promise, dilemma.facts()).parties["Alice"].deviation.gain
Fraction(2, 1)
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from shapley_coop import extension
from shapley_coop.deals.analysis.ability_to_pay import Means, beyond_bound, beyond_means
from shapley_coop.deals.analysis.game_tree import GameTree
from shapley_coop.deals.analysis.incentives import (
    BEFORE_SPLIT,
    balanced_outcomes,
    contradiction,
    deposit_of,
    deviation,
    idle_clauses,
    overpaid,
    sufficient_deposit,
    weak_equilibria,
    whatever_others_do,
)
from shapley_coop.deals.analysis.party import Party, PayoffRange
from shapley_coop.deals.analysis.stage import NotFinite, StageGame
from shapley_coop.deals.analysis.valuations import (
    best,
    expected_value,
    guaranteed_value,
    secure_value,
)
from shapley_coop.deals.contract import Contract, agreed_from, in_force, lasting_clauses
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.reading import read_deal
from shapley_coop.deals.language.rules import DEAL_RULES, Rule, first_fault
from shapley_coop.deals.language.terms import Terms
from shapley_coop.games import Turn
from shapley_coop.games.gives import actions_in
from shapley_coop.games.open_turns import OpenTurns, always_open


@dataclass(frozen=True)
class Certificate:
    """The findings about a deal, made before the agents sign it.

    Attributes:
        enforcement: the enforcement, with the given or the computed deposit.
        faults: the faults that forbid signing; () if the deal may be signed.
        parties: agent → its payoffs and incentives; {} if the game was not enumerated.
        outcomes: the number of outcomes (positions × joint actions) in which the payments were
            checked to sum to zero.
        notes: findings that do not forbid signing, one sentence each.
    """

    deal: Deal
    enforcement: Enforcement
    faults: tuple[Fault, ...]
    parties: dict[str, Party] = field(default_factory=dict)
    outcomes: int = 0
    notes: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether no fault forbids signing the deal."""
        return not self.faults


def certify(
    deal: Deal,
    facts: Mapping[str, Any],
    enforcement: Enforcement | None = None,
    rules: Iterable[Rule] = DEAL_RULES,
    norms: Sequence[str] = (),
    record: Sequence[Turn] = (),
    standing: Contract | None = None,
    open_turns: OpenTurns = always_open,
) -> Certificate:
    """Return the certificate of a deal, with a fault or a note if it cannot be examined.

    Args:
        deal: the deal to be signed.
        facts: the facts of the game: agents, actions, turns and, for a game that can be
            enumerated, payoffs.
        enforcement: how the deal is enforced; payments count only if the program makes them.
        rules: the rules to check; the first broken rule becomes a fault.
        norms: the norms that a split may name.
        record: the turns played before the signing; the certificate covers the turns left.
        standing: the contract in force, which the deal would amend; None if there is none.
        open_turns: the turns at which an action can be taken (`Game.open_turns`).

    Raises:
        ValueError: the facts lack agents, actions or turns.

    `game_tree` says how the cost grows, and which games are too large to be enumerated.
    """
    enforcement = enforcement or Enforcement()
    agents, actions, turns = facts["agents"], actions_in(facts), int(facts["turns"])
    money = list(lasting_clauses(in_force(standing)))
    now, goods = len(record) + 1, facts.get("goods", ())
    terms = Terms(agents, actions, turns, norms, money, goods, now=now, open_turns=open_turns)
    if fault := first_fault(rules, deal, terms):
        return Certificate(deal, enforcement, (fault,))
    read = ("agents", "actions", "payoffs", *extension.offered("analyses"), "turns", "means")
    game = {name: facts.get(name) for name in read}
    asked = (deal.record(), game, list(record), standing)
    found = _examine(*map(json.dumps, asked), enforcement)
    return replace(found, deal=deal)


@lru_cache(maxsize=64)
def _examine(
    told: str, game: str, played: str, stands: str, enforcement: Enforcement
) -> Certificate:
    """Return the certificate of a deal that breaks no rule; JSON arguments let it be cached."""
    deal, facts = Deal.model_validate_json(told), json.loads(game)
    record, standing = json.loads(played), json.loads(stands)
    now, stage, known = len(record) + 1, _stage(facts), Means.of(facts)
    agreed = agreed_from(deal, standing, now)
    if known is None and isinstance(stage, StageGame):
        known = Means(stage.most, stage.turns * stage.best_total, stage.turns)
    if fault := beyond_means(agreed, known, now):
        return Certificate(deal, enforcement, (fault,))
    about = _Examined(deal, agreed, standing, facts, record, enforcement)
    found = about.by_extension(stage) if isinstance(stage, NotFinite) else about.in_tree(stage)
    bounds = beyond_bound(agreed, known) if known and not found.faults else []
    return replace(found, notes=(*found.notes, *bounds))


def _stage(facts: Mapping[str, Any]) -> StageGame | NotFinite:
    """Return the stage game in the facts, or the reason why the game cannot be enumerated."""
    try:
        return StageGame.of(facts)
    except NotFinite as reason:
        return reason


@dataclass(frozen=True)
class _Examined:
    """The arguments of `certify`, and the contract that signing the deal would make (`agreed`)."""

    deal: Deal
    agreed: Contract
    standing: Contract | None
    facts: Mapping[str, Any]
    record: Sequence[Turn]
    enforcement: Enforcement

    def in_tree(self, stage: StageGame) -> Certificate:
        """Return the certificate computed by the game tree, or by an extension if there is none."""
        standing, record, enforcement = self.standing, self.record, self.enforcement
        try:
            if enforcement.mode == "escrow" and enforcement.deposit is None:
                # An amendment does not change the deposits.
                needed = (
                    deposit_of(standing, self.facts, enforcement, record)
                    if standing
                    else sufficient_deposit(self.deal, stage, record)
                )
                enforcement = replace(enforcement, deposit=needed)
            within = GameTree(self.agreed, stage, enforcement, record)
            without = (
                GameTree(standing, stage, enforcement, record)
                if standing
                else GameTree(Deal(), stage, Enforcement("notional"), record)
            )
            return _enumerate(self.deal, within, without, record)
        except NotFinite as reason:
            found = replace(self, enforcement=enforcement).by_extension(reason)
            computed = enforcement is not self.enforcement and enforcement.held()
            return replace(found, notes=(*found.notes, BEFORE_SPLIT)) if computed else found

    def by_extension(self, reason: NotFinite) -> Certificate:
        """Return the certificate that an extension makes, or one with `reason` as a note."""
        if (analyse := _analysis_of(self.facts)) is None:
            return _unknown(self.deal, self.enforcement, reason)
        of = (self.agreed, self.standing, self.facts, self.record, self.enforcement)
        try:
            return Certificate(self.deal, self.enforcement, (), analyse(*of))
        except NotFinite as unknown:
            return _unknown(self.deal, self.enforcement, unknown)


Analysis = Callable[
    [Contract, Contract | None, Mapping[str, Any], Sequence[Turn], Enforcement], dict[str, Party]
]
"""An extension's analysis of a game that is not enumerated: agent → payoffs and incentives."""


def _analysis_of(facts: Mapping[str, Any]) -> Analysis | None:
    known = extension.offered("analyses")
    return next((extension.load("analyses", fact) for fact in known if facts.get(fact)), None)


def _unknown(deal: Deal, enforcement: Enforcement, reason: NotFinite) -> Certificate:
    note = f"Incentives were not enumerated: {reason}."
    return Certificate(deal, enforcement, (), notes=(note,))


def vet(
    raw: Any,
    facts: Mapping[str, Any],
    enforcement: Enforcement | None = None,
    norms: Sequence[str] = (),
    open_turns: OpenTurns = always_open,
) -> Certificate | Fault:
    """Return the certificate of a deal given as JSON, or a fault if the JSON cannot be read."""
    deal = read_deal(raw)
    if isinstance(deal, Fault):
        return deal
    return certify(deal, facts, enforcement, norms=norms, open_turns=open_turns)


def _enumerate(
    deal: Deal, within: GameTree, without: GameTree, record: Sequence[Turn]
) -> Certificate:
    if fault := contradiction(within) or overpaid(within):
        return Certificate(deal, within.enforcement, (fault,))
    outside, inside = _payoff_ranges(without, record), _payoff_ranges(within, record)
    least, moved = within.value(guaranteed_value), within.shifted(record)
    parties = {
        agent: Party(
            without=outside[i],
            within=inside[i],
            guaranteed=least[i] + moved[i],
            deviation=deviation(within, i),
            against_all=whatever_others_do(within, i),
        )
        for i, agent in enumerate(within.stage.agents)
    }
    notes = [f"{cid} never binds or falls due in this game." for cid in idle_clauses(within, deal)]
    notes += [
        f"({', '.join(play)}) is a weak equilibrium of a turn without any contract: whoever is "
        "indifferent there has only payments, a split or a deposit as a reason to play it."
        for play in weak_equilibria(within)
    ]
    outcomes = balanced_outcomes(within)
    return Certificate(deal, within.enforcement, (), parties, outcomes, tuple(notes))


def _payoff_ranges(of: GameTree, record: Sequence[Turn]) -> list[PayoffRange]:
    """Return each agent's payoff range, including its gain from splitting past rewards."""
    moved = of.shifted(record)
    found = [of.value(valuation) for valuation in (secure_value, expected_value, best)]
    return [
        PayoffRange(*(amount + shift for amount in amounts))
        for *amounts, shift in zip(*found, moved, strict=True)
    ]
