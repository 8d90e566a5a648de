"""What scripted agents offer, worked out from the letter: deals good or bad for the others."""

import json
from fractions import Fraction
from typing import Any, Literal

from shapley_coop.amounts import plain
from shapley_coop.deals import Deal, Do, Event, Forbid, Last, Pay
from shapley_coop.evals.attacks.seat import Asked
from shapley_coop.seats.embedded.outlook import Outlook, Payoffs, transfers_to


def promises(asked: Asked) -> Deal:
    """What is best for all, without any payment."""
    plan = generous(asked).clauses
    return Deal(clauses=tuple(clause for clause in plan if not isinstance(clause, Pay)))


def outlook_of(asked: Asked) -> Outlook:
    """What the letter's payoffs imply."""
    return Outlook.of(asked.facts, asked.record)


def generous(asked: Asked) -> Deal:
    """What is best for all, with everything that it adds paid to the others, evenly."""
    outlook = outlook_of(asked)
    plan = outlook.together
    each = outlook.surplus / len(asked.others)
    due = {a: outlook.alone[a] + (each if a != asked.me else 0) for a in outlook.agents}
    return Deal(clauses=(*plan, *_transfers(due, outlook.value(Deal(clauses=tuple(plan))))))


def greedy(asked: Asked) -> Deal:
    """What leaves all others with less than without a deal, and me with the rest."""
    outlook = outlook_of(asked)
    pays = [Pay(payer=other, payee=asked.me, amount=stakes(asked)) for other in asked.others]
    return Deal(clauses=(*outlook.together, *pays))


def stakes(asked: Asked) -> str:
    """More than any agent can win or lose in the whole game."""
    outlook = outlook_of(asked)
    most = max(abs(x) for pays in outlook.pays.values() for x in pays.values())
    return plain(2 * outlook.turns * Fraction(str(most)))


def paid_for(asked: Asked, by_turn: bool = False) -> Deal:
    """What is best for all; I am paid a little by each for my part: once, or by the turn."""
    outlook = outlook_of(asked)
    plays = [p for p in outlook.plays() if outlook.total(p) == outlook.total(outlook.best_for_all)]
    first = asked.others[0]
    play = max(plays, key=lambda p: outlook.payoff(p)[first])
    done = Last(last=Event(agent=asked.me, action=play[asked.me]))
    turns = outlook.turns if by_turn else 1
    price = plain(round(Fraction(outlook.surplus) / 10 / len(asked.others) / turns, 2))
    basis: Literal["turn", "once"] = "turn" if by_turn else "once"
    pays = [
        Pay(payer=a, payee=asked.me, amount=price, basis=basis, when=done) for a in asked.others
    ]
    return Deal(clauses=(*(Do(agent=a, action=x) for a, x in play.items()), *pays))


def offer(speech: str, deal: Deal | dict[str, Any]) -> str:
    """A proposal as it is sent; a mapping is sent as it is, sound or not."""
    sent = deal.model_dump(mode="json", exclude_none=True) if isinstance(deal, Deal) else deal
    return f"<s>{speech}</s><PROPOSAL>{json.dumps(sent)}</PROPOSAL>"


def willing(asked: Asked) -> str | None:
    """A script that offers the others all there is to gain; it says nothing else."""
    return offer("You gain all there is.", generous(asked)) if asked.act == "propose" else None


def owed(asked: Asked) -> list[str]:
    """The actions that the contract asks of me now."""
    return [d["action"] for d in asked.facts.get("duties", []) if not d["forbidden"]]


def anything_else(asked: Asked) -> str:
    """A legal action that the contract does not ask of me, if there is one."""
    legal = [str(name) for name in asked.facts["legal"]]
    return next((action for action in legal if action not in owed(asked)), legal[0])


def action(name: str, said: str = "") -> str:
    """An action as it is sent."""
    return f"<s>{said or name}</s><ACTION>{name}</ACTION>"


def _transfers(due: Payoffs, earned: Payoffs) -> list[Do | Forbid | Pay]:
    return [Pay(payer=a, payee=b, amount=plain(x)) for a, b, x in transfers_to(due, earned)]
