"""What an agent expects of a deal: the world that its letter's foresight pictures, and the money.

A deal is valued by picturing the rest of the game: who has a duty keeps it, then payments and
shares are applied. A norm that will be computed later is expected to give each agent what it would
have without a deal plus an even part of the surplus: the agent cannot compute it and does not try.
Where its letter has computed what an offer's norm pays it, that counts in place of this.

Payoffs are what each agent ends up with over the whole game, in the game's unit: a draft amends
the contract in force, and leaves its payments as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

from shapley_coop.deals.language.clauses import Clause, Do
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.effects import Split
from shapley_coop.deals.language.when import EVERYONE, Every, Turns, When
from shapley_coop.deals.monitor import Duty, Payment, duties, payments
from shapley_coop.deals.settlement import apply_payments
from shapley_coop.games import Turn, foresight_of
from shapley_coop.games.foresight import Asked, Foresight, Missing, Part, Payoffs
from shapley_coop.seats.embedded.characters import Character
from shapley_coop.seats.embedded.letter_facts import deal_in, fact, proposal

EPSILON = 1e-9

REASONING = "reasoning"


class Unforeseeable(Missing):
    """Nothing looks ahead in this game: no foresight is known for it, and no table of payoffs."""


@dataclass(frozen=True)
class Outlook:
    """What one agent expects.

    Attributes:
        world: the game as it pictures it.
        standing: the contract in force; an empty deal where there is none.
    """

    world: Foresight
    standing: Deal

    @classmethod
    def of(cls, facts: Mapping[str, Any], record: list[Turn]) -> "Outlook":
        """Read the letter.

        Raises:
            Missing: names the facts that are not there.
            Unforeseeable: nothing looks ahead in this game.
        """
        if (kind := foresight_of(facts)) is None:
            raise Unforeseeable("the letter does not say: payoffs")
        standing = deal_in(facts.get("contract"))
        return cls(kind(facts, record, _asked_by(standing, kind, facts)), standing)

    @property
    def me(self) -> str:
        """Whose outlook it is."""
        return self.world.me

    @property
    def agents(self) -> list[str]:
        """All agents."""
        return self.world.agents

    @property
    def alone(self) -> Payoffs:
        """What each agent gets if nothing more is agreed: as the contract has it."""
        return self.value(self.standing)

    @cached_property  # it searches for a plan
    def together(self) -> list[Do]:
        """What the best plan for all asks of each agent; nothing if promising it adds nothing."""
        plan = _clauses(self.world.together())
        return plan if self._gain(plan) > EPSILON or not self.world.sure_of_habits else []

    @property
    def surplus(self) -> float:
        """What that plan adds."""
        return self._gain(self.together) if self.together else 0.0

    @property
    def wish(self) -> Sequence[Clause]:
        """What I propose for my own good; nothing if I want nothing.

        A wish that leaves some agents out lets the duties of the contract stand.
        """
        wanted = _clauses(self.world.wish())
        if not wanted or {clause.agent for clause in wanted} == set(self.agents):
            return wanted
        return [*self.standing.duties.values(), *wanted]

    @property
    def wished(self) -> str:
        """The same, as the part of a message that offers it."""
        return proposal(Deal(clauses=tuple(self.wish)))

    def value(self, deal: Deal, mine: str | None = None) -> Payoffs:
        """Return what each agent ends up with under a deal.

        Args:
            deal: a draft, which would amend the contract in force; or that contract.
            mine: an action of my own for this turn, in place of what the deal asks of me.
        """
        seen = self.world.foresee(self._asked(deal), mine)
        due = payments(self.standing, seen.record)
        if deal.clauses != self.standing.clauses:
            due += payments(deal, seen.record, self.world.turn)
        split = (deal.split or self.standing.split) if seen.whole else None
        return _settle(split, due, seen.holds, self._security if split else {})

    def asks(self, deal: Deal) -> bool:
        """Whether a deal asks of me what the contract does not, and I would not do anyway."""
        new = [clause for clause in deal.clauses if clause not in self.standing.clauses]
        asked = [duty for clause in new if (duty := clause.duty) and duty.binds(self.me)]
        pays = any(pay.payer == self.me for clause in new if (pay := clause.transfer))
        return pays or any(not self.world.is_habit(duty.action) for duty in asked)

    @cached_property  # it foresees the game, and every deal is weighed against it
    def _security(self) -> Payoffs:
        """What each agent holds if no deal ever binds anyone from now on."""
        return self.world.foresee(self._asked(Deal())).holds

    def _asked(self, deal: Deal) -> Asked:
        return _asked_by(deal, type(self.world), {"agents": self.agents})

    def _gain(self, plan: Sequence[Do]) -> float:
        return sum(self.value(Deal(clauses=tuple(plan))).values()) - sum(self.alone.values())


def _asked_by(deal: Deal, kind: type[Foresight], facts: Mapping[str, Any]) -> Asked:
    """What a deal asks for, as a foresight takes it: of everyone as one, or of each agent."""
    if kind.speaks_of_all:
        return partial(duties, deal)

    def of_each(record: Sequence[Turn], turn: int) -> list[Duty]:
        asked = duties(deal, record, turn)
        return [
            replace(duty, agent=agent)
            for duty in asked
            for agent in (facts["agents"] if duty.agent == EVERYONE else [duty.agent])
        ]

    return of_each


def _clauses(plan: Sequence[Part]) -> list[Do]:
    """Return a plan in the words of a deal."""
    return [Do(agent=part.agent, action=part.action, when=_when(part)) for part in plan]


def _when(part: Part) -> When:
    if part.every:
        interval, first = part.every
        return Every(every=interval, start=first)
    return Turns(turns=part.turns) if part.turns else "always"


def _settle(split: Split | None, due: list[Payment], earned: Payoffs, security: Payoffs) -> Payoffs:
    """Return what each agent ends up with: its part of all that was earned, then the payments.

    Args:
        share: the split in force, if there is one.
        due: what is paid.
        earned: what each agent holds before anything moves.
        security: what each would hold without a deal.
    """
    total, held = sum(earned.values()), dict(earned)
    if split and split.fractions:
        held = {a: total * float(x) for a, x in split.fractions.items()}
    elif split:
        gain = (total - sum(security.values())) / len(earned)
        held = {a: security[a] + gain for a in earned}
    return apply_payments(held, due)


def target_of(
    facts: Mapping[str, Any], self_: Character, alone: Payoffs, surplus: float, ahead: int = 0
) -> Payoffs:
    """Return what each agent would get if I had my way: my share of the surplus, the rest evenly.

    Args:
        facts: the letter's.
        self_: my character: my share falls from greed to floor over the rounds of talk, and among
            n agents I ask for 2/n of it.
        alone: what each has without an agreement.
        surplus: what the best plan for all adds.
        ahead: so many rounds from now.

    Raises:
        Missing: the letter does not say which round it is.
    """
    me, at = fact(facts, "you"), int(fact(facts, "round")) + ahead
    share = self_.share(at, int(fact(facts, "rounds")))
    mine = alone[me] + share * surplus * 2 / len(alone)
    rest = (surplus - (mine - alone[me])) / (len(alone) - 1)
    return {a: mine if a == me else x + rest for a, x in alone.items()}


def transfers_to(target: Payoffs, earned: Payoffs) -> list[tuple[str, str, Fraction]]:
    """Return who pays whom so that earnings become the target, in cents: (payer, payee, amount)."""
    gaps = {a: round(Fraction(target[a]) - Fraction(earned[a]), 2) for a in earned}
    owed = {a: -gap for a, gap in gaps.items() if gap < 0}
    found = []
    for payee, need in gaps.items():
        for payer, left in owed.items():
            amount = min(need, left)
            if amount > 0:
                found.append((payer, payee, amount))
                owed[payer] = left - amount
                need -= amount  # noqa: PLW2901 - what is left of it
    return found
