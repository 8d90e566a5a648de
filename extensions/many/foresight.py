"""Looking ahead by counts, where the letter's facts say what an action pays by the others' sum.

It pictures many agents as one: all do the same, but those who are asked for something else. So a
turn costs as much for a thousand agents as for ten, and so does a plan: it asks everyone for the
same action.
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
"""Agents that a plan names."""


class Mostly(Mapping[str, Any]):
    """One value of all agents, but for some.

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
    """What each action pays by the sum of the others', and what follows from it.

    Whoever has a duty keeps it; whoever has none does what pays best if all others are equally
    likely to do anything. That is a guess, so a promise to do it is worth something.
    """

    FACTS = ("actions", "by_count", "turns")
    sure_of_habits = False
    speaks_of_all = True

    def read(self, facts: Mapping[str, Any]) -> None:
        """Keep the formula, and what has been earned."""
        self.turns = int(facts["turns"])
        self.counts = Counts.of(facts)
        told = facts.get("earned_so_far")
        self._told = told if told and self.record else None

    def foresee(self, asked: Asked, mine: str | None = None) -> Foreseen:
        """Play every turn left."""
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
        """Return a turn in which all do what is asked of them, or what they would do anyway."""
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
        done = [usual] * (len(others) < n) + [*others.values()]  # what nobody does pays nobody
        pays = {a: float(self.counts.pay(a, total - code[a])) for a in dict.fromkeys(done)}
        each = {agent: pays[action] for agent, action in others.items()}
        return Mostly(self.agents, pays.get(usual, 0.0), each)

    def _instead(self, action: str, forbidden: str) -> str:
        """What an agent does who would do what is forbidden: the first of the other actions."""
        if action != forbidden:
            return action
        return next((one for one in self.counts.actions if one != forbidden), action)

    def together(self) -> list[Part]:
        """Return what everyone should do so that all together have most.

        Where that takes a few who do something else than all would do anyway, these are named, the
        agents after me; else it is the best of what all could do alike.
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
        """Return the same: what is asked for among many is asked of all alike."""
        return self.together()

    def habit(self, legal: list[str]) -> str:
        """Return the best against uniform beliefs."""
        return self.counts.habit if self.counts.habit in legal else legal[0]

    @cached_property
    def _have(self) -> dict[str, float]:
        """What each agent has earned so far."""
        if self._told:
            return {agent: float(self._told[agent]) for agent in self.agents}
        sums = dict.fromkeys(self.agents, 0.0)
        for turn in self.record:
            for agent, reward in turn["rewards"].items():
                sums[agent] += float(reward)
        return sums
