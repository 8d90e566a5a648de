"""Institutions beside contracts: a mediator, reputation, and trade in pairs."""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.institutions"

EXTENSION = Extension(
    name="institutions",
    about="A mediator that plays for whoever delegates, reputation, and tasks traded in pairs.",
    games={"encounters": f"{_HERE}.encounters:Encounters"},
    variants={"task_exchange.meetings": f"{_HERE}.pairs.game:ExchangeInPairs"},
    workflows={
        "mediation": f"{_HERE}.pages.mediation:graph",
        "pairwise_exchange": f"{_HERE}.pages.pairwise_exchange:graph",
    },
    words={"mediator": f"{_HERE}.words:in_words"},
    moves={"mediator": f"{_HERE}.delegating:chosen"},
    readings={
        "encounter": f"{_HERE}.at_hand:in_encounter",
        "meetings": f"{_HERE}.pairs.at_work:reading",
    },
    rechecks={"swap": f"{_HERE}.pairs.verifying:SWAPPED"},
    audits={"delegated": f"{_HERE}.mediator:misplayed"},
    suites={"institutions": _HERE, "reputation": _HERE},
)
