"""Weighted Earned Value as a report: each role's interval, its point, and its reward beside them.

`shapley_coop.earned_value` has the formula. The paper knows each weight only as an interval, and so
a role's value is one. The lower ends of its weights sum to 62 % and the upper ends to 115 %, so the
intervals divide nothing by themselves: the point is the role's part of the whole, and the points
sum to 100.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from shapley_coop.amounts import Number, exact
from shapley_coop.credit.reading import as_list, as_number, as_object, only_keys, read_json
from shapley_coop.earned_value import WEIGHTS, Intervals, earned_intervals, parts
from shapley_coop.files import read_data

Artefacts = Mapping[str, Mapping[str, Number]]
"""Role → kind of artefact → how many."""


@dataclass(frozen=True)
class EarnedValue:
    """What one role earned; all in percent of the whole."""

    low: Fraction
    high: Fraction
    point: Fraction  # the points of all roles sum to 100
    reward: Fraction | None  # what it was given, if anything is known
    adjustment: Fraction | None  # the least change that brings the reward into the interval


def wev(
    artefacts: Artefacts,
    rewards: Mapping[str, Number] | None = None,
    weights: Intervals = WEIGHTS,
) -> dict[str, EarnedValue]:
    """The Weighted Earned Value of every role.

    Args:
        artefacts: counts by role and kind, 0 or more; a kind that a role does not name counts 0.
        rewards: percent by role; roles may be missing.
        weights: interval by kind, in percent.

    Returns:
        One entry per role, in the order of `artefacts`. A kind of which nobody made anything earns
        nobody anything.

    Raises:
        ValueError: an unknown kind or role, a negative number, an interval upside down, or nothing
            that earns anything.
    """
    intervals = {kind: _interval(kind, ends) for kind, ends in weights.items()}
    counts = {role: _counts(role, made, intervals) for role, made in artefacts.items()}
    given = {role: _reward(role, reward, counts) for role, reward in (rewards or {}).items()}
    earned = earned_intervals(counts, intervals)
    if not any(high for _, high in earned.values()):
        raise ValueError("no artefact that weighs anything: there is no value to divide")
    points = parts(counts, intervals)
    return {
        role: EarnedValue(
            low=low,
            high=high,
            point=100 * points[role],
            reward=given.get(role),
            adjustment=min(max(given[role], low), high) - given[role] if role in given else None,
        )
        for role, (low, high) in earned.items()
    }


def wev_report(
    artefacts: Artefacts,
    rewards: Mapping[str, Number] | None = None,
    weights: Intervals = WEIGHTS,
) -> dict[str, Any]:
    """`wev` as JSON, in percent.

    {"roles": {role: {"interval": [low, high], "point": x, "reward": y, "adjustment": z}}}
    """
    return {
        "roles": {
            role: {
                "interval": [float(value.low), float(value.high)],
                "point": float(value.point),
                "reward": None if value.reward is None else float(value.reward),
                "adjustment": None if value.adjustment is None else float(value.adjustment),
            }
            for role, value in wev(artefacts, rewards, weights).items()
        }
    }


def read_wev(
    source: str | Path | Mapping[str, Any],
) -> tuple[dict[str, dict[str, Fraction]], dict[str, Fraction] | None]:
    """Artefacts and rewards from a file, or from its content.

    {"artefacts": {role: {"code", "decisions", "documents", "fixes"}}, "rewards": {role: percent}}

    The rewards may be left out. Kinds and roles are checked by `wev`, which knows the weights.

    Raises:
        ValueError: the file cannot be read, or something in it has the wrong form; one line.
    """
    content = as_object(_content(source), "the input")
    only_keys(content, ("artefacts", "rewards"), "the input")
    if not content.get("artefacts"):
        raise ValueError('the input names no "artefacts": give counts by role and kind')
    artefacts = {
        role: {
            kind: as_number(count, f"{role}'s count of {kind}")
            for kind, count in as_object(made, f"the artefacts of {role}").items()
        }
        for role, made in as_object(content["artefacts"], '"artefacts"').items()
    }
    if content.get("rewards") is None:
        return artefacts, None
    rewards = as_object(content["rewards"], '"rewards"')
    return artefacts, {role: as_number(r, f"the reward of {role}") for role, r in rewards.items()}


def read_weights(
    source: str | Path | Mapping[str, Any],
) -> dict[str, tuple[Fraction, Fraction]]:
    """Weights from a file, or from its content: {kind: [low, high]}, in percent.

    Raises:
        ValueError: the file cannot be read, or something in it has the wrong form; one line.
    """
    weights = {}
    found = read_data(source, "the weights") if isinstance(source, str | Path) else source
    for kind, ends in as_object(found, "the weights").items():
        pair = as_list(ends, f"the weight of {kind}")
        if len(pair) != 2:
            raise ValueError(f"the weight of {kind} has {len(pair)} ends: [low, high] is needed")
        weights[kind] = _interval(kind, (pair[0], pair[1]))
    if not weights:
        raise ValueError("the weights name no kind of artefact: give {kind: [low, high]}")
    return weights


def _content(source: str | Path | Mapping[str, Any]) -> Any:
    return read_json(source) if isinstance(source, str | Path) else source


def _interval(kind: str, ends: tuple[Number, Number]) -> tuple[Fraction, Fraction]:
    low, high = (as_number(end, f"the weight of {kind}") for end in ends)
    if not 0 <= low <= high <= 100:
        raise ValueError(
            f"the weight of {kind} is {float(low):g} to {float(high):g}: "
            "0 ≤ low ≤ high ≤ 100 is needed"
        )
    return low, high


def _counts(role: str, made: Mapping[str, Number], kinds: Mapping[str, Any]) -> dict[str, Fraction]:
    only_keys(made, kinds, f"the artefacts of {role}")
    counts = {kind: exact(made.get(kind, 0), f"{role}'s count of {kind}") for kind in kinds}
    for kind, count in counts.items():
        if count < 0:
            raise ValueError(f"{role}'s count of {kind} is {float(count):g}: it must be 0 or more")
    return counts


def _reward(role: str, reward: Number, roles: Mapping[str, Any]) -> Fraction:
    only_keys([role], roles, "the rewards")
    percent = exact(reward, f"the reward of {role}")
    if not 0 <= percent <= 100:
        raise ValueError(
            f"the reward of {role} is {float(percent):g}: percent lie between 0 and 100"
        )
    return percent
