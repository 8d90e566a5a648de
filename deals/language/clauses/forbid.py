"""Forbid: the clause by which an agent must not take an action."""

from typing import ClassVar, Literal

from shapley_coop.deals.language.clauses.do import Asking
from shapley_coop.deals.language.when import words


class Forbid(Asking):
    """`agent` must not take `action` at any turn at which `when` holds.

    "everyone" is each party.
    """

    asked: ClassVar[str] = "The agent does not do this."

    kind: Literal["forbid"] = "forbid"

    def words(self) -> str:
        """Return the agent, the forbidden action and the turns in words."""
        if self.when == "always":
            return f"{self.agent} must never do {self.action}."
        return f"{self.agent} must not do {self.action} {words(self.when)}."
