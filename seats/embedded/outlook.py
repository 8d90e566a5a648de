"""What an agent foresees; and how, by enumeration, where its letter has a table of payoffs."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import product
from typing import Any, Protocol

from shapley_coop.deals import Deal, Do, Duty, Forbid, Payment, Share, duties, payments
from shapley_coop.games import Turn

EPSILON = 1e-9
_NOTHING = Deal()

Payoffs = dict[str, float]
Play = dict[str, str]


class Missing(LookupError):
    """The letter lacks a fact that the decision needs."""


def needed(facts: Mapping[str, Any], *names: str) -> None:
    """Insist on facts.

    Raises:
        Missing: names those that are not there.
    """
    if lacking := [name for name in names if name not in facts]:
        raise Missing(f"the letter does not say: {', '.join(lacking)}")


class Foresight(Protocol):
    """What bargaining asks of an agent's foresight, whatever the game.

    Payoffs are what everybody ends up with, in the game's unit.
    """

    @property
    def me(self) -> str:
        """Who foresees."""

    @property
    def agents(self) -> list[str]:
        """Everybody."""

    @property
    def alone(self) -> Payoffs:
        """What everybody gets if nothing more is agreed."""

    @property
    def surplus(self) -> float:
        """What full cooperation adds to that."""

    @property
    def together(self) -> list[Do | Forbid]:
        """What full cooperation asks of everybody; nothing if it adds nothing."""

    @property
    def wish(self) -> list[Do | Forbid]:
        """What I propose for my own good; nothing if I want nothing."""

    def value(self, deal: Deal, mine: str | None = None) -> Payoffs:
        """What everybody gets under a deal, if need be with an action of my own this turn."""

    def asks(self, deal: Deal) -> bool:
        """Whether a deal asks anything new of me."""

    def habit(self, legal: list[str]) -> str:
        """What I do without a deal."""

    def options(self, legal: list[str]) -> list[str]:
        """What is worth weighing this turn."""


@dataclass(frozen=True)
class Outlook:
    """The letter's payoffs, and what follows from them.

    A deal is valued by playing the rest of the game in the mind: who has a duty keeps it, who
    has none does what pays best against uniform beliefs, and payments and shares are applied.
    A norm that will be computed later is expected to give everyone its security plus an even
    share of the surplus: the agent cannot compute it and does not try.

    Whatever is weighed is weighed over the whole game, with what has been earned so far and with
    the payments that stand: a draft amends the contract, and leaves them as they are.
    """

    me: str
    agents: list[str]
    actions: dict[str, list[str]]
    pays: dict[tuple[str, ...], Mapping[str, float]]
    turn: int
    turns: int
    record: list[Turn]
    standing: Deal

    @classmethod
    def of(cls, facts: Mapping[str, Any], record: list[Turn]) -> "Outlook":
        """Read the letter.

        Raises:
            Missing: names the fact that is not there.
        """
        needed(facts, "you", "agents", "actions", "payoffs", "turn", "turns")
        agents = list(facts["agents"])
        try:
            actions = {a: facts["actions"][a] for a in agents}
            pays: dict[tuple[str, ...], Mapping[str, float]] = {
                tuple(cell["play"][a] for a in agents): {a: cell["pays"][a] for a in agents}
                for cell in facts["payoffs"]
            }
        except KeyError as lost:
            raise Missing(f"the letter's actions or payoffs lack {lost.args[0]}") from None
        contract = facts.get("contract") or {"clauses": []}
        return cls(
            me=facts["you"],
            agents=agents,
            actions=actions,
            pays=pays,
            turn=int(facts["turn"]),
            turns=int(facts["turns"]),
            record=record,
            standing=Deal.model_validate({"clauses": contract["clauses"]}),
        )

    def payoff(self, play: Play) -> Mapping[str, float]:
        """What one joint action pays each agent."""
        key = tuple(play[a] for a in self.agents)
        if key not in self.pays:
            raise Missing(f"the letter does not say what {play} pays")
        return self.pays[key]

    def plays(self, **fixed: str) -> list[Play]:
        """All joint actions in which the fixed agents do the fixed things."""
        choices = [[fixed[a]] if a in fixed else self.actions[a] for a in self.agents]
        return [dict(zip(self.agents, play, strict=True)) for play in product(*choices)]

    def expected(self, agent: str, action: str) -> float:
        """An agent's mean payoff if all others are equally likely to do anything."""
        plays = self.plays(**{agent: action})
        return sum(self.payoff(play)[agent] for play in plays) / len(plays)

    @cached_property
    def default(self) -> Play:
        """What everybody does without a deal: the best action against uniform beliefs."""
        return {a: max(self.actions[a], key=partial(self.expected, a)) for a in self.agents}

    @cached_property
    def earned(self) -> Payoffs:
        """What everybody has earned so far."""
        return {a: float(sum(t["rewards"].get(a, 0) for t in self.record)) for a in self.agents}

    @cached_property
    def security(self) -> Payoffs:
        """What everybody would earn in the whole game if nothing bound anybody from now on."""
        left = self.turns - self.turn + 1
        return {a: self.earned[a] + left * float(x) for a, x in self.payoff(self.default).items()}

    @cached_property
    def alone(self) -> Payoffs:
        """What everybody ends up with if nothing more is agreed: as the contract has it."""
        if not self.standing.clauses:
            return self.security
        return self._ending(self.standing)

    @cached_property
    def wish(self) -> list[Do | Forbid]:
        """What I propose for my own good: what pays me most, then all together."""
        return _duties(self.best_for(self.me))

    @cached_property
    def together(self) -> list[Do | Forbid]:
        """What is best for all: what pays all together most, then me."""
        return _duties(self.best_for_all)

    def asks(self, deal: Deal) -> bool:
        """Whether a deal asks anything of me that the contract does not; a payment is one more."""
        pays = any(pay.payer == self.me for pay in deal.pays.values())
        new = [duty for duty in deal.duties.values() if duty not in self.standing.clauses]
        return pays or any(duty.agent == self.me for duty in new)

    def habit(self, legal: list[str]) -> str:
        """What I do without a deal: the best against uniform beliefs."""
        return max(legal, key=partial(self.expected, self.me))

    def options(self, legal: list[str]) -> list[str]:
        """Everything."""
        return legal

    def best_for(self, agent: str) -> Play:
        """The joint action that pays one agent most, then all together."""
        return max(self.plays(), key=lambda p: (self.payoff(p)[agent], self.total(p)))

    @cached_property
    def best_for_all(self) -> Play:
        """The joint action that pays all together most, then me."""
        return max(self.plays(), key=lambda p: (self.total(p), self.payoff(p)[self.me]))

    def total(self, play: Play) -> float:
        """The collective payoff of one joint action."""
        return float(sum(self.payoff(play).values()))

    @cached_property
    def surplus(self) -> float:
        """What full cooperation adds to what everybody ends up with if nothing more is agreed."""
        left = self.turns - self.turn + 1
        most = sum(self.earned.values()) + left * self.total(self.best_for_all)
        return most - sum(self.alone.values())

    def value(self, deal: Deal, mine: str | None = None) -> Payoffs:
        """What everybody would end up with under a deal.

        Args:
            deal: a draft, which would amend the contract that stands; or, where an action of my
                own is weighed, that contract.
            mine: an action of my own for this turn, in place of what the contract asks of me.
        """
        if mine is not None:
            return self._ending(deal, mine=mine)
        return self._ending(deal, self.standing, since=self.turn)

    def _ending(
        self, deal: Deal, amended: Deal = _NOTHING, since: int = 1, mine: str | None = None
    ) -> Payoffs:
        """What everybody ends up with if a deal is kept that makes payments due from a turn on.

        The payments and the split of what it amends stay, unless it brings a split of its own.
        """
        record = list(self.record)
        for turn in range(self.turn, self.turns + 1):
            play = self.foresee(duties(deal, record, turn))
            if mine is not None and turn == self.turn:
                play[self.me] = mine
            record.append({"turn": turn, "actions": play, "rewards": dict(self.payoff(play))})
        earned = {a: float(sum(t["rewards"].get(a, 0) for t in record)) for a in self.agents}
        due = [*payments(amended, record), *payments(deal, record, since)]
        return settled(deal.share or amended.share, due, earned, self.security)

    def foresee(self, owed: list[Duty]) -> Play:
        """What I expect everybody to do: its duty, else what it would do without a deal."""
        play = dict(self.default)
        for duty in owed:
            if not duty.forbidden:
                play[duty.agent] = duty.action
            elif play[duty.agent] == duty.action:
                others = [x for x in self.actions[duty.agent] if x != duty.action]
                play[duty.agent] = max(others, key=partial(self.expected, duty.agent))
        return play


def _duties(play: Play) -> list[Do | Forbid]:
    return [Do(agent=agent, action=action) for agent, action in play.items()]


def settled(share: Share | None, due: list[Payment], earned: Payoffs, security: Payoffs) -> Payoffs:
    """What everybody ends up with: the share of all that was earned, then the payments.

    Args:
        share: the split that stands, if there is one.
        due: what is paid.
        earned: what everybody holds before anything moves.
        security: what everybody would hold without a deal. A norm that is computed later is
            expected to give it, and an even part of the rest.
    """
    total, held = sum(earned.values()), dict(earned)
    if share and share.fractions:
        held = {a: total * float(x) for a, x in share.fractions.items()}
    elif share:
        gain = (total - sum(security.values())) / len(earned)
        held = {a: security[a] + gain for a in earned}
    for payment in due:
        held[payment.payer] -= float(payment.amount)
        held[payment.payee] += float(payment.amount)
    return held


def transfers_to(target: Payoffs, earned: Payoffs) -> list[tuple[str, str, Fraction]]:
    """Who pays whom so that earnings become the target, in cents: (payer, payee, amount)."""
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
