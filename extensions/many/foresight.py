"""Foresight by counts, for letters whose facts give payoffs by the sum of the others' actions.

All agents are assumed to take the same action, except agents with duties. So the computing time of
a turn or a plan does not grow with the number of agents. A plan usually asks everyone for the same
action.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from shapley_coop.extensions.many.counts import Counts
from shapley_coop.games.foresight import Asked, Foreseen, Foresight, Owed, Part
from shapley_coop.games.params import EVERYONE
from shapley_coop.games.turns import Turn

MOST_NAMED = 32
"""The most agents that a plan names one by one."""


class Mostly(Mapping[str, Any]):
    """A mapping from agents to values: one usual value, and other values for some agents.

    >>> dict(Mostly(["Ann", "Ben", "Cem"], "keep", {"Ben": "give"}))
    {'Ann': 'keep', 'Ben': 'give', 'Cem': 'keep'}
    """

    def __init__(self, agents: Sequence[str], usual: Any, others: Mapping[str, Any]) -> None:
        self.agents, self.usual, self.others = agents, usual, others

    def __getitem__(self, agent: str) -> Any:
        return self.others.get(agent, self.usual)

    def __iter__(self) -> Iterator[str]:
        return iter(self.agents)

    def __len__(self) -> int:
        return len(self.agents)


class Counting(Foresight):
    """The foresight of games with payoffs by counts.

    Agents keep their duties. Agents without a duty play the best response to uniformly mixing
    others. This habit is a guess, so a promise to play the habitual action still has value.
    """

    FACTS = ("actions", "by_count", "turns")
    sure_of_habits = False
    speaks_of_all = True

    def read(self, facts: Mapping[str, Any]) -> None:
        """Read the payoffs, the number of turns and the earnings so far from the facts."""
        self.turns = int(facts["turns"])
        self.counts = Counts.of(facts)
        told = facts.get("earned_so_far")
        self._told = told if told and self.record else None

    def foresee(self, asked: Asked, mine: str | None = None) -> Foreseen:
        """Simulate the remaining turns, and return the record and the payoffs."""
        record, sums = list(self.record), Counter[str]()
        usual = 0.0
        for turn in range(self.turn, self.turns + 1):
            played = self._played(turn, asked(record, turn), mine if turn == self.turn else None)
            record.append(played)
            rewards: Any = played["rewards"]
            usual += rewards.usual
            for agent, reward in rewards.others.items():
                sums[agent] += reward - rewards.usual
        holds = {agent: have + usual for agent, have in self._have.items()}
        for agent, more in sums.items():
            holds[agent] += more
        return Foreseen(record, holds)

    def _played(self, turn: int, owed: Iterable[Owed], mine: str | None) -> Turn:
        """Return a turn in which agents keep duties, and agents without duties follow habit."""
        usual, others = self.counts.habit, dict[str, str]()
        for duty in sorted(owed, key=lambda one: one.agent != EVERYONE):
            done = others.get(duty.agent, usual)
            wanted = duty.action if not duty.forbidden else self._instead(done, duty.action)
            if duty.agent == EVERYONE:
                usual = wanted
            else:
                others[duty.agent] = wanted
        if mine is not None:
            others[self.me] = mine
        others = {agent: action for agent, action in others.items() if action != usual}
        rewards = self._rewards(usual, others)
        actions: Any = Mostly(self.agents, usual, others)
        return {"turn": turn, "actions": actions, "rewards": rewards}

    def _rewards(self, usual: str, others: Mapping[str, str]) -> Any:
        code, n = self.counts.code, self.counts.n
        total = code[usual] * (n - len(others)) + sum(code[action] for action in others.values())
        done = [usual] * (len(others) < n) + [*others.values()]  # leave `usual` out if all deviate
        pays = {a: float(self.counts.pay(a, total - code[a])) for a in dict.fromkeys(done)}
        each = {agent: pays[action] for agent, action in others.items()}
        return Mostly(self.agents, pays.get(usual, 0.0), each)

    def _instead(self, action: str, forbidden: str) -> str:
        """Return the action, or the first other action if the action is forbidden."""
        if action != forbidden:
            return action
        return next((one for one in self.counts.actions if one != forbidden), action)

    def together(self) -> list[Part]:
        """Return the plan with the largest total payoff.

        If only a few agents have to deviate from the habit, the plan names them: those after this
        agent, in order. Otherwise, it is the best plan in which all agents take the same action.
        """
        actions, n, best = self.counts.actions, self.counts.n, self.counts.best_for_all
        usual = best.index(max(best))
        if 0 < n - best[usual] <= MOST_NAMED and actions[usual] == self.counts.habit:
            at = self.agents.index(self.me) + 1
            after = iter([*self.agents[at:], *self.agents[:at]])
            doing = (actions[k] for k, many in enumerate(best) if k != usual for _ in range(many))
            return [Part(agent, action) for action, agent in zip(doing, after, strict=False)]
        alike = [[n * (k == at) for at in range(len(actions))] for k in range(len(actions))]
        totals = [self.counts.total(one) for one in alike]
        return [Part(EVERYONE, actions[totals.index(max(totals))])]

    def wish(self) -> list[Part]:
        """Return the plan of `together`: agents of a large game ask all for the same action."""
        return self.together()

    def habit(self, legal: list[str]) -> str:
        """Return the best response to uniformly mixing others, if legal; else the first action."""
        return self.counts.habit if self.counts.habit in legal else legal[0]

    @cached_property
    def _have(self) -> dict[str, float]:
        """Each agent's earnings so far."""
        if self._told:
            return {agent: float(self._told[agent]) for agent in self.agents}
        sums = dict.fromkeys(self.agents, 0.0)
        for turn in self.record:
            for agent, reward in turn["rewards"].items():
                sums[agent] += float(reward)
        return sums
