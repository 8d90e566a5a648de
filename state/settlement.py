"""The settlement: final payoffs in millionths, and the lines that nodes post to the ledger."""

from collections.abc import Mapping
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import plain, round_payoffs, to_micro
from shapley_coop.credit import Constraint, constrain, constraint, transfers
from shapley_coop.deals.enforcement import net
from shapley_coop.deals.language.deal import Deal, unanimous
from shapley_coop.deals.written.audit import audit
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.outcome import without_play
from shapley_coop.state.storage.ledger import TREASURY, WORLD, Key, Line, Posting
from shapley_coop.state.table import Status


def decide(evaluated: EvaluatedTable) -> dict[str, Any]:
    """Return the settlement: every agent's payoff in millionths, and the basis, such as "contract".

    A split that all accepted after play replaces the contract. Otherwise the setting `disagreement`
    decides; by default the contract's clauses hold, if they are enforced, and without a contract no
    money moves. The payoffs include forfeited deposits, which are posted already.
    """
    agents, offer = evaluated.agents, evaluated.offer
    basis, due = decide_payoffs(evaluated)
    total = to_micro(evaluated.total)
    before = _round(evaluated.earned, total)
    after = _apply_constraints(before, _round(due, total), evaluated.config.constraints)
    forfeits = net(evaluated.signed.postings(over=True), agents)
    return {
        "basis": basis,
        "enforcement": evaluated.signed.enforcement.mode,
        "forfeits": forfeits,
        "audit": _audit(evaluated),
        "redistribution": offer["deal"] if offer and basis == "redistribution" else None,
        "rewards": before,
        "payoffs": {agent: after[agent] + forfeits[agent] for agent in agents},
        "transfers": [
            {"payer": t.payer, "payee": t.payee, "amount": t.amount, "reason": basis}
            for t in transfers({**dict.fromkeys(after, 0), **before}, after)
        ],
        "breaches": [asdict(breach) for breach in evaluated.signed.monitor.breaches],
        "credit": _credit(evaluated),
    }


def decide_payoffs(evaluated: EvaluatedTable) -> tuple[str, dict[str, Fraction]]:
    """Return the basis (what decided), and each agent's payoff without constraints and deposits."""
    agents, offer = evaluated.agents, evaluated.offer
    basis, due = "contract" if evaluated.contract else "none", evaluated.without_more()
    if offer is not None and unanimous(offer, agents):
        return "redistribution", evaluated.payoffs_under(Deal.of(offer["deal"]))
    if evaluated.table.get("reckoning") and evaluated.config.disagreement == "norm":
        return "norm", evaluated.payoffs_by(evaluated.config.norm)
    return basis, due


def status_of(evaluated: EvaluatedTable, settlement: Mapping[str, Any]) -> Status:
    """Return a run's final status; "budget" means that the budget ended an unfinished game."""
    if evaluated.budget_spent and not evaluated.over:
        return "budget"
    if idle := without_play(evaluated.record):
        return idle
    signed = settlement["basis"] != "none" or evaluated.game.agreed(evaluated.record)
    return "agreed" if signed else "no_deal"


def nothing_left(evaluated: EvaluatedTable) -> str:
    """Return why no bargaining over the payoffs is needed, or "" if agents should bargain."""
    found, held = evaluated.attribution(evaluated.config.norm), evaluated.without_more()
    if not any(evaluated.earned.values()) and not any(held.values()):
        return "nothing is at stake: nobody earned anything"
    if found.at_baseline is not None and not found.total and held == found.at_baseline:
        return "nothing is at stake: everybody has what it would have had without the others"
    if evaluated.contract and held == found.payoffs(evaluated.total):
        return f"what was signed equals what the norm {found.norm} makes due"
    return ""


def final_lines(settlement: Mapping[str, Any]) -> list[Line]:
    """Return the settlement's lines to post to the ledger: rewards and costs, then transfers."""
    rewards = [
        Line(WORLD, agent, x, "reward") if x > 0 else Line(agent, WORLD, -x, "cost")
        for agent, x in settlement["rewards"].items()
        if x
    ]
    moved = [
        Line(t["payer"], t["payee"], t["amount"], t["reason"]) for t in settlement["transfers"]
    ]
    return [*rewards, *moved]


def deposit_lines(evaluated: EvaluatedTable, over: bool) -> list[Posting]:
    """Return the postings of deposits up to now, each with its idempotency key.

    Args:
        evaluated: the table.
        over: whether the play is over, so that remaining deposits are returned.
    """
    episode = evaluated.table["episode"]
    return [
        (Key(episode, p.kind, p.clause, p.turn), [Line(*move) for move in p.moves])
        for p in evaluated.signed.postings(over)
    ]


def _credit(evaluated: EvaluatedTable) -> dict[str, Any]:
    found, baseline = evaluated.attribution("shapley"), evaluated.game.baseline
    shares = found.shares()
    credit = {
        "rule": evaluated.game.analysis.credit_rule,
        "method": found.method,
        "total": plain(found.total),
        "marginal": _plain(found.marginal),
        "shapley": _plain(found.values),
        "shares": shares and _plain(shares),
        "standard_error": found.standard_error,
    }
    if found.at_baseline is None:
        return credit
    return {
        **credit,
        "baseline": {
            "kind": baseline.kind,
            "words": baseline.words,
            "actions": dict(baseline.actions),
            "warning": baseline.warning,
        },
        "alone": _plain(found.at_baseline),
    }


def _plain(amounts: Mapping[str, Fraction]) -> dict[str, str]:
    return {agent: plain(x) for agent, x in amounts.items()}


def _audit(evaluated: EvaluatedTable) -> dict[str, Any]:
    """Return the audit of the record under the contract, with the judge's latest statement."""
    talk, game = evaluated.table.get("talk", []), evaluated.game
    heard = [said["text"] for said in talk if said["topic"] == "judgement"]
    judged = heard[-1] if heard else None
    return audit(
        evaluated.contract, evaluated.record, game.turns, judged=judged, open_turns=game.open_turns
    )


def _apply_constraints(
    before: dict[str, int], due: dict[str, int], names: list[str]
) -> dict[str, int]:
    """Return the payoffs after the run's constraints, such as a tax, are applied."""
    if any(name.startswith("tax=") for name in names):
        before, due = {**before, TREASURY: 0}, {**due, TREASURY: 0}
    return constrain(before, due, [_constraint(name) for name in names])


def _constraint(text: str) -> Constraint:
    name, _, setting = text.partition("=")
    takes = {"cap": "limit", "non_transferable": "part", "tax": "rate"}
    return constraint(name, **{takes[name]: setting} if setting else {})


def _round(payoffs: Mapping[str, Fraction], total: int) -> dict[str, int]:
    return dict(zip(payoffs, round_payoffs(list(payoffs.values()), total), strict=True))
