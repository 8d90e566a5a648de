"""The checks of an agent's acts against its mandate.

A mandate is private until its principal shows it, since other agents could exploit its limits. So
a run's state holds only the mandate's hash, which is fixed before the first signature.
"""

from datetime import UTC, datetime

from shapley_coop.amounts import plain
from shapley_coop.deals.analysis.reservation import short_of
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import scan
from shapley_coop.extensions.proof.mandate import Mandate
from shapley_coop.state.ability_to_pay import could_pay
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.playing import find_choice
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.turn import TurnContext

OUTSIDE = "MANDATE"
"""The label of an act that the agent's mandate does not allow."""


def outside(turn: TurnContext, mandate: Mandate, text: str, said: AgentOutput) -> Fault | None:
    """Return the fault of an answer that the agent's mandate forbids; None if it allows it.

    The mandate's `min_end` is checked elsewhere, with the reservation value (`state.consent`).

    Args:
        turn: the run's state and the question.
        mandate: the agent's mandate.
        text: the agent's answer.
        said: the content that was read from the answer.
    """
    if said["act"] == "act":
        sealed = turn.question.sealed
        if sealed is None:
            return _action(turn.evaluated, mandate, text)
        ordered = sealed(turn, mandate.agent, text) is not None
        return _expired(mandate, datetime.now(UTC)) if ordered else None
    if said["act"] not in ("propose", "reject", "accept"):
        return None
    deal = _bound_to(turn.evaluated, said)
    phase, now = turn.topic.phase, datetime.now(UTC)
    return beyond(turn.evaluated, mandate, deal, phase, now) if deal else None


def beyond(
    evaluated: EvaluatedTable, mandate: Mandate, deal: Deal, phase: str, now: datetime
) -> Fault | None:
    """Return the fault of a deal that the mandate forbids its agent to sign, else None."""
    if fault := _expired(mandate, now):
        return fault
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


def least_kept(evaluated: EvaluatedTable, mandate: Mandate, deal: Deal, phase: str) -> Fault | None:
    """Return the fault of a deal that leaves the agent less than its `min_end`, or None."""
    least, agent = mandate.min_end, mandate.agent
    if least is None:
        return None
    if phase == "settlement":
        return short_of(least, evaluated.payoffs_under(deal)[agent])
    norms = [] if evaluated.game.baseline.warning else [evaluated.config.norm]
    return evaluated.below(deal, agent, least, norms)


def _expired(mandate: Mandate, now: datetime) -> Fault | None:
    if not mandate.expired(now):
        return None
    return _fault(f"Your mandate expired at {mandate.expires}: sign nothing any more.")


def _action(evaluated: EvaluatedTable, mandate: Mandate, text: str) -> Fault | None:
    if mandate.expired(datetime.now(UTC)):
        return None  # an agent must keep earlier promises after expiry, so allow any action
    message = scan(text)
    found = (
        message if isinstance(message, Fault) else find_choice(evaluated, mandate.agent, message)
    )
    if isinstance(found, Fault):
        return None  # the check of the action itself will report this fault
    action = evaluated.game.action_label(found)
    if action not in mandate.never:
        return None
    return _fault(f"You may never do {action}: take another action.")


def _bound_to(evaluated: EvaluatedTable, said: AgentOutput) -> Deal | None:
    record = said.get("deal")
    if said["act"] == "accept" and evaluated.offer is not None:
        record = evaluated.offer["deal"]
    return Deal.model_validate(record) if record and record["clauses"] else None


def _fault(words: str) -> Fault:
    return Fault(OUTSIDE, f"Your principal's mandate does not allow it. {words}")
