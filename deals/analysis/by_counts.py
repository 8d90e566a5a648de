"""What a contract does to everybody's incentives, by counts: exact for any number of agents.

Of a repeated game whose payoffs go by counts (`games.aggregative`), under a contract whose
conditions depend on turns alone: what is done in one turn then changes nothing in another, so that
turns are added up, and agents of whom the contract asks the same are looked at once.

>>> from shapley_coop.deals import Do
>>> from shapley_coop.deals.analysis.stage import facts_of
>>> from shapley_coop.games import load
>>> fund = facts_of(load("public_goods", {"agents": 1000, "rounds": 2}))
>>> told = parties_by_counts(Deal(clauses=[Do(agent="everyone", action="give")]), None, fund, ())
>>> one = told["Agent7"] if told else None
>>> str(one.within.expected), str(one.without.expected)
('64', '40')
>>> one.deviation.text()
'Agent7 gains 39.936 if it does keep at turn 1 where the contract asks for give.'
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Any

from shapley_coop.deals.analysis.incentives import Deviation, WhateverOthersDo
from shapley_coop.deals.analysis.party import Outlook, Party
from shapley_coop.deals.compiled import CompiledClause, compiled, owed
from shapley_coop.deals.contract import Contract
from shapley_coop.deals.language.clauses import Do, Forbid
from shapley_coop.deals.language.deal import Deal
from shapley_coop.games import Turn
from shapley_coop.games.aggregative.counts import Counts

NOTHING = Fraction(0)
Codes = tuple[int, ...]
"""Actions by their numbers."""


def parties_by_counts(
    agreed: Deal | Contract,
    standing: Contract | None,
    facts: Mapping[str, Any],
    record: Sequence[Turn],
) -> dict[str, Party] | None:
    """What a contract means for each party.

    Args:
        agreed: what would be in force.
        standing: the contract that stays in force otherwise.
        facts: the game's.
        record: the turns played.

    Returns:
        None where payoffs do not go by counts, the contract pays or splits anything, or one of its
        conditions depends on more than turns.
    """
    if not facts.get("by_count"):
        return None
    clauses, before = compiled(agreed), compiled(standing)
    if not all(map(_simple, (*clauses, *before))):
        return None
    agents, turns = list(facts["agents"]), range(len(record) + 1, int(facts["turns"]) + 1)
    counts, asks = Counts.of(facts), [_asked(clauses, agents, turn) for turn in turns]
    stood = [_asked(before, agents, turn) for turn in turns]
    known: dict[Any, Party] = {}
    parties = {}
    for agent in agents:
        own = tuple(_kept(counts, asked.get(agent, asked[""])) for asked in asks)
        had = tuple(_kept(counts, asked.get(agent, asked[""])) for asked in stood)
        if not all((*own, *had)):
            return None  # nothing keeps all of it
        if (own, had) not in known:
            within, without = (
                [_Stage(counts, _sets(counts, agents, a), k) for a, k in zip(of, kept, strict=True)]
                for of, kept in ((asks, own), (stood, had))
            )
            known[own, had] = _party(within, without, turns.start)
        parties[agent] = _named(known[own, had], agent)
    return parties


def _simple(term: CompiledClause) -> bool:
    """Whether a clause only asks for actions, at turns that are known."""
    return isinstance(term.clause, Do | Forbid) and not term.condition.start


Asked = dict[str, tuple[tuple[str, str], ...]]
"""Agent → (kind, action) of each duty; "" for all who are asked for nothing of their own."""


def _asked(clauses: tuple[CompiledClause, ...], agents: Sequence[str], turn: int) -> Asked:
    duties = list(owed(clauses, tuple(() for _ in clauses), turn).values())
    named = {duty.agent for duty in duties} & set(agents)
    return {
        agent: tuple((d.kind, d.action) for d in duties if d.binds(agent)) for agent in ("", *named)
    }


def _kept(counts: Counts, duties: tuple[tuple[str, str], ...]) -> Codes:
    """The actions that keep the duties."""
    open_ = [a for a in counts.actions if all((a == x) == (kind == "do") for kind, x in duties)]
    return tuple(counts.code[a] for a in open_)


def _sets(counts: Counts, agents: Sequence[str], asked: Asked) -> Counter[Codes]:
    """How many agents may do what."""
    found = Counter(_kept(counts, duties) for agent, duties in asked.items() if agent)
    found[_kept(counts, asked[""])] += len(agents) - len(asked) + 1
    return found


@dataclass(frozen=True, eq=False)
class _Stage:
    """One turn as one agent sees it.

    Attributes:
        counts: the payoffs.
        sets: how many of all agents may do what.
        own: what this one may do.
    """

    counts: Counts
    sets: Counter[Codes]
    own: Codes

    @cached_property
    def others(self) -> Counter[Codes]:
        """How many of the others may do what."""
        return self.sets - Counter([self.own])

    @cached_property
    def expected(self) -> dict[Codes, Codes]:
        """By what agents may do, what of it pays best at once if all others may do anything of
        theirs."""
        found = {}
        for own in self.sets:
            others = self.sets - Counter([own])
            means = {k: self._mean(k, others) for k in own}
            best = max(means.values())
            found[own] = tuple(k for k in own if means[k] == best)
        return found

    @cached_property
    def replies(self) -> list[Fraction]:
        """What each action is worth while the others do as expected."""
        others = Counter[Codes]()
        for own, many in self.others.items():
            others[self.expected[own]] += many
        return [self._mean(k, others) for k in range(len(self.counts.actions))]

    @property
    def outlook(self) -> Outlook:
        """Worst, expected and best while all keep the contract."""
        low = sum(min(own) * many for own, many in self.others.items())
        high = sum(max(own) * many for own, many in self.others.items())
        rows = [self.counts.rows[k, low : high + 1] for k in self.own]
        mine = self.expected[self.own]
        return Outlook(
            self._whole(max(row.min() for row in rows)),
            sum((self.replies[k] for k in mine), NOTHING) / len(mine),
            self._whole(max(row.max() for row in rows)),
        )

    @property
    def guaranteed(self) -> Fraction:
        """What keeping the contract secures, whatever the others do."""
        return self._whole(max(self.counts.rows[k].min() for k in self.own))

    @property
    def gain(self) -> Fraction:
        """What the best action is worth beyond the best that keeps the contract."""
        return max(self.replies) - max(self.replies[k] for k in self.own)

    @property
    def breaches(self) -> list[int]:
        """The actions that would break it."""
        return [k for k in range(len(self.counts.actions)) if k not in self.own]

    @cached_property
    def honest(self) -> Any:
        """The best that keeps it, at every sum of the others."""
        return self.counts.rows[list(self.own)].max(axis=0)

    def whatever(self, turn: int) -> WhateverOthersDo:
        """Breaking it in this turn, for every sum of the others."""
        owed_now = tuple(self.counts.actions[k] for k in self.own)
        told = [(self.counts.rows[k] - self.honest, k) for k in self.breaches]
        gains = [(int(more.max()), int(more.argmax()), k) for more, k in told]
        most = max(gains, key=lambda one: one[0], default=(0, 0, 0))
        free = next((k for more, k in told if (more >= 0).all()), None)
        tempted = Deviation(
            *("", turn, self.counts.actions[most[2]], owed_now, self._whole(most[0])),
            {f"{most[1]} of the others": self.counts.actions[-1]},
        )
        equal = Deviation("", turn, self.counts.actions[free or 0], owed_now, NOTHING)
        found = tempted if most[0] > 0 else None
        return WhateverOthersDo(bool(self.breaches), found, equal if free is not None else None)

    def _whole(self, amount: Any) -> Fraction:
        return Fraction(int(amount), self.counts.unit)

    def _mean(self, action: int, others: Mapping[Codes, int]) -> Fraction:
        """What an action pays on average, if the others draw from what they may do."""
        rows = self.counts.rows
        if self.counts.each is not None:
            sums = (Fraction(sum(own), len(own)) * many for own, many in others.items())
            return self._whole(rows[action, 0]) + self.counts.each * sum(sums, NOTHING)
        fixed = others.get((1,), 0)
        free = others.get((0, 1), 0)
        ways = (comb(free, k) * int(rows[action, fixed + k]) for k in range(free + 1))
        return Fraction(sum(ways), self.counts.unit << free)


def _party(within: Sequence[_Stage], without: Sequence[_Stage], now: int) -> Party:
    found = [stage.whatever(now + at) for at, stage in enumerate(within)]
    tempting = [one.temptation for one in found if one.temptation]
    return Party(
        without=_summed(without),
        within=_summed(within),
        guaranteed=sum((stage.guaranteed for stage in within), NOTHING),
        deviation=_deviation(within, now),
        against_all=WhateverOthersDo(
            any(one.asked for one in found),
            max(tempting, key=lambda one: one.gain, default=None),
            next((one.indifference for one in found if one.indifference), None),
        ),
    )


def _deviation(within: Sequence[_Stage], now: int) -> Deviation | None:
    """The first breach of the most profitable deviation while the others keep the contract."""
    gain = sum((stage.gain for stage in within), NOTHING)
    for at, stage in enumerate(within):
        if stage.gain > 0:
            best = stage.replies.index(max(stage.replies))
            kept = tuple(stage.counts.actions[k] for k in stage.own)
            return Deviation("", now + at, stage.counts.actions[best], kept, gain)
    return None


def _summed(stages: Sequence[_Stage]) -> Outlook:
    known = [stage.outlook for stage in stages]
    parts: list[Callable[[Outlook], Fraction]] = [
        *(lambda x: x.worst, lambda x: x.expected, lambda x: x.best)
    ]
    return Outlook(*(sum(map(part, known), NOTHING) for part in parts))


def _named(party: Party, agent: str) -> Party:
    """What holds for one of several equals, told of that agent."""

    def of(found: Deviation | None) -> Deviation | None:
        return found and replace(found, agent=agent)

    against = party.against_all
    told = replace(
        against, temptation=of(against.temptation), indifference=of(against.indifference)
    )
    return replace(party, deviation=of(party.deviation), against_all=told)
