"""Sentences on the state of a run, for one of its agents that need not reply now.

All agents may read the sentences: who is waited for, and how the run was settled. Only the owner
may read why a run has stopped, because the reason may quote private text.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shapley_coop.amounts import exact
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.parties import MOST_TOLD
from shapley_coop.evals.transcripts.in_words import decision_words
from shapley_coop.extensions.people.sums import deal_text
from shapley_coop.games import Game
from shapley_coop.prompts import write_history
from shapley_coop.prompts.computed import amount
from shapley_coop.prompts.person import speech_as_said
from shapley_coop.prompts.talk import at_turns
from shapley_coop.prompts.words import few, quote
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.outcome import due_by_clause
from shapley_coop.state.result import result
from shapley_coop.state.settings import game_of
from shapley_coop.state.table import Table

NOTHING: dict[str, Any] = {
    "detail": "No letter waits at this seat now",
    "title": "Nothing to answer now",
    "told": [],
    "over": False,
}
"""The answer for a seat about whose run nothing more can be said."""

_AT_WORK = "The others are at work on their answers."
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
}
"""The basis of a settlement → why its payments are made."""

_SHAPLEY = "An agent's Shapley value is what its part adds to the total, on average."

_KEPT = {"satisfied": " – kept", "violated": " – broken"}
"""The verdict on a clause → its words."""

MOST_CLAUSES = 20
"""The most clauses of a deal that are told."""


def standing(table: Table, agent: str, waiting: Sequence[str], failed: bool) -> dict[str, Any]:
    """Return the state of a run for one agent, as a `title` and sentences under `told`.

    `over` says whether the run has ended, so that no letter will come. If it has, `ends` is the
    table of what each agent ends with (`ends_of`).

    Args:
        table: the run's latest state.
        agent: the agent.
        waiting: the agents whose replies the run waits for.
        failed: whether the run has stopped before its end.
    """
    others = [one for one in waiting if one != agent]
    if agent not in table.get("agents", ()):
        return NOTHING
    game = game_of(table["settings"])
    if settled := table.get("settlement"):
        deal = settled.get("redistribution")
        later = deal_text(Deal.of(deal), EvaluatedTable(table)) if deal else ""
        outcome = result("", "", table)
        told = [*_refusals(table, agent), *ending(outcome, agent, game, later)]
        ends = ends_of(outcome, agent, game)
        return {**NOTHING, "title": "The run is over", "told": told, "ends": ends, "over": True}
    if failed:
        told = ["It stopped before its end; whoever runs it can go on with it. No answer is lost."]
        return {**NOTHING, "title": "The run has stopped", "told": told}
    told = [f"You are {agent}. {game.summary()}"]
    told += [f"The run waits for {few(others)}." if others else _AT_WORK]
    return {**NOTHING, "told": [*told, *_deal(table, agent, game)]}


def _deal(table: Table, agent: str, game: Game) -> list[str]:
    """Return sentences on the offer on the table, or else on the agreed deal; [] for neither."""
    contract, offer = table.get("contract"), table.get("offer")
    if not offer:
        return _listed("What is agreed:", contract["text"] if contract else "", game)
    put = [said for said in table.get("talk", ()) if said.get("puts") == offer["revision"]]
    if put and agent not in (put[-1]["by"], put[-1].get("to", agent)):
        return []  # the offer was made to another agent alone
    if told := _own_answer(table, agent, offer["revision"], game):
        return told
    if put and (line := game.offer_line(table["talk"][-1])):
        return [game.for_people(write_history([line]))]
    whose = "Your offer" if offer["by"] == agent else f"{offer['by']}'s offer"
    if lines := deal_text(Deal.of(offer["deal"]), EvaluatedTable(table)):
        return _listed(f"{whose}:", lines, game)
    said = speech_as_said(quote(put[-1]["text"])) if put else ""
    return [f"{whose}: {game.for_people(said)}"] if put else []


def _own_answer(table: Table, agent: str, revision: int, game: Game) -> list[str]:
    """Return what an agent answered to an offer that others must still answer; [] if nothing."""
    said = (table.get("answers") or {}).get(agent)
    if said and said["act"] == "accept":
        return [f"You accepted offer {revision}."]
    if not said or said["act"] != "reject":
        return []
    own = said.get("deal")
    text = deal_text(Deal.of(own), EvaluatedTable(table)) if own else ""
    told = f"You rejected offer {revision}"
    return _listed(f"{told} and proposed:", text, game) or [f"{told}."]


def _refusals(table: Table, agent: str) -> list[str]:
    """Return who rejected an agent's last offer, and with which words; [] if nobody did."""
    talk = table.get("talk", ())
    own = [n for n, said in enumerate(talk) if said["by"] == agent and said.get("puts")]
    return [
        f"{said['by']} rejected your offer {said['about']}"
        + (f": {speech_as_said(quote(said['text']))}" if said["text"] else ".")
        for n in own[-1:]
        for said in talk[n + 1 :]
        if said.get("about") == talk[n]["puts"] and said["act"] == "reject"
    ]


def _listed(title: str, text: str, game: Game) -> list[str]:
    """Return the clauses of a deal under a title; if there are many, only the first."""
    if not text:
        return []
    lines = game.for_people(at_turns(text, game.turns)).splitlines()
    more = [f"… and {len(lines) - MOST_CLAUSES} more"] if len(lines) > MOST_CLAUSES else []
    return [title, *lines[:MOST_CLAUSES], *more]


def ending(outcome: Mapping[str, Any], agent: str, game: Game, later: str = "") -> list[str]:
    """Return sentences on how a settled run ended for one agent: payoff, payments, the deal.

    Args:
        outcome: the run's result (`state.result`).
        agent: the agent.
        game: the game.
        later: the clauses of a deal made after the play, if this deal decided the payoffs.
    """
    told = [_ENDED[outcome["status"]]] if outcome["status"] in _ENDED else []
    told.append(_sum(outcome, agent, game.currency))
    for paid in outcome["transfers"]:
        if agent in (paid["payer"], paid["payee"]):
            payer = "You pay" if paid["payer"] == agent else f"{paid['payer']} pays"
            payee = "you" if paid["payee"] == agent else paid["payee"]
            much = f"{amount(str(paid['amount']))} {game.currency}".strip()
            told.append(f"{payer} {payee} {much} {_BASIS.get(paid['reason'], '')}".strip() + ".")
    told += _netted(outcome, agent)
    clauses = (outcome.get("audit") or {}).get("clauses", {})
    said = {cid: at_turns(text, game.turns) for cid, text in clauses.items()}
    told += [
        f"You broke {one['clause']} at turn {one['turn']}: “{said[one['clause']]}”"
        for one in outcome["breaches"]
        if one["agent"] == agent
    ]
    if outcome["ledger"] == "counterfactual":
        told.append("This is another branch of a run that was settled: nothing is paid.")
    told += _listed("What was agreed after the play, and decides:", later, game)
    agreed = "What was agreed before:" if later else "What was agreed:"
    told += _listed(agreed, "\n".join(_clauses(outcome, game, bool(later))), game)
    return [*map(game.for_people, told), f"You were {agent}."]


def ends_of(outcome: Mapping[str, Any], agent: str, game: Game) -> dict[str, Any]:
    """Return a table of what each agent earned, paid or received, and ends with.

    The agent that reads the table has the first row; if there are many others, only some have rows.
    `how` says what decided the payoffs.
    """
    others = [one for one in outcome["agents"] if one != agent]
    rows = []
    for one in [agent, *others[: MOST_TOLD - 1]]:
        earned, ends = exact(outcome["rewards"][one]), exact(outcome["payoffs"][one])
        named = f"you ({one})" if one == agent else one
        rows.append([named, amount(earned), amount(ends - earned, signed=True), amount(ends)])
    if left := len(others[MOST_TOLD - 1 :]):
        rows.append([f"… and {left} more", "", "", ""])
    heads = ("earned", "received (+) or paid (-)", "ends with")
    how = f"{decision_words(outcome, agent)}." if outcome["happened"]["at_stake"] else ""
    if "Shapley" in how:
        how += f" {_SHAPLEY}"
    return {"columns": [f"in {game.unit}", *heads], "rows": rows, "how": how}


def _clauses(outcome: Mapping[str, Any], game: Game, is_replaced: bool) -> Iterator[str]:
    """Yield each clause of a contract, and whether it was kept, if the contract decided payoffs."""
    if audit := outcome.get("audit"):
        told = _KEPT if outcome["enforcement"] != "notional" and not is_replaced else {}
        due = {paid["clause"] for paid in audit["payments"]}
        signed = Deal.model_validate({"clauses": (outcome["contract"] or {}).get("clauses", ())})
        payments = {clause.words() for clause in signed.clauses if clause.transfer}
        for cid, said in audit["clauses"].items():
            kept = told.get(audit["verdicts"][cid], "")
            if kept and said in payments and cid not in due:
                kept = " – nothing was due"
            yield f"{cid}. {at_turns(said, game.turns)}{kept}"


def _sum(outcome: Mapping[str, Any], agent: str, unit: str) -> str:
    """Return a payoff as a sum of what the agent earned, was paid and paid.

    >>> paid = [{"payer": "Ann", "payee": "Ben", "amount": 10.0}]
    >>> outcome = {"payoffs": {"Ann": 65.0}, "rewards": {"Ann": 75.0}, "transfers": paid}
    >>> _sum({**outcome, "forfeits": {"Ann": 0.0}}, "Ann", "EUR")
    'You end with 65 EUR: 75 earned, less 10 paid.'
    """
    moved = [paid for paid in outcome["transfers"] if agent in (paid["payer"], paid["payee"])]
    sums = {
        "paid to you": sum(exact(one["amount"]) for one in moved if one["payee"] == agent),
        "paid": -sum(exact(one["amount"]) for one in moved if one["payer"] == agent),
        "of deposits": exact(outcome["forfeits"].get(agent, 0)),
    }
    parts = [
        f"{'less' if x < 0 else 'and'} {amount(abs(x))} {what}" for what, x in sums.items() if x
    ]
    end = f"You end with {amount(str(outcome['payoffs'][agent]))} {unit}".strip()
    earned = f"{amount(str(outcome['rewards'][agent]))} earned"
    return f"{end}: {', '.join([earned, *parts])}." if parts else f"{end}."


def _netted(outcome: Mapping[str, Any], agent: str) -> list[str]:
    """Return the debts that an agent's contract payments offset against each other; [] if none."""
    due = {place: much for place, much in due_by_clause(outcome).items() if agent in place[1:]}
    splits = [c for c in (outcome["contract"] or {}).get("clauses", ()) if c["kind"] == "share"]
    paid = {
        (one["payer"], one["payee"]): exact(one["amount"])
        for one in outcome["transfers"]
        if one["reason"] == "contract" and agent in (one["payer"], one["payee"])
    }
    as_due = not splits and paid == {place[1:]: much for place, much in due.items()}
    if not paid or not due or len(due) + len(splits) < 2 or as_due:
        return []
    told = [f"{cid} {one} pays {two} {amount(much)}" for (cid, one, two), much in due.items()]
    rest = "; the rest comes from the split of the total" if splits else ""
    return [f"This is net of what each owed the other: {', '.join(told)}{rest}."]
