"""Pay: the clause by which an agent pays another agent."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field

from shapley_coop.amounts import Exact, plain
from shapley_coop.deals.language.clauses.base import Clause, due
from shapley_coop.deals.language.effects import OTHERS, Transfer, portions
from shapley_coop.deals.language.spelling import Notes, amount, part, per, read_name
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.when import When


class Pay(Clause):
    """`payer` pays `payee`, at the end of turns at which `when` holds.

    If `basis` is "once", `amount` is paid at the first such turn; if "turn", at each such turn. If
    `basis` is "reward", `amount` is the part of the payer's reward that is paid at each such turn.
    `when` is read after the turn, so `{"last": …}` is an action of that turn. As payer or payee,
    "others" is all other agents, each with an equal part of the amount.
    """

    asked: ClassVar[str] = """
        One agent pays another: once, at each turn at which `when` holds, or a part of its reward.

        As payer or payee, "others" is everybody else, in equal parts.
        """
    in_fields: ClassVar[Mapping[str, Any]] = {
        "amount": Annotated[
            Exact, Field(description="A number, or an exact fraction as text, such as '1/3'.")
        ]
    }
    spelt: ClassVar[Mapping[str, str]] = {"basis": "per"}
    also: ClassVar[Mapping[str, str]] = {"from": "payer", "to": "payee"}

    kind: Literal["pay"] = "pay"
    payer: str
    payee: str
    amount: Exact = Field(description="In the game's unit; a fraction in 0..1 for basis 'reward'.")
    basis: Literal["once", "turn", "reward"] = "once"
    when: When = "always"

    @property
    def transfer(self) -> Transfer:
        """The payment."""
        return Transfer(self.payer, self.payee, self.amount, self.basis)

    def words(self) -> str:
        """Return payer, payee, amount, basis and condition in words."""
        when = due(self.when)
        start, split = f"{self.payer} pays {self.payee}", ""
        if self.payee == OTHERS:
            start, split = f"{self.payer} pays", ", split evenly among all others,"
        elif self.payer == OTHERS:
            start, split = f"All others pay {self.payee}", ", split evenly among them,"
        match self.basis:
            case "reward":
                much = f"{part(self.amount)} of what {self.payer} earns"
                split = split.rstrip(",") if when else split
                return f"{start} {much}{split}{when or ' at every turn'}."
            case "turn":
                return f"{start} {plain(self.amount)}{split} for each turn{when}."
            case "once":
                return f"{start} {plain(self.amount)}{split or ','} once{when}."

    @classmethod
    def read(cls, given: Mapping[str, Any], notes: Notes, terms: Terms | None) -> dict[str, Any]:
        """Read the payer, the payee, the basis and the amount."""
        payer, payee = (read_name(given, key, notes, terms) for key in ("payer", "payee"))
        basis = per(given, notes)
        much = amount(given.get("amount"), "amount", notes, basis == "reward")
        return {"payer": payer, "payee": payee, "basis": basis, "amount": much}

    def by_name(self, agents: Sequence[str]) -> Iterator[Self]:
        """Yield one payment for each agent that "others" means, with that agent's part."""
        if OTHERS not in (self.payer, self.payee):
            yield self
            return
        side = "payer" if self.payer == OTHERS else "payee"
        ends = portions(self, agents)
        for agent in (a for a in agents if a in ends and a not in (self.payer, self.payee)):
            much = self.amount * abs(Fraction(ends[agent]))
            yield self.model_copy(update={side: agent, "amount": much})
