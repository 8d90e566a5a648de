"""An embedded agent's view of a task exchange: its utilities, and guesses of the others'."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from shapley_coop.extensions.exchange.domain.masks import full, members
from shapley_coop.extensions.exchange.domain.registry import compose
from shapley_coop.extensions.exchange.domain.scenario import Masks
from shapley_coop.games.foresight import Missing, check_facts

UNKNOWN = 0.5
WAIT = "wait"

FEW = 10
"""The most tasks for which every set is considered."""


@dataclass(frozen=True)
class Offered:
    """An allocation that an agent proposed."""

    by: str
    masks: Masks
    turn: int


@dataclass(frozen=True)
class Market:
    """An exchange from the view of one agent.

    The others' utilities are unknown. The first guess of a utility is 0.5 for every set. The guess
    rises with the set's likeness (Jaccard) to sets that the agent asked for. The guess falls with
    the likeness to sets that the agent was offered and did not accept. This model is a declared
    assumption of the simulation: the model is crude, and uses nothing but the letter.
    """

    me: str
    agents: list[str]
    names: list[str]
    says: list[str]
    written: Mapping[int, str]
    holds: Masks
    utilities: Mapping[int, float]
    offered: Sequence[Offered]
    values: Sequence[float] = ()
    unit: float = 1.0

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> "Market":
        """Read the market from a letter's facts.

        Raises:
            Missing: a fact is absent; the error names the fact.
        """
        check_facts(facts, "you", "agents", "atoms", "initial")
        holds = facts.get("position", {}).get("holds", facts["initial"])
        return cls(
            me=facts["you"],
            agents=list(facts["agents"]),
            names=[atom["action"] for atom in facts["atoms"]],
            says=[atom["says"] for atom in facts["atoms"]],
            written={int(bits, 2): text for bits, text in facts.get("registry", {}).items()},
            holds=_ints(holds),
            **_worths(facts),
            offered=[
                Offered(offer["by"], _ints(offer["masks"]), int(offer["turn"]))
                for offer in facts.get("offers", [])
                if offer.get("masks")
            ],
        )

    @property
    def n(self) -> int:
        """The number of atomic tasks."""
        return len(self.names)

    @property
    def others(self) -> list[str]:
        """All other agents."""
        return [agent for agent in self.agents if agent != self.me]

    @property
    def reservation(self) -> float:
        """My utility if no further trade is agreed."""
        return self.worth(self.holds[self.me])

    @property
    def best(self) -> float:
        """My highest possible utility."""
        return max(self.utilities[mask] for mask in self.mine)

    @cached_property
    def mine(self) -> list[int]:
        """The sets that I could ask for and whose utility I know, by falling utility.

        These sets leave at least one task for each other agent.

        Raises:
            Missing: the letter gives the utility of no set.
        """
        most = self.n - len(self.others)
        able = [m for m in self.utilities if 1 <= m.bit_count() <= most]
        if not able:
            raise Missing("the letter lacks the utilities of sets of tasks")
        return sorted(able, key=lambda m: (-self.utilities[m], m))

    def worth(self, mask: int) -> float:
        """Return my utility of a set, or 0 if the letter does not give this utility."""
        if self.values:
            return sum(self.values[i] for i in members(mask, self.n))
        return self.utilities.get(mask, 0.0)

    def guess(self, other: str, mask: int) -> float:
        """Return my estimate of another agent's utility of a set, in [0, 1]."""
        asked = [_likeness(mask, one.masks[other]) for one in self.offered_by(other)]
        like = sum(asked) / len(asked) if asked else 0.0
        dislike = max((_likeness(mask, each) for each in self._refused(other)), default=0.0)
        return min(1.0, max(0.0, UNKNOWN + (like - dislike) / 2))

    def allocate(self, mine: int) -> Masks:
        """Return an allocation: `mine` for me, each other task for the agent that wants it most."""
        rest = members(full(self.n) & ~mine, self.n)
        masks = {self.me: mine, **dict.fromkeys(self.others, 0)}
        for position in rest:
            bit = 1 << (self.n - 1 - position)
            needy = [a for a in self.others if not masks[a]]
            left = len(rest) - rest.index(position)
            among = needy if left <= len(needy) else self.others
            masks[max(among, key=lambda a: self._interest(a, bit))] |= bit
        return {agent: masks[agent] for agent in self.agents}

    def others_gain(self, masks: Masks) -> float:
        """Return the smallest guessed gain of another agent over its present tasks."""
        return min(self.guess(a, masks[a]) - self.guess(a, self.holds[a]) for a in self.others)

    def offered_by(self, agent: str) -> list[Offered]:
        """Return an agent's proposals, oldest first."""
        return [asked for asked in self.offered if asked.by == agent]

    def describe(self, mask: int) -> str:
        """Return the exact description of a set."""
        return self.written.get(mask) or compose(self.says, mask)

    def mask_of(self, description: str) -> int | None:
        """Return the mask of a description; None if I do not know the description."""
        return self._known.get(description)

    def bits(self, mask: int) -> str:
        """Return a mask as text, in the form of the letter."""
        return format(mask, f"0{self.n}b")

    @cached_property
    def _known(self) -> dict[str, int]:
        return {self.describe(mask): mask for mask in {*self.written, *self.utilities}}

    def _refused(self, other: str) -> list[int]:
        """Return the sets offered to an agent in vain: all but the last and its present set."""
        would = [one.masks[other] for one in self.offered if one.by != other]
        return [mask for mask in would[:-1] if mask != self.holds[other]]

    def _interest(self, agent: str, bit: int) -> int:
        """Return twice an agent's number of requests for a task, plus 1 if it holds the task."""
        asked = sum(2 for one in self.offered_by(agent) if one.masks[agent] & bit)
        return asked + (1 if self.holds[agent] & bit else 0)


def _worths(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return my utilities in a letter, as fractions of my utility of all tasks.

    If utilities are additive and there are at most `FEW` tasks, all sets of tasks have an entry.
    If they are additive and there are more tasks, only the sets that `_some` returns have an entry.
    """
    if "values" not in facts:
        return {
            "utilities": {int(bits, 2): float(u) for bits, u in facts.get("utilities", {}).items()}
        }
    told = [float(facts["values"][atom["says"]]) for atom in facts["atoms"]]
    unit, n = sum(told) or 1.0, len(told)
    values = [x / unit for x in told]
    sets = set(range(1, 1 << n)) if n <= FEW else _some(values, facts)
    worth = {s: sum(values[i] for i in members(s, n)) for s in sets}
    return {"utilities": worth, "values": values, "unit": unit}


def _some(values: Sequence[float], facts: Mapping[str, Any]) -> set[int]:
    """Return my k best tasks for each k, my initial tasks, and these with one more or one less."""
    n, mine = len(values), int(facts["initial"][facts["you"]], 2)
    best, found = 0, {mine ^ (1 << bit) for bit in range(n)}
    for i in sorted(range(n), key=lambda i: -values[i]):
        best |= 1 << (n - 1 - i)
        found.add(best)
    return found | {mine}


def _likeness(one: int, other: int) -> float:
    return (one & other).bit_count() / (one | other).bit_count()


def _ints(masks: Mapping[str, str]) -> Masks:
    return {agent: int(bits, 2) for agent, bits in masks.items()}
