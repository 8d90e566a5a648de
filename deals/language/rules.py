"""Validation rules for deals: small pure functions that a workflow composes.

>>> from shapley_coop.deals.language.clauses import Pay
>>> deal = Deal(clauses=[Pay(payer="Bob", payee="Eve", amount=1)])
>>> found = first_fault([known_agents, positive_payments], deal, Terms(agents=["Alice", "Bob"]))
>>> found.label, found.feedback
('NAME', 'c1 names Eve, who is not a party: the parties are Alice, Bob.')

Each docstring gives the rule's label (`deals.language.labels`) and the condition that it checks.
"""

import json
from collections.abc import Callable, Iterable

from shapley_coop.amounts import MAX_AMOUNT
from shapley_coop.deals.language.clauses import Clause
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.effects import OTHERS, Duty, Gift, Split, Transfer
from shapley_coop.deals.language.faults import Fault, list_faults, together
from shapley_coop.deals.language.naming import means_all, names_in
from shapley_coop.deals.language.progressions import Progression, meet, progressions
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.when import (
    EVERYONE,
    Earned,
    Every,
    Turns,
    When,
    at_turns,
    conditions_in,
)
from shapley_coop.games.actions import told_actions
from shapley_coop.games.open_turns import Spans, outside

MAX_TEXT_CHARS = 4_000
"""The largest length of a deal's text in characters; its JSON is about twice as long."""


Rule = Callable[[Deal, Terms], Fault | None]


def first_fault(rules: Iterable[Rule], deal: Deal, terms: Terms) -> Fault | None:
    """Return the fault of the first rule, in the given order, that the deal breaks; else None."""
    return next((fault for rule in rules if (fault := rule(deal, terms))), None)


def all_faults(rules: Iterable[Rule], deal: Deal, terms: Terms) -> Fault | None:
    """Return all faults of a deal as one fault with the first label; None if there is none."""
    return together(rule(deal, terms) for rule in rules)


def _fault(label: str, lines: list[str]) -> Fault | None:
    """Return a rule's objections, one a line, as one fault; None if there are no lines."""
    return Fault(label, list_faults(list(dict.fromkeys(lines)))) if lines else None


def _in_each(label: str, deal: Deal, wrong: Callable[[Clause], str]) -> Fault | None:
    """Return a fault with a line for each clause to which `wrong` objects in words, or None."""
    found = {cid: wrong(clause) for cid, clause in deal.ids().items()}
    return _fault(label, [f"{cid}{why}." for cid, why in found.items() if why])


def non_empty(deal: Deal, terms: Terms) -> Fault | None:
    """Check that the deal has at least one clause, or return fault EMPTY."""
    return None if deal.clauses else Fault("EMPTY", "The proposal has no clause: give one or more.")


def text_within_limit(deal: Deal, terms: Terms) -> Fault | None:
    """Check that the proposal is short enough for letters that show it, or return fault LONG."""
    if (length := len(deal.text())) <= MAX_TEXT_CHARS:
        return None
    return Fault(
        "LONG",
        f"In plain words the proposal is {length} characters long (limit "
        f"{MAX_TEXT_CHARS}): use fewer or simpler clauses.",
    )


def known_agents(deal: Deal, terms: Terms) -> Fault | None:
    """Check that the clauses name only parties, or return fault NAME."""
    parties = ", ".join(terms.agents)
    wrong = [
        f"{cid} names {name}, who is not a party: the parties are {parties}."
        for cid, clause in deal.ids().items()
        for name in names_in(clause)
        if name not in terms.agents and not means_all(clause, name)
    ]
    return _fault("NAME", wrong)


def known_actions(deal: Deal, terms: Terms) -> Fault | None:
    """Check that agents have the actions that clauses require or forbid, or return fault ACTION."""
    wrong = []
    for cid, clause in deal.ids().items():
        pairs = [(event.agent, event.action) for event in clause.events(())]
        if duty := clause.duty:
            bound = terms.agents if duty.agent == EVERYONE else [duty.agent]
            pairs += [(agent, duty.action) for agent in bound]
        for agent, action in pairs:
            if agent not in terms.agents:
                continue  # `known_agents` reports this
            if action not in (known := terms.actions.get(agent, [])):
                told = ", ".join(told_actions(known))
                wrong.append(f"{cid}: {agent} has no action {action}; it has {told}.")
    return _fault("ACTION", wrong)


def reachable_turns(deal: Deal, terms: Terms) -> Fault | None:
    """Check that the named turns are turns of the game, or return fault TURN."""
    wrong = []
    for cid, clause in deal.ids().items():
        for part in conditions_in(clause.when):
            if isinstance(part, Turns):
                first, last = part.turns
            elif isinstance(part, Every):
                first = last = part.start
            else:
                continue
            if not 1 <= first <= last <= terms.turns:
                named = f"turn {first}" if first == last else f"turns {first} to {last}"
                wrong.append(f"{cid} names {named}: the game has 1 to {terms.turns}.")
    return _fault("TURN", wrong)


def performable(deal: Deal, terms: Terms) -> Fault | None:
    """Check that each required action is possible at its turns, or return fault TURN.

    Duties are checked if their condition names only turns; else the monitor drops impossible ones.
    """
    wrong = []
    for cid, clause in deal.duties.items():
        if not (duty := clause.duty) or duty.forbidden:
            continue
        due = progressions(clause.when, terms.turns)
        for agent in terms.agents if duty.agent == EVERYONE else [duty.agent]:
            inside = terms.open_turns(agent, duty.action)
            closed = [] if inside is None else outside(inside, terms.now, terms.turns)
            if barred := [x for x in closed if any(meet(turns, (*x, 1)) for turns in due)]:
                instead = _instead(terms, inside or ())
                wrong.append(f"{cid}: {agent} cannot {duty.action} {at_turns(barred)}: {instead}.")
    return _fault("TURN", wrong)


def _instead(terms: Terms, inside: Spans) -> str:
    """Return advice on the turns that a duty may name, as an agent writes them in an offer."""
    left = [(max(first, terms.now), last) for first, last in inside if last >= terms.now]
    if not left:
        return "it can at none of the turns left, so leave it out"
    first, last = left[0]
    when = {"turn": first} if first == last else {"from": first, "to": last}
    return f'it can {at_turns(left)}, as in "when": {json.dumps(when)}'


def positive_payments(deal: Deal, terms: Terms) -> Fault | None:
    """Check that payments are positive, to others, and fractions at most 1, or return fault PAY."""
    return _in_each("PAY", deal, lambda clause: _wrong_payment(clause.transfer, terms))


def _wrong_payment(pay: Transfer | None, terms: Terms) -> str:
    if pay is None:
        return ""
    if pay.payer == pay.payee:
        return f": {pay.payer} pays itself: name another payee"
    if pay.payer == OTHERS and pay.basis == "reward":
        return " shares the rewards of several payers: write a clause for each"
    if pay.amount <= 0:
        return f" pays {pay.amount}: give a positive amount"
    if pay.basis == "turn" and pay.amount * terms.turns > MAX_AMOUNT:
        return f" sums to more than {MAX_AMOUNT} over the game: give less"
    if pay.basis == "reward" and pay.amount > 1:
        return " gives away more than 100 % of a reward: at most 1, as in 0.4 for 40 %"
    return ""


def sound_gifts(deal: Deal, terms: Terms) -> Fault | None:
    """Check that gifts are 1 or more of a known good, between parties, or return fault GIVE."""
    return _in_each("GIVE", deal, lambda clause: _wrong_gift(clause.gift, clause.when, terms))


def _wrong_gift(give: Gift | None, when: When, terms: Terms) -> str:
    if give is None:
        return ""
    if not terms.goods:
        return f" gives {give.good}: nothing can change hands in this game"
    if give.good not in terms.goods:
        return f" gives {give.good}: the goods are {', '.join(terms.goods)}"
    if give.giver == give.receiver:
        return f": {give.giver} gives to itself: name another receiver"
    if give.quantity < 1:
        return f" gives {give.quantity} {give.good}: give 1 or more"
    if any(isinstance(part, Earned) for part in conditions_in(when)):
        return " depends on rewards, which are paid after goods change hands: name actions or turns"
    return ""


def sound_alone(deal: Deal, terms: Terms) -> Fault | None:
    """Check each clause by its kind (`Clause.wrong`), or return fault CLAUSE."""
    return _in_each("CLAUSE", deal, lambda clause: clause.wrong(terms))


def one_whole_share(deal: Deal, terms: Terms) -> Fault | None:
    """Check for at most one split, by a norm or fractions that sum to 1, or return fault SHARE."""
    splits = {cid: split for cid, c in deal.ids().items() if (split := c.split)}
    if len(splits) > 1:
        return Fault("SHARE", f"{' and '.join(splits)} both split the total: keep one.")
    for cid, split in splits.items():
        if wrong := _wrong_split(split, terms):
            return Fault("SHARE", f"{cid}: {wrong}.")
    return None


def _wrong_split(split: Split, terms: Terms) -> str:
    if (split.fractions is None) == (split.norm is None):
        return "give either fractions or a norm"
    if split.fractions is None:
        return ""
    if set(split.fractions) != set(terms.agents):
        return f"give a fraction for each of {', '.join(terms.agents)}"
    if any(x < 0 for x in split.fractions.values()) or sum(split.fractions.values()) != 1:
        return "fractions are not negative and sum to exactly 1"
    return ""


def offered_norm(deal: Deal, terms: Terms) -> Fault | None:
    """Check that a split names one of the available norms, or return fault NORM."""
    split = deal.split
    if split is None or split.norm is None or split.norm in terms.norms:
        return None
    known = f"on offer: {', '.join(terms.norms)}" if terms.norms else "give fractions instead"
    return Fault("NORM", f"No norm {split.norm} is computed at this table; {known}.")


def no_clash(deal: Deal, terms: Terms) -> Fault | None:
    """Check that no agent must do two actions in a turn, or a forbidden one, or return fault CLASH.

    Two duties are compared only if their conditions are equal or both depend on turns alone.
    The certificate finds clashes between different conditions on the history.
    """
    by_agent: dict[str, list[tuple[str, Duty, When, list[Progression]]]] = {}
    wrong = []
    for cid, clause in deal.duties.items():
        if not (duty := clause.duty):
            continue
        turns = progressions(clause.when, terms.turns)
        alike = [duty.agent, EVERYONE] if duty.agent != EVERYONE else list(by_agent)
        for other, rival, when, others in [x for who in alike for x in by_agent.get(who, ())]:
            if not _clash(rival, duty):
                continue
            if when == clause.when or any(meet(a, b) for a in others for b in turns):
                who = rival.agent if duty.agent == EVERYONE else duty.agent
                wrong.append(f"{who} cannot keep both {other} and {cid}.")
        by_agent.setdefault(duty.agent, []).append((cid, duty, clause.when, turns))
    return _fault("CLASH", wrong)


def known_drops(deal: Deal, terms: Terms) -> Fault | None:
    """Check that a deal drops only payments, gifts and shares in force, or return fault DROP."""
    for cid in deal.drops:
        if cid not in terms.droppable:
            known = ", ".join(terms.droppable) or "none"
            return Fault("DROP", f"{cid} is no standing payment or share; those are: {known}.")
    return None


def only(*kinds: type[Clause]) -> Rule:
    """Return a rule, labelled KIND, that admits only clauses of these kinds."""
    names = ", ".join(kind.__name__.lower() for kind in kinds)

    def only_these(deal: Deal, terms: Terms) -> Fault | None:
        for cid, clause in deal.ids().items():
            if not isinstance(clause, kinds):
                return Fault("KIND", f"{cid} is a {clause.kind}: only {names} are admitted here.")
        return None

    return only_these


DEAL_RULES: tuple[Rule, ...] = (
    non_empty,
    text_within_limit,
    known_agents,
    known_actions,
    reachable_turns,
    performable,
    positive_payments,
    sound_gifts,
    one_whole_share,
    offered_norm,
    no_clash,
    known_drops,
    sound_alone,
)
"""The rules for every deal, in the order of the checks."""


def _clash(a: Duty, b: Duty) -> bool:
    one_asks = not (a.forbidden and b.forbidden)
    return one_asks and (a.action == b.action) == (a.forbidden != b.forbidden)
