"""The rule that describes gifts; with many agents it replaces the list of all possible gifts.

A list has an entry for each good, quantity and receiver, and would fill most of a letter. With many
agents, letters have one line for each good instead, and programs parse these lines.

>>> agents = [f"A{n}" for n in range(1, 1001)]
>>> can = gives({"wood": 4, "wool": 1}, agents, "A1", first=["keep"])
>>> len(can), "give 4 wood to A1000" in can, "give 5 wood to A2" in can, "give 1 wood to A1" in can
(4996, True, False, False)
>>> can.told()
['keep', 'give 1…4 wood to AGENT', 'give 1…1 wool to AGENT']
>>> read_actions(can.told(), agents, "A1") == can
True
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from shapley_coop.games.actions import ActionRule
from shapley_coop.many import MANY

EVERYONE = "everyone"
"""The key in facts for the actions of all agents that have no entry of their own."""


NOT_GIVING = ("not give", "don't give", "give nothing")
"""Other words for the action of a game by which an agent gives nothing."""


def give(quantity: int | str, good: str, to: str) -> str:
    """Return the name of the action by which an agent gives goods."""
    return f"give {quantity} {good} to {to}"


def parse_gift(action: str) -> tuple[int, str, str] | None:
    """Return the quantity, good and receiver of an action that gives; None for other actions.

    >>> parse_gift("give 2 red wool to Ben"), parse_gift("keep")
    ((2, 'red wool', 'Ben'), None)
    """
    what, _, rest = action.partition(" ")
    count, _, rest = rest.partition(" ")
    good, _, to = rest.rpartition(" to ")
    return (int(count), good, to) if what == "give" and count.isdecimal() and good else None


@dataclass(frozen=True)
class Gives(ActionRule):
    """The actions of one agent, computed on access.

    Attributes:
        most: good → the most that one action can give, 1 or more.
        agents: all agents, including the giver `me`.
        first: the actions listed before all gifts.
        last: the actions listed after all gifts.
    """

    most: Mapping[str, int]
    agents: tuple[str, ...]
    me: str
    first: tuple[str, ...]
    last: tuple[str, ...]

    def __len__(self) -> int:
        gifts = sum(self.most.values()) * (len(self.agents) - 1)
        return len(self.first) + gifts + len(self.last)

    def __iter__(self) -> Iterator[str]:
        yield from self.first
        for good, most in self.most.items():
            for count in range(1, most + 1):
                yield from (give(count, good, to) for to in self.agents if to != self.me)
        yield from self.last

    def __getitem__(self, at: Any) -> Any:
        return [*self][at]

    def __contains__(self, action: object) -> bool:
        if action in self.first or action in self.last:
            return True
        if not isinstance(action, str) or (found := parse_gift(action)) is None:
            return False
        count, good, to = found
        known = to != self.me and to in _names(self.agents)
        return known and 1 <= count <= self.most.get(good, 0) and action == give(*found)

    def told(self) -> list[str]:
        """Return a line for each good, in which AGENT stands for any other agent."""
        gifts = [give(f"1…{most}", good, "AGENT") for good, most in self.most.items()]
        return [*self.first, *gifts, *self.last]


def gives(
    most: Mapping[str, int],
    agents: Sequence[str],
    me: str,
    first: Sequence[str] = (),
    last: Sequence[str] = (),
) -> Sequence[str]:
    """Return all actions of one agent: as a list if there are few agents, else as a rule.

    Args:
        most: good → the most that one action can give.
        agents: all agents.
        me: the giver.
        first: the actions listed before all gifts.
        last: the actions listed after all gifts.
    """
    able = {good: count for good, count in most.items() if count}
    found = Gives(able, tuple(agents), me, tuple(first), tuple(last))
    return found if len(agents) > MANY else list(found)


def read_actions(told: Sequence[str], agents: Sequence[str], me: str) -> Sequence[str]:
    """Return an agent's actions, given the lines that describe them in a letter's facts."""
    gifts = {n: found for n, line in enumerate(told) if (found := _line(line))}
    if not gifts:
        return list(told)
    first, last = told[: min(gifts)], told[max(gifts) + 1 :]
    return gives(dict(gifts.values()), agents, me, first, last)


def actions_in(facts: Mapping[str, Any]) -> dict[str, Sequence[str]]:
    """Return agent → its actions, from a game's facts."""
    told = facts["actions"]
    return {a: actions_of(facts, a) for a in facts["agents"]} if EVERYONE in told else dict(told)


def actions_of(facts: Mapping[str, Any], agent: str) -> Sequence[str]:
    """Return one agent's actions, from a game's facts."""
    told = facts["actions"]
    if EVERYONE not in told:
        return list(told[agent])
    return read_actions(told.get(agent, told[EVERYONE]), facts["agents"], agent)


def legal_in(facts: Mapping[str, Any]) -> Sequence[str]:
    """Return the reader's legal actions from a letter's facts; empty if the reader cannot act."""
    told = [str(action) for action in facts.get("legal") or ()]
    return read_actions(told, facts.get("agents", ()), facts.get("you", ""))


def _line(told: str) -> tuple[str, int] | None:
    """Return the good and the maximal quantity in a line for gifts; None for any other line."""
    first, _, rest = told.partition("…")
    most, _, rest = rest.partition(" ")
    good = rest.removesuffix(" to AGENT")
    return (good, int(most)) if first == "give 1" and good != rest and most.isdecimal() else None


@lru_cache(maxsize=8)
def _names(agents: tuple[str, ...]) -> frozenset[str]:
    return frozenset(agents)
