"""Contracts in which all promise one action, messages that propose deals, and runs of contracts."""

import json

from shapley_coop.deals.language.clauses import Do, Pay
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.when import Event, Last
from shapley_coop.deals.language.wire_form import wire_form
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow
from shapley_coop.graphs.threads import table_of


def promise(game, action="cooperate", fine=0):
    """Everybody does one action; who does another pays the other, each time."""
    clauses = [Do(agent=agent, action=action) for agent in game.agents]
    one, other = game.agents
    for payer, payee in ((one, other), (other, one)):
        for wrong in game.actions[payer]:
            if fine and wrong != action:
                when = Last(last=Event(agent=payer, action=wrong))
                clauses.append(Pay(payer=payer, payee=payee, amount=fine, basis="turn", when=when))
    return Deal(clauses=clauses)


def proposal(deal, said="This."):
    clauses = json.dumps({"clauses": wire_form(deal)["clauses"]})
    return f"<s>{said}</s><PROPOSAL>{clauses}</PROPOSAL>"


async def table_after(room, run="run"):
    """Play the workflow `contracts`; the table at its end."""
    prepared = prepare("contracts", room, run)
    await follow(prepared)
    return await table_of(prepared)
