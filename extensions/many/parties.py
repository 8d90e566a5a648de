"""The incentives of all parties under a contract, by counts: exact for any number of agents.

The analysis needs a repeated game in which a payoff depends on how many agents take each action,
and a contract whose conditions depend on the turn's number alone. Then turns are independent. Their
payoffs add up. Agents with the same duties are analysed once. Fixed payments change no incentive.

>>> from shapley_coop.deals.language.clauses import Do
>>> from shapley_coop.deals.analysis.stage import facts_of
>>> from shapley_coop.games import load
>>> fund = facts_of(load("public_goods", {"agents": 1000, "rounds": 2}))
>>> told = parties_by_counts(Deal(clauses=[Do(agent="everyone", action="give")]), None, fund, ())
>>> one = told["Agent7"]
>>> str(one.within.expected), str(one.without.expected)
('64', '40')
>>> one.deviation.gain, one.deviation.action
(Fraction(4992, 125), 'keep')
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from shapley_coop.deals.analysis.incentives import Deviation, WhateverOthersDo
from shapley_coop.deals.analysis.party import Party, PayoffRange
from shapley_coop.deals.analysis.stage import NotFinite
from shapley_coop.deals.compiled import (
    Clauses,
    CompiledClause,
    compile_contract,
    duties_at,
    only_once,
    payments_due,
)
from shapley_coop.deals.contract import Contract
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.effects import Duty, portions
from shapley_coop.deals.language.when import EVERYONE
from shapley_coop.deals.monitor import Monitor
from shapley_coop.extensions.many.counts import Counts
from shapley_coop.extensions.many.stage import NOTHING, Codes, CountedStage
from shapley_coop.games import Turn


def parties_by_counts(
    agreed: Deal | Contract,
    standing: Contract | None,
    facts: Mapping[str, Any],
    record: Sequence[Turn],
    enforcement: Enforcement | None = None,
) -> dict[str, Party]:
    """Return each party's expected payoffs and incentives, with the contract and without.

    Args:
        agreed: the contract or deal whose incentives are analysed.
        standing: the contract that stays in force if `agreed` is not signed.
        facts: the game's facts.
        record: the turns played.
        enforcement: how contracts are enforced; payments count only if they are executed.

    Raises:
        NotFinite: the game has no payoffs by counts, a clause depends on more than turns, deposits
            are enforced, or an agent's duties contradict each other.
    """
    enforcement = enforcement or Enforcement()
    clauses, before = compile_contract(agreed), compile_contract(standing)
    _check_can_be_counted((*clauses, *before), facts, enforcement)
    agents, turns = list(facts["agents"]), range(len(record) + 1, int(facts["turns"]) + 1)
    counts, asks = Counts.of(facts), [_asked(clauses, agents, turn) for turn in turns]
    stood = [_asked(before, agents, turn) for turn in turns]
    moved = _moved(clauses, agents, turns, record, enforcement)
    had_moved = _moved(before, agents, turns, record, enforcement)
    known: dict[Any, Party] = {}
    parties = {}
    for agent in agents:
        own, had = (_all_kept(counts, agent, asked) for asked in (asks, stood))
        if (own, had) not in known:
            within = _stages(counts, agents, asks, own)
            without = _stages(counts, agents, stood, had)
            known[own, had] = _party(within, without, turns.start)
        named = _named(known[own, had], agent)
        parties[agent] = _with_payments(named, had_moved[agent], moved[agent])
    return parties


def _check_can_be_counted(
    clauses: Clauses, facts: Mapping[str, Any], enforcement: Enforcement
) -> None:
    """Refuse games and contracts that cannot be analysed by counts, and name the first reason."""
    if not facts.get("by_count"):
        raise NotFinite("its payoffs do not depend on counts of actions")
    if enforcement.mode == "escrow":
        raise NotFinite("deposits are computed only for games that can be enumerated")
    for term in clauses:
        if not _simple(term, enforcement.executes):
            raise NotFinite(
                "with so many agents, only duties and fixed payments at known turns are "
                f"computed; {term.cid} is neither"
            )


def _simple(term: CompiledClause, executes: bool) -> bool:
    """Return whether a clause has only duties or fixed payments at turns known in advance."""
    pay = term.transfer
    if (pay or term.split) and not executes:
        return True  # payments that are not executed change no payoff
    if term.split or term.gift or (pay and pay.basis == "reward"):
        return False
    return not term.condition.start


def _moved(
    clauses: Clauses,
    agents: Sequence[str],
    turns: Iterable[int],
    record: Sequence[Turn],
    enforcement: Enforcement,
) -> dict[str, Fraction]:
    """Return agent → its net payments in the remaining turns."""
    found = dict.fromkeys(agents, NOTHING)
    if not enforcement.executes:
        return found
    paid = Monitor(clauses).on(record).paid
    for turn in turns:
        due = payments_due(clauses, tuple(() for _ in clauses), turn, paid)
        for pay in due.values():
            for agent, part in portions(pay, agents).items():
                found[agent] += part * pay.amount
        paid |= only_once(due)
    return found


def _with_payments(party: Party, without: Fraction, within: Fraction) -> Party:
    """Return a party whose payoffs include its net payments without and within the contract."""
    return replace(
        party,
        without=_shifted(party.without, without),
        within=_shifted(party.within, within),
        guaranteed=party.guaranteed + within,
    )


def _shifted(payoffs: PayoffRange, amount: Fraction) -> PayoffRange:
    return PayoffRange(*(each + amount for each in vars(payoffs).values()))


Asked = dict[str, tuple[Duty, ...]]
"""Agent → its duties; "" → the duties of all agents that no duty names."""


def _asked(clauses: tuple[CompiledClause, ...], agents: Sequence[str], turn: int) -> Asked:
    duties = list(duties_at(clauses, tuple(() for _ in clauses), turn).values())
    named = dict.fromkeys(duty.agent for duty in duties if duty.agent != EVERYONE)
    return {agent: tuple(duty for duty in duties if duty.binds(agent)) for agent in ("", *named)}


def _kept(counts: Counts, duties: tuple[Duty, ...]) -> Codes:
    """Return the actions by which an agent keeps its duties in one turn."""
    open_ = [a for a in counts.actions if all(duty.keeps(a) for duty in duties)]
    return tuple(counts.code[a] for a in open_)


def _all_kept(counts: Counts, agent: str, asks: Sequence[Asked]) -> tuple[Codes, ...]:
    """Return the actions that keep an agent's duties, by turn.

    Raises:
        NotFinite: at some turn no action keeps all duties.
    """
    found = tuple(_kept(counts, asked.get(agent, asked[""])) for asked in asks)
    if not all(found):
        raise NotFinite(f"no action of {agent} keeps the whole deal")
    return found


def _sets(counts: Counts, agents: Sequence[str], asked: Asked) -> Counter[Codes]:
    """Return set of allowed actions → number of agents with this set."""
    found = Counter(_kept(counts, duties) for agent, duties in asked.items() if agent)
    found[_kept(counts, asked[""])] += len(agents) - len(asked) + 1
    return found


def _stages(
    counts: Counts, agents: Sequence[str], asks: Sequence[Asked], own: Sequence[Codes]
) -> list[CountedStage]:
    """Return the stages of an agent that takes one of its `own` actions, by turn."""
    turns = zip(asks, own, strict=True)
    return [CountedStage(counts, _sets(counts, agents, asked), codes) for asked, codes in turns]


def _party(within: Sequence[CountedStage], without: Sequence[CountedStage], now: int) -> Party:
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


def _deviation(within: Sequence[CountedStage], now: int) -> Deviation | None:
    """Return the first breach in an agent's best deviation; None if no deviation pays."""
    gain = sum((stage.gain for stage in within), NOTHING)
    for at, stage in enumerate(within):
        if stage.gain > 0:
            best = stage.replies.index(max(stage.replies))
            kept = tuple(stage.counts.actions[k] for k in stage.own)
            return Deviation("", now + at, stage.counts.actions[best], kept, gain)
    return None


def _summed(stages: Sequence[CountedStage]) -> PayoffRange:
    known = [stage.payoffs for stage in stages]
    parts: list[Callable[[PayoffRange], Fraction]] = [
        *(lambda x: x.worst, lambda x: x.expected, lambda x: x.best)
    ]
    return PayoffRange(*(sum(map(part, known), NOTHING) for part in parts))


def _named(party: Party, agent: str) -> Party:
    """Return a copy of a party's analysis, for another agent with the same duties."""

    def of(found: Deviation | None) -> Deviation | None:
        return found and replace(found, agent=agent)

    against = party.against_all
    told = replace(
        against, temptation=of(against.temptation), indifference=of(against.indifference)
    )
    return replace(party, deviation=of(party.deviation), against_all=told)
