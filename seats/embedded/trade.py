"""What an agent foresees where tasks are traded by a deal of clauses, with or without prices."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from shapley_coop.deals import Deal, Do, Forbid, Turns, payments
from shapley_coop.games import Turn
from shapley_coop.games.exchange.masks import members
from shapley_coop.seats.embedded.market import Asked, Market, Masks
from shapley_coop.seats.embedded.outlook import Payoffs

WAIT = "wait"


@dataclass(frozen=True)
class TradeOutlook:
    """The letter's market, and what follows from it for a deal; a `Foresight`.

    My own utility is in my letter; the others' is guessed (see `Market`). A deal is played in the
    mind: who has a duty keeps it, who has none does its own tasks.
    """

    market: Market
    turn: int

    @classmethod
    def of(cls, facts: Mapping[str, Any], record: list[Turn]) -> "TradeOutlook":
        """Read the letter.

        Where the offer that stands shares the total, what its author gains counts for me as well:
        I take it that the author wants what it would have.

        Raises:
            Missing: names the fact that is not there.
        """
        turn = int(facts.get("turn", len(record) + 1))
        market = Market.of(facts)
        if offer := facts.get("offer"):
            deal = Deal.model_validate({"clauses": offer["clauses"]})
            if deal.share:
                wanted = Asked(offer["by"], cls(market, turn)._after(deal, None), turn)
                market = replace(market, asked=[*market.asked, wanted])
        return cls(market, turn)

    @property
    def me(self) -> str:
        """Who foresees."""
        return self.market.me

    @property
    def agents(self) -> list[str]:
        """Everybody."""
        return self.market.agents

    @cached_property
    def alone(self) -> Payoffs:
        """What everybody gets from what it holds now."""
        return self._payoffs(self.market.holds)

    @cached_property
    def surplus(self) -> float:
        """What the best trade that I can think of adds."""
        return sum(self._payoffs(self._best).values()) - sum(self.alone.values())

    @property
    def together(self) -> list[Do | Forbid]:
        """The best trade, hand by hand; nothing if it adds nothing."""
        return list(self._clauses(self._best)) if self.surplus > 0 else []

    @property
    def wish(self) -> list[Do | Forbid]:
        """The trade that is best for me among those that seem to cost nobody anything."""
        market = self.market
        harmless = [m for m in map(market.allocate, market.mine) if market.others_gain(m) >= 0]
        wanted = max([*harmless, market.holds], key=lambda masks: market.worth(masks[self.me]))
        return [] if wanted == market.holds else list(self._clauses(wanted))

    def value(self, deal: Deal, mine: str | None = None) -> Payoffs:
        """What everybody gets; a norm is expected to split the surplus evenly."""
        holds = self._after(deal, mine)
        payoffs = self._payoffs(holds)
        if deal.share and deal.share.norm:
            gain = sum(payoffs.values()) - sum(self.alone.values())
            payoffs = {a: self.alone[a] + gain / len(self.agents) for a in self.agents}
        elif deal.share and deal.share.fractions:
            total = sum(payoffs.values())
            payoffs = {a: total * float(deal.share.fractions[a]) for a in self.agents}
        for due in payments(deal, self._played(deal, payoffs), self.turn):
            payoffs[due.payer] -= float(due.amount)
            payoffs[due.payee] += float(due.amount)
        return payoffs

    def asks(self, deal: Deal) -> bool:
        """Whether I have to hand something over."""
        return any(to for agent, _, to in self._hands(deal) if agent == self.me)

    def habit(self, legal: list[str]) -> str:
        """Do my own tasks, and wait when there are none."""
        own = [action for action in legal if action in self.market.names]
        return own[0] if own else WAIT

    def options(self, legal: list[str]) -> list[str]:
        """Everything."""
        return legal

    @cached_property
    def _best(self) -> Masks:
        """The allocation of the highest sum, by my utility and my guesses."""
        allocations = [self.market.allocate(mask) for mask in self.market.mine]
        return max(allocations, key=lambda masks: sum(self._payoffs(masks).values()))

    def _payoffs(self, masks: Masks) -> Payoffs:
        market = self.market
        return {
            a: market.worth(masks[a]) if a == self.me else market.guess(a, masks[a])
            for a in self.agents
        }

    def _after(self, deal: Deal, mine: str | None) -> Masks:
        """Who holds what once all hands are given; mine of this turn only if I give it."""
        holds = dict(self.market.holds)
        now = {d.action for d in deal.duties.values() if d.agent == self.me and self._due(d)}
        for agent, atom, to in self._hands(deal):
            bit = self._bit(atom)
            refused = agent == self.me and mine is not None and mine not in now
            if holds[agent] & bit and not (refused and f"hand {atom} to {to}" in now):
                holds[agent] ^= bit
                holds[to] |= bit
        return holds

    def _due(self, duty: Do | Forbid) -> bool:
        return (
            isinstance(duty.when, Turns) and duty.when.turns[0] <= self.turn <= duty.when.turns[1]
        )

    def _hands(self, deal: Deal) -> list[tuple[str, str, str]]:
        """(giver, task, receiver) of every hand that the deal asks for."""
        known = {
            f"hand {atom} to {to}": (atom, to) for atom in self.market.names for to in self.agents
        }
        return [
            (duty.agent, *known[duty.action])
            for duty in deal.duties.values()
            if isinstance(duty, Do) and duty.action in known
        ]

    def _clauses(self, masks: Masks) -> list[Do]:
        """First everybody hands over, one a turn; then everybody works."""
        market, clauses, last = self.market, [], self.turn - 1
        for giver in self.agents:
            turn = self.turn
            for taker in self.agents:
                given = market.holds[giver] & masks[taker] if taker != giver else 0
                for i in members(given, market.n):
                    clauses.append(_do(giver, f"hand {market.names[i]} to {taker}", turn))
                    last, turn = max(last, turn), turn + 1
        for agent in self.agents:
            for turn, i in enumerate(members(masks[agent], market.n), start=last + 1):
                clauses.append(_do(agent, market.names[i], turn))
        return clauses

    def _played(self, deal: Deal, payoffs: Payoffs) -> list[Turn]:
        """The rest of the game as the deal has it, all rewards with the last turn."""
        spans = [d.when.turns[1] for d in deal.duties.values() if isinstance(d.when, Turns)]
        record: list[Turn] = []
        for turn in range(self.turn, max([self.turn, *spans]) + 1):
            actions = {
                d.agent: d.action
                for d in deal.duties.values()
                if isinstance(d, Do)
                and isinstance(d.when, Turns)
                and d.when.turns[0] <= turn <= d.when.turns[1]
            }
            record.append({"turn": turn, "actions": actions, "rewards": {}})
        record[-1]["rewards"] = dict(payoffs)
        return record

    def _bit(self, atom: str) -> int:
        return 1 << (self.market.n - 1 - self.market.names.index(atom))


def _do(agent: str, action: str, turn: int) -> Do:
    return Do(agent=agent, action=action, when=Turns(turns=(turn, turn)))
