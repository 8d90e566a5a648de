"""Foresight by enumeration, for letters whose facts list the payoffs of all joint actions."""

from collections.abc import Iterable, Mapping
from functools import cached_property, partial
from itertools import product
from typing import Any

from shapley_coop.games.foresight import Asked, Foreseen, Foresight, Missing, Owed, Part
from shapley_coop.games.turns import Turn

Play = dict[str, str]


class Enumeration(Foresight):
    """An embedded agent's prediction of the play in a game with a table of payoffs.

    An agent with a duty keeps the duty. Any other agent plays a best response to others that choose
    uniformly at random; this action is only a guess, so a promise to take it adds information.
    """

    FACTS = ("actions", "payoffs", "turns")
    sure_of_habits = False

    def read(self, facts: Mapping[str, Any]) -> None:
        """Read the table of payoffs from the letter's facts."""
        self.turns = int(facts["turns"])
        self.actions = {a: list(facts["actions"][a]) for a in self.agents}
        self.pays: dict[tuple[str, ...], Mapping[str, float]] = {
            tuple(cell["play"][a] for a in self.agents): {a: cell["pays"][a] for a in self.agents}
            for cell in facts["payoffs"]
        }

    def foresee(self, asked: Asked, mine: str | None = None) -> Foreseen:
        """Predict the actions and payoffs of the remaining turns."""
        record: list[Turn] = list(self.record)
        for turn in range(self.turn, self.turns + 1):
            play = self.play(asked(record, turn))
            if mine is not None and turn == self.turn:
                play[self.me] = mine
            record.append({"turn": turn, "actions": play, "rewards": dict(self.payoff(play))})
        return Foreseen(
            record,
            {a: float(sum(t["rewards"].get(a, 0) for t in record)) for a in self.agents},
        )

    def play(self, owed: Iterable[Owed]) -> Play:
        """Return each agent's action: its duty, or else its best action that is not forbidden."""
        play, duties = dict(self.default), list(owed)
        banned = {(duty.agent, duty.action) for duty in duties if duty.forbidden}
        for agent, action in self.default.items():
            if (agent, action) in banned:
                left = [x for x in self.actions[agent] if (agent, x) not in banned]
                play[agent] = max(left, key=partial(self.expected, agent), default=action)
        return play | {duty.agent: duty.action for duty in duties if not duty.forbidden}

    def together(self) -> list[Part]:
        """Return the joint action with the highest total payoff."""
        return [Part(agent, action) for agent, action in self.best_for_all.items()]

    def wish(self) -> list[Part]:
        """Return the joint action with my highest payoff; ties go to the highest total."""
        best = max(self.plays(), key=lambda p: (self.payoff(p)[self.me], self.total(p)))
        return [Part(agent, action) for agent, action in best.items()]

    def habit(self, legal: list[str]) -> str:
        """Return my best response if the others choose uniformly at random."""
        return max(legal, key=partial(self.expected, self.me))

    def payoff(self, play: Play) -> Mapping[str, float]:
        """Return each agent's payoff for a joint action, in the game's unit.

        Raises:
            Missing: the letter lacks this joint action.
        """
        key = tuple(play[a] for a in self.agents)
        if key not in self.pays:
            raise Missing(f"the letter lacks the payoffs of {play}")
        return self.pays[key]

    def plays(self, agent: str = "", action: str = "") -> list[Play]:
        """Return all joint actions, or those in which one agent takes the given action."""
        choices = [[action] if a == agent else self.actions[a] for a in self.agents]
        return [dict(zip(self.agents, play, strict=True)) for play in product(*choices)]

    def total(self, play: Play) -> float:
        """Return the total payoff of a joint action."""
        return float(sum(self.payoff(play).values()))

    def expected(self, agent: str, action: str) -> float:
        """Return an agent's mean payoff for an action if the others choose uniformly at random."""
        plays = self.plays(agent, action)
        return sum(self.payoff(play)[agent] for play in plays) / len(plays)

    @cached_property
    def default(self) -> Play:
        """A mapping: agent → the action that it is expected to take without a deal."""
        return {a: max(self.actions[a], key=partial(self.expected, a)) for a in self.agents}

    @cached_property
    def best_for_all(self) -> Play:
        """The joint action with the highest total; ties go to the best minimum, then my payoff."""

        def worth(play: Play) -> tuple[float, float, float]:
            pays = self.payoff(play)
            return self.total(play), min(pays.values()), pays[self.me]

        return max(self.plays(), key=worth)
