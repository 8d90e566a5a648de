"""Certificates of CoopEval's mediators: is full delegation stable, and is it dominant?

A mediator that a model proposed acts for every seat that delegates to it. Its action depends on the
number of delegating seats. Delegating is one more action of every seat, and the study asks the same
questions as of contracts:

- stable: if all delegate, the mediator cooperates, and delegating is then a best response of every
  seat (Nash);
- dominant: if all delegate, the mediator cooperates, and delegating is weakly dominant: never worse
  than any action of the seat itself, and better at least once.

If a game has too many joint actions, both answers are unknown, and rates leave the mediator out.
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
"""The seats' choices: an action, or None for delegating."""


@dataclass(frozen=True)
class ProposedMediator:
    """A mediator that a model proposed.

    Attributes:
        by: the proposer's name in the study.
        mediator: number of delegating seats → the mediator's action.
        stable: whether full delegation means cooperation and is an equilibrium; None if unknown.
        dominant: whether full delegation means cooperation and delegating is weakly dominant for
            every seat; None if unknown.
        unknown: the reason why `stable` and `dominant` are unknown; "" if they are known.
    """

    by: str
    mediator: Mediator
    stable: bool | None
    dominant: bool | None
    unknown: str = ""

    def record(self) -> dict[str, Any]:
        """Return all attributes as plain JSON."""
        taken = {str(count): action for count, action in self.mediator.items()}
        return {**vars(self), "mediator": taken}


def certified_mediator(by: str, mediator: Mediator, world: StudyGame) -> ProposedMediator:
    """Certify a proposed mediator: whether delegating is stable, and whether it is dominant.

    Cost: proportional to the number of joint actions, with delegating as one more action.
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
    """Return whether delegating weakly dominates every action that the seat could take itself."""
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
    """Yield (a seat's own action, its gain by delegating instead) for each choice of the others."""
    for chosen in others:
        before, after = chosen[:seat], chosen[seat:]
        delegating = _paid(mediator, world, seat, (*before, None, *after))
        for action in world.game.actions[world.seats[seat]]:
            yield action, delegating - _paid(mediator, world, seat, (*before, action, *after))


def _paid(mediator: Mediator, world: StudyGame, seat: int, choices: _Choices) -> Fraction:
    """Return a seat's payoff if the mediator acts for all delegating seats."""
    taken = mediator.get(choices.count(None), "")
    acts = [taken if choice is None else choice for choice in choices]
    rewards = world.game.payoffs.rewards(dict(zip(world.seats, acts, strict=True)))
    return exact(rewards[world.seats[seat]])
