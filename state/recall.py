"""A rolling summary of what is long past, made by code, and the same for everybody.

Letters tell every event until there are twice as many as are to be recalled; then the older half is
told in sum, and so on. In between, the history only grows at its end, so that a provider's prefix
cache holds: a summary that moved with every event would break it each time.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import exact, plain

Line = dict[str, Any]


def recalled(lines: Sequence[Line], recall: int) -> list[Line]:
    """The history as letters tell it.

    Args:
        lines: all that was said and done, a line each, in order.
        recall: at least so many of the latest events are told one by one; 0 tells all.
    """
    old = recall * max(0, len(lines) // recall - 1) if recall else 0
    return [summary(lines[:old]), *lines[old:]] if old else list(lines)


def summary(lines: Sequence[Line]) -> Line:
    """What happened, in sum: a line that says whom it is about and until which turn."""
    turns = [line for line in lines if "did" in line]
    words: dict[str, Counter[str]] = {}
    for line in lines:
        if "by" in line:
            words.setdefault(line["by"], Counter())[line["does"]] += 1
    told: Line = {"in_sum": len(lines)}
    if turns:
        told["turns"] = [turns[0]["turn"], turns[-1]["turn"]]
        told["done"] = {agent: dict(deeds) for agent, deeds in _deeds(turns).items()}
        told["earned"] = _earned(turns)
        if pot := sum((exact(turn["pot"]) for turn in turns if "pot" in turn), Fraction(0)):
            told["pot"] = plain(pot)
    if words:
        told["said"] = {agent: dict(acts) for agent, acts in words.items()}
    if effects := Counter(e["effect"] for turn in turns for e in turn.get("effects", [])):
        told["effects"] = dict(effects)
    return told


def _deeds(turns: Sequence[Line]) -> dict[str, Counter[str]]:
    deeds: dict[str, Counter[str]] = {}
    for turn in turns:
        for agent, action in turn["did"].items():
            deeds.setdefault(agent, Counter())[action] += 1
    return deeds


def _earned(turns: Sequence[Line]) -> dict[str, str]:
    sums: dict[str, Fraction] = {}
    for turn in turns:
        for agent, amount in turn["earned"].items():
            sums[agent] = sums.get(agent, Fraction(0)) + exact(amount)
    return {agent: plain(x) for agent, x in sums.items()}
