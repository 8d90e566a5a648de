"""Replays of a payoff table for many coalitions at once, and the baseline implied by the table."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import lcm, prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shapley_coop.amounts import Number, exact
from shapley_coop.games.baseline import ALL_AWAY, AWAY, Baseline, in_words
from shapley_coop.games.replay import MOST_STEPPED, Coalitions, Replays

if TYPE_CHECKING:
    from shapley_coop.games.matrix import MatrixGame
    from shapley_coop.games.turns import Turn

Pays = Mapping[tuple[str, ...], Mapping[str, Number]]

MOST_CELLS = 5_000_000
MOST_LOOKED_UP = 16
"""The most agents whose 2ⁿ coalitions are replayed by lookup."""
_WHOLE = 2**60

SURVIVES = "(the only profile that survives strict dominance)"

UNDECLARED = (
    "the game declares no baseline, and strict dominance leaves more than one: confirm it with "
    "--absent before a norm can be signed"
)


def surviving_baseline(
    agents: Sequence[str], actions: Mapping[str, Sequence[str]], pays: Pays
) -> Baseline:
    """Return the one profile that survives iterated strict dominance; if several do, `away`."""
    table, _ = _tensor(agents, actions, pays)
    left = [list(range(len(actions[agent]))) for agent in agents]
    while any(_drop_dominated(table, left, i) for i in range(len(agents))):
        pass
    if any(len(choices) > 1 for choices in left):
        return Baseline(AWAY, ALL_AWAY.words, warning=UNDECLARED)
    chosen = {agent: actions[agent][left[i][0]] for i, agent in enumerate(agents)}
    return Baseline("actions", f"{in_words(agents, chosen)} {SURVIVES}", chosen)


def _drop_dominated(table: NDArray[Any], left: list[list[int]], i: int) -> bool:
    own = np.moveaxis(table[..., i][np.ix_(*left)], i, 0).reshape(len(left[i]), -1)
    kept = [
        choice
        for k, choice in enumerate(left[i])
        if not any((own[other] > own[k]).all() for other in range(len(own)) if other != k)
    ]
    dropped = len(kept) < len(left[i])
    left[i] = kept
    return dropped


def table_replays(game: "MatrixGame", record: "Sequence[Turn]", pays: Pays) -> Replays | None:
    """Return replays by lookup; None if the baseline or the table's size does not allow it.

    Every replay has as many turns as the record. No action is ever illegal, so no agent leaves the
    recorded path. Cost: the record's distinct joint actions × coalitions × agents.
    """
    agents, baseline = game.agents, game.baseline
    if baseline.kind not in ("actions", "away", "idle"):
        return None
    plays = Counter(tuple(turn["actions"].get(a) for a in agents) for turn in record)
    passes = [any(play[i] is None for play in plays) for i in range(len(agents))]
    if baseline.kind == "idle":
        passes = [True] * len(agents)
    cells = prod(len(game.actions[a]) + p for a, p in zip(agents, passes, strict=True))
    if cells * len(agents) > MOST_CELLS:
        return None
    table, unit = _tensor(agents, game.actions, pays, len(record))
    for i, extended in enumerate(passes):
        if extended:  # if agent i does not act, each agent gets its minimum over i's actions
            table = np.concatenate([table, table.min(axis=i, keepdims=True)], axis=i)
    codes = {a: {act: k for k, act in enumerate(game.actions[a])} for a in agents}
    counted = {
        tuple(
            codes[a].get(x or "", len(codes[a])) for a, x in zip(agents, play, strict=True)
        ): times
        for play, times in plays.items()
    }
    if baseline.kind == AWAY:
        sizes = [len(game.actions[a]) for a in agents]
        return Replays(agents, _while_away(table, counted, sizes), unit, MOST_STEPPED)
    absent = [codes[a].get(baseline.actions.get(a, ""), len(codes[a])) for a in agents]
    return Replays(agents, _by_actions(table, counted, absent), unit, MOST_LOOKED_UP)


def _tensor(
    agents: Sequence[str], actions: Mapping[str, Sequence[str]], pays: Pays, turns: int = 1
) -> tuple[NDArray[Any], int]:
    """Return integer payoffs, indexed by all agents' actions and the agent, and their divisor."""
    found = {x: exact(x) for x in {x for pay in pays.values() for x in pay.values()}}
    unit = lcm(*(x.denominator for x in found.values()))
    most = max(map(abs, found.values())) * unit * max(turns, 1) * len(agents)
    whole = {x: int(amount * unit) for x, amount in found.items()}
    rows = [
        [whole[pays[play][a]] for a in agents] for play in product(*(actions[a] for a in agents))
    ]
    kind: Any = np.int64 if most < _WHOLE else object
    shape = (*(len(actions[a]) for a in agents), len(agents))
    return np.array(rows, dtype=kind).reshape(shape), unit


def _by_actions(
    table: NDArray[Any], counted: Mapping[tuple[int, ...], int], absent: Sequence[int]
) -> Callable[[Coalitions], NDArray[Any]]:
    """Return `Replays.earned` for a baseline in which each absent agent takes a fixed action."""
    n = table.shape[-1]

    def earned(members: Coalitions) -> NDArray[Any]:
        found = np.zeros((len(members), n + 1), dtype=table.dtype)
        for play, times in counted.items():
            joint = np.where(members, np.array(play), np.array(absent))
            found[:, :n] += times * table[tuple(joint.T)]
        return found

    return earned


def _while_away(
    table: NDArray[Any], counted: Mapping[tuple[int, ...], int], sizes: Sequence[int]
) -> Callable[[Coalitions], NDArray[Any]]:
    """Return `Replays.earned` if absent agents earn 0 and minimise the members' total each turn."""
    n = len(sizes)

    def earned(members: Coalitions) -> NDArray[Any]:
        found = np.zeros((len(members), n + 1), dtype=table.dtype)
        for k, row in enumerate(members):
            inside = np.flatnonzero(row)
            for play, times in counted.items():
                at: Any = tuple(play[i] if row[i] else slice(sizes[i]) for i in range(n))
                paid = table[at].reshape(-1, n)[:, inside]
                found[k, inside] += times * paid[paid.sum(axis=1).argmin()]
        return found

    return earned
