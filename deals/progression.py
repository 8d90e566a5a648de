"""Watching a contract while it runs: after every turn each clause is kept, broken or still open.

A clause is a formula of linear temporal logic on finite traces, "at each of these turns, if the
condition holds then this is done", and its verdict has three values (Bauer, Leucker and
Schallhart, 2011): `violated` once it was broken, `satisfied` once no course of the game can break
it any more, and `pending` until then. A payment is `satisfied` once none can fall due any more,
the split of the total when the game is over; neither can be violated by an agent.

>>> from shapley_coop.deals import Deal, Do, Turns
>>> watch = Watch.of(Deal(clauses=[Do(agent="Bob", action="take", when=Turns(turns=(1, 2)))]), 9)
>>> one = watch.after(watch.start(), {"turn": 1, "actions": {"Bob": "take"}, "rewards": {}})
>>> two = watch.after(one, {"turn": 2, "actions": {"Bob": "take"}, "rewards": {}})
>>> one.verdicts, two.verdicts
({'c1': 'pending'}, {'c1': 'satisfied'})
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import TypeAdapter

from shapley_coop.deals.contract import Contract, Term, contract_breaches, contract_duties
from shapley_coop.deals.language.clauses import Clause, Do, Forbid, Pay, Share
from shapley_coop.deals.language.condition import Actions, Condition
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.memory import Memory
from shapley_coop.deals.monitor import Breach, Duty, breach_of
from shapley_coop.games import Turn

Verdict = Literal["satisfied", "violated", "pending"]

_clause: TypeAdapter[Clause] = TypeAdapter(Clause)


@dataclass(frozen=True)
class Standing:
    """Where a contract stands after a turn.

    Attributes:
        turn: the latest turn seen; 0 before the first.
        verdicts: clause id → how it stands.
        breaches: what was not kept in this turn.
        paid: the clauses of which a payment has fallen due.
        memory: what is left of each condition.
    """

    turn: int
    verdicts: dict[str, Verdict]
    breaches: tuple[Breach, ...] = ()
    paid: frozenset[str] = frozenset()
    memory: tuple[Memory, ...] = ()


@dataclass(frozen=True)
class Watched:
    """One clause with the turns for which it stands and its compiled condition."""

    cid: str
    clause: Clause
    first: int
    last: int
    condition: Condition

    def stands(self, turn: int) -> bool:
        """Whether it is in force at that turn."""
        return self.first <= turn <= self.last


class Watch:
    """A contract, ready to be watched.

    Args:
        terms: its clauses and the turns for which each stands.
        turns: how many turns the game has at most.
        actions: agent → all it can do; an agent that is absent may do anything.
    """

    def __init__(self, terms: Sequence[Term], turns: int, actions: Actions | None = None) -> None:
        self.turns = turns
        self.terms = tuple(_watched(term, turns, actions) for term in terms)

    @classmethod
    def of(
        cls, agreed: Deal | Contract | None, turns: int, actions: Actions | None = None
    ) -> "Watch":
        """Watch a deal from the first turn on, or a contract with all its amendments."""
        if isinstance(agreed, Deal):
            return cls(_terms(agreed), turns, actions)
        return cls(agreed["terms"] if agreed else [], turns, actions)

    def start(self) -> Standing:
        """Before the first turn."""
        return self._judged(self.unseen())

    def unseen(self) -> Standing:
        """The same, with every clause pending: where `seen` begins."""
        memory = tuple(term.condition.start for term in self.terms)
        undecided: dict[str, Verdict] = dict.fromkeys((term.cid for term in self.terms), "pending")
        return Standing(turn=0, verdicts=undecided, memory=memory)

    def after(self, standing: Standing, turn: Turn) -> Standing:
        """The standing after one more turn. Cost: about 2 μs a clause."""
        return self._judged(self.seen(standing, turn))

    def seen(self, standing: Standing, turn: Turn) -> Standing:
        """The same, but for the clauses that nothing can break any more: they are still pending."""
        number, actions = turn["turn"], turn["actions"]
        breaches, paid, memory = [], set(), []
        for term, before in zip(self.terms, standing.memory, strict=True):
            after = term.condition.after(before, turn)
            memory.append(after)
            if not term.first <= number <= term.last:
                continue
            clause = term.clause
            if isinstance(clause, Do | Forbid):
                kept = (actions.get(clause.agent) == clause.action) == (clause.kind == "do")
                if not kept and term.condition.holds(before, number):
                    breaches.append(_breach(term.cid, clause, turn))
            elif isinstance(clause, Pay) and term.condition.holds(after, number):
                paid.add(term.cid)
        broken: dict[str, Verdict] = {breach.clause: "violated" for breach in breaches}
        return Standing(
            turn=number,
            verdicts=standing.verdicts | broken,
            breaches=tuple(breaches),
            paid=standing.paid | paid if paid else standing.paid,
            memory=tuple(memory),
        )

    def follow(self, record: Sequence[Turn], over: bool = False) -> list[Standing]:
        """The standing after every turn of a record; `over` says that nothing follows it."""
        standings, latest = [], self.start()
        for turn in record:
            latest = self.after(latest, turn)
            standings.append(latest)
        if over and standings:
            standings[-1] = self.close(latest)
        return standings

    def last(self, record: Sequence[Turn], over: bool = False) -> Standing:
        """The last of these alone, at a fraction of the cost: nothing is judged on the way."""
        latest = self.unseen()
        for turn in record:
            latest = self.seen(latest, turn)
        return self.close(latest) if over else self._judged(latest)

    def close(self, standing: Standing) -> Standing:
        """The standing when the game is over: what is not broken was kept."""
        final: dict[str, Verdict] = {
            cid: "satisfied" if verdict == "pending" else verdict
            for cid, verdict in standing.verdicts.items()
        }
        return replace(standing, verdicts=final)

    def _judged(self, standing: Standing) -> Standing:
        """With the verdicts brought up to date: only what was pending can change."""
        verdicts: dict[str, Verdict] = {
            term.cid: "satisfied"
            for term, memory in zip(self.terms, standing.memory, strict=True)
            if standing.verdicts[term.cid] == "pending" and not self._open(term, memory, standing)
        }
        return replace(standing, verdicts=standing.verdicts | verdicts)

    def _open(self, term: Watched, memory: Memory, standing: Standing) -> bool:
        """Whether the clause may still ask for something."""
        onward, window = standing.turn + 1, (term.first, term.last)
        match term.clause:
            case Do() | Forbid():
                # Nothing keeps an agent from idling, so that whatever is owed can be broken.
                return term.condition.may_hold(memory, onward, window)
            case Pay(basis=basis):
                done = basis == "once" and term.cid in standing.paid
                return not done and term.condition.may_hold(memory, onward, window)
            case Share():
                return onward <= self.turns


def adherence(contract: Contract | None, record: Sequence[Turn]) -> tuple[int, int]:
    """How many duties were kept, of how many there were: one for each clause, turn and agent."""
    owed = sum(
        len(contract_duties(contract, record[:n], turn["turn"])) for n, turn in enumerate(record)
    )
    return owed - len(contract_breaches(contract, record)), owed


def _terms(deal: Deal) -> list[Term]:
    clauses = deal.record()["clauses"]
    return [
        {"id": cid, "clause": clause, "from_turn": 1, "to_turn": None}
        for cid, clause in zip(deal.ids(), clauses, strict=True)
    ]


def _watched(term: Term, turns: int, actions: Actions | None) -> Watched:
    clause, last = _clause.validate_python(term["clause"]), term["to_turn"]
    when = "always" if isinstance(clause, Share) else clause.when
    return Watched(
        cid=term["id"],
        clause=clause,
        first=term["from_turn"],
        last=turns if last is None else min(last, turns),
        condition=Condition(when, actions, "after" if isinstance(clause, Pay) else "before"),
    )


def _breach(cid: str, clause: Do | Forbid, turn: Turn) -> Breach:
    return breach_of(Duty(cid, clause.agent, clause.action, clause.kind == "forbid"), turn)
