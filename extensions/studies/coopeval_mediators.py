"""CoopEval's mediators certified: is it stable, and dominant, that everybody delegates to one?

A mediator that a model proposed takes an action for each seat that delegates to it, and which one
depends on how many do. With delegating as one more action of every seat, the study asks as it does
of contracts:

- stable: everybody who delegates is made to cooperate, and while all others delegate, delegating is
  a best response of every seat (Nash);
- dominant: so, and for every seat delegating is never worse than any action of its own, and better
  at least once.

A game of too many plays has no verdict, and counts in no rate.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from shapley_coop.amounts import exact
from shapley_coop.extensions.studies.coopeval_games import StudyGame
from shapley_coop.extensions.studies.coopeval_records import Mediator
from shapley_coop.games.matrix import MAX_JOINT_ACTIONS

_Choices = tuple[str | None, ...]
"""What seats choose: actions of their own, or None for delegating."""


@dataclass(frozen=True)
class ProposedMediator:
    """A mediator that a model proposed.

    Attributes:
        by: the study's name of who proposed it.
        mediator: what it does.
        stable: delegating is a best response of every seat while all others delegate, and makes
            all cooperate; None where that could not be found out.
        dominant: delegating is weakly dominant for every seat, likewise.
        unknown: why there is no verdict; empty where there is one.
    """

    by: str
    mediator: Mediator
    stable: bool | None
    dominant: bool | None
    unknown: str = ""

    def record(self) -> dict[str, Any]:
        """As plain JSON."""
        taken = {str(count): action for count, action in self.mediator.items()}
        return {**vars(self), "mediator": taken}


def certified_mediator(by: str, mediator: Mediator, world: StudyGame) -> ProposedMediator:
    """Return what a proposed mediator does to incentives.

    Cost: of the order of the plays of the game with delegating as one more action.
    """
    seats = world.seats
    plays = (len(world.game.actions[seats[0]]) + 1) ** len(seats)
    if plays > MAX_JOINT_ACTIONS:
        why = f"{plays} plays with delegating are too many: {MAX_JOINT_ACTIONS} are enumerated"
        return ProposedMediator(by, mediator, None, None, why)
    if mediator[len(seats)] != world.target:
        return ProposedMediator(by, mediator, stable=False, dominant=False)
    return ProposedMediator(
        by,
        mediator,
        stable=all(
            gain >= 0
            for seat in range(len(seats))
            for _, gain in _gains(mediator, world, seat, [(None,) * (len(seats) - 1)])
        ),
        dominant=all(_dominant(mediator, world, seat) for seat in range(len(seats))),
    )


def _dominant(mediator: Mediator, world: StudyGame, seat: int) -> bool:
    """Whether delegating is never worse than any own action of a seat, and better at least once."""
    own = world.game.actions[world.seats[seat]]
    others = product((*own, None), repeat=len(world.seats) - 1)
    better = set[str]()
    for action, gain in _gains(mediator, world, seat, others):
        if gain < 0:
            return False
        if gain > 0:
            better.add(action)
    return better == set(own)


def _gains(
    mediator: Mediator, world: StudyGame, seat: int, others: Iterable[_Choices]
) -> Iterator[tuple[str, Fraction]]:
    """What a seat gains by delegating in place of each own action, for each choice of the rest."""
    for chosen in others:
        before, after = chosen[:seat], chosen[seat:]
        delegating = _paid(mediator, world, seat, (*before, None, *after))
        for action in world.game.actions[world.seats[seat]]:
            yield action, delegating - _paid(mediator, world, seat, (*before, action, *after))


def _paid(mediator: Mediator, world: StudyGame, seat: int, choices: _Choices) -> Fraction:
    """Return what a seat gets once the mediator has acted for those who delegate."""
    taken = mediator.get(choices.count(None), "")
    acts = [taken if choice is None else choice for choice in choices]
    rewards = world.game.payoffs.rewards(dict(zip(world.seats, acts, strict=True)))
    return exact(rewards[world.seats[seat]])
