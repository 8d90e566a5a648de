"""The deal: one language for everything agents agree on.

Intents, prices, task allocations, contracts and reward splits are all a list of typed clauses.

>>> from shapley_coop.deals import Deal, Do, Event, Last, Pay, accept, put, unanimous
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

from typing import TYPE_CHECKING

from shapley_coop.lazily import offered

if TYPE_CHECKING:
    from shapley_coop.deals.agreement import monitor_of
    from shapley_coop.deals.analysis.certificate import certify
    from shapley_coop.deals.analysis.reservation import reservation_in, short_of
    from shapley_coop.deals.contract import (
        Contract,
        amend,
        in_force,
        rebuilt,
        share_of,
        sign,
    )
    from shapley_coop.deals.enforcement import Enforcement
    from shapley_coop.deals.language.clauses import (
        OTHERS,
        Clause,
        Do,
        Forbid,
        Give,
        Pay,
        Share,
        portions,
        sentence,
    )
    from shapley_coop.deals.language.deal import Deal, Offer, accept, put, unanimous
    from shapley_coop.deals.language.faults import Fault
    from shapley_coop.deals.language.reading import read_deal
    from shapley_coop.deals.language.rules import (
        DEAL_RULES,
        Rule,
        Terms,
        all_faults,
        first_fault,
        only,
    )
    from shapley_coop.deals.language.when import (
        All,
        AnyOf,
        Count,
        Earned,
        Event,
        Every,
        Last,
        Not,
        Turns,
        When,
    )
    from shapley_coop.deals.language.wire import Message, scan
    from shapley_coop.deals.language.wire_form import wire_form
    from shapley_coop.deals.monitor import (
        Monitor,
        Payment,
        duties,
        payments,
    )
    from shapley_coop.deals.settlement import earned, paid, payoffs, payoffs_from
else:
    __getattr__ = offered(__name__, __file__)

__all__ = [
    "DEAL_RULES",
    "OTHERS",
    "All",
    "AnyOf",
    "Clause",
    "Contract",
    "Count",
    "Deal",
    "Do",
    "Earned",
    "Enforcement",
    "Event",
    "Every",
    "Fault",
    "Forbid",
    "Give",
    "Last",
    "Message",
    "Monitor",
    "Not",
    "Offer",
    "Pay",
    "Payment",
    "Rule",
    "Share",
    "Terms",
    "Turns",
    "When",
    "accept",
    "all_faults",
    "amend",
    "certify",
    "duties",
    "earned",
    "first_fault",
    "in_force",
    "monitor_of",
    "only",
    "paid",
    "payments",
    "payoffs",
    "payoffs_from",
    "portions",
    "put",
    "read_deal",
    "rebuilt",
    "reservation_in",
    "scan",
    "sentence",
    "share_of",
    "short_of",
    "sign",
    "unanimous",
    "wire_form",
]
