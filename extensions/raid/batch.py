"""Simulation of many hypothetical plays at once, on arrays.

The first axis of each array is the play. A policy gives each agent's action in each play:
`Repeat` repeats the recorded moves of a coalition's members. In the policy of `raid.ahead`, agents
keep a deal, or one agent breaches it.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

PASS = -1
"""The number that stands for no action."""

World = TypeVar("World")


class Batch(Protocol[World]):
    """A game on arrays: K plays of n agents at once; actions are numbers from 0."""

    def over(self, world: World) -> Mask:
        """Return an array: whether each of the K plays has ended."""
        ...

    def legal(self, world: World) -> Mask:
        """Return an array (play, agent, action): whether it is legal; after the end none is."""
        ...

    def step(self, world: World, chosen: Ints) -> tuple[World, Ints]:
        """Return the positions after a turn, and for each play the n rewards, then the pot."""
        ...


Policy = Callable[[int, Mask], Ints]
"""A function (turn from 0, legal actions) → an array (play, agent) of actions.

The action of an agent without legal actions is PASS.
"""


class Moment(NamedTuple):
    """One turn of all plays: which plays still run, and the actions, rewards and new positions."""

    running: Mask
    chosen: Ints
    earned: Ints
    world: Any


def simulate(batch: Batch[World], world: World, policy: Policy, turns: range) -> Iterator[Moment]:
    """Yield the `Moment` of each turn until all plays are over or the turns are used up."""
    for turn in turns:
        if not (running := ~batch.over(world)).any():
            return
        chosen = policy(turn, batch.legal(world))
        world, earned = batch.step(world, chosen)
        yield Moment(running, chosen, earned, world)


class Repeat:
    """The policy in which members repeat their recorded turns (`games.replay`) and others pass.

    Args:
        recorded: for each agent and turn, its action's number, PASS, or None if it could not act.
        members: an array (play, agent): whether the agent is a member in that play.
        goes_on: whether members who cannot repeat a recorded turn go on to repeat later turns.
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
        """Return each agent's action in each play, by this policy."""
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
