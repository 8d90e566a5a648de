"""The monitor of a contract: duties, payments and breaches, turn by turn.

A clause is a formula of linear temporal logic on finite traces: "at each of these turns, if the
condition holds then this is done". Its verdict has three values (Bauer, Leucker and Schallhart,
2011): `violated` after a breach, `satisfied` once the clause can bind at none of the turns left,
and `pending` until then. Verdicts are sound, not complete: a condition on the history counts as
possible while turns are left. A
payment is `satisfied` once it can no longer fall due. The split of the total is `satisfied` when
the game is over. No agent can violate a payment or the split.

>>> from shapley_coop.deals.language.clauses import Do
>>> from shapley_coop.deals.language.deal import Deal
>>> from shapley_coop.deals.language.when import Turns
>>> monitor = Monitor(Deal(clauses=[Do(agent="Bob", action="take", when=Turns(turns=(1, 2)))]))
>>> monitor.observe({"turn": 1, "actions": {"Bob": "take"}, "rewards": {}})
>>> monitor.verdicts(turns=9), monitor.duties()
({'c1': 'pending'}, [Duty(agent='Bob', action='take', forbidden=False, clause='c1')])
>>> monitor.observe({"turn": 2, "actions": {}, "rewards": {}})
>>> monitor.breaches[0].evidence
'turn 2: Bob did nothing, owed take'

A turn costs about 1 μs for each clause, however many turns came before.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

from shapley_coop.amounts import exact
from shapley_coop.deals.compiled import (
    Clauses,
    Memories,
    after,
    compile_contract,
    compiled_clause,
    duties_at,
    only_once,
    payments_due,
    start,
)
from shapley_coop.deals.contract import Contract
from shapley_coop.deals.goods import Handover, handovers, shortfalls
from shapley_coop.deals.language import effects
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.when import EVERYONE
from shapley_coop.games import Turn
from shapley_coop.games.open_turns import OpenTurns, always_open
from shapley_coop.games.turns import refused_by_budget

Verdict = Literal["satisfied", "violated", "pending"]


@dataclass(frozen=True)
class Duty(effects.Duty):
    """The duty that one clause puts on an agent, or on "everyone", at one turn."""

    clause: str


@dataclass(frozen=True)
class Payment:
    """A payment that one clause makes due at one turn, in the game's unit."""

    clause: str
    turn: int
    payer: str
    payee: str
    amount: Fraction


@dataclass(frozen=True)
class Breach:
    """A breach of a clause: the agent, the turn, and the evidence in words."""

    clause: str
    agent: str
    turn: int
    evidence: str


class _Step(NamedTuple):
    """The monitor's state after a turn; the first step is the state before turn 1."""

    memories: Memories
    paid: frozenset[str] = frozenset()  # clauses whose single payment or gift has fallen due
    duties: tuple[Duty, ...] = ()
    breaches: tuple[Breach, ...] = ()
    payments: tuple[Payment, ...] = ()
    bound: int = 0  # number of duties, counted once for each agent that a clause bound
    handovers: tuple[Handover, ...] = ()


class Monitor:
    """The judge of a record under a contract: it finds the duties and breaches of each turn.

    An agent that takes no action breaches a duty to act, unless the record says that the operator's
    budget left the agent no model call. Idling never breaches a `forbid`. An agent has no duty to
    act at a turn at which the game does not admit the action.

    Args:
        agreed: a deal in force from turn 1 on, a contract with all its amendments, compiled
            clauses, or None.
        open_turns: the turns at which an action can be taken (`Game.open_turns`).
    """

    def __init__(
        self, agreed: Deal | Contract | Clauses | None, open_turns: OpenTurns = always_open
    ) -> None:
        self.clauses = agreed if isinstance(agreed, tuple) else compile_contract(agreed)
        self.open_turns = open_turns
        self.turns: list[Turn] = []
        self._steps = [_Step(start(self.clauses))]

    def observe(self, turn: Turn) -> None:
        """Judge the next turn and append the result."""
        number, before = turn["turn"], self._steps[-1]
        asked = self._asked(before.memories, number)
        memories = after(self.clauses, before.memories, turn)
        due = payments_due(self.clauses, memories, number, before.paid)
        cut = refused_by_budget(turn)
        broken = [
            _breach(cid, x, agent, turn)
            for cid, x in asked.items()
            for agent in self._bound(x, turn)
            if not (agent in cut or x.keeps(turn["actions"].get(agent)))
        ]
        broken += [Breach(cid, giver, number, why) for cid, giver, why in shortfalls(turn)]
        payments = [_payment(cid, x, turn) for cid, x in due.items()]
        given = handovers(self.clauses, memories, number, before.paid)
        self.turns.append(turn)
        self._steps.append(
            _Step(
                memories,
                before.paid | only_once(due) | {x.clause for x in given},
                tuple(_duty_list(asked)),
                tuple(broken),
                tuple([payment for payment in payments if payment.amount]),
                sum(len(self._bound(x, turn)) for x in asked.values()),
                tuple(given),
            )
        )

    def handing_over(self, turn: Turn) -> list[Handover]:
        """Return the gifts due at the end of the next turn, given the actions taken in the turn."""
        memories = after(self.clauses, self.memories, turn)
        return handovers(self.clauses, memories, turn["turn"], self.paid)

    def duties(self, turn: int | None = None) -> list[Duty]:
        """Return the duties at the next turn, or as if the next turn had the number `turn`."""
        return _duty_list(self._asked(self.memories, turn or len(self.turns) + 1))

    def _asked(self, memories: Memories, turn: int) -> dict[str, effects.Duty]:
        """Return clause id → the duty at a turn, without duties that the game does not admit."""
        asked = duties_at(self.clauses, memories, turn)
        if self.open_turns is always_open:
            return asked
        return {
            cid: x
            for cid, x in asked.items()
            if x.agent == EVERYONE or self._is_open(x, x.agent, turn)
        }

    def _bound(self, duty: effects.Duty, turn: Turn) -> Collection[str]:
        """Return the agents that a duty binds; "everyone" means all agents that can act."""
        if duty.agent != EVERYONE:
            return (duty.agent,)
        return [agent for agent in turn["rewards"] if self._is_open(duty, agent, turn["turn"])]

    def _is_open(self, duty: effects.Duty, agent: str, turn: int) -> bool:
        inside = None if duty.forbidden else self.open_turns(agent, duty.action)
        return inside is None or any(first <= turn <= last for first, last in inside)

    @property
    def asked(self) -> list[tuple[Duty, ...]]:
        """The duties at each observed turn."""
        return [step.duties for step in self._steps[1:]]

    @property
    def memories(self) -> Memories:
        """The memories of the clauses after the observed turns."""
        return self._steps[-1].memories

    @property
    def paid(self) -> frozenset[str]:
        """The ids of clauses whose single payment or gift has fallen due."""
        return self._steps[-1].paid

    @property
    def breaches(self) -> list[Breach]:
        """All breaches so far, in the order of turns."""
        return [breach for step in self._steps for breach in step.breaches]

    @property
    def payments(self) -> list[Payment]:
        """All payments that fell due so far, in the order of turns."""
        return [payment for step in self._steps for payment in step.payments]

    @property
    def handovers(self) -> list[Handover]:
        """All gifts that fell due so far, in the order of turns."""
        return [handover for step in self._steps for handover in step.handovers]

    @property
    def owed(self) -> int:
        """The number of duties so far: one for each clause, turn and agent."""
        return sum(step.bound for step in self._steps)

    def verdicts(self, turns: int, over: bool = False) -> dict[str, Verdict]:
        """Return clause id → verdict.

        Args:
            turns: the largest number of turns of the game.
            over: whether no turn follows. If so, each clause without a breach is satisfied.
        """
        broken = {breach.clause for breach in self.breaches}
        now = (self.turns[-1]["turn"] if self.turns else 0) + 1
        return {
            each.cid: "violated"
            if each.cid in broken
            else "satisfied"
            if over or each.cid in self.paid or not each.may_bind(now, turns)
            else "pending"
            for each in self.clauses
        }

    def on(self, record: Sequence[Turn]) -> "Monitor":
        """Return a monitor of `record`; turns that both records begin with are not judged again."""
        known = _common(self.turns, record)
        other = Monitor(self.clauses, self.open_turns)
        other.turns, other._steps = self.turns[:known], self._steps[: known + 1]
        for turn in record[known:]:
            other.observe(turn)
        return other


def duties(deal: Deal, before: Sequence[Turn], turn: int) -> list[Duty]:
    """Return the duties under the deal at `turn`, given the turns before it."""
    return duties_under(deal)(before, turn)


def duties_under(deal: Deal) -> Callable[[Sequence[Turn], int], list[Duty]]:
    """Return a function of (the turns before a turn, the turn) that lists the deal's duties."""
    clauses = tuple(compiled_clause(cid, duty) for cid, duty in deal.duties.items())

    def listed(before: Sequence[Turn], turn: int) -> list[Duty]:
        memories = start(clauses)
        if any(memories):
            for played in before:
                memories = after(clauses, memories, played)
        return _duty_list(duties_at(clauses, memories, turn))

    return listed


def payments(deal: Deal, record: Sequence[Turn], since: int = 1) -> list[Payment]:
    """Return the payments under the deal that fall due in the record from turn `since` on."""
    clauses = tuple(compiled_clause(cid, pay, since) for cid, pay in deal.pays.items())
    memories, paid, found = start(clauses), frozenset[str](), list[Payment]()
    for turn in record if clauses else ():
        memories = after(clauses, memories, turn)
        due = payments_due(clauses, memories, turn["turn"], paid)
        paid |= only_once(due)
        found += [x for cid, pay in due.items() if (x := _payment(cid, pay, turn)).amount]
    return found


def _common(known: Sequence[Turn], record: Sequence[Turn]) -> int:
    """Return the number of turns that are equal at the start of both records."""
    for n, (old, new) in enumerate(zip(known, record, strict=False)):
        if old != new:
            return n
    return min(len(known), len(record))


def _duty_list(asked: Mapping[str, effects.Duty]) -> list[Duty]:
    return [Duty(x.agent, x.action, x.forbidden, cid) for cid, x in asked.items()]


def _breach(cid: str, duty: effects.Duty, agent: str, turn: Turn) -> Breach:
    did = turn["actions"].get(agent, "nothing")
    wanted = f"not {duty.action}" if duty.forbidden else duty.action
    evidence = f"turn {turn['turn']}: {agent} did {did}, owed {wanted}"
    return Breach(cid, agent, turn["turn"], evidence)


def _payment(cid: str, pay: effects.Transfer, turn: Turn) -> Payment:
    reward = exact(turn["rewards"].get(pay.payer, 0))
    return Payment(cid, turn["turn"], pay.payer, pay.payee, pay.due(reward))
