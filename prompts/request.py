"""The variables of request templates: the facts of one letter in words."""

import json
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from shapley_coop.canonical import cache_key
from shapley_coop.many import OWN
from shapley_coop.prompts.computed import amount, money, outlook
from shapley_coop.prompts.course import otherwise
from shapley_coop.prompts.crowds import MOST_COLUMNS, of_group, together
from shapley_coop.prompts.render import compact_json
from shapley_coop.prompts.talk import at_turns, clauses
from shapley_coop.prompts.words import describe, few, plain, quote

Facts = Mapping[str, Any]

KEEP_NOTES = "\n`<NOTES>…</NOTES>` replaces your notes (private, ≤ 600 characters)."


Words = Callable[[Facts], dict[str, Any]]
"""A function from a letter's facts to some variables of its template."""


def variables(view: Facts, words: Sequence[Words]) -> dict[str, Any]:
    """Return a request template's variables: the common ones, and those from `words`."""
    last_round = "rounds" in view and view["round"] >= view["rounds"]
    contract = bool(view.get("contract"))
    found = {
        "round": view.get("round"),
        "rounds": view.get("rounds"),
        "last_round": last_round,
        "others": _others(view.get("answering", [])),
        "payments": view.get("payments", True),
        "contract": contract,
        "no_contract": quote(view["no_contract"]) if view.get("no_contract") else "",
        "without": "the deal in force stays" if contract else "you play without a deal",
        "binding": "have accepted",
        "keep_notes": KEEP_NOTES,
        "standing": _position_words(view),
        "outlook": outlook(view),
        "parties": ", ".join(view.get("parties", [])),
        "guidance": view.get("guidance", False),
    }
    for part in words:
        found |= part(view)
    return found


def offer_to_answer(view: Facts) -> dict[str, Any]:
    """Return the variables about the offer to answer, with the clauses that the history lacks."""
    offer = view.get("offer", {})
    turns = view["procedure"]["turns"]
    text = clauses(offer.get("in_words", ""), turns)
    return {
        "offer_by": plain(offer.get("by", "")),
        "number": offer.get("revision"),
        "offer_by_id": contract_lines(offer, turns),
        "offer_words": text if offer and not offer.get("told") else "",
        "offer_json": compact_json(offer["wire"]) if "wire" in offer else "",
        "drafted": bool(offer.get("clauses")),
        "counters": _counters(view.get("answer_order", []), plain(offer.get("by", ""))),
    }


def speakers(view: Facts) -> dict[str, Any]:
    """Return the agents that speak after the reader in the last round, in words; else ""."""
    after = view.get("speak_after", [])
    return {
        "after": few(after) if after else "nobody" if "speak_after" in view else "",
        "can_redraft": view.get("can_redraft", True),
    }


def _others(answering: Sequence[str]) -> str:
    few = 0 < len(answering) <= MOST_COLUMNS
    return " and ".join(map(plain, answering)) if few else "All others"


def _counters(order: Sequence[str], by: str) -> str:
    """Return the sentence that says which of several counter-offers comes next; else ""."""
    if len(order) < 2:
        return ""
    shown = order if len(order) <= MOST_COLUMNS else [*order[:MOST_COLUMNS], "…"]
    return (
        f"If several of you make one, only the first in turn after {by} is answered next "
        f"({', '.join(shown)}); the other offers lapse."
    )


def turn_of_game(view: Facts) -> dict[str, Any]:
    """Return the variables about a turn of the game: the deal's duties and the legal actions."""
    duties = view.get("duties", [])
    asked = [plain(duty["action"]) for duty in duties if not duty["forbidden"]]
    forbidden = [plain(duty["action"]) for duty in duties if duty["forbidden"]]
    return {
        "turn": view.get("turn"),
        "no_deal": view.get("no_deal", ""),
        "turns": view.get("turns", view["procedure"]["turns"]),
        "asked": ", ".join(asked),
        "forbidden": ", ".join(forbidden),
        "earned": _sums_words(tuple(view.get("earned_so_far", {}).items())),
        "deal_pays": _pays(view),
        "breaches": _breaches(view),
        "legal": _legal(view.get("legal", [])),
        "brought": "",  # a question with more facts puts its template's variables here
    }


@lru_cache(maxsize=64)  # cached: letters sent together have the same sums
def _sums_words(sums: tuple[tuple[str, str], ...]) -> str:
    """Return each agent's earnings so far; "" before any agent has earned."""
    earned = {agent: amount(x) for agent, x in sums}
    return together(earned) if any(float(x) for x in earned.values()) else ""


def _pays(view: Facts) -> bool:
    """Return whether the deal in force makes payments, which the record's rewards do not show."""
    clauses_in_force = view.get("contract", {}).get("clauses", [])
    enforced = view["procedure"].get("enforcement") != "notional"
    return enforced and any(clause["kind"] in ("pay", "share") for clause in clauses_in_force)


def _breaches(view: Facts) -> str:
    if not view.get("contract") or not view.get("earned_so_far"):
        return ""
    found = [
        f"{plain(b['agent'])} {b['clause']} at turn {b['turn']}" for b in view.get("breaches", [])
    ]
    return f"Breaches of the deal: {few(found)}." if found else "Everybody kept the deal."


def _legal(actions: Sequence[str]) -> str:
    if sum(map(len, actions)) > 80 or any("," in action for action in actions):
        return "\n\n" + "\n".join(f"- {action}" for action in actions)
    return f"{', '.join(actions)}."


def _position_words(view: Facts) -> str:
    """Return the position in words, without the turn, which the letter gives elsewhere."""
    position = {k: x for k, x in view.get("position", {}).items() if k not in ("turn", OWN)}
    own = describe({OWN: view["position"][OWN]}) if OWN in view.get("position", {}) else ""
    return "\n".join(filter(None, [own, _fact_words(cache_key(position)) if position else ""]))


@lru_cache(maxsize=64)  # cached: agents with equal facts get the same words
def _fact_words(facts: bytes) -> str:
    known = json.loads(facts)
    groups = [of_group(row) for row in known.pop("groups", [])]
    position: dict[str, Any] = {}
    for key, value in known.items():
        position |= _by_column(value) or {key: value}
    return "\n".join([describe(position), *groups] if position else groups)


def _by_column(value: Any) -> dict[str, str]:
    """Return column → a line with all agents' numbers; {} if the value is no table of numbers."""
    rows = list(value.values()) if isinstance(value, Mapping) else []
    if len(rows) <= MOST_COLUMNS or not all(isinstance(row, Mapping) for row in rows):
        return {}
    columns = list(rows[0])
    if any(list(row) != columns for row in rows):
        return {}
    if not all(isinstance(x, int | float) for row in rows for x in row.values()):
        return {}
    return {at: together({who: plain(row[at]) for who, row in value.items()}) for at in columns}


def split(view: Facts, signed: bool = True) -> dict[str, Any]:
    """Return the variables about the last bargaining: the total, and the effects of an answer.

    Args:
        view: the letter's facts.
        signed: whether to show the signed amounts; agents make claims without seeing them.
    """
    me, offer, contract = view["you"], view.get("offer", {}), bool(view.get("contract"))
    change = "change" in offer
    return {
        "money": money(view, signed) if "own_rewards" in view else "",
        "standing_now": "as signed" if contract else "as earned",
        "signed": amount(view["as_signed"][me]) if change else "",
        "proposed": amount(offer["payoffs"][me]) if change else "",
        "change": amount(offer["change"][me], signed=True) if change else "",
        "direction": _direction(view),
        "without_agreement": otherwise(view["procedure"], contract),
        "stays": "the signed deal stays" if contract else "what each has earned stays",
    }


def _direction(view: Facts) -> str:
    """Return in words how the reader's computed payoff differs from its present payoff."""
    computed = view.get("computed")
    if not computed or "as_signed" not in view:
        return ""
    me = view["you"]
    gap = Fraction(computed["payoffs"][me]) - Fraction(view["as_signed"][me])
    now = "as signed" if view.get("contract") else "as earned"
    if not gap:
        return f"The split by {computed['norm']} gives you what you have {now}. "
    more = f"{amount(abs(gap))} {'more' if gap > 0 else 'less'}"
    return f"The split by {computed['norm']} would give you {more} than you have {now}. "


def contract_lines(contract: Facts, turns: int = 0) -> str:
    """Return the clauses in force, with the ids by which breaches and amendments cite them."""
    return _list_words(contract.get("in_words", ""), turns)


@lru_cache(maxsize=128)
def _list_words(text: str, turns: int) -> str:
    return "\n".join(f"- {line}" for line in at_turns(text, turns).split("\n") if line)
