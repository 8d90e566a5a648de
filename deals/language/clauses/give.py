"""Give: an agent hands goods to another."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from shapley_coop.deals.language.clauses.base import Clause, due
from shapley_coop.deals.language.effects import Gift
from shapley_coop.deals.language.spelling import Notes, good, quantity, read_name
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.when import When


class Give(Clause):
    """`giver` hands `quantity` of a `good` to `receiver`, in games in which agents hold goods.

    It is done by the program, once, at the end of the first turn at which `when` holds, before the
    game pays for that turn. `when` is read as a payment's, and cannot be on rewards.
    """

    asked: ClassVar[str] = "One agent hands goods that it holds to another, once."
    also: ClassVar[Mapping[str, str]] = {
        "from": "giver",
        "to": "receiver",
        "item": "good",
        "amount": "quantity",
    }
    needless: ClassVar[Mapping[str, str]] = {"per": "once"}

    kind: Literal["give"] = "give"
    giver: str
    receiver: str
    good: str
    quantity: int
    when: When = "always"

    @property
    def gift(self) -> Gift:
        """What changes hands."""
        return Gift(self.giver, self.receiver, self.good, self.quantity)

    def words(self) -> str:
        """Say who gives whom what."""
        what = f"{self.quantity} {self.good}"
        return f"{self.giver} gives {self.receiver} {what}, once{due(self.when)}."

    @classmethod
    def read(cls, given: Mapping[str, Any], notes: Notes, terms: Terms | None) -> dict[str, Any]:
        """Read who gives whom how much of what."""
        return {
            "giver": read_name(given, "giver", notes, terms),
            "receiver": read_name(given, "receiver", notes, terms),
            "good": good(given, notes, terms),
            "quantity": quantity(given, notes),
        }
