"""Valuations of a position for one agent, under different assumptions about all agents' actions.

Each value is exact, in the game's unit, and covers all turns from the position on. `worth` gives
the value of a joint action: the gain now plus the value of the next position.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from shapley_coop.deals.analysis.game_tree import NOTHING, GameTree, Position, Value


def expected_value(of: GameTree, position: Position, i: int, worth: Value) -> Fraction:
    """Return the mean value over the expected actions: all agents' best allowed actions now."""
    plays = list(product(*position.expected.values()))
    return sum((worth(play, i) for play in plays), NOTHING) / len(plays)


def best(of: GameTree, position: Position, i: int, worth: Value) -> Fraction:
    """Return the value if all keep the contract and make all free choices in agent i's favour."""
    return max(worth(play, i) for play in product(*all_kept(of, position)))


def secure_value(of: GameTree, position: Position, i: int, worth: Value) -> Fraction:
    """Return agent i's secure value while all keep the contract (maximin, pure actions)."""
    return _maximin(i, worth, all_kept(of, position))


def guaranteed_value(of: GameTree, position: Position, i: int, worth: Value) -> Fraction:
    """Return agent i's secure value if it keeps the contract, whatever actions the others take."""
    choices = [of.stage.actions[agent] for agent in of.stage.agents]
    choices[i] = own_kept(of, position, i)
    return _maximin(i, worth, choices)


def keep_value(of: GameTree, position: Position, i: int, worth: Value) -> Fraction:
    """Return agent i's best value by keeping the contract while the others act as expected."""
    return max(replies(of, position, i, worth, own_kept(of, position, i)).values())


def deviate_value(of: GameTree, position: Position, i: int, worth: Value) -> Fraction:
    """Return agent i's best value by any action while the others act as expected."""
    return max(replies(of, position, i, worth).values())


def own_kept(of: GameTree, position: Position, i: int) -> tuple[str, ...]:
    """Return agent i's actions that keep the contract; if there are none, all its actions."""
    agent = of.stage.agents[i]
    return position.allowed[agent] or of.stage.actions[agent]


def all_kept(of: GameTree, position: Position) -> list[tuple[str, ...]]:
    """Return the actions that keep the contract (`own_kept`) for every agent."""
    return [own_kept(of, position, i) for i in range(len(of.stage.agents))]


def replies(
    of: GameTree, position: Position, i: int, worth: Value, own: Sequence[str] = ()
) -> dict[str, Fraction]:
    """Return each action of agent i → its mean value while the others act as expected."""
    others = [position.expected[a] for a in of.stage.agents]
    found = {}
    for action in own or of.stage.actions[of.stage.agents[i]]:
        plays = list(product(*others[:i], (action,), *others[i + 1 :]))
        found[action] = sum((worth(play, i) for play in plays), NOTHING) / len(plays)
    return found


def _maximin(i: int, worth: Value, choices: list[tuple[str, ...]]) -> Fraction:
    return max(
        min(worth(play, i) for play in product(*choices[:i], (own,), *choices[i + 1 :]))
        for own in choices[i]
    )
