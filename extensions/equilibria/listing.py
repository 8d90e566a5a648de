"""The Nash equilibria of a strategic game: pure ones exactly, mixed ones of two players by nashpy.

nashpy compares the vertices of both players' polytopes of best responses, which finds all extreme
equilibria. Its chances are listed as fractions if these form an equilibrium exactly, else as found.
"""

import warnings
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from shapley_coop.deals.analysis.stage import StageGame
from shapley_coop.extras import require_extra

with require_extra("equilibria", "a list of mixed equilibria"):
    from nashpy import Game

MOST_ACTIONS = 8
"""The most actions of a player for which mixed equilibria are searched: 8 take about 3 s."""

FINEST = 10**6
"""The largest denominator of a probability."""


class Equilibrium(NamedTuple):
    """A Nash equilibrium.

    Attributes:
        play: player → action → its probability; actions with probability 0 are left out.
        pays: each player's expected payoff.
        exact: whether it is an equilibrium exactly, and not up to rounding errors.
    """

    play: dict[str, dict[str, Fraction]]
    pays: list[Fraction]
    exact: bool


def equilibria(game: StageGame) -> list[Equilibrium]:
    """Return the pure equilibria, and the mixed ones if they are searched (`searches_mixed`)."""
    pure = [[{action: Fraction(1)} for action in play] for play in game.equilibria]
    return [
        Equilibrium(
            dict(zip(game.agents, play, strict=True)),
            _expected(game, play),
            _is_equilibrium(game, play),
        )
        for play in [*pure, *_mixed(game)]
    ]


def searches_mixed(game: StageGame) -> bool:
    """Return whether there are two players, with few actions."""
    return len(game.agents) == 2 and max(map(len, game.actions.values())) <= MOST_ACTIONS


def is_degenerate(game: StageGame, found: Sequence[Equilibrium]) -> bool:
    """Return whether, of two players, one has more best actions than the other mixes.

    This is tested exactly at all equilibria in `found` that are exact. If an equilibrium that is
    not in `found` lies between two that are, then it is so at one of these.
    """
    return len(game.agents) == 2 and any(
        _best_actions(game, [*one.play.values()], i) > len(one.play[game.agents[1 - i]])
        for one in found
        if one.exact
        for i in (0, 1)
    )


def _best_actions(game: StageGame, play: list[dict[str, Fraction]], i: int) -> int:
    """Return the number of the player's actions that pay as much as an equilibrium does."""
    pays = _expected(game, play)[i]
    actions = game.actions[game.agents[i]]
    return sum(_deviating(game, play, i, action) == pays for action in actions)


def _deviating(game: StageGame, play: list[dict[str, Fraction]], i: int, action: str) -> Fraction:
    """Return the player's payoff if it takes one action and the others play as before."""
    return _expected(game, [*play[:i], {action: Fraction(1)}, *play[i + 1 :]])[i]


def _mixed(game: StageGame) -> list[list[dict[str, Fraction]]]:
    if not searches_mixed(game) or min(map(len, game.actions.values())) == 1:
        return []
    rows, columns = (game.actions[agent] for agent in game.agents)
    matrices = [[[_scaled(game, (r, c), i) for c in columns] for r in rows] for i in (0, 1)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of singular systems, and degenerate games
        found = list(Game(*matrices).vertex_enumeration())
    plays: list[list[dict[str, Fraction]]] = []
    for pair in found:
        near = [_chances(p, acts, FINEST) for p, acts in zip(pair, (rows, columns), strict=True)]
        if not _is_equilibrium(game, near):
            near = [_chances(p, acts, 0) for p, acts in zip(pair, (rows, columns), strict=True)]
        if max(map(len, near)) > 1 and near not in plays:
            plays.append(near)
    return plays


def _scaled(game: StageGame, play: tuple[str, str], i: int) -> float:
    """Return a payoff on a scale from 1 to 2, which keeps equilibria and which nashpy can read."""
    each = [pays[i] for pays in game.pays.values()]
    return 1 + float((game.pays[play][i] - min(each)) / (max(each) - min(each) or 1))


def _chances(found: Sequence[float], actions: Sequence[str], finest: int) -> dict[str, Fraction]:
    """Return action → its chance above 0, as a fraction near the one found; 0: to ten decimals."""
    near = [
        Fraction(float(p)).limit_denominator(finest) if finest else Fraction(f"{p:.10f}")
        for p in found
    ]
    return {action: p for action, p in zip(actions, near, strict=True) if p}


def _is_equilibrium(game: StageGame, play: list[dict[str, Fraction]]) -> bool:
    """Return whether the chances sum to 1 and no player gains by another action, exactly."""
    if any(sum(each.values()) != 1 or min(each.values()) < 0 for each in play):
        return False
    pays = _expected(game, play)
    return all(
        _deviating(game, play, i, action) <= pays[i]
        for i, agent in enumerate(game.agents)
        for action in game.actions[agent]
    )


def _expected(game: StageGame, play: Sequence[dict[str, Fraction]]) -> list[Fraction]:
    found = [Fraction(0)] * len(game.agents)
    chances: dict[tuple[str, ...], Fraction] = {(): Fraction(1)}
    for each in play:
        chances = {(*a, b): p * q for a, p in chances.items() for b, q in each.items()}
    for joint, chance in chances.items():
        found = [x + chance * pay for x, pay in zip(found, game.pays[joint], strict=True)]
    return found
