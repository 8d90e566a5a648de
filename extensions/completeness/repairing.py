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
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, product
from math import floor

from shapley_coop.deals.analysis.certificate import Certificate, certify
from shapley_coop.deals.analysis.game_tree import GameTree
from shapley_coop.deals.analysis.incentives import contradiction
from shapley_coop.deals.analysis.party import Party
from shapley_coop.deals.analysis.stage import NotFinite
from shapley_coop.deals.language.clauses import Clause, Do, Pay, Share
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.effects import OTHERS
from shapley_coop.deals.language.when import All, AnyOf, Event, Last, Not, Turns, When
from shapley_coop.extensions.completeness.examining import Finding, examine

Clauses = tuple[Clause, ...]


@dataclass(frozen=True)
class Repair:
    """A contract with the clauses that close its gaps.

    Attributes:
        added: the clauses to add.
        deal: the contract with them.
        certificate: its certificate.
        lost: the total that it still leaves on the table.
    """

    added: Clauses
    deal: Deal
    certificate: Certificate
    lost: Fraction


def propose(found: Finding) -> Repair | None:
    """Return the repair of a contract; None if it needs none, or if no tried clauses close it."""
    if found.complete:
        return None
    duties, split = _duties(found), _split(found)
    first = [(), *([split] if split else []), *([duties, (*duties, *split)] if duties else [])]
    tried = (_fined(found, clauses) for clauses in first)
    repairs = [repair for repair in tried if repair]
    return min(repairs, key=lambda repair: (repair.lost, len(repair.added)), default=None)


def _fined(found: Finding, first: Clauses) -> Repair | None:
    """Return the repair by these clauses, and by a fine for each agent that then needs one."""
    then = _with(found, first)
    fines = (
        [_fine(then.tree, x, floor(e.most) + 1) for x, e in then.exposures.items()] if then else []
    )
    added = (*first, *(fine for fine in fines if fine))
    ended = _with(found, added)
    if not (added and ended) or ended.exposures:
        return None
    if not found.exposures and ended.lost >= found.lost:
        return None
    if any(after < before for after, before in zip(ended.payoffs, found.payoffs, strict=True)):
        return None
    certificate = certify(ended.deal, found.facts, found.tree.enforcement)
    parties = certificate.parties.values()
    if not parties or any(not _keeps(party) for party in parties):
        return None
    return Repair(added, ended.deal, certificate, ended.lost)


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
    agents, total = found.tree.stage.agents, sum(found.payoffs, Fraction(0))
    if found.deal.split:
        return ()
    if min(found.payoffs) <= 0:
        return (Share(fractions=dict.fromkeys(agents, Fraction(1, len(agents)))),)
    parts = (payoff / total for payoff in found.payoffs)
    return (Share(fractions=dict(zip(agents, parts, strict=True))),)


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
    """Return the fine of an agent for each turn at which it breaks its duties.

    The result is None if the duties depend on the history: a payment's condition cannot say so.
    """
    kept_at = dict[int, tuple[str, ...]]()
    for turn, layer in tree.layers.items():
        found = {position.allowed[agent] for position in layer.values()}
        if len(found) > 1:
            return None
        (kept_at[turn],) = found
    parts = list[When]()
    for kept, run in groupby(kept_at, key=kept_at.__getitem__):
        turns = [*run]
        breaches = [x for x in tree.stage.actions[agent] if x not in kept]
        if breaches:
            span = Turns(turns=(turns[0], turns[-1]))
            broken = _breaks(agent, kept, breaches)
            parts.append(broken if len(turns) == len(kept_at) else All(all=(span, broken)))
    others = [x for x in tree.stage.agents if x != agent]
    return Pay(
        payer=agent,
        payee=others[0] if len(others) == 1 else OTHERS,
        amount=Fraction(amount),
        basis="turn",
        when=parts[0] if len(parts) == 1 else AnyOf(any=tuple(parts)),
    )


def _breaks(agent: str, kept: Sequence[str], breaches: Sequence[str]) -> When:
    """Return the condition that an agent takes one of its breaches at the turn itself."""
    acts = [Last(last=Event(agent=agent, action=action)) for action in breaches]
    if len(acts) == 1:
        return acts[0]
    if len(kept) == 1:
        return Not(negated=Last(last=Event(agent=agent, action=kept[0])))
    return AnyOf(any=tuple(acts))


def _keeps(party: Party) -> bool:
    """Return whether the certificate finds no breach that pays or is costless."""
    return not (party.deviation or party.temptation or party.against_all.indifference)
