"""The repair of a contract: the fewest clauses that leave no contingency, certified.

Three kinds of clauses are tried, in all combinations:

- a fine for each agent with a contingency: it pays a whole unit more than its largest gain at each
  turn at which it breaks its duties;
- a split of the total in proportion to the predicted payoffs, so that all want the largest total;
- duties to take the actions with the largest total among those that the contract allows.

A repair lowers no party's predicted payoff. The certificate must find it sound, with no breach that
pays or is costless. Of the repairs that remain, those that leave the least welfare on the table
come first, then those with the fewest clauses.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby, product
from math import floor
from typing import NamedTuple

from shapley_coop.deals.analysis.certificate import certify
from shapley_coop.deals.analysis.game_tree import GameTree
from shapley_coop.deals.analysis.incentives import contradiction
from shapley_coop.deals.analysis.stage import NotFinite
from shapley_coop.deals.language.clauses import Clause, Do, Pay, Share
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.effects import OTHERS
from shapley_coop.deals.language.when import All, AnyOf, Event, Last, Turns, When
from shapley_coop.extensions.completeness.examining import Finding, examine

Clauses = tuple[Clause, ...]


class Repair(NamedTuple):
    """The clauses that close the gaps of a contract, and what is missing in the contract then."""

    added: Clauses
    then: Finding


def propose(found: Finding) -> Repair | None:
    """Return the repair of a contract; None if it needs none, or if no tried clauses close it.

    Cost: up to about ten times that of `examine`.
    """
    if found.complete:
        return None
    duties, split = _duties(found), _split(found)
    first = [(), *([split] if split else []), *([duties, (*duties, *split)] if duties else [])]
    repairs = [repair for clauses in first if (repair := _fined(found, clauses))]
    repairs.sort(key=lambda repair: (repair.then.lost, len(repair.added)))
    return next(filter(_certified, repairs), None)


def _certified(repair: Repair) -> bool:
    """Return whether the certificate lets the contract be signed and finds it dominant for all."""
    then = repair.then
    parties = certify(then.deal, then.facts, then.tree.enforcement).parties.values()
    return bool(parties) and not any(
        party.deviation or party.temptation or party.against_all.indifference for party in parties
    )


def _fined(found: Finding, first: Clauses) -> Repair | None:
    """Return the repair by a fine for each agent that needs one and the needed ones of `first`."""
    if (then := _with(found, first) if first else found) is None:
        return None
    exposed = then.exposures.items()
    fines = [_fine(then.tree, agent, floor(one.most) + 1) for agent, one in exposed]
    if (repair := _closed(found, (*first, *(fine for fine in fines if fine)))) is None:
        return None
    while smaller := _without_one(found, repair):
        repair = smaller
    return repair


def _without_one(found: Finding, repair: Repair) -> Repair | None:
    """Return the repair without a clause that it does not need; None if it needs all of them.

    After one clause has gone, another may be needed no more.
    """
    for clause in repair.added:
        fewer = _closed(found, tuple(one for one in repair.added if one is not clause))
        if fewer and fewer.then.lost <= repair.then.lost:
            return fewer
    return None


def _closed(found: Finding, added: Clauses) -> Repair | None:
    """Return the repair by these clauses, or None if they close nothing or lower a payoff."""
    then = _with(found, added) if added else None
    if then is None or then.exposures:
        return None
    if any(after < before for after, before in zip(then.payoffs, found.payoffs, strict=True)):
        return None
    better = found.exposures or then.lost < found.lost
    return Repair(added, then) if better else None


def _with(found: Finding, added: Clauses) -> Finding | None:
    """Return the examination of the contract with more clauses; None if it cannot be kept."""
    deal = Deal(clauses=(*found.deal.clauses, *added))
    try:
        then = examine(deal, found.facts, found.tree.enforcement)
    except NotFinite:
        return None
    return None if contradiction(then.tree) else then


def _split(found: Finding) -> Clauses:
    """Return a split in proportion to the predicted payoffs, if all are above 0, else by heads."""
    if found.deal.split:
        return ()
    parts = found.payoffs if min(found.payoffs) > 0 else (Fraction(1),) * len(found.payoffs)
    pairs = zip(found.tree.stage.agents, parts, strict=True)
    return (Share(fractions={agent: part / sum(parts) for agent, part in pairs}),)


def _duties(found: Finding) -> Clauses:
    """Return duties to take the allowed actions with the largest total, where not predicted."""
    stage, positions = found.tree.stage, list(found.tree.positions())
    allowed = [
        [x for x in stage.actions[agent] if all(x in p.allowed[agent] for p in positions)]
        for agent in stage.agents
    ]
    if not found.lost or not all(allowed):
        return ()
    best = max(product(*allowed), key=lambda play: sum(stage.pays[play]))
    return tuple(
        Do(agent=agent, action=action)
        for agent, action in zip(stage.agents, best, strict=True)
        if any(position.expected[agent] != (action,) for position in positions)
    )


def _fine(tree: GameTree, agent: str, amount: int) -> Pay | None:
    """Return the fine of an agent for each action that may break its duties at a turn.

    If duties depend on the history, the fine is for actions that break them after some history: a
    payment's condition cannot ask what was done before the turn. The result is None if after no
    action at some turn the duties are kept for sure.
    """
    kept_at, parts = dict[int, tuple[str, ...]](), list[When]()
    for turn, layer in tree.layers.items():
        allowed = [position.allowed[agent] for position in layer.values()]
        kept_at[turn] = tuple(x for x in allowed[0] if all(x in some for some in allowed))
    if not all(kept_at.values()):
        return None
    for kept, run in groupby(kept_at, key=kept_at.__getitem__):
        first, *rest = run
        breaches = [x for x in tree.stage.actions[agent] if x not in kept]
        if breaches:
            acts = _any([Last(last=Event(agent=agent, action=action)) for action in breaches])
            span = Turns(turns=(first, first + len(rest)))
            parts.append(All(all=(span, acts)) if len(rest) + 1 < len(kept_at) else acts)
    others = [x for x in tree.stage.agents if x != agent]
    return Pay(
        payer=agent,
        payee=others[0] if len(others) == 1 else OTHERS,
        amount=Fraction(amount),
        basis="turn",
        when=_any(parts),
    )


def _any(parts: Sequence[When]) -> When:
    return parts[0] if len(parts) == 1 else AnyOf(any=tuple(parts))
