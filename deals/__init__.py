"""The deal: one language for everything agents agree on.

Intents, prices, task allocations, contracts and reward splits are all a list of typed clauses.

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

A message is read by `scan`, a proposal by `read_deal`, and checked by the rules a workflow
composes (`first_fault(DEAL_RULES, deal, terms)`); each answers with a labelled `Fault` and never
raises.
Before anybody signs, `certify` says whether a deal can be kept and what it does to everybody's
incentives; while it runs, its `Monitor` says after every turn how each clause stands; `Enforcement`
says what becomes of it when it is broken.
"""
