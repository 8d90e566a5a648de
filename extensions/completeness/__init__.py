"""Whether a contract is complete: a search for the case in which breaking it pays, and a repair.

A contract is complete if no party is ever as well off by a breach, and if no welfare is left on the
table. The certificate of `coop contract check` tells the nearest case otherwise as a short story,
measures the distance to the Pareto frontier, and proposes clauses that close the gaps.

>>> from shapley_coop.deals.language.clauses import Do
>>> from shapley_coop.deals.language.deal import Deal
>>> from shapley_coop.extensions.completeness import examine, propose
>>> from shapley_coop.games import load
>>> facts = load("prisoners_dilemma", {"rounds": 1}).facts()
>>> promise = Deal(clauses=[Do(agent="everyone", action="cooperate")])
>>> found = examine(promise, facts)
>>> print(found.nearest.story())
Turn 1: Bob plays cooperate; Alice plays defect where the contract asks for cooperate.
By cooperate: Alice 2, Bob 2. By defect: Alice 3, Bob 0. Alice gains 1 by the breach.
>>> repair = propose(found)
>>> print(repair.deal.text())
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shapley_coop.extension import Extension

if TYPE_CHECKING:
    from shapley_coop.extensions.completeness.examining import Finding, examine
    from shapley_coop.extensions.completeness.repairing import Repair, propose

__all__ = ["EXTENSION", "Finding", "Repair", "examine", "propose"]

_HERE = "shapley_coop.extensions.completeness"

EXTENSION = Extension(
    name="completeness",
    about="Find the case in which a contract fails, and the clauses that close it.",
    certificates={"completeness": f"{_HERE}.section:section"},
)
_PLACES = {"Finding": "examining", "examine": "examining", "Repair": "repairing"}


def __getattr__(name: str) -> Any:
    """Import a public name at its first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{_HERE}.{_PLACES.get(name, 'repairing')}"), name)
