"""Incentives read from a contract's game tree: profitable breaches, deposits, contradictions."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import ceil
from operator import ge
from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.deals.analysis.game_tree import NOTHING, GameTree, HistoryState, Position
from shapley_coop.deals.analysis.stage import NotFinite, Play, StageGame
from shapley_coop.deals.analysis.valuations import (
    all_kept,
    deviate_value,
    keep_value,
    own_kept,
    replies,
)
from shapley_coop.deals.contract import Contract
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.games import Turn


@dataclass(frozen=True)
class Deviation:
    """A single breach of a contract by one agent, or a strategy with breaches, with its gain.

    Attributes:
        agent: the agent that deviates.
        turn: the turn of its first breach.
        action: its action at that turn.
        owed: the actions that would have kept the contract.
        gain: its gain over the rest of the game, in the game's unit.
        others: agent → the action of each other agent at that turn; {} if all act as expected.
        instead: the lawful action with which a single breach is compared; "" for a strategy.
    """

    agent: str
    turn: int
    action: str
    owed: tuple[str, ...]
    gain: Fraction
    others: dict[str, str] = field(default_factory=dict)
    instead: str = ""

    def text(self) -> str:
        """Return the deviation, with its gain, in words."""
        how = f"over {self.instead} if it" if self.instead else "by its best deviation, which first"
        told = ", ".join(f"{agent} plays {action}" for agent, action in self.others.items())
        return (
            f"{self.agent} gains {plain(self.gain)} {how} plays {self.action} at turn {self.turn} "
            f"where the contract asks for {' or '.join(self.owed)}"
            f"{f', when {told}' if told else ''}."
        )


def deviation(within: GameTree, i: int) -> Deviation | None:
    """Return the first breach of agent i's best deviation while the others act as expected.

    The result is None if keeping the contract is a best response.
    """
    keep, break_ = within.values(keep_value), within.values(deviate_value)
    now, agent = within.now, within.stage.agents[i]
    gain = break_[now][within.start][i] - keep[now][within.start][i] if within.layers else NOTHING
    if gain <= 0:
        return None
    reached = [within.start]
    for turn in range(now, within.stage.turns + 1):
        onward: list[HistoryState] = []
        for past in reached:
            position = within.layers[turn][past]
            value = within.worth(position, break_.get(turn + 1, {}))
            values = replies(within, position, i, value)
            kept, best = own_kept(within, position, i), max(values.values())
            honest = [action for action in kept if values[action] == best]
            if not honest:
                action = next(action for action, value in values.items() if value == best)
                return Deviation(agent, turn, action, kept, gain)
            course = [position.expected[a] for a in within.stage.agents]
            plays = product(*course[:i], honest, *course[i + 1 :])
            onward += [position.onward[play] for play in plays]
        reached = list(dict.fromkeys(onward))
    raise AssertionError("a positive gain needs a breach at some position")


@dataclass(frozen=True)
class WhateverOthersDo:
    """The comparison of keeping a contract with each breach, for all actions of the others.

    Keeping the contract is weakly dominant if, at every turn with a possible breach, there is an
    action that keeps the contract and weakly dominates each breach.

    Attributes:
        asked: whether some action at some turn would break the contract.
        temptation: the single breach with the largest gain, or None if no breach gains anything.
        indifference: a breach that costs nothing whatever the others do, or None.
    """

    asked: bool
    temptation: Deviation | None
    indifference: Deviation | None

    @property
    def dominant(self) -> bool:
        """Whether keeping the contract is weakly dominant at every turn."""
        return self.asked and self.temptation is None and self.indifference is None


def whatever_others_do(within: GameTree, i: int) -> WhateverOthersDo:
    """Compare keeping the contract with each breach by agent i, for all actions of the others.

    At each turn the breaches are compared with one action that keeps the contract: the action that
    loses least against any breach. Afterwards i keeps the contract and the others act as expected.
    """
    keep, agent, stage = within.values(keep_value), within.stage.agents[i], within.stage
    them = [a for a in stage.agents if a != agent]
    asked, largest, equal = False, None, None
    for position in within.positions():
        kept = own_kept(within, position, i)
        if not (breaches := [action for action in stage.actions[agent] if action not in kept]):
            continue
        asked = True
        worth = within.worth(position, keep.get(position.turn + 1, {}))
        values = {
            action: [
                worth((*others[:i], action, *others[i:]), i)
                for others in product(*(stage.actions[a] for a in them))
            ]
            for action in stage.actions[agent]
        }
        honest = most_robust(values, kept, breaches)
        for k, others in enumerate(product(*(stage.actions[a] for a in them))):
            action = max(breaches, key=lambda a: values[a][k])
            gain = values[action][k] - values[honest][k]
            if gain > (largest.gain if largest else 0):
                told = dict(zip(them, others, strict=True))
                largest = Deviation(agent, position.turn, action, kept, gain, told, honest)
        costless = [a for a in breaches if all(map(ge, values[a], values[honest]))]
        if costless and equal is None:
            equal = Deviation(agent, position.turn, costless[0], kept, NOTHING, {}, honest)
    return WhateverOthersDo(asked, largest, equal)


def most_robust(
    values: Mapping[str, Sequence[Fraction]], kept: Sequence[str], breaches: Sequence[str]
) -> str:
    """Return the action that keeps a contract and loses least against any breach.

    Args:
        values: action → its value for each joint action of the others.
        kept: the actions that keep the contract; the best mean value breaks ties.
        breaches: the actions that break the contract.
    """

    def loss(action: str) -> tuple[Fraction, Fraction]:
        own = values[action]
        lost = max(x - y for b in breaches for x, y in zip(values[b], own, strict=True))
        return max(lost, NOTHING), -sum(own, NOTHING)

    return min(kept, key=loss)


BEFORE_SPLIT = "The deposit outweighs what a breach gains before payments and split."


def sufficient_deposit(deal: Deal, stage: StageGame, record: Sequence[Turn] = ()) -> Fraction:
    """Return the deposit that outweighs the largest gain by a breach, rounded up to a whole unit.

    A breaker loses its deposit once. The gain is computed twice: without payments and split, and
    with both. The larger gain sets the deposit. The case with both is left out if its tree cannot
    be enumerated, as under a split by a norm; the deposit may then be too small (`BEFORE_SPLIT`).
    """
    gains = _gains_by_breaking(GameTree(deal, stage, Enforcement("notional"), record))
    with suppress(NotFinite):
        gains += _gains_by_breaking(GameTree(deal, stage, Enforcement("enforced"), record))
    return Fraction(ceil(max(gains, default=NOTHING)))


def _gains_by_breaking(tree: GameTree) -> list[Fraction]:
    """Return the gain of each agent by a breach, at every position reached if nobody breaches."""
    keep, break_ = tree.values(keep_value), tree.values(deviate_value)
    return [
        break_[position.turn][past][i] - keep[position.turn][past][i]
        for past, position in _course(tree)
        for i in range(len(tree.stage.agents))
    ]


def deposit_of(
    contract: Contract | None,
    facts: Mapping[str, Any],
    enforcement: Enforcement,
    record: Sequence[Turn] = (),
) -> Fraction:
    """Return the deposit of each party: the given amount, or the least that deters every breach.

    The deposit is 0 without a contract, without escrow, or if no amount is given and the game
    cannot be enumerated. An amendment does not change the deposits.
    """
    if contract is None or enforcement.mode != "escrow" or enforcement.deposit is not None:
        return enforcement.held() if contract else NOTHING
    first = next((term["from_turn"] for term in contract["terms"]), 1)
    clauses = [term["clause"] for term in contract["terms"] if term["from_turn"] == first]
    before = [turn for turn in record if turn["turn"] < first]
    return _deposit(json.dumps({"clauses": clauses}), json.dumps(dict(facts)), json.dumps(before))


@lru_cache(maxsize=64)
def _deposit(deal: str, facts: str, record: str) -> Fraction:
    try:
        stage = StageGame.of(json.loads(facts))
        return sufficient_deposit(Deal.model_validate_json(deal), stage, json.loads(record))
    except NotFinite:
        return NOTHING


def contradiction(within: GameTree) -> Fault | None:
    """Return a CLASH fault if some position leaves an agent no action that keeps the contract."""
    for position in within.positions():
        for agent, allowed in position.allowed.items():
            if not allowed:
                owed = [cid for cid, duty in position.owed.items() if duty.binds(agent)]
                return Fault(
                    "CLASH",
                    f"At turn {position.turn} {agent} can do nothing that keeps "
                    f"{' and '.join(owed)}: let at least one action keep them all.",
                )
    return None


def overpaid(within: GameTree) -> Fault | None:
    """Return a PAY fault if shares of one reward that fall due together exceed the reward."""
    pays = {term.cid: term.transfer for term in within.clauses}
    shares = {cid: pay for cid, pay in pays.items() if pay and pay.basis == "reward"}
    for position in within.positions():
        for due in position.due.values():
            for payer in dict.fromkeys(shares[cid].payer for cid in due if cid in shares):
                own = [cid for cid in due if cid in shares and shares[cid].payer == payer]
                part = sum((shares[cid].amount for cid in own), NOTHING)
                if part > 1:
                    return Fault(
                        "PAY",
                        f"At turn {position.turn} {payer} gives away {plain(part * 100)} % of its "
                        f"reward by {' and '.join(own)}: at most 100 %.",
                    )
    return None


def balanced_outcomes(within: GameTree) -> int:
    """Assert that payments sum to zero, and return the number of outcomes that were checked."""
    count = 0
    for position in within.positions():
        for play, gains in position.gains.items():
            paid = sum(gains, NOTHING) - sum(within.stage.pays[play], NOTHING)
            assert paid == 0, "a clause pays from one party to another, or splits one whole"
            count += 1
    return count


def idle_clauses(within: GameTree, deal: Deal) -> list[str]:
    """Return the clauses of the deal that neither bind nor fall due at any position."""
    used = {cid for position in within.positions() for cid in position.owed}
    used |= {cid for p in within.positions() for due in p.due.values() for cid in due}
    return [cid for cid in (*deal.duties, *deal.pays) if cid not in used]


def weak_equilibria(within: GameTree) -> list[Play]:
    """Return the expected joint actions that would be weak equilibria without the contract.

    In a weak equilibrium a duty only selects one of several best responses, and changes no
    incentive. Only payments, a split or deposits change incentives.
    """
    asked = {
        play
        for _, position in _course(within)
        for play in product(*position.expected.values())
        if position.owed
    }
    weak = [play for play, strict in within.stage.equilibria.items() if not strict]
    return [play for play in weak if play in asked]


def _course(within: GameTree) -> Iterator[tuple[HistoryState, Position]]:
    """Yield the states and positions that can be reached while all keep the contract."""
    frontier = {within.start: None}  # a dict, to keep the order of discovery
    for turn in range(within.now, within.stage.turns + 1):
        onward: dict[HistoryState, None] = {}
        for past in frontier:
            position = within.layers[turn][past]
            yield past, position
            plays = product(*all_kept(within, position))
            onward |= dict.fromkeys(position.onward[play] for play in plays)
        frontier = onward
