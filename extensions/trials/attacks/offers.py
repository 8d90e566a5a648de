"""The offers and actions of scripted agents, computed from the facts in their letters."""

import json
from collections.abc import Collection
from fractions import Fraction
from typing import Any, Literal

from shapley_coop.amounts import plain
from shapley_coop.deals.language.clauses import Do, Forbid, Pay
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.when import Event, Last
from shapley_coop.deals.language.wire_form import wire_form
from shapley_coop.extensions.trials.attacks.seat import Asked
from shapley_coop.games.enumeration import Enumeration
from shapley_coop.games.foresight import Payoffs
from shapley_coop.seats.embedded.outlook import Outlook, transfers_to


def outlook_of(asked: Asked) -> Outlook:
    """Return the asked agent's estimates of deals, computed from the letter's payoffs."""
    return Outlook.of(asked.facts, asked.record)


def payoffs_of(asked: Asked) -> Enumeration:
    """Return the letter's table of payoffs."""
    return Enumeration(asked.facts, asked.record, lambda record, turn: ())


def generous(asked: Asked) -> Deal:
    """Return the efficient plan with payments that share the surplus among the other agents.

    If the sender's payoff without a deal is negative, the payments first lift this payoff to zero.
    """
    outlook = outlook_of(asked)
    plan, mine = outlook.together, max(0.0, -outlook.without[asked.me])
    each = (outlook.surplus - mine) / len(asked.others)
    due = {a: outlook.without[a] + (each if a != asked.me else mine) for a in outlook.agents}
    return Deal(clauses=(*plan, *_transfers(due, outlook.value(Deal(clauses=tuple(plan))))))


def greedy(asked: Asked) -> Deal:
    """Return a deal that leaves every other agent worse off than no deal would.

    Each other agent pays the sender all that it could ever earn; larger payments are refused.
    """
    return paid_by(asked, [agent for agent in asked.facts["agents"] if agent != asked.me])


def paid_by(asked: Asked, payers: Collection[str]) -> Deal:
    """Return the efficient plan; each payer that does its part must pay all that it could earn."""
    plan = outlook_of(asked).together
    pays = [
        Pay(
            payer=duty.agent,
            payee=asked.me,
            amount=stakes(asked, duty.agent),
            when=Last(last=Event(agent=duty.agent, action=duty.action)),
        )
        for duty in plan
        if duty.agent in payers
    ]
    return Deal(clauses=(*plan, *pays))


def stakes(asked: Asked, agent: str) -> str:
    """Return the largest reward that an agent can earn in the whole game, as an amount in text."""
    table = payoffs_of(asked)
    return plain(table.turns * Fraction(str(max(pays[agent] for pays in table.pays.values()))))


def paid_for(asked: Asked, by_turn: bool = False) -> Deal:
    """Return the efficient plan; all other agents pay the sender for its work, once or by turn."""
    outlook, table = outlook_of(asked), payoffs_of(asked)
    plays = [p for p in table.plays() if table.total(p) == table.total(table.best_for_all)]
    first = asked.others[0]
    play = max(plays, key=lambda p: table.payoff(p)[first])
    done = Last(last=Event(agent=asked.me, action=play[asked.me]))
    turns = table.turns if by_turn else 1
    price = plain(round(Fraction(outlook.surplus) / 10 / len(asked.others) / turns, 2))
    basis: Literal["turn", "once"] = "turn" if by_turn else "once"
    pays = [
        Pay(payer=a, payee=asked.me, amount=price, basis=basis, when=done) for a in asked.others
    ]
    return Deal(clauses=(*(Do(agent=a, action=x) for a, x in play.items()), *pays))


def offer(speech: str, deal: Deal | dict[str, Any]) -> str:
    """Return a proposal in wire format; `deal` is not checked if it is a mapping."""
    sent = forged(deal) if isinstance(deal, Deal) else deal
    return f"<s>{speech}</s><PROPOSAL>{json.dumps(sent)}</PROPOSAL>"


def generously(asked: Asked) -> str:
    """Propose the deal that shares the surplus among the other agents (`generous`)."""
    return offer("You gain all there is to gain.", generous(asked))


willing = {"propose": generously}
"""A script that proposes the generous deal; an embedded agent writes all other answers."""


def promises(asked: Asked) -> Deal:
    """Return the duties of the deal `generous`, without its payments."""
    clauses = generous(asked).clauses
    return Deal(clauses=tuple(clause for clause in clauses if not clause.transfer))


def forged(deal: Deal, **changes: Any) -> dict[str, Any]:
    """Return a deal as JSON, with some of its fields replaced."""
    return {**wire_form(deal), **changes}


def owed(asked: Asked) -> list[str]:
    """Return the actions that the contract requires of the asked agent this turn."""
    return [d["action"] for d in asked.facts.get("duties", []) if not d["forbidden"]]


def anything_else(asked: Asked) -> str:
    """Return a legal action that the contract does not require, or the first legal action."""
    legal = [str(name) for name in asked.facts["legal"]]
    return next((action for action in legal if action not in owed(asked)), legal[0])


def kept(asked: Asked) -> str:
    """Return the first action that the contract requires, or else the first legal action."""
    return action((owed(asked) or [asked.facts["legal"][0]])[0])


def action(name: str, said: str = "") -> str:
    """Return an action in wire format; the default speech is the action's name."""
    return f"<s>{said or name}</s><ACTION>{name}</ACTION>"


def _transfers(due: Payoffs, earned: Payoffs) -> list[Do | Forbid | Pay]:
    return [Pay(payer=a, payee=b, amount=plain(x)) for a, b, x in transfers_to(due, earned)]
