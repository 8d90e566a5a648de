"""Sentences on the state of a run, for one of its agents that need not reply now.

All agents may read the sentences: who is waited for, and how the run was settled. Only the owner
may read why a run has stopped, because the reason may quote private text.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from shapley_coop.prompts.computed import amount
from shapley_coop.prompts.words import few
from shapley_coop.state.result import result
from shapley_coop.state.table import Table

NOTHING: dict[str, Any] = {
    "detail": "No letter waits at this seat now",
    "title": "Nothing to answer now",
    "told": [],
    "over": False,
}
"""The answer for a seat about whose run nothing more can be said."""

_ENDED = {
    "no_deal": "Nothing was signed.",
    "no_play": "Nobody acted, so there was no play.",
    "unreadable": "No answer could be used, so there was no play.",
    "error": "The run ended in an error.",
    "budget": "The run ended early, as its budget was used up.",
}
_BASIS = {
    "contract": "by the contract",
    "redistribution": "by the split that all accepted",
    "norm": "by the run's norm",
    "final_offer": "by the final offer that the run chose",
}
"""The basis of a settlement → why its payments are made."""


def standing(table: Table, agent: str, waiting: Sequence[str], failed: bool) -> dict[str, Any]:
    """Return the state of a run for one agent, as a `title` and sentences under `told`.

    `over` says whether the run has ended, so that no letter will come.

    Args:
        table: the run's latest state.
        agent: the agent.
        waiting: the agents whose replies the run waits for.
        failed: whether the run has stopped before its end.
    """
    others = [one for one in waiting if one != agent]
    if agent not in table.get("agents", ()):
        return NOTHING
    if table.get("settlement"):
        told = ending(result("", "", table), agent)
        return {**NOTHING, "title": "The run is over", "told": told, "over": True}
    if failed:
        told = ["It stopped before its end; whoever runs it can go on with it. No answer is lost."]
        return {**NOTHING, "title": "The run has stopped", "told": told}
    if others:
        return {**NOTHING, "told": [f"The run waits for {few(others)}."]}
    return {**NOTHING, "told": ["The others are at work on their answers."]}


def ending(outcome: Mapping[str, Any], agent: str) -> list[str]:
    """Return sentences on how a settled run ended for one agent: payoff, payments, breaches.

    Args:
        outcome: the run's result (`state.result`).
        agent: the agent.

    >>> paid = {"payer": "Ann", "payee": "Ben", "amount": 2.0, "reason": "contract"}
    >>> broke = {"agent": "Ben", "clause": "c1", "turn": 1}
    >>> outcome = {"status": "agreed", "payoffs": {"Ann": 8.0, "Ben": 1.5}, "transfers": [paid]}
    >>> ending({**outcome, "forfeits": {}, "breaches": [broke], "ledger": "paid"}, "Ben")
    ['You end with 1.5.', 'Ann pays you 2 by the contract.', 'You broke c1 at turn 1.']
    """
    told = [_ENDED[outcome["status"]]] if outcome["status"] in _ENDED else []
    told.append(f"You end with {amount(str(outcome['payoffs'][agent]))}.")
    for paid in outcome["transfers"]:
        if agent in (paid["payer"], paid["payee"]):
            payer = "You pay" if paid["payer"] == agent else f"{paid['payer']} pays"
            payee = "you" if paid["payee"] == agent else paid["payee"]
            why = _BASIS.get(paid["reason"], "")
            told.append(f"{payer} {payee} {amount(str(paid['amount']))} {why}".strip() + ".")
    if lost := outcome["forfeits"].get(agent):
        share = amount(str(abs(lost)))
        told.append(f"You {'lose' if lost < 0 else 'get'} {share} of deposits.")
    own = [breach for breach in outcome["breaches"] if breach["agent"] == agent]
    broken = [f"{one['clause']} at turn {one['turn']}" for one in own]
    told += [f"You broke {few(broken)}."] if broken else []
    if outcome["ledger"] == "counterfactual":
        told.append("This is another branch of a run that was settled: nothing is paid.")
    return told
