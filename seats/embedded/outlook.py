"""An embedded agent's expected payoffs under a deal, predicted from its letter's facts.

To value a deal, the agent foresees the rest of the game if all agents keep their duties, and then
applies payments and shares. The agent cannot predict the values that a norm gives after play, so it
expects a norm to give each agent its no-deal payoff plus an even part of the surplus. If the
letter states the agent's payoff under an offer's norm, the caller uses that payoff instead.

Payoffs are totals over the whole game, in the game's unit. A draft amends the contract in force
and leaves the contract's payments unchanged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from shapley_coop.deals.language.clauses import Clause, Do
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.effects import Split
from shapley_coop.deals.language.when import EVERYONE, Every, Turns, When
from shapley_coop.deals.monitor import Duty, Payment, duties_under, payments
from shapley_coop.deals.settlement import apply_payments
from shapley_coop.games import Turn, foresight_of
from shapley_coop.games.foresight import Asked, Foresight, Missing, Part, Payoffs
from shapley_coop.seats.embedded.characters import Character
from shapley_coop.seats.embedded.letter_facts import deal_in, fact, proposal

EPSILON = 1e-9

CANNOT = "I cannot look ahead in this game"
REASONING = "reasoning"


class Unforeseeable(Missing):
    """The error raised if a game cannot be predicted; the agent says its text to all."""


@dataclass(frozen=True)
class Outlook:
    """One agent's expectations of payoffs, under the contract in force and under other deals.

    Attributes:
        world: the agent's predictions of the game.
        standing: the contract in force; an empty deal if there is none.
    """

    world: Foresight
    standing: Deal

    @classmethod
    def of(cls, facts: Mapping[str, Any], record: list[Turn]) -> "Outlook":
        """Make an agent's expectations from its letter's facts and record.

        Raises:
            Missing: facts are missing; the text names them.
            Unforeseeable: the game cannot be predicted.
        """
        if (kind := foresight_of(facts)) is None:
            raise Unforeseeable(CANNOT)
        standing = deal_in(facts.get("contract"))
        return cls(kind(facts, record, _asked_by(standing, kind, facts)), standing)

    @property
    def me(self) -> str:
        """The agent that has these expectations."""
        return self.world.me

    @property
    def agents(self) -> list[str]:
        """All agents of the game."""
        return self.world.agents

    @property
    def without(self) -> Payoffs:
        """Each agent's payoff if the contract in force stays unchanged."""
        return self.value(self.standing)

    @cached_property  # without the cache, each call would search for a plan
    def together(self) -> list[Do]:
        """The duties of the plan with the highest total payoff; empty if promises add no payoff."""
        plan = _clauses(self.world.together())
        return plan if self._gain(plan) > EPSILON or not self.world.sure_of_habits else []

    @property
    def surplus(self) -> float:
        """The gain in total payoff by the plan of `together`."""
        return self._gain(self.together) if self.together else 0.0

    @property
    def wish(self) -> Sequence[Clause]:
        """The clauses that I propose for my own benefit; empty if I want nothing.

        A wish that does not bind every agent also keeps the duties of the contract in force.
        """
        wanted = _clauses(self.world.wish())
        if not wanted or {clause.agent for clause in wanted} == set(self.agents):
            return wanted
        return [*self.standing.duties.values(), *wanted]

    @property
    def wished(self) -> str:
        """The clauses of `wish` as a `<PROPOSAL>` element."""
        return proposal(Deal(clauses=tuple(self.wish)))

    def value(self, deal: Deal, mine: str | None = None) -> Payoffs:
        """Return each agent's payoff under a deal.

        Args:
            deal: a draft that would amend the contract in force, or that contract itself.
            mine: my action for this turn, which replaces the action that the deal asks of me.
        """
        seen = self.world.foresee(self._asked(deal), mine)
        due = payments(self.standing, seen.record)
        if deal.clauses != self.standing.clauses:
            due += payments(deal, seen.record, self.world.turn)
        split = (deal.split or self.standing.split) if seen.whole else None
        return _settle(split, due, seen.holds, self._security if split else {})

    def asks(self, deal: Deal) -> bool:
        """Return whether a deal adds a payment by me, or a duty that I would not do anyway."""
        new = [clause for clause in deal.clauses if clause not in self.standing.clauses]
        asked = [duty for clause in new if (duty := clause.duty) and duty.binds(self.me)]
        pays = any(pay.payer == self.me for clause in new if (pay := clause.transfer))
        return pays or any(not self.world.is_habit(duty.action) for duty in asked)

    @cached_property  # slow, since it simulates the game; every deal with a split needs it
    def _security(self) -> Payoffs:
        """Each agent's payoff if no deal binds any agent from now on."""
        return self.world.foresee(self._asked(Deal())).holds

    def _asked(self, deal: Deal) -> Asked:
        return _asked_by(deal, type(self.world), {"agents": self.agents})

    def _gain(self, plan: Sequence[Do]) -> float:
        return sum(self.value(Deal(clauses=tuple(plan))).values()) - sum(self.without.values())


def _asked_by(deal: Deal, kind: type[Foresight], facts: Mapping[str, Any]) -> Asked:
    """Return a function that lists a deal's duties, without `EVERYONE` if `kind` cannot read it."""
    listed = duties_under(deal)
    if kind.speaks_of_all:
        return listed

    def of_each(record: Sequence[Turn], turn: int) -> list[Duty]:
        asked = listed(record, turn)
        return [
            Duty(agent, duty.action, duty.forbidden, duty.clause)
            for duty in asked
            for agent in (facts["agents"] if duty.agent == EVERYONE else [duty.agent])
        ]

    return of_each


def _clauses(plan: Sequence[Part]) -> list[Do]:
    """Return a plan as the clauses of a deal."""
    return [Do(agent=part.agent, action=part.action, when=_when(part)) for part in plan]


def _when(part: Part) -> When:
    if part.every:
        interval, first = part.every
        return Every(every=interval, start=first)
    return Turns(turns=part.turns) if part.turns else "always"


def _settle(split: Split | None, due: list[Payment], earned: Payoffs, security: Payoffs) -> Payoffs:
    """Return each agent's payoff: its share of the total earnings, plus and minus payments.

    Args:
        split: the split in force, if there is one.
        due: the payments under the deal.
        earned: each agent's earnings before the split and payments.
        security: each agent's payoff without a deal.
    """
    total, held = sum(earned.values()), dict(earned)
    if split and split.fractions:
        held = {a: total * float(x) for a, x in split.fractions.items()}
    elif split:
        gain = (total - sum(security.values())) / len(earned)
        held = {a: security[a] + gain for a in earned}
    return apply_payments(held, due)


def target_of(
    facts: Mapping[str, Any], self_: Character, without: Payoffs, surplus: float, ahead: int = 0
) -> Payoffs:
    """Return my target payoffs: I get my share of the surplus, and the others get equal parts.

    Args:
        facts: the letter's facts.
        self_: my character. My share falls from greed to floor over the rounds; among n agents I
            ask for 2/n of that share.
        without: each agent's payoff without an agreement.
        surplus: the gain in total payoff by the best plan.
        ahead: the number of rounds from now.

    Raises:
        Missing: the letter does not state the round.
    """
    me, at = fact(facts, "you"), int(fact(facts, "round")) + ahead
    share = self_.share(at, int(fact(facts, "rounds")))
    mine = without[me] + share * surplus * 2 / len(without)
    rest = (surplus - (mine - without[me])) / (len(without) - 1)
    return {a: mine if a == me else x + rest for a, x in without.items()}


def transfers_to(target: Payoffs, earned: Payoffs) -> list[tuple[str, str, Fraction]]:
    """Return payments (payer, payee, amount) that turn earnings into the target, to 1/100."""
    gaps = {a: round(Fraction(target[a]) - Fraction(earned[a]), 2) for a in earned}
    owed = {a: -gap for a, gap in gaps.items() if gap < 0}
    found = []
    for payee, need in gaps.items():
        for payer, left in owed.items():
            amount = min(need, left)
            if amount > 0:
                found.append((payer, payee, amount))
                owed[payer] = left - amount
                need -= amount  # noqa: PLW2901 - the rest for the next payer
    return found
