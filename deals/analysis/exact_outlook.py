"""The outlook from the game tree: exact payoffs, and each agent's best strategy with a breach."""

import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product

from shapley_coop.deals.analysis.game_tree import (
    NOTHING,
    Amounts,
    GameTree,
    HistoryState,
    Position,
)
from shapley_coop.deals.analysis.outlook_rows import (
    EVERYBODY,
    NO_DEAL,
    SURE,
    Row,
    breaks,
    certain,
    told_by_turn,
)
from shapley_coop.deals.analysis.stage import Play, StageGame
from shapley_coop.deals.analysis.valuations import expected_value, own_kept, secure_value
from shapley_coop.deals.contract import Contract
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.deals.language.deal import Deal
from shapley_coop.games import Game, Turn

_MOST_TREES = 4
_trees: dict[tuple[Game, str, Enforcement], GameTree] = {}
"""The latest trees: a letter of each turn needs the same tree, from its own position on."""

Layers = dict[int, dict[HistoryState, Amounts]]


def tree_of(
    game: Game,
    agreed: Deal | Contract,
    stage: StageGame,
    enforcement: Enforcement,
    record: Sequence[Turn],
) -> GameTree:
    """Return the game tree of a deal from now on, which an earlier turn's tree may contain."""
    told = agreed.model_dump_json() if isinstance(agreed, Deal) else json.dumps(agreed)
    key = game, told, enforcement
    before = _trees.get(key)
    if len(_trees) >= _MOST_TREES:
        _trees.clear()
    tree = before and before.at(record)
    _trees[key] = tree = tree or GameTree(agreed, stage, enforcement, record)
    return tree


def exact_rows(
    within: GameTree, without: GameTree, held: Mapping[str, Fraction], record: Sequence[Turn]
) -> list[Row]:
    """Return the payoffs in each case: all keep the offer, one agent breaks it, or no deal.

    Args:
        within: the game tree under the offer.
        without: the game tree without the offer.
        held: each agent's earnings so far.
        record: the turns played.
    """
    agents, moved = within.stage.agents, within.shifted(record)

    def told(gains: Amounts, shift: Amounts) -> dict[str, Fraction]:
        sums = zip(agents, gains, shift, strict=True)
        return {agent: held[agent] + gain + past for agent, gain, past in sums}

    rows = [Row(EVERYBODY, certain(told(within.value(expected_value), moved)))]
    for i, agent in enumerate(agents):
        if i not in within.solved:
            within.solved[i] = _Breach(within, i)
        if found := within.solved[i].best(within.now, within.start):
            gains, by = found
            rows.append(Row(breaks(agent), certain(told(gains, moved)), who=agent, by=by))
    sure = told(without.value(secure_value), without.shifted(record))
    return [*rows, Row(NO_DEAL, certain(sure), by=SURE)]


class _Breach:
    """One agent's best breach while all others act as expected, by backward induction.

    The agent is in one of two states: it must still breach (`_must`), or has breached (`_free`).
    """

    def __init__(self, within: GameTree, i: int) -> None:
        self._tree, self._i, self._stage = within, i, within.stage
        self._kept = within.values(expected_value)
        self._free: Layers = {}  # turn → all agents' gains if i has broken the deal already
        self._must: dict[int, dict[HistoryState, Amounts | None]] = {}  # turn → if i has yet to
        self._chosen: dict[tuple[int, HistoryState, bool], str] = {}
        for turn, layer in reversed(within.layers.items()):
            self._free[turn] = {past: self._of_free(p) for past, p in layer.items()}
            self._must[turn] = {past: self._of_must(p) for past, p in layer.items()}

    def best(self, now: int, start: HistoryState) -> tuple[Amounts, str] | None:
        """Return all agents' gains from now on and the breaches in words; None without a breach."""
        if not self._tree.layers or (gains := self._must[now][start]) is None:
            return None
        deeds, past, broken = [], start, False
        for turn in range(now, self._stage.turns + 1):
            position, place = self._tree.layers[turn][past], (turn, past, broken)
            if place not in self._chosen:
                self._chosen[place] = self._action(position, broken)
            action = self._chosen[place]
            if action not in own_kept(self._tree, position, self._i):
                broken = True
                deeds.append((turn, action))
            past = position.onward[self._plays(position, action)[0]]
        return gains, told_by_turn(deeds, now, self._stage.turns)

    def _action(self, position: Position, broken: bool) -> str:
        valued = self._freely(position) if broken else self._having_to(position)
        return max(valued, key=lambda action: self._rank(position, action, valued[action]))

    def _rank(self, position: Position, action: str, gains: Amounts) -> tuple[Fraction, bool]:
        """Return an action's sort key: the agent's gain, then whether the action keeps duties."""
        return gains[self._i], action in own_kept(self._tree, position, self._i)

    def _of_free(self, position: Position) -> Amounts:
        valued = self._freely(position)
        return max(valued.items(), key=lambda pair: self._rank(position, pair[0], pair[1]))[1]

    def _of_must(self, position: Position) -> Amounts | None:
        valued = self._having_to(position)
        return max(valued.values(), key=lambda gains: gains[self._i]) if valued else None

    def _freely(self, position: Position) -> dict[str, Amounts]:
        later = self._free.get(position.turn + 1, {})
        return {
            action: self._mean(position, action, later)
            for action in self._stage.actions[self._stage.agents[self._i]]
        }

    def _having_to(self, position: Position) -> dict[str, Amounts]:
        """Return action → all agents' gains if the agent breaks the contract now or later."""
        kept, nxt = own_kept(self._tree, position, self._i), position.turn + 1
        free, must = self._free.get(nxt, {}), self._must.get(nxt, {})
        keep = self._kept.get(nxt, {})
        later = {past: must[past] or keep[past] for past in must}
        found = {}
        for action in self._stage.actions[self._stage.agents[self._i]]:
            plays = self._plays(position, action)
            if action not in kept:
                found[action] = self._mean(position, action, free)
            elif any(must.get(position.onward[play]) for play in plays):
                found[action] = self._mean(position, action, later)
        return found

    def _mean(
        self, position: Position, action: str, later: Mapping[HistoryState, Amounts]
    ) -> Amounts:
        plays, worth = self._plays(position, action), self._tree.worth(position, later)
        sums = (
            sum((worth(play, k) for play in plays), NOTHING) for k in range(len(self._stage.agents))
        )
        return tuple(total / len(plays) for total in sums)

    def _plays(self, position: Position, action: str) -> list[Play]:
        choices: Iterable[Sequence[str]] = [
            (action,) if k == self._i else position.expected[agent]
            for k, agent in enumerate(self._stage.agents)
        ]
        return list(product(*choices))
