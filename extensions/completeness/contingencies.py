"""The search for contingencies in which a breach of a contract pays, or costs nothing.

A contingency is a history of joint actions, the others' actions at the next turn, and a breach by
one agent at that turn. Agents choose at the same time, so the breach is compared with the one
lawful action that loses least against any breach, whatever the others do
(`incentives.most_robust`). Afterwards the agent keeps the contract as best it can, and the others
act as the certificate predicts. Without a contingency, keeping the contract is weakly dominant at
every turn.

The nearest contingency has the fewest surprises: actions in the history, and of the others at that
turn, that the certificate does not predict.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from operator import add
from typing import NamedTuple

from shapley_coop.amounts import plain
from shapley_coop.deals.analysis.game_tree import Amounts, GameTree, HistoryState, Position
from shapley_coop.deals.analysis.incentives import most_robust
from shapley_coop.deals.analysis.stage import Play
from shapley_coop.deals.analysis.valuations import expected_value, keep_value, own_kept

Roads = Mapping[int, Mapping[HistoryState, tuple[int, tuple[Play, ...]]]]
"""Turn → state → the fewest surprises on a way to this state, and the joint actions on the way."""


@dataclass(frozen=True)
class Contingency:
    """A case in which an agent is no worse off by a breach.

    Attributes:
        agents: all agents, in order.
        agent: the agent that breaks the contract.
        past: the joint actions of the turns before.
        lawful: the joint action in which the agent keeps the contract, and the others act so.
        broken: the same joint action with the agent's breach.
        owed: the actions that keep the contract.
        surprises: the number of actions that the certificate does not predict.
        by_keeping: each agent's payoff over the whole game if the agent keeps the contract.
        by_breaking: each agent's payoff over the whole game after the breach.
    """

    agents: tuple[str, ...]
    agent: str
    past: tuple[Play, ...]
    lawful: Play
    broken: Play
    owed: tuple[str, ...]
    surprises: int
    by_keeping: Amounts
    by_breaking: Amounts

    @property
    def turn(self) -> int:
        """The turn of the breach."""
        return len(self.past) + 1

    @property
    def gain(self) -> Fraction:
        """The breaker's gain; 0 if the breach costs it nothing, whatever the others do."""
        i = self.agents.index(self.agent)
        return self.by_breaking[i] - self.by_keeping[i]

    def story(self) -> str:
        """Return in words who does what at which turn, and what each gets."""
        i = self.agents.index(self.agent)
        lines = [f"Turn {t}: {self._acts(play)}." for t, play in enumerate(self.past, start=1)]
        others = self._acts(self.lawful, besides=self.agent)
        lines.append(
            f"Turn {self.turn}: {others}; {self.agent} plays {self.broken[i]} where the contract "
            f"asks for {' or '.join(self.owed)}."
        )
        gain = (
            f"{self.agent} gains {plain(self.gain)} by the breach."
            if self.gain
            else f"The breach never costs {self.agent} anything, whatever the others do."
        )
        lines.append(
            f"By {self.lawful[i]}: {self._payoffs(self.by_keeping)}. "
            f"By {self.broken[i]}: {self._payoffs(self.by_breaking)}. {gain}"
        )
        return "\n".join(lines)

    def _acts(self, play: Play, besides: str = "") -> str:
        acts = zip(self.agents, play, strict=True)
        return ", ".join(f"{agent} plays {action}" for agent, action in acts if agent != besides)

    def _payoffs(self, amounts: Amounts) -> str:
        pairs = zip(self.agents, amounts, strict=True)
        return ", ".join(f"{agent} {plain(amount)}" for agent, amount in pairs)


@dataclass(frozen=True)
class Exposure:
    """One agent's contingencies: the nearest, and the largest gain in any of them."""

    nearest: Contingency
    most: Fraction


class _Case(NamedTuple):
    """A contingency as the search finds it: where it is, and which joint actions it compares."""

    surprises: int
    gain: Fraction
    past: HistoryState
    position: Position
    lawful: Play
    broken: Play


def exposures(tree: GameTree) -> dict[str, Exposure]:
    """Return agent → its contingencies, for agents that have any.

    A contingency without a gain counts only if the agent has none with a gain. Of equally near
    contingencies the one with the largest gain is returned.

    Cost: that of the certificate's own comparison of breaches (`incentives.whatever_others_do`).
    """
    roads, found = _roads(tree), {}
    for i, agent in enumerate(tree.stage.agents):
        if cases := list(_cases(tree, roads, i)):
            nearest = min(cases, key=lambda case: (not case.gain, case.surprises, -case.gain))
            way = roads[nearest.position.turn][nearest.past][1]
            most = max(case.gain for case in cases)
            found[agent] = Exposure(_contingency(tree, i, way, nearest), most)
    return found


def _roads(tree: GameTree) -> Roads:
    """Return the least surprising way to each state."""
    roads: dict[int, dict[HistoryState, tuple[int, tuple[Play, ...]]]] = {}
    reached: dict[HistoryState, tuple[int, tuple[Play, ...]]] = {tree.start: (0, ())}
    for turn, layer in tree.layers.items():
        roads[turn], onward = reached, {}
        for past, (count, plays) in reached.items():
            for play, after in layer[past].onward.items():
                way = (count + _surprises(tree, layer[past], play), (*plays, play))
                onward[after] = min(way, onward.get(after, way))
        reached = onward
    return roads


def _surprises(tree: GameTree, position: Position, play: Play, besides: int = -1) -> int:
    """Return how many actions of a joint action the certificate does not predict."""
    acts = enumerate(zip(tree.stage.agents, play, strict=True))
    return sum(action not in position.expected[a] for j, (a, action) in acts if j != besides)


def _cases(tree: GameTree, roads: Roads, i: int) -> Iterator[_Case]:
    """Yield agent i's contingencies at every position that some history reaches."""
    keep, stage = tree.values(keep_value), tree.stage
    choices = [stage.actions[agent] for agent in stage.agents]
    for turn, layer in tree.layers.items():
        for past, position in layer.items():
            kept = own_kept(tree, position, i)
            breaches = [action for action in choices[i] if action not in kept]
            if not breaches:
                continue
            worth = tree.worth(position, keep.get(turn + 1, {}))
            plays = [
                [(*others[:i], action, *others[i:]) for action in choices[i]]
                for others in product(*choices[:i], *choices[i + 1 :])
            ]
            columns = zip(*([worth(play, i) for play in row] for row in plays), strict=True)
            values = dict(zip(choices[i], columns, strict=True))
            honest = choices[i].index(most_robust(values, kept, breaches))
            lawful, before = values[choices[i][honest]], roads[turn][past][0]
            for breach in breaches:
                gains = [b - h for b, h in zip(values[breach], lawful, strict=True)]
                if min(gains) < 0 >= max(gains):
                    continue
                for row, gain in zip(plays, gains, strict=True):
                    if gain > 0 or not any(gains):
                        surprises = before + _surprises(tree, position, row[honest], besides=i)
                        broken = row[choices[i].index(breach)]
                        yield _Case(surprises, gain, past, position, row[honest], broken)


def _contingency(tree: GameTree, i: int, way: tuple[Play, ...], case: _Case) -> Contingency:
    """Return a case with each agent's payoff over the whole game, by keeping and by breaking."""
    agents, state = tree.stage.agents, tree.start
    so_far = (Fraction(0),) * len(agents)
    for turn, play in enumerate(way, start=tree.now):
        position = tree.layers[turn][state]
        so_far = tuple(map(add, so_far, position.gains[play]))
        state = position.onward[play]
    keep = tree.worth(case.position, tree.values(keep_value).get(case.position.turn + 1, {}))
    expect = tree.worth(case.position, tree.values(expected_value).get(case.position.turn + 1, {}))

    def payoffs(play: Play) -> Amounts:
        return tuple(had + (keep if j == i else expect)(play, j) for j, had in enumerate(so_far))

    return Contingency(
        agents=agents,
        agent=agents[i],
        past=way,
        lawful=case.lawful,
        broken=case.broken,
        owed=own_kept(tree, case.position, i),
        surprises=case.surprises,
        by_keeping=payoffs(case.lawful),
        by_breaking=payoffs(case.broken),
    )
