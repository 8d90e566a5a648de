"""Many plays side by side: how every question is answered that needs more than the real play.

A world is arrays whose first axis is the play. A policy says what each agent does in each play:
`Repeat` asks what a record's moves would have come to among others, `raid.ahead` what a deal
would come to if all keep it, or one breaks it.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

PASS = -1
"""The number of taking no action."""

World = TypeVar("World")


class Batch(Protocol[World]):
    """A game on arrays: K plays of n agents at once, whose actions have numbers from 0."""

    def over(self, world: World) -> Mask:
        """Return which plays have ended, shape (K,)."""
        ...

    def legal(self, world: World) -> Mask:
        """Return what each agent may do, shape (K, n, actions); nothing in a play that is over."""
        ...

    def step(self, world: World, chosen: Ints) -> tuple[World, Ints]:
        """Return the worlds after a turn, and what it earns: shape (K, n + 1), at last the pot."""
        ...


Policy = Callable[[int, Mask], Ints]
"""(turn from 0, what is legal) → the action of each agent in each play, or PASS, shape (K, n).

Of who can do nothing it is PASS.
"""


class Moment(NamedTuple):
    """One turn of all plays: which of them were running, and what they came to."""

    running: Mask
    chosen: Ints
    earned: Ints
    world: Any


def simulate(batch: Batch[World], world: World, policy: Policy, turns: range) -> Iterator[Moment]:
    """Play on, turn by turn, until all plays are over."""
    for turn in turns:
        if not (running := ~batch.over(world)).any():
            return
        chosen = policy(turn, batch.legal(world))
        world, earned = batch.step(world, chosen)
        yield Moment(running, chosen, earned, world)


class Repeat:
    """Members repeat their recorded turns, as `games.replay` says; all others pass.

    Args:
        recorded: agent → turn by turn an action's number, PASS, or None where it could do nothing.
        members: who is in, shape (K, n).
        goes_on: whether members go through their own turns again where they leave the path.
    """

    def __init__(
        self, recorded: Sequence[Sequence[int | None]], members: Mask, goes_on: bool = True
    ) -> None:
        self._recorded, self._members = recorded, members
        own = [[x for x in row if x is not None] for row in recorded]
        self._counts = np.array([len(row) if goes_on else 0 for row in own])
        self._own = np.full((len(own), max([1, *map(len, own)])), PASS)
        for row, done in zip(self._own, own, strict=True):
            row[: len(done)] = done
        self._cursor = np.zeros(members.shape, np.int64)

    def __call__(self, turn: int, legal: Mask) -> Ints:
        """Return what each agent does."""
        now = [row[turn] if turn < len(row) else None for row in self._recorded]
        done = np.array([PASS if x is None else x for x in now])
        could = np.array([x is not None for x in now])
        can = (done == PASS) | legal[:, np.arange(len(now)), np.maximum(done, 0)]
        acts = self._members & legal.any(axis=2)
        chosen = np.where(acts & can, done, PASS)
        plays, agents = np.nonzero(acts & ~(can & could) & (self._counts > 0))
        at = self._cursor[plays, agents]
        for _ in range(self._own.shape[1]):
            if not len(plays):
                break
            other = self._own[agents, at]
            found = (other == PASS) | legal[plays, agents, np.maximum(other, 0)]
            at = (at + 1) % self._counts[agents]
            taken = plays[found], agents[found]
            chosen[taken], self._cursor[taken] = other[found], at[found]
            plays, agents, at = plays[~found], agents[~found], at[~found]
        return chosen
