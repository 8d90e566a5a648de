"""The summary of a run in a few sentences: events, agreements and payoffs.

The summary is computed from the bundle only. Every number in the summary is also in a panel of the
page, and the part of the text with the number names that panel.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from shapley_coop.extensions.page.credit import NORMS

Part = dict[str, str]
"""A piece of `text`, optionally with the panel to `see`, or with the `agent` that `text` names."""

NAMED = 4
"""The most agents that a sentence names one by one."""

KINDS = {"do": "duty", "forbid": "prohibition", "pay": "payment"}

ENDED = {
    "error": "The run ended in an error.",
    "no_play": "There was no play.",
    "unreadable": "There was no play: no answer could be used.",
    "budget": "The budget was used up before the game was over.",
}


def summarize(run: dict[str, Any]) -> list[Part]:
    """Return the summary of a bundle, in parts."""
    if not run["outcome"]:
        return [*_agreement(run), *_under_way(run)]
    happened = _say(
        " ".join([*run["happened"]["words"], ENDED.get(run["status"], "")]).strip() + " "
    )
    return [*happened, *_agreement(run), *_breaches(run), *_passes(run), *_got(run)]


def _agreement(run: dict[str, Any]) -> list[Part]:
    """Return the sentence about the contract, and about the agreement made after the game."""
    basis = (run["outcome"] or {}).get("basis")
    everybody = _names(run["agents"], many="All {} agents")
    afterwards = run["outcome"]["redistribution"] if basis == "redistribution" else None
    if contract := run["contract"]:
        told = _say("{} signed {}", everybody, _see("contract", _contract(contract)))
        rounds = [event["round"] for event in _before_signing(run["timeline"])]
        told += _say(f" in round {max(rounds)} of talk") if rounds else []
        if count := sum(event["kind"] == "signed" for event in run["timeline"]) - 1:
            told += _say(f", amended it {_times(count)}")
        if afterwards:
            told += _say(", and agreed afterwards on {}", _see("timeline", _terms(afterwards)))
        return [*told, *_say(". ")]
    if afterwards:
        return _say("{} agreed on {}. ", everybody, _see("timeline", _terms(afterwards)))
    if any(event["kind"] == "said" for event in run["timeline"]):
        return _say("{} talked, and {}. ", everybody, _see("timeline", "nothing is signed"))
    return _say("Nobody talked, and nothing is signed. " if basis else "")


def _under_way(run: dict[str, Any]) -> list[Part]:
    played = sum(event["kind"] == "played" for event in run["timeline"])
    if played:
        turn = f"Turn {played} of {run['game']['turns']}"
        return _say("{} has been played.", _see("timeline", turn))
    return _say("" if run["timeline"] else "Nothing has been said yet.")


def _breaches(run: dict[str, Any]) -> list[Part]:
    """Return the sentence about breaches of the contract and forfeited deposits."""
    played = [event for event in run["timeline"] if event["kind"] == "played"]
    broke = Counter(breach["agent"] for event in played for breach in event["breaches"])
    if not broke:
        plan = run["plan"]["turns"] if run["plan"] else []
        owed = any(asked for turn in plan for asked in turn["planned"].values())
        return _say("{}. ", _see("plan", "Every duty was kept")) if owed else []
    told = [
        _say("{} broke it {}", _names([agent]), _see("plan", _times(count)))
        for agent, count in broke.items()
    ]
    parts = _join(told) if len(told) <= NAMED else [_see("plan", f"{len(told)} agents broke it")]
    parties = run["escrow"]["parties"] if run["escrow"] else []
    if lost := sum(party["is"] == "forfeited" for party in parties):
        whose = "its deposit" if lost == 1 else "their deposits"
        deposit = f"{whose} of {number(run['escrow']['deposit'])}"
        parts += _say(" and forfeited {}", _see("escrow", deposit))
    return [*parts, *_say(". ")]


def _passes(run: dict[str, Any]) -> list[Part]:
    """Return the sentence about agents that passed because they gave no usable answer."""
    rows = [row for row in run["credit"]["rows"] if row["conduct"]["unanswered"]]
    if not rows:
        return []
    if len(rows) > NAMED:
        many = _see("ends", f"{len(rows)} agents passed")
        return _say("{} because no answer of theirs could be used. ", many)
    return [
        part
        for row in rows
        for part in _say(
            "{} had {}. ", _names([row["agent"]]), _see("ends", row["conduct"]["unanswered"])
        )
    ]


def _got(run: dict[str, Any]) -> list[Part]:
    """Return the sentence about the total reward and each agent's payoff."""
    payoffs, total = run["outcome"]["points"]["ended"], number(run["outcome"]["total"])
    unit = f" {run['game']['unit']}".rstrip()
    told = _say(f"Together they earned {{}}{unit}", _see("ends", total))
    if run["matrix"]:
        best = max(sum(cell["pays"].values()) for cell in run["matrix"]["cells"])
        most = number(best * run["game"]["turns"])
        told += _say(" of {} at best", _see("payoffs", most))
    ended = {agent: _see("ends", number(payoff)) for agent, payoff in payoffs.items()}
    worst, best = min(payoffs, key=payoffs.__getitem__), max(payoffs, key=payoffs.__getitem__)
    if ended[worst] == ended[best]:
        told += _say(", and each ended with {}", ended[best])
    elif len(payoffs) <= NAMED:
        verbs = ["ended with", *["with"] * len(payoffs)]
        each = [
            _say(f"{{}} {verb} {{}}", _names([agent]), payoff)
            for verb, (agent, payoff) in zip(verbs, ended.items(), strict=False)
        ]
        told += _say("; {}", _join(each))
    else:
        ends = (ended[worst], _names([worst]), ended[best], _names([best]))
        told += _say(", and ended with {} ({}) to {} ({})", *ends)
    paid = run["outcome"]["ledger"] == "paid"
    return told + _say("." if paid else ". This branch is counterfactual: nothing was paid. ")


def number(value: float) -> str:
    """Return an amount as the page writes it: up to three decimals, with a minus sign."""
    text = f"{abs(value):,.3f}".rstrip("0").rstrip(".")
    return f"−{text}" if value < 0 and text != "0" else text


def _contract(contract: dict[str, Any]) -> str:
    stand = [clause for clause in contract["clauses"] if clause["to_turn"] is None]
    return f"a contract of {_terms(stand)}" if stand else "a contract without clauses"


def _terms(clauses: Sequence[dict[str, Any]]) -> str:
    """Return the number of clauses of each kind in words, with the norm of each split."""
    kinds = Counter(one["kind"] for one in clauses if one["kind"] in KINDS)
    splits = [
        f"a split by the {NORMS.get(one['norm'], one['norm'])}"
        if one["norm"]
        else "a split by fixed parts"
        for one in clauses
        if one["kind"] == "share"
    ]
    return _and([*(_count(n, KINDS[kind]) for kind, n in kinds.items()), *splits])


def _before_signing(timeline: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    signed = next((n for n, event in enumerate(timeline) if event["kind"] == "signed"), 0)
    return [event for event in timeline[:signed] if event["kind"] == "said"]


def _say(words: str, *parts: Part | list[Part]) -> list[Part]:
    """Return a text as parts; each given part replaces one `{}` of the text."""
    first, *rest = words.split("{}")
    told = [{"text": first}]
    for part, then in zip(parts, rest, strict=True):
        told += [*(part if isinstance(part, list) else [part]), {"text": then}]
    return [part for part in told if part["text"]]


def _see(panel: str, text: str) -> Part:
    return {"text": text, "see": panel}


def _names(agents: Sequence[str], many: str = "{} agents") -> list[Part]:
    if len(agents) > NAMED:
        return [{"text": many.format(len(agents))}]
    return _join([[{"text": agent, "agent": agent}] for agent in agents])


def _join(groups: Sequence[list[Part]]) -> list[Part]:
    places = ["{}"] * len(groups)
    return _say(_and(places), *groups)


def _and(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def _count(n: int, one: str) -> str:
    many = one[:-1] + "ies" if one.endswith("y") else f"{one}s"
    return f"{n} {one if n == 1 else many}"


def _times(n: int) -> str:
    return {1: "once", 2: "twice"}.get(n, f"{n} times")
