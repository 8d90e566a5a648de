"""The predictions of embedded agents in task exchange, with or without payments."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from shapley_coop.extensions.exchange.domain.hands import hand, read_hand
from shapley_coop.extensions.exchange.domain.market import WAIT, Market, Offered
from shapley_coop.extensions.exchange.domain.masks import members
from shapley_coop.extensions.exchange.domain.scenario import Masks
from shapley_coop.games.foresight import Asked, Foreseen, Foresight, Part, Payoffs
from shapley_coop.games.turns import Turn


class TradeForesight(Foresight):
    """Predictions from the letter's market: my utilities are known, others' guessed (`Market`).

    An agent with a duty hands over or does a task; an agent without a duty does its own tasks.
    """

    FACTS = ("turns",)

    def read(self, facts: Mapping[str, Any]) -> None:
        """Read the market from the facts.

        If the current offer shares the total, I treat the offer as a request: I assume that its
        author wants the tasks that the author would hold.
        """
        self.turns = int(facts["turns"])
        self.market = Market.of(facts)
        self._bits = {
            task: 1 << (self.market.n - 1 - i) for i, task in enumerate(self.market.names)
        }
        offer = facts.get("offer") or {"clauses": []}
        if any(clause["kind"] == "share" for clause in offer["clauses"]):
            holds = dict(self.market.holds)
            for clause in offer["clauses"]:
                if clause["kind"] == "do":
                    self._hand(holds, clause["agent"], clause["action"])
            wanted = Offered(offer["by"], holds, self.turn)
            self.market = replace(self.market, offered=[*self.market.offered, wanted])

    def foresee(self, asked: Asked, mine: str | None = None) -> Foreseen:
        """Predict that all due hand-overs happen; the tasks held at the end count as done."""
        holds, record = dict(self.market.holds), list[Turn]()
        for turn in range(self.turn, self.turns + 1):
            owed = [duty for duty in asked([*self.record, *record], turn) if not duty.forbidden]
            actions = {duty.agent: duty.action for duty in owed}
            own = [duty.action for duty in owed if duty.agent == self.me]
            refused = mine is not None and turn == self.turn and mine not in own
            for duty in owed:
                if not (refused and duty.agent == self.me):
                    self._hand(holds, duty.agent, duty.action)
            if mine is not None and turn == self.turn:
                actions[self.me] = mine
            record.append({"turn": turn, "actions": actions, "rewards": {}})
        while len(record) > 1 and not record[-1]["actions"]:
            record.pop()
        payoffs = self._payoffs(holds)
        if record:
            record[-1]["rewards"] = dict(payoffs)
        return Foreseen([*self.record, *record], payoffs)

    def together(self) -> list[Part]:
        """Return the allocation of the highest total, by my utilities and my guesses."""
        allocations = [self.market.allocate(mask) for mask in self.market.mine]
        best = max(allocations, key=lambda masks: sum(self._payoffs(masks).values()))
        return self._plan(best)

    def wish(self) -> list[Part]:
        """Return my best trade among the trades that seem to make no other agent worse off."""
        market = self.market
        harmless = [m for m in map(market.allocate, market.mine) if market.others_gain(m) >= 0]
        wanted = max([*harmless, market.holds], key=lambda masks: market.worth(masks[self.me]))
        return [] if wanted == market.holds else self._plan(wanted)

    def habit(self, legal: list[str]) -> str:
        """Return the action that does one of my tasks, or WAIT if none is left."""
        return next(filter(self.is_habit, legal), WAIT)

    def is_habit(self, action: str) -> bool:
        """Return whether the action does a task."""
        return action in self.market.names

    def _payoffs(self, masks: Masks) -> Payoffs:
        guess = self.market.guess
        return {
            a: self.market.worth(masks[a]) if a == self.me else guess(a, masks[a])
            for a in self.agents
        }

    def _hand(self, holds: Masks, giver: str, action: str) -> None:
        """Change `holds` if the action is a hand-over and the giver holds the task."""
        task, to = read_hand(action, self._bits, self.agents) or ("", "")
        bit = self._bits.get(task, 0)
        if holds[giver] & bit:
            holds[giver] ^= bit
            holds[to] |= bit

    def _plan(self, masks: Masks) -> list[Part]:
        """Return a plan: agents first hand tasks over, one a turn, and then do their tasks."""
        market, parts, last = self.market, list[Part](), self.turn - 1
        for giver in self.agents:
            turn = self.turn
            for taker in self.agents:
                given = market.holds[giver] & masks[taker] if taker != giver else 0
                for i in members(given, market.n):
                    parts.append(Part(giver, hand(market.names[i], taker), turns=(turn, turn)))
                    last, turn = max(last, turn), turn + 1
        for agent in self.agents:
            for turn, i in enumerate(members(masks[agent], market.n), start=last + 1):
                parts.append(Part(agent, market.names[i], turns=(turn, turn)))
        return parts
