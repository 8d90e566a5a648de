"""Strategies of embedded agents in a repeated game, from the letter's payoffs and history.

No strategy reads the names of actions. To *cooperate* is to play one's part of the joint action
with the highest total payoff. Several joint actions with this total alternate by turn. If a
contract asks something of an agent, the agent cooperates by keeping the contract. To *defect* is to
take the action with the best mean payoff if the others choose uniformly at random. Both can be the
same action.

The strategies are Axelrod's (1984) and those of Nowak and Sigmund (1992, 1993), extended from two
agents to any number: "the other cooperated" becomes "all others cooperated".
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from shapley_coop.deals.analysis.game_tree import GameTree
from shapley_coop.deals.analysis.stage import NotFinite, Play, StageGame
from shapley_coop.deals.analysis.valuations import deviate_value, replies
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.monitor import duties
from shapley_coop.games import Turn
from shapley_coop.games.foresight import check_facts
from shapley_coop.seats.embedded.letter_facts import Reader, deal_in, fact
from shapley_coop.seats.embedded.outlook import CANNOT, Unforeseeable

FORGIVENESS = Fraction(1, 3)
"""The probability that generous tit-for-tat forgives a defection (Nowak and Sigmund, 1992)."""

DRAWN = frozenset({"generous_tit_for_tat"})
"""The strategies that use randomness; all others act the same for every seed."""


def stage_of(facts: Mapping[str, Any]) -> StageGame:
    """Return the stage game from a letter's facts.

    Raises:
        Unforeseeable: the letter has no table of payoffs, or one that is too large.
    """
    try:
        return StageGame.of(facts)
    except NotFinite:
        raise Unforeseeable("I draft contracts only from a table of payoffs") from None


def course_of(stage: StageGame) -> list[Play]:
    """Return the joint actions of highest total payoff, in the order in which they alternate."""
    return [play for play in stage.plays if sum(stage.pays[play]) == stage.best_total]


def selfish(stage: StageGame, i: int) -> str:
    """Return agent i's action with the best mean payoff against uniformly random others."""
    sums = dict.fromkeys(stage.actions[stage.agents[i]], Fraction(0))
    for play, pays in stage.pays.items():
        sums[play[i]] += pays[i]
    return max(sums, key=lambda action: sums[action])


def enforcement_of(facts: Mapping[str, Any]) -> Enforcement:
    """Return the enforcement of contracts by the letter's facts, or the default enforcement."""
    told = facts.get("enforcement") or {}
    return Enforcement.of({"enforcement": told.get("mode"), "deposit": told.get("deposit")})


@dataclass(frozen=True)
class StageReader(Reader):
    """The embedded agent for one letter of a repeated game that has a payoff table."""

    @cached_property  # cached, because every step of a game tree reads the table
    def stage(self) -> StageGame:
        """The stage game, which is repeated."""
        check_facts(self.facts, "you", "turn")
        return stage_of(self.facts)

    @property
    def index(self) -> int:
        """My position in the list of agents."""
        return self.stage.agents.index(self.facts["you"])

    @property
    def turn(self) -> int:
        """The turn to be played next, from 1."""
        return int(self.facts["turn"])

    def tree(self, deal: Deal) -> GameTree:
        """Return the game tree of the remaining turns under a deal.

        Raises:
            Unforeseeable: the tree is too large.
        """
        try:
            return GameTree(deal, self.stage, enforcement_of(self.facts), self.record)
        except NotFinite:
            raise Unforeseeable(CANNOT) from None


@dataclass(frozen=True)
class Player(StageReader):
    """An embedded agent whose letter asks for an action."""

    @property
    def contract(self) -> Deal:
        """The contract in force; an empty deal if there is none."""
        return deal_in(self.facts.get("contract"))

    def parts(self, turn: int, i: int) -> list[str]:
        """Return agent i's cooperative actions at a turn; first the one in the best joint action.

        If the contract asks something of the agent, these are all actions that keep the contract.
        """
        agent, plays = self.stage.agents[i], course_of(self.stage)
        best = plays[(turn - 1) % len(plays)][i]
        asked = duties(self.contract, self.record[: turn - 1], turn)
        owed = [duty for duty in asked if duty.binds(agent)]
        if not owed:
            return [best]
        kept = [
            action
            for action in self.stage.actions[agent]
            if all((action == duty.action) != duty.forbidden for duty in owed)
        ]
        return sorted(kept, key=lambda action: action != best)

    def cooperated(self, turn: Turn, i: int) -> bool:
        """Return whether agent i took a cooperative action at a turn."""
        return turn["actions"].get(self.stage.agents[i]) in self.parts(turn["turn"], i)

    def others_cooperated(self, turn: Turn) -> bool:
        """Return whether all other agents took cooperative actions at a turn."""
        others = (i for i in range(len(self.stage.agents)) if i != self.index)
        return all(self.cooperated(turn, i) for i in others)

    def choose(self, strategy: str) -> str:
        """Return the action that a strategy takes now.

        Raises:
            Missing: the letter lacks facts that the strategy needs.
        """
        if strategy == "contract_breaker":
            return self.break_where_it_pays()
        wanted = [selfish(self.stage, self.index)]
        if STRATEGIES[strategy](self):
            wanted = self.parts(self.turn, self.index)
        legal = list(fact(self.facts, "legal"))
        return next((x for x in wanted if x in legal), None) or self.rng.choice(legal)

    def break_where_it_pays(self) -> str:
        """Return a best response to agents that keep the contract; prefer an action that keeps it.

        Without a contract, return the action of a defector.
        """
        legal = [str(x) for x in fact(self.facts, "legal")]
        if not self.contract.clauses:
            return selfish(self.stage, self.index)
        within = self.tree(self.contract)
        position = within.layers[self.turn][within.start]
        later = within.values(deviate_value).get(self.turn + 1, {})
        values = replies(within, position, self.index, within.worth(position, later))
        best = max(values[action] for action in legal)
        owed = position.allowed[self.facts["you"]]
        # The sort is stable and puts actions that keep the contract first among equals.
        return next(x for x in sorted(legal, key=lambda x: x not in owed) if values[x] == best)


def _tit_for_tat(me: Player) -> bool:
    return not me.record or me.others_cooperated(me.record[-1])


def _pavlov(me: Player) -> bool:
    """Cooperate at first, and later if last turn all cooperated, or both I and another defected."""
    if not me.record:
        return True
    last = me.record[-1]
    return me.cooperated(last, me.index) == me.others_cooperated(last)


STRATEGIES: dict[str, Callable[[Player], bool]] = {
    "cooperator": lambda me: True,
    "defector": lambda me: False,
    "tit_for_tat": _tit_for_tat,
    "generous_tit_for_tat": lambda me: _tit_for_tat(me) or me.rng.random() < FORGIVENESS,
    "grim": lambda me: all(me.others_cooperated(turn) for turn in me.record),
    "pavlov": _pavlov,
    "alternator": lambda me: me.turn % 2 == 1,
}
"""Strategy → the function that decides whether to cooperate now."""
