"""Checks that every agent could pay the amounts and hand over the goods that a deal demands."""

from fractions import Fraction

from shapley_coop.deals.analysis.ability_to_pay import (
    Means,
    at_most,
    beyond_means,
    paid_by,
    unpayable,
)
from shapley_coop.deals.contract import agreed_from, clause_of, split_of
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.deals.goods import ungivable
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.monitor import payments
from shapley_coop.games import Game
from shapley_coop.remembered import Bounded
from shapley_coop.state.evaluated import EvaluatedTable

NOTHING = Fraction(0)

_known = Bounded[tuple[Game, Enforcement, Deal, bytes], Fault | None]()


def unable(evaluated: EvaluatedTable, deal: Deal) -> Fault | None:
    """Return the fault ABLE if an agent could never pay or deliver what a deal demands of it."""
    asked = (evaluated.game, evaluated.enforcement, deal, evaluated.stands)
    try:  # cached: a run's agents check the same deals again and again
        return _known[asked]
    except KeyError:  # do not test by `in`: another thread may empty the cache after the test
        fault = _known[asked] = _unable(evaluated, deal)
        return fault


def _unable(evaluated: EvaluatedTable, deal: Deal) -> Fault | None:
    now, game, position = evaluated.turn, evaluated.game, evaluated.table["position"]
    known = Means.of({**evaluated.means, "turns": game.turns})
    if evaluated.over:
        return unpayable(payments(deal, evaluated.record), evaluated.without_more(), known)
    clauses = (*deal.clauses, *evaluated.clauses.values())
    if not any(clause.transfer or clause.gift for clause in clauses):
        return None
    agreed = agreed_from(deal, evaluated.contract, now)
    done = frozenset(f"standing {cid}" for cid in evaluated.signed.monitor.paid)
    if fault := ungivable(agreed, done, game.holdings(position)):
        return fault
    return beyond_means(agreed, known, now)


def could_pay(evaluated: EvaluatedTable, deal: Deal, agent: str, phase: str) -> Fraction | None:
    """Return the most that an agent could owe under a deal and the contract; None if unlimited."""
    if phase == "settlement":
        return max(evaluated.earned[agent] - evaluated.payoffs_under(deal)[agent], NOTHING)
    now = evaluated.turn
    agreed = agreed_from(deal, evaluated.contract, now)
    if split_of(agreed) is not None:
        return None
    means = Means.of({**evaluated.means, "turns": evaluated.game.turns})
    agents = evaluated.agents
    due = [p for p in evaluated.signed.monitor.payments if paid_by(agent, p, agents)]
    paid = {f"standing {payment.clause}" for payment in due}
    most = sum((paid_by(agent, p, agents) * p.amount for p in due), NOTHING)
    left = Means(means.most if means else {}, NOTHING, evaluated.game.turns - now + 1)
    for term in agreed["terms"]:
        pay = clause_of(term).transfer
        if term["to_turn"] is not None or not pay or not (part := paid_by(agent, pay, agents)):
            continue
        if pay.basis == "reward" and means is None:
            return None
        if pay.basis != "once" or term["id"] not in paid:
            most += part * at_most(pay, left)
    return most
