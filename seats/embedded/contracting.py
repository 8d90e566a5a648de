"""Embedded parties, which draft, answer and sign contracts.

A draft asks all agents for the joint action with the highest total payoff. If several joint actions
are best, the draft alternates them. The draft fines each profitable deviation. If payments are
enforced, the draft adds payments that give its author a target payoff. The value of a contract is
computed exactly.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.deals.analysis.stage import Play
from shapley_coop.deals.analysis.valuations import expected_value, keep_value
from shapley_coop.deals.contract import lasting_clauses
from shapley_coop.deals.language.clauses import Clause, Do, Pay
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.when import All, Event, Every, Last, Turns, When
from shapley_coop.games.foresight import Payoffs
from shapley_coop.seats.embedded.letter_facts import proposal, standing_in
from shapley_coop.seats.embedded.offered import offered_deal
from shapley_coop.seats.embedded.outlook import EPSILON, target_of, transfers_to
from shapley_coop.seats.embedded.strategies import StageReader, course_of, enforcement_of


@dataclass(frozen=True)
class Party(StageReader):
    """An embedded agent whose letter is about a contract."""

    @cached_property  # without the cache, each call would build a game tree
    def without(self) -> dict[str, Fraction]:
        """Each agent's payoff in the remaining turns if no new contract is signed."""
        standing = standing_in(self.facts)
        duties = (clause for cid, clause in standing.items() if cid not in self.money)
        return self._worth(Deal(clauses=tuple(duties)), expected_value)

    @property
    def money(self) -> dict[str, Clause]:
        """The payments and the split in force; they stay until an amendment drops them."""
        return lasting_clauses(standing_in(self.facts))

    def draft(self) -> str:
        """Return my draft of a contract, or a refusal if no contract raises the total payoff."""
        duties, drops = self.duties(), tuple(self.money)
        earned = self._worth(Deal(clauses=tuple(duties), drops=drops), expected_value)
        if sum(earned.values()) - sum(self.without.values()) <= EPSILON:
            return "<s>I propose nothing: let things stand as they do.</s><REJECT>"
        fines, prices = self.fines(), self._prices(earned)
        said = "I propose that each of us does its part"
        said += ", and pays the others where it gains by not doing so" if fines else ""
        said += ", with payments at the last turn" if prices else ""
        clauses = (*duties, *fines, *prices)
        return f"<s>{said}.</s>{proposal(Deal(clauses=clauses, drops=drops))}"

    def answer(self) -> str:
        """Return my acceptance of the offer, or else my own draft if all could accept it."""
        deal = offered_deal(self.facts, self.talk)
        if not isinstance(deal, Fault) and self._good(deal, ahead=1):
            return "<s>I agree because it is worth it for me.</s><ACCEPT>"
        if not self.facts.get("can_redraft", True):
            return "<s>I do not agree to what leaves me no better.</s><REJECT>"
        return self.draft()

    def sign(self) -> str:
        """Return my signature if the contract leaves me better off than no contract."""
        deal, me = offered_deal(self.facts, self.talk), self.facts["you"]
        if not isinstance(deal, Fault) and self._worth(deal, keep_value)[me] > self.without[me]:
            return "<s>I sign.</s><ACCEPT>"
        return "<s>I do not sign what leaves me no better.</s><REJECT>"

    def duties(self) -> list[Do]:
        """Return each agent's duties to play the best joint actions, my favourite one first."""
        plays = self._course()
        found = []
        for i, agent in enumerate(self.stage.agents):
            actions = [play[i] for play in plays]
            if len(set(actions)) == 1:
                found.append(Do(agent=agent, action=actions[0]))
                continue
            found += [
                Do(agent=agent, action=action, when=self._place(n, len(plays)))
                for n, action in enumerate(actions)
            ]
        return found

    def fines(self) -> list[Pay]:
        """Return fines that exceed the gain by each profitable deviation; the others share them."""
        plays, stage = self._course(), self.stage
        found: list[Pay] = []
        for i, agent in enumerate(stage.agents):
            for n, play in enumerate(plays):
                for action in stage.actions[agent]:
                    other = (*play[:i], action, *play[i + 1 :])
                    gain = stage.pays[other][i] - stage.pays[play][i]
                    if action != play[i] and gain > 0:
                        done: When = Last(last=Event(agent=agent, action=action))
                        if len(plays) > 1:
                            done = All(all=(self._place(n, len(plays)), done))
                        found += self._fine(agent, floor(gain) + 1, done)
        return found

    def _fine(self, payer: str, amount: int, when: When) -> list[Pay]:
        others = [agent for agent in self.stage.agents if agent != payer]
        each = Fraction(amount, len(others))
        return [
            Pay(payer=payer, payee=payee, amount=plain(each), basis="turn", when=when)
            for payee in others
        ]

    def _prices(self, earned: dict[str, Fraction]) -> list[Pay]:
        """Return payments, due at the last turn, that turn earnings into my target payoffs."""
        if not enforcement_of(self.facts).executes:
            return []
        last = Turns(turns=(self.stage.turns, self.stage.turns))
        payments = transfers_to(self._target(earned), {a: float(x) for a, x in earned.items()})
        return [Pay(payer=a, payee=b, amount=plain(x), when=last) for a, b, x in payments]

    def _good(self, deal: Deal, ahead: int) -> bool:
        """Return whether a contract gives me what I aim for `ahead` rounds from now, or more."""
        me = self.facts["you"]
        best = Deal(clauses=tuple(self.duties()), drops=tuple(self.money))
        wanted = self._target(self._worth(best, expected_value), ahead)[me]
        return float(self._worth(deal, keep_value)[me]) >= max(wanted, EPSILON) - EPSILON

    def _target(self, earned: dict[str, Fraction], ahead: int = 0) -> Payoffs:
        """Return the payoffs that I aim for if a contract earns these amounts."""
        surplus = float(sum(earned.values()) - sum(self.without.values()))
        without = {a: float(x) for a, x in self.without.items()}
        return target_of(self.facts, self.self_, without, surplus, ahead)

    def _worth(self, deal: Deal, valuation: Any) -> dict[str, Fraction]:
        """Return each agent's payoff from now on, with the payments that a deal does not drop."""
        kept = (
            clause
            for cid, clause in self.money.items()
            if cid not in deal.drops and not (clause.split and deal.split)
        )
        agreed = Deal(clauses=(*kept, *deal.clauses))
        return dict(zip(self.stage.agents, self.tree(agreed).value(valuation), strict=True))

    def _course(self) -> list[Play]:
        """Return the best joint actions, my favourite first, at most one for each turn left."""
        left = self.stage.turns - self.turn + 1
        plays = course_of(self.stage)
        first = max(range(len(plays)), key=lambda n: self.stage.pays[plays[n]][self.index])
        return [*plays[first:], *plays[:first]][:left]

    def _place(self, n: int, of: int) -> When:
        """Return the turns of joint action n, counted from 0, if `of` joint actions alternate."""
        return Every(every=of, start=self.turn + n)
