"""Do: an agent takes an action."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

from shapley_coop.deals.language.clauses.base import Clause
from shapley_coop.deals.language.effects import Duty
from shapley_coop.deals.language.spelling import Notes, read_bound_agent, read_name
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.when import EVERYONE, When, words


class Asking(Clause):
    """What asks something of `agent`: a party, or "everyone" for each of them."""

    lasts: ClassVar[bool] = False

    kind: Literal["do", "forbid"]
    agent: str
    action: str
    when: When = "always"

    @property
    def duty(self) -> Duty:
        """What it asks."""
        return Duty(self.agent, self.action, self.kind == "forbid")

    @classmethod
    def read(cls, given: Mapping[str, Any], notes: Notes, terms: Terms | None) -> dict[str, Any]:
        """Read who does, or does not, what."""
        agent = read_bound_agent(given, notes, terms)
        return {"agent": agent, "action": read_name(given, "action", notes, terms, of=agent)}

    def by_name(self, agents: Sequence[str]) -> Iterator[Self]:
        """Name each of all."""
        for agent in agents if self.agent == EVERYONE else [self.agent]:
            yield self.model_copy(update={"agent": agent})


class Do(Asking):
    """`agent` takes `action` at the turns at which `when` holds; "everyone" is each party."""

    asked: ClassVar[str] = "The agent does this."

    kind: Literal["do"] = "do"

    def words(self) -> str:
        """Say who does what."""
        return f"{self.agent} does {self.action} {words(self.when)}."
