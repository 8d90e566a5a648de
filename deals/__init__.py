"""The deal: one language for everything that agents agree on.

Intents, prices, task allocations, contracts and reward splits are all lists of typed clauses.

>>> from shapley_coop.deals.language.clauses import Do, Pay
>>> from shapley_coop.deals.language.deal import Deal, accept, put, unanimous
>>> from shapley_coop.deals.language.when import Event, Last
>>> deal = Deal(clauses=[
...     Do(agent="Alice", action="lever"),
...     Pay(payer="Bob", payee="Alice", amount="5.5",
...         when=Last(last=Event(agent="Alice", action="lever"))),
... ])
>>> print(deal.text())
c1. Alice does lever at every turn.
c2. Bob pays Alice 5.5, once, if Alice does lever.
>>> offer = put(deal, by="Alice", revision=1)
>>> accepted = accept(offer, "Bob", 1, offer["hash"])
>>> unanimous(accepted, ["Alice", "Bob"])
True

`scan` reads a message and `read_deal` reads a proposal. The rules that a workflow chooses check
the deal (`first_fault(DEAL_RULES, deal, terms)`). These functions return a labelled `Fault` for bad
input and never raise. Before the agents sign, `certify` computes whether they can keep the deal and
how it changes their incentives. After every turn the `Monitor` gives the verdict on each clause.
`Enforcement` defines the consequences of a breach.
"""
