"""How an embedded agent chooses between an action of its own and a mediator that plays for it.

It compares what the mediator's rule promises, over the turns left. Of the others it expects what
they did last time: who delegated does so again. In the first turn it expects that to delegate of
those whom it would pay, if all others did; and nothing of the kind of all others, who are expected
to do what pays them most if everybody else is equally likely to do anything.
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
    """One agent in front of a letter that lets it delegate its move."""

    @property
    def mediator(self) -> Mediator:
        """The rule, for whatever set of agents delegates."""
        return Mediator(self.stage)

    def choose(self) -> str:
        """To delegate where that pays no less than the best own action; else that action.

        Raises:
            Missing: the letter lacks what it takes to tell.
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
        """Which of the others are expected to delegate."""
        others = [agent for agent in self.stage.agents if agent != self.facts["you"]]
        if self.record:
            did = [agent for _, who in delegated(self.record[-1:]) for agent in who]
            return {agent for agent in others if agent in did}
        everybody = set(self.stage.agents)
        return {a for a in others if self.worth(a, everybody) >= self.alone(a, everybody - {a})}

    def worth(self, agent: str, delegating: Collection[str]) -> Fraction:
        """Return what an agent gets in the turns left if those delegate in each of them."""
        return sum((self.pays(agent, delegating, at) for at in self._left), Fraction(0))

    def alone(self, agent: str, others: Collection[str]) -> Fraction:
        """What it gets if it does what pays best in each of them, and those others delegate."""
        return sum(
            (
                max(self.pays(agent, others, at, x) for x in self.stage.actions[agent])
                for at in self._left
            ),
            Fraction(0),
        )

    def pays(self, agent: str, delegating: Collection[str], at: int, own: str = "") -> Fraction:
        """Return what one turn pays an agent.

        Args:
            agent: whom.
            delegating: for whom the mediator plays.
            at: the turn.
            own: the agent's action; by default what it is expected to do.
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
    """Return what an embedded agent chooses: an action of its own, or to delegate.

    Args:
        facts: the letter's.
        record: the turns played, as the letter tells them.

    Raises:
        Missing: the letter lacks what it takes to tell.
    """
    return Delegator(facts, record).choose()
