"""An embedded agent's choice between its own action and delegation to the mediator.

The agent compares its payoffs of both choices over the remaining turns. It expects another agent
to delegate if that agent delegated last turn. In the first turn it expects this of an agent that
gains by delegating while all others delegate. It assumes that agents that do not delegate play
a best response to uniformly random others.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shapley_coop.extensions.institutions.mediator import Mediator, delegated
from shapley_coop.games import Turn
from shapley_coop.seats.embedded.letter_facts import fact
from shapley_coop.seats.embedded.strategies import StageReader, selfish


@dataclass(frozen=True)
class Delegator(StageReader):
    """The choice of an embedded agent whose letter lets it delegate its move."""

    @property
    def mediator(self) -> Mediator:
        """The mediator, whose rule gives the actions for any set of delegators."""
        return Mediator(self.stage)

    def choose(self) -> str:
        """Return the agent's best action if it pays more than delegating; else the word.

        Raises:
            Missing: the letter lacks a fact that the comparison needs.
        """
        me, others = self.facts["you"], self.expected
        word = str(fact(self.facts, "mediator", "choose"))
        if self.worth(me, {*others, me}) >= self.alone(me, others):
            return word
        return max(
            (str(x) for x in fact(self.facts, "legal") if x != word),
            key=lambda action: self.pays(me, others, self.turn, action),
        )

    @property
    def expected(self) -> set[str]:
        """The other agents that this agent expects to delegate."""
        others = [agent for agent in self.stage.agents if agent != self.facts["you"]]
        if self.record:
            did = [agent for _, who in delegated(self.record[-1:]) for agent in who]
            return {agent for agent in others if agent in did}
        everybody = set(self.stage.agents)
        return {a for a in others if self.worth(a, everybody) >= self.alone(a, everybody - {a})}

    def worth(self, agent: str, delegating: Collection[str]) -> Fraction:
        """Return an agent's total in the remaining turns if the agents in `delegating` delegate."""
        return sum((self.pays(agent, delegating, at) for at in self._left), Fraction(0))

    def alone(self, agent: str, others: Collection[str]) -> Fraction:
        """Return an agent's total if it takes its best action each turn while `others` delegate."""
        return sum(
            (
                max(self.pays(agent, others, at, x) for x in self.stage.actions[agent])
                for at in self._left
            ),
            Fraction(0),
        )

    def pays(self, agent: str, delegating: Collection[str], at: int, own: str = "") -> Fraction:
        """Return an agent's payoff in one turn.

        Args:
            delegating: the agents for which the mediator plays.
            at: the turn.
            own: the agent's action; by default its mediated or expected action.
        """
        play = {**self._selfish, **self.mediator.plays(delegating, at)}
        if own:
            play[agent] = own
        row = self.stage.pays[tuple(play[a] for a in self.stage.agents)]
        return row[self.stage.agents.index(agent)]

    @property
    def _left(self) -> range:
        return range(self.turn, self.stage.turns + 1)

    @property
    def _selfish(self) -> dict[str, str]:
        return {agent: selfish(self.stage, i) for i, agent in enumerate(self.stage.agents)}


def chosen(facts: Mapping[str, Any], record: list[Turn]) -> str:
    """Return an embedded agent's choice: an action of its own, or the word to delegate.

    Args:
        facts: the letter's facts.
        record: the turns played, in the letter's form.

    Raises:
        Missing: the letter lacks a fact that the comparison needs.
    """
    return Delegator(facts, record).choose()
