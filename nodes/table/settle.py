"""Settle: decide who ends up with what, and pay it, once."""

from dataclasses import asdict
from fractions import Fraction
from functools import partial
from typing import Any

from shapley_coop.amounts import plain, round_payoffs, to_micro
from shapley_coop.credit import (
    Constraint,
    attribute,
    constrain,
    constraint,
    norm_payoffs_fn,
    transfers,
)
from shapley_coop.deals import (
    Deal,
    contract_breaches,
    contract_payments,
    earned,
    payments,
    payoffs,
    share_of,
    unanimous,
)
from shapley_coop.deals.analysis.certificate import deposit_of
from shapley_coop.deals.analysis.stage import facts_of
from shapley_coop.deals.enforcement import Enforcement, Posting, escrow, net
from shapley_coop.deals.written.audit import audit
from shapley_coop.state import (
    TREASURY,
    WORLD,
    Key,
    Line,
    Status,
    Table,
    broke,
    config_of,
    final,
    game_of,
    home,
)


def settle(table: Table) -> dict[str, Any]:
    """Execute the decision under the episode's one final key.

    An identical posting that is already there is this one; a different one makes this branch
    `counterfactual`: it is reported and not paid.
    """
    settlement, ledger = decide(table), home().ledger
    verdicts = [ledger.post(key, moved) for key, moved in deposits_of(table)]
    if "refused" not in verdicts:
        verdicts.append(ledger.post(final(table["episode"]), lines(settlement)))
    settlement["ledger"] = "counterfactual" if "refused" in verdicts else "paid"
    return {"settlement": settlement, "status": _status(table, settlement)}


def _status(table: Table, settlement: dict[str, Any]) -> Status:
    """How the run ended: by the budget only where the game was not over by itself."""
    if broke(table) and not game_of(table["settings"]).over(table["position"]):
        return "budget"
    return "agreed" if settlement["basis"] != "none" else "no_deal"


def decide(table: Table) -> dict[str, Any]:
    """Everybody's payoff in millionths, on the strongest basis there is.

    A redistribution that all accepted states final payoffs and replaces what was signed; without
    one the contract's own clauses decide, where they are enforced; without a contract nothing
    moves. Deposits that were forfeited have moved already and are counted in the payoffs.
    """
    game, record = game_of(table["settings"]), table.get("record", [])
    agents, worth = game.agents, partial(game.worth, record)
    contract, offer = table.get("contract"), table.get("offer")
    basis = "contract" if contract else "none"
    share, due = share_of(contract), contract_payments(contract, record)
    terms = Enforcement.of(table["settings"])
    if not terms.executes:
        share, due = None, []
    if offer is not None and unanimous(offer, agents):
        deal, basis = Deal.model_validate(offer["deal"]), "redistribution"
        share, due = deal.share, payments(deal, record)
    held = earned(record, agents)
    total = to_micro(sum(held.values()))
    before = _rounded(held, total)
    norms = norm_payoffs_fn(agents, worth, game.batch_worth(record))
    agreed = _rounded(payoffs(record, agents, share, due, norms), total)
    after = _constrained(before, agreed, config_of(table["settings"]).constraints)
    reckoning = attribute(agents, worth, batch=game.batch_worth(record))
    forfeits = net(_escrow(table), agents)
    return {
        "basis": basis,
        "enforcement": terms.mode,
        "forfeits": forfeits,
        "audit": _audit(table),
        "redistribution": offer["deal"] if offer and basis == "redistribution" else None,
        "rewards": before,
        "payoffs": {agent: after[agent] + forfeits[agent] for agent in agents},
        "transfers": [
            {"payer": t.payer, "payee": t.payee, "amount": t.amount, "reason": basis}
            for t in transfers({**dict.fromkeys(after, 0), **before}, after)
        ],
        "breaches": [asdict(breach) for breach in contract_breaches(contract, record)],
        "credit": {
            "method": reckoning.method,
            "total": plain(reckoning.total),
            "marginal": {a: plain(x) for a, x in reckoning.marginal.items()},
            "shapley": {a: plain(x) for a, x in reckoning.values.items()},
            "shares": {a: plain(x) for a, x in reckoning.payoffs(Fraction(1)).items()},
            "standard_error": reckoning.standard_error,
        },
    }


def lines(settlement: dict[str, Any]) -> list[Line]:
    """The ledger's lines: rewards from the world, then transfers between agents."""
    rewards = [
        Line(WORLD, agent, x, "reward") if x > 0 else Line(agent, WORLD, -x, "cost")
        for agent, x in settlement["rewards"].items()
        if x
    ]
    moved = [
        Line(t["payer"], t["payee"], t["amount"], t["reason"]) for t in settlement["transfers"]
    ]
    return [*rewards, *moved]


def deposits_of(table: Table) -> list[tuple[Key, list[Line]]]:
    """Everything the deposits have come to, by its key; most of it was posted during play."""
    return [
        (Key(table["episode"], p.kind, p.clause, p.turn), [Line(*move) for move in p.moves])
        for p in _escrow(table)
    ]


def _escrow(table: Table) -> list[Posting]:
    game, contract = game_of(table["settings"]), table.get("contract")
    terms, record = Enforcement.of(table["settings"]), table.get("record", [])
    amount = to_micro(deposit_of(contract, facts_of(game), terms, record))
    return escrow(contract, record, game.agents, amount, over=True)


def _audit(table: Table) -> dict[str, Any]:
    """The contract held against the record, and what the judge says, if one was heard."""
    game = game_of(table["settings"])
    heard = [said["text"] for said in table.get("talk", []) if said["topic"] == "judgement"]
    judged = heard[-1] if heard else None
    record = table.get("record", [])
    return audit(table.get("contract"), record, game.turns, game.actions, judged=judged)


def _constrained(before: dict[str, int], due: dict[str, int], names: list[str]) -> dict[str, int]:
    """What is due once every constraint of the room is applied; a tax goes to the treasury."""
    if any(name.startswith("tax=") for name in names):
        before, due = {**before, TREASURY: 0}, {**due, TREASURY: 0}
    return constrain(before, due, [_constraint(name) for name in names])


def _constraint(text: str) -> Constraint:
    name, _, setting = text.partition("=")
    takes = {"cap": "limit", "non_transferable": "part", "tax": "rate"}
    return constraint(name, **{takes[name]: setting} if setting else {})


def _rounded(payoffs_: dict[str, Any], total: int) -> dict[str, int]:
    return dict(zip(payoffs_, round_payoffs(list(payoffs_.values()), total), strict=True))
