"""How embedded opponents act in a repeated game, from the payoffs and the history of the letter.

Nothing is read into the names of actions. What it is to *cooperate* follows from the payoffs: to
do one's part in the joint action that pays all together most, and where several do, to take turns
among them. Where a contract stands and asks something of an agent, to cooperate is to keep it. To
*defect* is to do what pays oneself best if the others are equally likely to do anything; where the
two are the same action, there is nothing to choose.

The strategies are Axelrod's (1984) and those of Nowak and Sigmund (1992, 1993), carried from two
agents to any number: "the other cooperated" becomes "all the others did".
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
from shapley_coop.seats.embedded.outlook import Unforeseeable

FORGIVENESS = Fraction(1, 3)
"""How often generous tit-for-tat cooperates all the same (Nowak and Sigmund, 1992)."""

DRAWN = frozenset({"generous_tit_for_tat"})
"""The strategies that throw dice; all others do the same for every seed."""


def stage_of(facts: Mapping[str, Any]) -> StageGame:
    """Return the letter's game.

    Raises:
        Unforeseeable: it gives no payoffs, or too many to work with.
    """
    try:
        return StageGame.of(facts)
    except NotFinite as reason:
        raise Unforeseeable(str(reason)) from None


def course_of(stage: StageGame) -> list[Play]:
    """The joint actions that pay all together most, in the order in which turns are taken."""
    return [play for play in stage.plays if sum(stage.pays[play]) == stage.best_total]


def selfish(stage: StageGame, i: int) -> str:
    """Return what pays agent i most if the others are equally likely to do anything."""
    sums = dict.fromkeys(stage.actions[stage.agents[i]], Fraction(0))
    for play, pays in stage.pays.items():
        sums[play[i]] += pays[i]
    return max(sums, key=lambda action: sums[action])


def enforcement_of(facts: Mapping[str, Any]) -> Enforcement:
    """Return how the letter says that contracts are enforced; where it does not, they are."""
    told = facts.get("enforcement") or {}
    return Enforcement.of({"enforcement": told.get("mode"), "deposit": told.get("deposit")})


@dataclass(frozen=True)
class StageReader(Reader):
    """One agent in front of one letter of a repeated game with a table of payoffs."""

    @cached_property  # the table, which every step of a game tree reads
    def stage(self) -> StageGame:
        """The game."""
        check_facts(self.facts, "you", "turn")
        return stage_of(self.facts)

    @property
    def index(self) -> int:
        """Where I stand among the agents."""
        return self.stage.agents.index(self.facts["you"])

    @property
    def turn(self) -> int:
        """The turn to be played."""
        return int(self.facts["turn"])

    def tree(self, deal: Deal) -> GameTree:
        """Return the turns left under a deal.

        Raises:
            Unforeseeable: it is too large to work with.
        """
        try:
            return GameTree(deal, self.stage, enforcement_of(self.facts), self.record)
        except NotFinite as reason:
            raise Unforeseeable(str(reason)) from None


@dataclass(frozen=True)
class Player(StageReader):
    """An agent whose letter asks for an action."""

    @property
    def contract(self) -> Deal:
        """The clauses in force; an empty deal where there are none."""
        return deal_in(self.facts.get("contract"))

    def parts(self, turn: int, i: int) -> list[str]:
        """Return what agent i can do at that turn to cooperate, its part in the best course first.

        Everything that keeps the contract, where it asks something of the agent then.
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
        """Return whether agent i did its part."""
        return turn["actions"].get(self.stage.agents[i]) in self.parts(turn["turn"], i)

    def others_cooperated(self, turn: Turn) -> bool:
        """Return whether all others did their parts."""
        others = (i for i in range(len(self.stage.agents)) if i != self.index)
        return all(self.cooperated(turn, i) for i in others)

    def choose(self, strategy: str) -> str:
        """Return the action that a strategy takes now.

        Raises:
            Missing: the letter lacks what it takes to tell.
        """
        if strategy == "contract_breaker":
            return self.break_where_it_pays()
        wanted = [selfish(self.stage, self.index)]
        if STRATEGIES[strategy](self):
            wanted = self.parts(self.turn, self.index)
        legal = list(fact(self.facts, "legal"))
        return next((x for x in wanted if x in legal), None) or self.rng.choice(legal)

    def break_where_it_pays(self) -> str:
        """A best response to the others keeping the contract; what is owed if nothing beats it.

        Without a contract, what a defector does.
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
        # A stable sort: what is owed comes first among equals.
        return next(x for x in sorted(legal, key=lambda x: x not in owed) if values[x] == best)


def _tit_for_tat(me: Player) -> bool:
    return not me.record or me.others_cooperated(me.record[-1])


def _pavlov(me: Player) -> bool:
    """Win-stay, lose-shift: cooperate after a turn in which all did, or none of both sides."""
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
"""Whether to cooperate now, by strategy."""
