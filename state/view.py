"""The facts of the table that one agent's letter shows.

`agent_view` returns the facts of one letter, and `state.history` the public events. Facts and
events are plain JSON. Programs at seats read the JSON; `prompts.letters` words it for models.
"""

from fractions import Fraction
from typing import Any

from shapley_coop.amounts import exact, plain
from shapley_coop.deals.enforcement import MEANS
from shapley_coop.deals.language.clauses import lines_of
from shapley_coop.deals.language.wire_form import wire_form
from shapley_coop.games.actions import told_actions
from shapley_coop.state.private import PrivateView
from shapley_coop.state.procedure import procedure
from shapley_coop.state.turn import TurnContext

Facts = dict[str, Any]


def agent_view(turn: TurnContext, agent: str, private: PrivateView) -> Facts:
    """Return the facts of an agent's letter.

    All facts of the table are public; of private facts, the letter has only the reader's own.

    Args:
        turn: the table and its question.
        agent: the reader of the letter.
        private: the facts that only this agent may see.
    """
    facts: Facts = {"you": agent, "ask": turn.question.name, "procedure": procedure(turn)}
    for part in turn.question.shows:
        facts |= part(turn, agent)
    facts |= _admission_facts(turn)
    if lapsed := turn.table.get("lapsed"):
        facts["no_contract"] = lapsed
    if turn.question.guidance:
        facts["guidance"] = True
    if private.reasoning:
        facts["reasoning"] = private.reasoning
    if private.notes:
        facts["notes"] = private.notes
    if private.refusal:
        facts["fault"] = private.refusal.fault.record()
    return facts


def _admission_facts(turn: TurnContext) -> Facts:
    """Return `deals: False` if the topic admits no deals, and `payments: False` if no payments."""
    admitted = {"deals": turn.topic.deals, "payments": turn.topic.payments}
    return {name: False for name, is_admitted in admitted.items() if not is_admitted}


def stand(turn: TurnContext, agent: str) -> Facts:
    """Return the game's position during play, or the amounts to divide after play."""
    return _money(turn) if turn.table.get("accounts") else _play(turn, agent)


def _play(turn: TurnContext, agent: str) -> Facts:
    game, position = turn.evaluated.game, turn.table["position"]
    facts: Facts = {
        "turn": turn.evaluated.turn,
        "position": game.view(position, agent),
        "legal": told_actions(turn.evaluated.legal(agent)),
    }
    if turn.evaluated.record:
        facts["earned_so_far"] = turn.evaluated.own_rewards
    if turn.evaluated.contract:
        facts |= contract_in_force(turn, agent)
        facts |= _duties(turn, agent) if turn.evaluated.config.duties else {}
        facts["breaches"] = [
            {"agent": b.agent, "turn": b.turn, "clause": b.clause}
            for b in turn.evaluated.signed.monitor.breaches
        ]
    return facts


def failed_talk(turn: TurnContext, _agent: str) -> Facts:
    """Return a sentence on a talk that gave no deal, or no new deal this turn; {} if none did."""
    talk, evaluated = turn.table.get("talk", []), turn.evaluated
    if not talk or not evaluated.game.signable or turn.table.get("lapsed"):
        return {}
    if evaluated.contract is None:
        why = "no offer had everybody's yes. What was said binds nobody."
        return {"no_deal": f"**No deal was reached:** {why}"}
    begun = [term["from_turn"] for term in evaluated.contract["terms"]]
    if talk[-1]["turn"] != evaluated.turn or evaluated.turn in begun:
        return {}
    return {"no_deal": "**No new deal was reached:** the one in force stays."}


def _duties(turn: TurnContext, agent: str) -> Facts:
    """Return the actions that the contract demands of an agent or forbids to it this turn."""
    owed = [duty for duty in turn.evaluated.duties if duty.binds(agent)]
    return {
        "duties": [
            {"clause": duty.clause, "action": duty.action, "forbidden": duty.forbidden}
            for duty in owed
        ]
    }


def _money(turn: TurnContext) -> Facts:
    """Return the amounts to divide after play, and the values computed from the record."""
    table = turn.table
    pot = sum((exact(played.get("pot", 0)) for played in turn.evaluated.record), Fraction(0))
    facts: Facts = {
        **(table["accounts"] or {}),
        "own_rewards": turn.evaluated.own_rewards,
        "pot": plain(pot),
    }
    if turn.evaluated.contract:
        facts |= contract_in_force(turn, "")
    if claims := table.get("claims"):
        facts["claims"] = claims
    if computed := table.get("reckoning"):
        facts["computed"] = computed
        facts["without_agreement"] = WITHOUT_AGREEMENT[turn.evaluated.config.disagreement]
    return facts


WITHOUT_AGREEMENT = {
    "signed": "as_signed holds",
    "norm": "the computed payoffs hold",
}
"""The run's rule for disagreement → its explanation in letters."""


def contract_in_force(turn: TurnContext, agent: str) -> Facts:
    """Return the contract in force, or {}; of a large contract, only the agent's clauses."""
    contract, told = turn.evaluated.contract, turn.evaluated.told_clauses(agent)
    if contract is None:
        return {}
    shown: Facts = {
        "hash": contract["hash"],
        "ids": list(told),
        "clauses": [*map(wire_form, told.values())],
        "in_words": contract["text"],
    }
    if due := _due_from_ended(turn):
        shown["due"] = due
    if others := len(turn.evaluated.clauses) - len(told):
        shown |= {"in_words": "\n".join(lines_of(told)), "others": others}
        shown["prices"] = turn.table.get("prices", {})
    return {"contract": shown}


def _due_from_ended(turn: TurnContext) -> list[dict[str, Any]]:
    """Return the payments that clauses made due before they ended."""
    evaluated = turn.evaluated
    if not evaluated.enforcement.executes:
        return []
    return [
        {"payer": p.payer, "payee": p.payee, "amount": plain(p.amount), "clause": p.clause}
        for p in evaluated.signed.monitor.payments
        if p.clause not in evaluated.clauses
    ]


def talk_round(turn: TurnContext, agent: str) -> Facts:
    """Return the number of the current round of talk, and the number of all rounds."""
    return {"round": turn.table["round"], "rounds": turn.evaluated.config.rounds}


def enforcement(turn: TurnContext, agent: str) -> Facts:
    """Return how contracts are enforced, and the deposit that each party pays."""
    signed = turn.evaluated.signed
    terms = signed.enforcement
    deposit = "auto" if terms.deposit is None else plain(terms.held())
    if signed.contract:
        deposit = plain(signed.deposit)
    return {"enforcement": {"mode": terms.mode, "means": MEANS[terms.mode], "deposit": deposit}}


def unusual_enforcement(turn: TurnContext, agent: str) -> Facts:
    """Return the facts of `enforcement`, or {} if no contract exists or the mode is "enforced"."""
    unusual = turn.evaluated.contract and turn.evaluated.enforcement.mode != "enforced"
    return enforcement(turn, agent) if unusual else {}


def norms(turn: TurnContext, agent: str) -> Facts:
    """Return the norms that a deal can name, and the baseline with which values are computed."""
    if not turn.topic.computed or turn.evaluated.game.analysis.credit_rule != "record":
        return {"norms": turn.norms} if turn.norms else {}
    baseline = turn.evaluated.game.baseline
    facts: Facts = {"compares_with": baseline.words}
    if baseline.warning:
        facts["compares_with_warning"] = baseline.warning
    return {"norms": turn.norms, **facts} if turn.norms else facts


def all_parties(turn: TurnContext, agent: str) -> Facts:
    """Return the parties' names, for an outsider's letter."""
    return {"parties": list(turn.evaluated.agents)}
