"""Replays of games with payoffs by counts: exact for any number of agents.

Agents with the same recorded action and the same baseline action form a class of symmetric agents.
So a coalition's worth in one turn depends only on its number of members per class. If each unit of
the sum always adds the same amount, marginal contributions do not depend on other agents.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shapley_coop.by_class import ByClass
from shapley_coop.extensions.many.counts import Counts
from shapley_coop.games.baseline import AWAY, IDLE, Baseline
from shapley_coop.games.replay import Coalitions, Replays

if TYPE_CHECKING:
    from shapley_coop.games.matrix import MatrixGame
    from shapley_coop.games.turns import Turn

MOST_AGENTS = 16
"""Up to this number of agents, replaying all coalitions is quick."""

MOST_COUNTS = 1 << 18
"""The most entries in a table of worths by members per class, enough for two classes of 511."""

NOTHING = -1
"""The number that stands for "no action"."""

Codes = NDArray[Any]
"""An array with the number of each agent's action, or NOTHING."""


def count_replays(game: "MatrixGame", record: "Sequence[Turn]", counts: Counts) -> Replays | None:
    """Return replays computed by counts; None if the baseline needs a replay turn by turn.

    Every replay has as many turns as the record, and every action is always legal, so members
    repeat their recorded actions. Cost: distinct joint actions × coalitions × agents; for
    `classes`, distinct joint actions × entries of the table of worths.
    """
    agents, baseline = game.agents, game.baseline
    if baseline.kind not in ("actions", AWAY, IDLE):
        return None
    code = counts.code
    plays = Counter(
        tuple(code.get(turn["actions"].get(a, ""), NOTHING) for a in agents) for turn in record
    )
    counted = [(np.array(play, dtype=np.int64), times) for play, times in plays.items()]
    absent = _absent(agents, baseline, code)
    if absent is None:
        classes = _all_of(counts, (_away_classes(counts, *one) for one in counted))
        return Replays(agents, _while_away(counts, counted), counts.unit, 12, classes=classes)
    told = _all_of(counts, (_classes(counts, play, absent, times) for play, times in counted))
    return Replays(
        agents,
        _by_actions(counts, counted, absent),
        counts.unit,
        MOST_AGENTS,
        parts=_parts(counts, counted, absent),
        classes=told,
    )


def _absent(agents: Sequence[str], baseline: Baseline, code: Mapping[str, int]) -> Codes | None:
    """Return each agent's baseline action; None if the baseline is "away"."""
    if baseline.kind == AWAY:
        return None
    own = (code.get(baseline.actions.get(agent, ""), NOTHING) for agent in agents)
    return np.array(list(own), dtype=np.int64)


def _by_actions(
    counts: Counts, counted: Sequence[tuple[Codes, int]], absent: Codes
) -> Callable[[Coalitions], NDArray[Any]]:
    """Return a function that replays coalitions; absent agents take their baseline or no action."""
    n = len(absent)

    def earned(members: Coalitions) -> NDArray[Any]:
        found = np.zeros((len(members), n + 1), dtype=counts.rows.dtype)
        for play, times in counted:
            joint = np.where(members, play, absent)
            found[:, :n] += times * paid(counts, joint)
        return found

    return earned


def paid(counts: Counts, joint: Codes) -> NDArray[Any]:
    """Return the n agents' payoffs for each of m joint actions (rows), as multiples of 1/unit."""
    acting = joint >= 0
    totals = np.where(acting, joint, 0).sum(axis=1)
    codes = np.where(acting, joint, 0)
    found = counts.rows[codes, totals[:, None] - codes]
    for k in np.flatnonzero(~acting.all(axis=1)):
        least = counts.least_of(int(totals[k]), int((~acting[k]).sum()))
        known = {int(x): least(int(x) if x >= 0 else None) for x in np.unique(joint[k])}
        found[k] = [known[int(x)] for x in joint[k]]
    return np.asarray(found)


def _while_away(
    counts: Counts, counted: Sequence[tuple[Codes, int]]
) -> Callable[[Coalitions], NDArray[Any]]:
    """Return a function that replays coalitions; absent agents earn 0 and harm members most."""

    def earned(members: Coalitions) -> NDArray[Any]:
        found = np.zeros((len(members), counts.n + 1), dtype=counts.rows.dtype)
        for k, row in enumerate(members):
            inside = np.flatnonzero(row)
            for play, times in counted:
                own = play[inside]
                by_rest = _present(counts, own, (counts.n - len(inside)) * counts.top)
                worst = int(by_rest.sum(axis=0).argmin())
                found[k, inside] += times * by_rest[:, worst]
        return found

    return earned


def _present(counts: Counts, own: Codes, rest: int) -> NDArray[Any]:
    """Return each member's payoff (a row) at each sum, 0 to `rest`, of absent agents' actions."""
    acting = own >= 0
    total, idle = int(own[acting].sum()), int((~acting).sum())
    by_sum = []
    for sum_ in range(total, total + rest + 1):
        least = counts.least_of(sum_, idle)
        known = {int(x): least(int(x) if x >= 0 else None) for x in np.unique(own)}
        by_sum.append([known[int(x)] for x in own])
    return np.array(by_sum, dtype=counts.rows.dtype).reshape(rest + 1, len(own)).T


def _parts(
    counts: Counts, counted: Sequence[tuple[Codes, int]], absent: Codes
) -> tuple[Fraction, ...] | None:
    """Return the agents' marginal contributions, or None if they can depend on other agents."""
    if counts.each is None or (absent < 0).any() or any((play < 0).any() for play, _ in counted):
        return None
    adds = counts.rows[:, 0] + (counts.n - 1) * int(counts.each * counts.unit) * np.arange(
        len(counts.actions)
    )
    sums = np.zeros(counts.n, dtype=counts.rows.dtype)
    for play, times in counted:
        sums = sums + times * (adds[play] - adds[absent])
    return tuple(Fraction(int(x), counts.unit) for x in sums)


def _classes(counts: Counts, play: Codes, absent: Codes, times: int) -> ByClass | None:
    """Return worths by class: agents with the same recorded and the same baseline action."""
    kinds = sorted({(int(p), int(a)) for p, a in zip(play, absent, strict=True) if p != a})
    of = np.full(len(play), -1)
    for c, (done, else_) in enumerate(kinds):
        of[(play == done) & (absent == else_)] = c
    if not kinds:
        return ByClass(of, np.zeros((), dtype=np.int64))
    if (members := _numbers(of, len(kinds))) is None:
        return None
    always = Counter(play[of == -1].tolist())
    codes = range(NOTHING, counts.top + 1)
    joint = {code: np.full(members[0].shape, always[code]) for code in codes}
    for (done, else_), inside in zip(kinds, members, strict=True):
        joint[done] = joint[done] + inside
        joint[else_] = joint[else_] + (inside.max() - inside)
    return ByClass(of, times * _worths(counts, joint))


def _away_classes(counts: Counts, play: Codes, times: int) -> ByClass | None:
    """Return worths by the number of members per recorded action, if the baseline is "away"."""
    kinds = sorted(set(play.tolist()))
    of = np.searchsorted(kinds, play)
    if NOTHING in kinds or (members := _numbers(of, len(kinds))) is None:
        return None
    joint = {code: np.zeros(members[0].shape, dtype=int) for code in range(counts.top + 1)}
    joint |= dict(zip(kinds, members, strict=True))
    absent = counts.n - np.sum(members, axis=0)
    return ByClass(of, times * counts.least_together(joint, absent * counts.top))


def _numbers(of: Codes, classes: int) -> list[NDArray[Any]] | None:
    """Return each class's member counts in all combinations; None if over `MOST_COUNTS`."""
    shape = [int((of == c).sum()) + 1 for c in range(classes)]
    return list(np.indices(shape)) if prod(shape) <= MOST_COUNTS else None


def _worths(counts: Counts, joint: Mapping[int, NDArray[Any]]) -> NDArray[Any]:
    """Return total payoffs, as multiples of 1/unit, if `joint[k]` agents take action k."""
    idle, acting = joint[NOTHING], {code: many for code, many in joint.items() if code != NOTHING}
    if not idle.any():
        return counts.least_together(acting, np.zeros_like(idle))
    found = np.zeros(idle.shape, dtype=object)
    for at in np.ndindex(*idle.shape):
        total = sum(code * int(many[at]) for code, many in acting.items())
        least = counts.least_of(total, int(idle[at]))
        paid_each = [(int(many[at]), code) for code, many in acting.items() if many[at]]
        found[at] = sum(many * int(least(code)) for many, code in paid_each)
        found[at] += int(idle[at]) * int(least(None))
    return found


def _all_of(counts: Counts, found: Iterable[ByClass | None]) -> tuple[ByClass, ...] | None:
    """Return the worth functions, in the unit of payoffs; None if one could not be computed."""
    known: list[ByClass] = []
    for one in found:
        if one is None:
            return None
        known.append(replace(one, unit=counts.unit))
    return tuple(known)
