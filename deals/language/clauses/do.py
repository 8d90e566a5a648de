"""Do: the clause by which an agent must take an action."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

from shapley_coop.deals.language.clauses.base import Clause
from shapley_coop.deals.language.effects import Duty
from shapley_coop.deals.language.spelling import Notes, read_bound_agent, read_name
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.when import (
    EVERYONE,
    Count,
    Earned,
    Last,
    When,
    conditions_in,
    words,
)


class Asking(Clause):
    """The base of `Do` and `Forbid`: `agent`, a party or "everyone" (all parties), has a duty."""

    lasts: ClassVar[bool] = False

    kind: Literal["do", "forbid"]
    agent: str
    action: str
    when: When = "always"

    @property
    def duty(self) -> Duty:
        """The duty to take, or not to take, the action."""
        return Duty(self.agent, self.action, self.kind == "forbid")

    @classmethod
    def read(cls, given: Mapping[str, Any], notes: Notes, terms: Terms | None) -> dict[str, Any]:
        """Read the agent and the action."""
        agent = read_bound_agent(given, notes, terms)
        return {"agent": agent, "action": read_name(given, "action", notes, terms, of=agent)}

    def wrong(self, terms: Terms) -> str:
        """Refuse a condition on what was done before the only turn, as it binds nobody."""
        after = any(isinstance(part, Last | Count | Earned) for part in conditions_in(self.when))
        if terms.turns > 1 or not after:
            return ""
        return ": nothing is done before the only turn, so its `when` never holds: leave it out"

    def by_name(self, agents: Sequence[str]) -> Iterator[Self]:
        """Yield one clause for each agent that the clause binds."""
        for agent in agents if self.agent == EVERYONE else [self.agent]:
            yield self.model_copy(update={"agent": agent})


class Do(Asking):
    """`agent` must take `action` at each turn at which `when` holds; "everyone" is each party."""

    asked: ClassVar[str] = "The agent does this."

    kind: Literal["do"] = "do"

    @classmethod
    def read(cls, given: Mapping[str, Any], notes: Notes, terms: Terms | None) -> dict[str, Any]:
        """Read the agent and the action; without `when`, the action's only turn if it has one."""
        found = super().read(given, notes, terms)
        only = _only_turn(found["agent"], found["action"], terms) if terms else None
        if only is None or given.get("when") is not None:
            return found
        notes.repaired(f"read no `when` as turn {only}, the only one for {found['action']}")
        return {**found, "when": {"turns": [only, only]}}

    def words(self) -> str:
        """Return the agent, the action and the turns in words."""
        return f"{self.agent} does {self.action} {words(self.when)}."


def _only_turn(agent: str, action: str, terms: Terms) -> int | None:
    """Return the only turn left at which an agent, or all parties, can take an action, or None."""
    bound = terms.agents if agent == EVERYONE else [agent]
    if any(action not in terms.actions.get(one, ()) for one in bound):
        return None
    possible = set[int]()
    for one in bound:
        if (inside := terms.open_turns(one, action)) is None:
            return None
        possible.update(turn for span in inside for turn in range(span[0], span[1] + 1))
    left = [turn for turn in possible if turn >= terms.now]
    return left[0] if len(left) == 1 else None
