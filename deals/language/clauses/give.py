"""Give: the clause by which an agent hands goods to another agent."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from shapley_coop.deals.language.clauses.base import Clause, due
from shapley_coop.deals.language.effects import Gift
from shapley_coop.deals.language.spelling import Notes, good, quantity, read_name
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.when import When


class Give(Clause):
    """`giver` hands `quantity` of a `good` to `receiver`, in games in which agents hold goods.

    The program moves the goods once, at the end of the first turn at which `when` holds, before the
    game pays for that turn. As in a payment, `when` is read after the turn; it cannot use rewards.
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
        """The goods that change hands."""
        return Gift(self.giver, self.receiver, self.good, self.quantity)

    def words(self) -> str:
        """Return the gift and its condition in words."""
        what = f"{self.quantity} {self.good}"
        return f"{self.giver} gives {self.receiver} {what}, once{due(self.when)}."

    @classmethod
    def read(cls, given: Mapping[str, Any], notes: Notes, terms: Terms | None) -> dict[str, Any]:
        """Read the giver, the receiver, the good and the quantity."""
        return {
            "giver": read_name(given, "giver", notes, terms),
            "receiver": read_name(given, "receiver", notes, terms),
            "good": good(given, notes, terms),
            "quantity": quantity(given, notes),
        }
