"""Mandates in a run: kept in the home, named on the table by their hash, checked for every act.

A mandate is private until its principal shows it: how much an agent may pay is what the others
would like to know. So the table holds the hash, which was there before anything was signed.
"""

from datetime import UTC, datetime
from fractions import Fraction
from typing import TYPE_CHECKING

from shapley_coop.amounts import plain
from shapley_coop.deals.analysis.ability_to_pay import Means, paid_by
from shapley_coop.deals.analysis.reservation import short_of
from shapley_coop.deals.contract import agreed_from, clause_of, split_of
from shapley_coop.deals.language.choices import chosen
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import scan
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.home_files.mandates import mandate_of
from shapley_coop.state.table import AgentOutput

if TYPE_CHECKING:
    from shapley_coop.deals.signing.mandate import Mandate

OUTSIDE = "MANDATE"
"""The label of an act that its author's principal does not allow."""

NOTHING = Fraction(0)


def outside(
    evaluated: EvaluatedTable, phase: str, agent: str, text: str, said: AgentOutput
) -> Fault | None:
    """Why an agent's principal does not allow what it says; None where it does, or says nothing.

    The least to end with is checked with the reservation value (`state.consent`).

    Args:
        evaluated: the table.
        phase: of the bargaining.
        agent: who answered.
        text: its answer.
        said: what was read in it.
    """
    name = evaluated.config.mandates.get(agent)
    if name is None or said["act"] not in ("propose", "reject", "accept", "act"):
        return None
    mandate = mandate_of(name).mandate
    if said["act"] == "act":
        return _action(evaluated, mandate, agent, text)
    deal = _bound_to(evaluated, said)
    return beyond(evaluated, mandate, deal, phase, datetime.now(UTC)) if deal else None


def beyond(
    evaluated: EvaluatedTable, mandate: "Mandate", deal: Deal, phase: str, now: datetime
) -> Fault | None:
    """Why a mandate does not allow its agent to sign a deal."""
    if mandate.expired(now):
        return _fault(f"Your mandate expired at {mandate.expires}: sign nothing any more.")
    for cid, clause in deal.ids().items():
        duty = clause.duty
        if not duty or duty.forbidden or not duty.binds(mandate.agent):
            continue
        if duty.action in mandate.never:
            return _fault(f"{cid}: you may never do {duty.action}: leave it out.")
    if mandate.max_pay is None:
        return None
    pays = could_pay(evaluated, deal, mandate.agent, phase)
    if pays is None:
        return _fault(
            f"You may pay at most {plain(mandate.max_pay)}, and what this could take from you has "
            "no bound that can be computed: propose payments of fixed amounts."
        )
    if pays > mandate.max_pay:
        return _fault(
            f"This could make you pay {plain(pays)} in all, and you may pay at most "
            f"{plain(mandate.max_pay)}: pay less."
        )
    return None


def least_kept(
    evaluated: EvaluatedTable, mandate: "Mandate", deal: Deal, phase: str
) -> Fault | None:
    """Why a deal leaves an agent with less than its mandate requires."""
    least, agent = mandate.min_end, mandate.agent
    if least is None:
        return None
    if phase == "settlement":
        return short_of(least, evaluated.payoffs_under(deal)[agent])
    norms = [] if evaluated.game.baseline.warning else [evaluated.config.norm]
    return evaluated.below(deal, agent, least, norms)


def _action(evaluated: EvaluatedTable, mandate: "Mandate", agent: str, text: str) -> Fault | None:
    if mandate.expired(datetime.now(UTC)):
        return None  # an action that was promised in time is kept
    message = scan(text)
    found = message if isinstance(message, Fault) else chosen(message, evaluated.legal(agent))
    if isinstance(found, Fault):
        return None  # its own check has said so
    action = evaluated.game.action_label(found[0])
    if action not in mandate.never:
        return None
    return _fault(f"You may never do {action}: take another action.")


def _bound_to(evaluated: EvaluatedTable, said: AgentOutput) -> Deal | None:
    record = said.get("deal")
    if said["act"] == "accept" and evaluated.offer is not None:
        record = evaluated.offer["deal"]
    return Deal.model_validate(record) if record and record["clauses"] else None


def could_pay(evaluated: EvaluatedTable, deal: Deal, agent: str, phase: str) -> Fraction | None:
    """The most that an agent could come to pay in the whole game; None where there is no bound."""
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
    for term in agreed["terms"]:
        pay = clause_of(term).transfer
        if term["to_turn"] is not None or not pay:
            continue
        if not (part := paid_by(agent, pay, agents)):
            continue
        if pay.basis == "once":
            most += NOTHING if term["id"] in paid else part * pay.amount
        elif pay.basis == "turn":
            most += part * pay.amount * (evaluated.game.turns - now + 1)
        elif means is None:
            return None
        else:
            most += pay.amount * max(means.most[agent], NOTHING)
    return most


def _fault(words: str) -> Fault:
    return Fault(OUTSIDE, f"Your principal's mandate does not allow it. {words}")
