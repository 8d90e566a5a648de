"""The foresight of an embedded agent in a trade: it knows its own worths and guesses the rest.

The agent assumes that the others value a good at its own average worth, and by half more if they
began without the good. So trade seems to offer a gain; if the guess is wrong, the other agent
refuses the offer.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from shapley_coop.extensions.markets.market import worth_of
from shapley_coop.games.foresight import Asked, Foreseen, Foresight, Missing, Part, Payoffs
from shapley_coop.games.gives import parse_gift
from shapley_coop.games.goods import Holdings
from shapley_coop.games.turns import Turn
from shapley_coop.many import OWN

_DEARER = Fraction(3, 2)
"""The factor by which a good is assumed to be worth more to an agent that began without it."""


def _holds_in(facts: Mapping[str, Any]) -> Mapping[str, Mapping[str, int]]:
    """Return agent → its holdings; with many agents only those that the letter names."""
    position: Mapping[str, Any] = facts.get("position") or {}
    if "groups" not in position:
        known: Holdings = position.get("holds") or facts.get("endowments", {})
        return known
    named = {agent: row.get("each", {}) for row in position["groups"] for agent in row["some"]}
    return {**named, facts["you"]: position[OWN]}


class Guess:
    """The worths of goods: the agent's worths from its letter, and guesses for other agents.

    Args:
        facts: the facts of the letter.

    Raises:
        Missing: the facts do not give the holdings.
    """

    def __init__(self, facts: Mapping[str, Any]) -> None:
        self.me: str = facts["you"]
        self.agents: list[str] = list(facts["agents"])
        self.goods: list[str] = list(facts["goods"])
        self.pool = bool(facts["pool"])
        self.own: dict[str, Any] = dict(facts.get("worth_to_you", {}))
        self.alone = Fraction(str(facts.get("you_have_without_a_deal", 0)))
        limit = facts.get("you_can_pay_at_most")
        self.purse = None if limit is None else Fraction(str(limit))
        if not (told := _holds_in(facts)):
            raise Missing("the letter lacks endowments")
        self.holds: dict[str, dict[str, int]] = {a: dict(own) for a, own in told.items()}
        self.endowments: Mapping[str, Mapping[str, int]] = facts.get("endowments") or told
        sums = {good: sum(own.get(good, 0) for own in told.values()) for good in self.goods}
        self.totals: Mapping[str, int] = facts.get("totals") or sums
        self.holder = self.agents[0]
        self._averages: dict[str, Fraction] = {}

    def mine(self, held: Mapping[str, int]) -> Fraction:
        """Return the worth of these goods for this agent."""
        parts = (worth_of(self.own.get(good, 0), n) for good, n in held.items())
        return sum(parts, Fraction(0))

    def each(self, agent: str, good: str) -> Fraction:
        """Return the guessed worth of one unit of a good to another agent."""
        if self.pool:
            return self._average(good)
        began = self.endowments.get(agent, {})
        return self._average(good) * (1 if began.get(good) else _DEARER)

    def worth(self, agent: str, held: Mapping[str, int]) -> Fraction:
        """Return the worth of these goods for any agent; for other agents a guess."""
        if agent == self.me:
            return self.mine(held)
        return sum((self.each(agent, good) * n for good, n in held.items()), Fraction(0))

    def _average(self, good: str) -> Fraction:
        """Return the guessed worth of one unit of a good to an agent that began with some of it."""
        if good not in self._averages:
            self._averages[good] = self._averaged(good)
        return self._averages[good]

    def _averaged(self, good: str) -> Fraction:
        total = self.totals[good]
        mine = worth_of(self.own.get(good, 0), total) / max(1, total)
        if self.pool or self.endowments[self.me].get(good):
            return mine
        return mine / _DEARER


class TradeForesight(Foresight):
    """The foresight by which agents make exactly those gifts by hand that the contract requires."""

    FACTS = ("turns", "goods", "pool")

    def read(self, facts: Mapping[str, Any]) -> None:
        """Read the number of turns and the goods' worths; guess the others' worths."""
        self.turns = int(facts["turns"])
        self.market = Guess(facts)

    def foresee(self, asked: Asked, mine: str | None = None) -> Foreseen:
        """Return the record and payoffs if agents make only the gifts by hand that are duties."""
        holds = {agent: dict(own) for agent, own in self.market.holds.items()}
        record, accepted = list[Turn](), True
        for turn in range(self.turn, self.turns + 1):
            duties = [d for d in asked([*self.record, *record], turn) if not d.forbidden]
            actions = {duty.agent: duty.action for duty in duties}
            if mine is not None and turn == self.turn:
                actions[self.me] = mine
            for agent, action in actions.items():
                accepted = accepted and action != "refuse"
                self._give(holds, agent, action)
            record.append({"turn": turn, "actions": actions, "rewards": {}})
        payoffs = self._payoffs(holds, accepted)
        if record:
            record[-1]["rewards"] = dict(payoffs)
        return Foreseen([*self.record, *record], payoffs)

    def together(self) -> list[Part]:
        """Return no actions, because a gift by hand is repaid only under a deal."""
        return []

    def wish(self) -> list[Part]:
        """Return no actions: as in `together`, a gift by hand is repaid only under a deal."""
        return []

    def habit(self, legal: list[str]) -> str:
        """Return `keep`, or accept a pool's division if it is better than no deal."""
        if "accept" not in legal:
            return "keep"
        good = self.market.mine(self.market.holds[self.me]) > self.market.alone
        return "accept" if good else "refuse"

    def _payoffs(self, holds: Mapping[str, Mapping[str, int]], accepted: bool) -> Payoffs:
        if self.market.pool and not accepted:
            own = {self.me: float(self.market.alone)}
            return {agent: own.get(agent, 0.0) for agent in self.agents}
        worth = {agent: self.market.worth(agent, own) for agent, own in holds.items()}
        return {agent: float(worth.get(agent, 0)) for agent in self.agents}

    def _give(self, holds: dict[str, dict[str, int]], giver: str, action: str) -> None:
        """Apply a gift by hand to the holdings, up to the number that the giver holds."""
        found = parse_gift(action)
        if found is None or giver not in holds:
            return
        count, good, to = found
        moved = min(count, holds[giver].get(good, 0))
        if to in holds and moved:
            holds[giver][good] -= moved
            holds[to][good] = holds[to].get(good, 0) + moved
