"""The outlook from the game tree: exact payoffs, and each agent's best strategy with a breach."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from shapley_coop.amounts import from_micro
from shapley_coop.deals.agreement import Agreement
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
    Range,
    Row,
    breaks,
    certain,
    told_by_turn,
)
from shapley_coop.deals.analysis.stage import NotFinite, Play, StageGame, facts_of
from shapley_coop.deals.analysis.valuations import expected_value, own_kept, secure_value
from shapley_coop.deals.contract import Contract
from shapley_coop.deals.enforcement import Enforcement, net
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.settlement import apply_payments, earnings
from shapley_coop.games import Game, Turn
from shapley_coop.wording import STANDING

if TYPE_CHECKING:
    from shapley_coop.deals.analysis.outlook import Prospect

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


def exact_rows(of: "Prospect", within: GameTree) -> list[Row]:
    """Return the payoffs under an offer, from its tree: all keep it, or one agent breaks it."""
    held = _holdings(of)
    rows = [Row(EVERYBODY, _ends(of, within, within.value(expected_value), held))]
    for i, agent in enumerate(within.stage.agents):
        if i not in within.solved:
            within.solved[i] = _Breach(within, i)
        if found := within.solved[i].best(within.now, within.start):
            gains, by = found
            rows.append(Row(breaks(agent), _ends(of, within, gains, held), who=agent, by=by))
    return rows


def refused(of: "Prospect") -> Row | None:
    """Return the payoffs without the offer, or None if the game cannot be enumerated.

    With a contract in force they are those if all keep the contract, else each agent's maximin.
    """
    standing = of.standing
    value, by = (expected_value, STANDING) if standing else (secure_value, SURE)
    if of.stage is None:
        return None
    try:
        terms = of.enforcement if standing else Enforcement("notional")
        without = tree_of(of.game, standing or Deal(), of.stage, terms, of.record)
    except NotFinite:
        return None
    return Row(NO_DEAL, _ends(of, without, without.value(value), _holdings(of)), by=by)


def _ends(
    of: "Prospect", tree: GameTree, gains: Amounts, held: Mapping[str, Fraction]
) -> dict[str, Range]:
    """Return each agent's payoff at the end, given its gains from now on in a tree."""
    sums = zip(tree.stage.agents, gains, tree.shifted(of.record), strict=True)
    return certain({agent: held[agent] + gain + past for agent, gain, past in sums})


def with_deposit(of: "Prospect") -> Enforcement:
    """Return the enforcement with the deposit that each party would pay under the offer."""
    if of.enforcement.mode != "escrow" or of.enforcement.deposit is not None:
        return of.enforcement
    return replace(of.enforcement, deposit=_agreement(of, of.contract).deposit)


def _agreement(of: "Prospect", contract: Contract | None) -> Agreement:
    facts, open_turns = facts_of(of.game), of.game.open_turns
    return Agreement(contract, of.record, facts, of.enforcement, open_turns)


def _holdings(of: "Prospect") -> dict[str, Fraction]:
    """Return each agent's earnings so far, after the current contract's payments and deposits."""
    held = earnings(of.record, of.game.agents)
    if of.standing is None or not of.enforcement.executes:
        return held
    signed = _agreement(of, of.standing)
    held = apply_payments(held, signed.monitor.payments)
    forfeited = net(signed.postings(over=True), of.game.agents)
    return {agent: amount + from_micro(forfeited[agent]) for agent, amount in held.items()}


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
        return self._best_of(position, valued)

    def _best_of(self, position: Position, valued: Mapping[str, Amounts]) -> str:
        """Return the action with the agent's largest gain; of equals, one that keeps duties."""
        kept = own_kept(self._tree, position, self._i)
        return max(valued, key=lambda action: (valued[action][self._i], action in kept))

    def _of_free(self, position: Position) -> Amounts:
        valued = self._freely(position)
        return valued[self._best_of(position, valued)]

    def _of_must(self, position: Position) -> Amounts | None:
        valued = self._having_to(position)
        return valued[self._best_of(position, valued)] if valued else None

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
