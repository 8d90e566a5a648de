"""The search for contingencies in which a breach of a contract pays, or costs nothing.

A contingency is a history of joint actions, the others' actions at the next turn, and a breach by
one agent at that turn. Agents choose at the same time, so the breach is compared with the one
lawful action that loses least against any breach, whatever the others do
(`incentives.most_robust`). Afterwards the agent keeps the contract as best it can, and the others
act as the certificate predicts. Without a contingency, keeping the contract is weakly dominant at
every turn. The cost is that of the certificate's own comparison (`incentives.whatever_others_do`).

The nearest contingency has the fewest surprises: actions in the history, and of the others at that
turn, that the certificate does not predict.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from shapley_coop.amounts import plain
from shapley_coop.deals.analysis.game_tree import NOTHING, GameTree, HistoryState, Position
from shapley_coop.deals.analysis.incentives import most_robust
from shapley_coop.deals.analysis.stage import Play
from shapley_coop.deals.analysis.valuations import expected_value, keep_value, own_kept
from shapley_coop.escaping import visible

Ways = dict[HistoryState, tuple[int, tuple[Play, ...]]]
"""State → the number of surprises on the least surprising way to it, and the joint actions."""


@dataclass(frozen=True, eq=False)
class Contingency:
    """A case in which an agent is no worse off by a breach.

    Attributes:
        tree: the game under the contract.
        i: the index of the agent that breaks the contract.
        past: the joint actions of the turns before.
        position: the position after them.
        lawful: the joint action in which the agent keeps the contract.
        broken: the same joint action with the agent's breach.
        gain: the agent's gain; 0 if the breach costs it nothing, whatever the others do.
        surprises: the number of actions that the certificate does not predict.
    """

    tree: GameTree
    i: int
    past: tuple[Play, ...]
    position: Position
    lawful: Play
    broken: Play
    gain: Fraction
    surprises: int

    @property
    def order(self) -> tuple[bool, int, Fraction]:
        """The order of contingencies: with a gain, near, and of equally near ones large."""
        return (not self.gain, self.surprises, -self.gain)

    def story(self) -> str:
        """Return in words who does what at which turn, and what each gets."""
        agent, turn = self.tree.stage.agents[self.i], self.position.turn
        owed = own_kept(self.tree, self.position, self.i)
        then = ", if all keep the contract afterwards" if turn < self.tree.stage.turns else ""
        gain = (
            f"{agent} gains {plain(self.gain)}."
            if self.gain
            else f"The breach never costs {agent} anything, whatever the others do."
        )
        return "\n".join(
            visible(line)
            for line in [
                *(f"Turn {t}: {self._acts(play)}." for t, play in enumerate(self.past, start=1)),
                f"Turn {turn}: {self._acts(self.lawful, besides=self.i)}; {agent} plays "
                f"{self.broken[self.i]} where the contract asks for {' or '.join(owed)}.",
                f"By {self.lawful[self.i]} they end with {_told(self.payoffs(self.lawful))}; by "
                f"{self.broken[self.i]} with {_told(self.payoffs(self.broken))}{then}. {gain}",
            ]
        )

    def _acts(self, play: Play, besides: int = -1) -> str:
        acts = enumerate(zip(self.tree.stage.agents, play, strict=True))
        return ", ".join(f"{agent} plays {action}" for j, (agent, action) in acts if j != besides)

    def payoffs(self, play: Play) -> dict[str, Fraction]:
        """Return agent → its payoff over the whole game with this joint action at the turn."""
        tree, state = self.tree, self.tree.start
        agents = tree.stage.agents
        gains = dict.fromkeys(agents, NOTHING)
        for turn, at in enumerate((*self.past, play), start=1):
            position = tree.layers[turn][state]
            for agent, gain in zip(agents, position.gains[at], strict=True):
                gains[agent] += gain
            state = position.onward[at]
        for j, agent in enumerate(agents if turn < tree.stage.turns else ()):
            later = tree.values(keep_value if j == self.i else expected_value)
            gains[agent] += later[turn + 1][state][j]
        return gains


def _told(payoffs: Mapping[str, Fraction]) -> str:
    return ", ".join(f"{agent} {plain(amount)}" for agent, amount in payoffs.items())


class Exposure(NamedTuple):
    """One agent's contingencies: the nearest, and the largest gain in any of them."""

    nearest: Contingency
    most: Fraction


def exposures(tree: GameTree) -> dict[str, Exposure]:
    """Return agent → its contingencies, for agents that have any."""
    ways, found = _ways(tree), {}
    for i, agent in enumerate(tree.stage.agents):
        if cases := list(_cases(tree, ways, i)):
            nearest = min(cases, key=lambda case: case.order)
            found[agent] = Exposure(nearest, max(case.gain for case in cases))
    return found


def _ways(tree: GameTree) -> dict[int, Ways]:
    """Return turn → the ways to its states."""
    found, reached = dict[int, Ways](), Ways({tree.start: (0, ())})
    for turn, layer in tree.layers.items():
        found[turn], onward = reached, Ways()
        for past, (count, plays) in reached.items():
            for play, after in layer[past].onward.items():
                way = (count + _surprises(tree, layer[past], play), (*plays, play))
                onward[after] = min(way, onward.get(after, way))
        reached = onward
    return found


def _surprises(tree: GameTree, position: Position, play: Play, besides: int = -1) -> int:
    """Return how many actions of a joint action the certificate does not predict."""
    acts = enumerate(zip(tree.stage.agents, play, strict=True))
    return sum(action not in position.expected[a] for j, (a, action) in acts if j != besides)


def _cases(tree: GameTree, ways: dict[int, Ways], i: int) -> Iterator[Contingency]:
    """Yield agent i's contingencies at every position, with the least surprising way to it."""
    for turn, layer in tree.layers.items():
        for past, position in layer.items():
            before, way = ways[turn][past]
            for gain, lawful, broken in _breaches(tree, position, i):
                surprises = before + _surprises(tree, position, broken, besides=i)
                yield Contingency(tree, i, way, position, lawful, broken, gain, surprises)


def _breaches(tree: GameTree, position: Position, i: int) -> Iterator[tuple[Fraction, Play, Play]]:
    """Yield (gain, lawful joint action, broken joint action) of each such breach by agent i."""
    choices, kept = [*tree.stage.actions.values()], own_kept(tree, position, i)
    if not (breaches := [own for own in choices[i] if own not in kept]):
        return
    worth = tree.worth(position, tree.values(keep_value).get(position.turn + 1, {}))
    plays = {
        own: [(*rest[:i], own, *rest[i:]) for rest in product(*choices[:i], *choices[i + 1 :])]
        for own in choices[i]
    }
    values = {own: [worth(play, i) for play in row] for own, row in plays.items()}
    lawful = most_robust(values, kept, breaches)
    for breach in breaches:
        gains = [b - h for b, h in zip(values[breach], values[lawful], strict=True)]
        costless = not any(gains)
        for gain, kept_play, broken in zip(gains, plays[lawful], plays[breach], strict=True):
            if gain > 0 or costless:
                yield gain, kept_play, broken
