"""The report of Weighted Earned Value: each role's interval, single percentage, and reward.

`shapley_coop.earned_value` has the formula. The paper gives each weight as an interval, so a role's
value is an interval as well. The weights' lower ends sum to 62 %, their upper ends to 115 %. So
neither the roles' lower ends nor their upper ends sum to 100. A role's `point` is its percentage of
the total value, at the middle of each weight; the points of all roles sum to 100.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from shapley_coop.amounts import Number, exact
from shapley_coop.credit.reading import as_number, as_object, only_keys, read_json
from shapley_coop.earned_value import (
    WEIGHTS,
    Intervals,
    earned_intervals,
    part_intervals,
    parts,
)
from shapley_coop.files import did_you_mean, read_data

Artefacts = Mapping[str, Mapping[str, Number]]
"""Role → kind of artefact → count."""


@dataclass(frozen=True)
class EarnedValue:
    """The earned value of one role. All numbers are percentages."""

    low: Fraction  # the role's earned value with every weight at its lower end
    high: Fraction  # the role's earned value with every weight at its upper end
    point: Fraction  # the role's percentage of the total; all roles' points sum to 100
    least: Fraction  # the smallest point over all weights within their intervals
    most: Fraction  # the largest point over all weights within their intervals
    reward: Fraction | None  # the role's reward, if it is known
    adjustment: Fraction | None  # the smallest change that brings the reward into the interval


def wev(
    artefacts: Artefacts,
    rewards: Mapping[str, Number] | None = None,
    weights: Intervals = WEIGHTS,
) -> dict[str, EarnedValue]:
    """Return the Weighted Earned Value of every role's artefacts.

    Args:
        artefacts: role → kind → count, 0 or more; missing kinds count 0.
        rewards: role → its reward in percent; roles may be missing.
        weights: kind → interval of its weight, in percent.

    Returns:
        One entry per role, in the order of `artefacts`. A kind without any artefact adds nothing
        to any role.

    Raises:
        ValueError: a kind or role is unknown, a number is negative, an interval has low > high, or
            no artefact has a positive weight.
    """
    intervals = {kind: _interval(kind, ends) for kind, ends in weights.items()}
    counts = {role: _counts(role, made, intervals) for role, made in artefacts.items()}
    given = {role: _reward(role, reward, counts) for role, reward in (rewards or {}).items()}
    earned = earned_intervals(counts, intervals)
    if not any(high for _, high in earned.values()):
        raise ValueError("no artefact has a weight above 0, so there is no value to divide")
    points, ranges = parts(counts, intervals), part_intervals(counts, intervals)
    return {
        role: EarnedValue(
            low=low,
            high=high,
            point=100 * points[role],
            least=100 * ranges[role][0],
            most=100 * ranges[role][1],
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
    """Return the result of `wev` as JSON, in percent.

    {"roles": {role: {"interval": [low, high], "point": x, "point_interval": [least, most],
    "reward": y, "adjustment": z}}}. `EarnedValue` explains the keys. A role's `point` may lie
    outside its `interval`: points are scaled so that all roles sum to 100, intervals are not.
    """
    return {
        "roles": {
            role: {
                "interval": [float(value.low), float(value.high)],
                "point": float(value.point),
                "point_interval": [float(value.least), float(value.most)],
                "reward": None if value.reward is None else float(value.reward),
                "adjustment": None if value.adjustment is None else float(value.adjustment),
            }
            for role, value in wev(artefacts, rewards, weights).items()
        }
    }


def read_wev(
    source: str | Path | Mapping[str, Any],
) -> tuple[dict[str, dict[str, Fraction]], dict[str, Fraction] | None]:
    """Return the artefacts and rewards from a file or from its content.

    {"artefacts": {role: {"code", "decisions", "documents", "fixes"}}, "rewards": {role: percent}}

    The rewards are optional. `wev` checks kinds and roles, because it knows the weights.

    Raises:
        ValueError: the file cannot be read or has the wrong form; the message is one line.
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
    source: str | Path | Mapping[str, Any], kinds: Collection[str] | None = None
) -> dict[str, tuple[Fraction, Fraction]]:
    """Return the weights from a file or from its content: {kind: [low, high]}, in percent.

    Args:
        source: the file or its content; kinds that are missing keep their default.
        kinds: the kinds that the file may name; None allows any.

    Raises:
        ValueError: the file cannot be read or has the wrong form; the message is one line.
    """
    what, content = "the weights", source
    if isinstance(source, str | Path):
        what, content = str(source), read_data(source, "the weights")
    found = as_object(content, what)
    form = "give its lowest and highest percent, as in code: [27, 40]"
    weights: dict[str, tuple[Fraction, Fraction]] = {}
    for kind, ends in found.items():
        if kinds is not None and kind not in kinds:
            meant = did_you_mean(kind, kinds) or f"; they are {', '.join(kinds)}"
            raise ValueError(f"{what}: {kind!r} is not a kind of work{meant}")
        if not isinstance(ends, list | tuple) or len(ends) != 2:
            raise ValueError(f"{what}: {kind} is {json.dumps(ends, default=str)[:40]}: {form}")
        try:
            weights[kind] = _interval(kind, (ends[0], ends[1]))
        except ValueError as error:
            raise ValueError(f"{what}: {error}; {form}") from None
    if not weights:
        raise ValueError(f"{what}: no kind of work is named: {form}")
    return {kind: _interval(kind, ends) for kind, ends in WEIGHTS.items()} | weights


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
