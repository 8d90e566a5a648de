"""Functions that read a letter's facts: the offer, the contract in force, and their terms."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from random import Random
from typing import Any, Self

from shapley_coop.deals.contract import lasting_clauses
from shapley_coop.deals.language.clauses import Clause
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.reading import read_deal
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.wire_form import wire_form
from shapley_coop.deals.monitor import duties
from shapley_coop.games import Turn
from shapley_coop.games.foresight import Missing, check_facts
from shapley_coop.games.gives import actions_in
from shapley_coop.seats.embedded.characters import Character

_PLAIN = Character("Of no particular character.")


@dataclass(frozen=True)
class Reader:
    """An embedded agent that reads one letter.

    Attributes:
        facts: the letter's facts.
        record: the turns played, from the letter's history.
        self_: the agent's character.
        rng: the agent's random generator, seeded by its seed and the letter's moment.
        talk: the lines of the letter's history.
        seed: the agent's seed.
    """

    facts: Mapping[str, Any]
    record: list[Turn] = field(default_factory=list)
    self_: Character = _PLAIN
    rng: Random = field(default_factory=lambda: Random(0))
    talk: Sequence[Mapping[str, Any]] = ()
    seed: int = 0

    @classmethod
    def of(cls, reader: "Reader") -> Self:
        """Return an agent of this class with the letter and the character of another agent."""
        return cls(*(getattr(reader, field.name) for field in fields(Reader)))


def terms_of(facts: Mapping[str, Any]) -> Terms:
    """Return the parties, actions, number of turns, goods, and clauses that can be dropped.

    Raises:
        Missing: the letter lacks one of these facts.
    """
    check_facts(facts, "agents", "actions", "turns")
    money = tuple(lasting_clauses(standing_in(facts)))
    return Terms(
        facts["agents"],
        actions_in(facts),
        int(facts["turns"]),
        droppable=money,
        goods=facts.get("goods", ()),
    )


def deal_in(contract: Mapping[str, Any] | None) -> Deal:
    """Return the clauses of a contract, in order; an empty deal without a contract.

    Raises:
        Missing: the letter shows the contract without its clauses.
    """
    if not contract:
        return _NO_DEAL
    check_facts(contract, "clauses")
    return sound_deal({"clauses": contract["clauses"]})


_NO_DEAL = Deal()


def standing_in(facts: Mapping[str, Any]) -> dict[str, Clause]:
    """Return clause id → clause for the contract in force; empty without a contract.

    Raises:
        Missing: the letter shows the contract without ids or clauses.
    """
    contract = facts.get("contract")
    if not contract:
        return {}
    check_facts(contract, "ids")
    return dict(zip(contract["ids"], deal_in(contract).clauses, strict=True))


def with_duties(facts: Mapping[str, Any], record: Sequence[Turn]) -> dict[str, Any]:
    """Return the facts; if a letter for an action lacks `duties`, compute them by the contract.

    Raises:
        Missing: the letter shows the contract without its clauses.
    """
    known = dict(facts)
    if known.get("ask") == "act" and known.get("contract") and "duties" not in known:
        check_facts(known, "you", "turn")
        asked = duties(deal_in(known["contract"]), record, int(known["turn"]))
        owed = [duty for duty in asked if duty.binds(known["you"])]
        known["duties"] = [{"action": d.action, "forbidden": d.forbidden} for d in owed]
    return known


def owed_now(facts: Mapping[str, Any], legal: Sequence[str]) -> list[str]:
    """Return the legal actions that the contract asks of me now."""
    owed = [duty["action"] for duty in facts.get("duties", []) if not duty["forbidden"]]
    return [action for action in owed if action in legal]


def fact(facts: Mapping[str, Any], *path: str) -> Any:
    """Return a fact of the letter, found by a path of nested names.

    Raises:
        Missing: the letter lacks the fact.
    """
    found: Any = facts
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    if found is None:
        raise Missing(f"the letter lacks {'.'.join(path)}")
    return found


def number(facts: Mapping[str, Any], *path: str) -> float:
    """Return a fact that is a number: 4.5, "4.5" or "9/2".

    Raises:
        Missing: the letter lacks the fact.
    """
    return float(Fraction(fact(facts, *path)))


def told_payoffs(facts: Mapping[str, Any], case: str) -> list[float]:
    """Return my payoffs in one case of the offer's outlook, the letter's table of payoffs.

    Args:
        facts: the letter's facts.
        case: `all keep it`, or `no deal`; the outlook may have several rows for a case.

    Raises:
        Missing: there is no offer, or a row lacks my payoff.
    """
    me, rows = fact(facts, "you"), fact(facts, "offer").get("outlook", {}).get("rows", [])
    return [number(row, "payoffs", me, "mean") for row in rows if row["if"] == case]


def proposal(deal: Deal) -> str:
    """Return a deal as a `<PROPOSAL>` element."""
    return f"<PROPOSAL>{json.dumps(wire_form(deal))}</PROPOSAL>"


def offer(speech: str, clauses: Sequence[Clause]) -> str:
    """Return a message that gives a reason in public words and offers a deal."""
    return f"<s>{speech}.</s>{proposal(Deal(clauses=tuple(clauses)))}"


def choice(action: str) -> str:
    """Return a message that chooses an action; the public words leave out the action's content."""
    label, _, _ = action.partition(" {")
    return f"<s>I do {label}.</s><ACTION>{action}</ACTION>"


def sound_deal(shown: Mapping[str, Any]) -> Deal:
    """Return a deal that the letter shows in the agents' notation.

    Raises:
        Missing: the deal cannot be parsed.
    """
    deal = read_deal(shown)
    if isinstance(deal, Fault):
        raise Missing(f"the letter shows a deal that cannot be read: {deal.feedback}")
    return deal
