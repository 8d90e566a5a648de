"""The games of CoopEval as our normal-form games, from the numbers in its settings."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

from shapley_coop.amounts import exact
from shapley_coop.games.matrix import MatrixGame

Pays = Callable[[Sequence[str]], list[Fraction]]
"""A function from the seats' actions to their payoffs."""

MATRICES = {
    "PrisonersDilemma": ("COOPERATE", "DEFECT"),
    "StagHunt": ("STAG", "HARE"),
    "TrustGame": ("GIVE", "KEEP"),
    "MatchingPennies": ("HEADS", "TAILS"),
}
"""Two-player game → its actions, the cooperative action first.

The study's keys of payoffs are the initials of both actions.
"""
PUBLIC_GOODS, TRAVELLERS = "PublicGoods", "TravellersDilemma"
DELEGATE = "DELEGATE"
_DECIMALS = 6
MOST_SEATS, MOST_CLAIMS = 12, 300
"""The study has 3 seats and 4 claims; the limits exist because all joint actions are listed."""


class StudyGame(NamedTuple):
    """A game of the study CoopEval, as one of our games of one turn; its agents are P1, P2, …

    `target` is the cooperative action, which contracts should make all seats take.
    """

    kind: str
    game: MatrixGame
    target: str

    @property
    def seats(self) -> list[str]:
        """The seats, in order."""
        return list(self.game.agents)

    def action(self, told: Any, where: str) -> str:
        """Return our name of an action: STAG for "StagHuntAction.STAG".

        Raises:
            ValueError: the game has no such action.
        """
        action = str(told).rpartition(".")[2]
        known = self.game.actions[self.seats[0]]
        if action not in known:
            raise ValueError(
                f"{where}: {action!r} is not an action of {self.kind}: choose from "
                f"{', '.join(known)}"
            )
        return action


def study_game(kind: str, given: Mapping[str, Any], where: str) -> StudyGame:
    """Return a game from its name and its numbers.

    Raises:
        ValueError: the game is unknown, or its numbers are missing or invalid.
    """
    readers = {PUBLIC_GOODS: _public_goods, TRAVELLERS: _travellers}
    known = [*MATRICES, *readers]
    if kind not in known:
        raise ValueError(f"{where}: {kind!r} is not a known game: choose from {', '.join(known)}")
    try:
        if kind in readers:
            return readers[kind](given)
        return _built(kind, 2, MATRICES[kind], _matrix(given["payoff_matrix"]), MATRICES[kind][0])
    except (KeyError, TypeError, AttributeError, ArithmeticError) as lack:
        raise ValueError(f"{where}: the numbers of {kind} are missing or wrong: {lack}") from None
    except ValueError as wrong:
        raise ValueError(f"{where}: {wrong}") from None


def with_mediator(world: StudyGame, mediator: Mapping[int, str]) -> StudyGame:
    """Return the game in which each seat can also delegate its action to a mediator."""

    def pays(play: Sequence[str]) -> list[Fraction]:
        taken = mediator.get(play.count(DELEGATE), "")
        acts = [taken if action == DELEGATE else action for action in play]
        rewards = world.game.payoffs.rewards(dict(zip(world.seats, acts, strict=True)))
        return [exact(rewards[seat]) for seat in world.seats]

    actions = (*world.game.actions[world.seats[0]], DELEGATE)
    return _built(world.kind, len(world.seats), actions, pays, DELEGATE)


def _matrix(cells: Mapping[str, Sequence[Any]]) -> Pays:
    return lambda play: [exact(x) for x in cells["".join(action[0] for action in play)]]


def _public_goods(given: Mapping[str, Any]) -> StudyGame:
    """Return the public goods game: each seat gives 1 or 0; the fund is multiplied and shared."""
    seats, multiplier = _count(given, "num_players", MOST_SEATS), exact(given["multiplier"])

    def pays(play: Sequence[str]) -> list[Fraction]:
        each = multiplier * play.count("CONTRIBUTE") / seats
        return [each + (action == "FREE_RIDE") for action in play]

    return _built(PUBLIC_GOODS, seats, ("CONTRIBUTE", "FREE_RIDE"), pays, "CONTRIBUTE")


def _travellers(given: Mapping[str, Any]) -> StudyGame:
    """Return a traveller's dilemma: both get the lower claim; the higher pays the lower a bonus."""
    count, bonus = _count(given, "num_actions", MOST_CLAIMS), exact(given["bonus"])
    lowest, step = exact(given["min_claim"]), exact(given["claim_spacing"])
    claims = {f"CLAIM_{i}": lowest + i * step for i in range(count)}

    def pays(play: Sequence[str]) -> list[Fraction]:
        made = [claims[action] for action in play]
        pairs = zip(made, reversed(made), strict=True)
        return [min(made) + bonus * ((other > own) - (other < own)) for own, other in pairs]

    return _built(TRAVELLERS, 2, tuple(claims), pays, f"CLAIM_{count - 1}")


def _count(given: Mapping[str, Any], key: str, most: int) -> int:
    count = exact(given[key], key)
    if count not in range(2, most + 1):
        raise ValueError(f"{key} is {given[key]!r:.40}: give 2 to {most}")
    return int(count)


def _built(kind: str, seats: int, actions: Sequence[str], pays: Pays, target: str) -> StudyGame:
    agents = [f"P{i}" for i in range(1, seats + 1)]
    game = MatrixGame(
        {
            "name": kind,
            "agents": agents,
            "actions": {agent: list(actions) for agent in agents},
            "payoffs": [
                {"play": list(play), "pays": [round(float(x), _DECIMALS) for x in pays(play)]}
                for play in product(actions, repeat=seats)
            ],
        }
    )
    return StudyGame(kind, game, target)
