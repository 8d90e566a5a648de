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
By cooperate they end with Alice 1, Bob 1; by defect with Alice 2, Bob -1. Alice gains 1.
>>> print(propose(found).then.deal.text())
c1. everyone does cooperate at every turn.
c2. At the end the total is split: Alice 50 %, Bob 50 %.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shapley_coop.extension import Extension

if TYPE_CHECKING:
    from shapley_coop.extensions.completeness.examining import examine
    from shapley_coop.extensions.completeness.repairing import propose

__all__ = ["EXTENSION", "examine", "propose"]

_HERE = "shapley_coop.extensions.completeness"
_PLACES = {"examine": "examining", "propose": "repairing"}

EXTENSION = Extension(
    name="completeness",
    about="Find the case in which a contract fails, and the clauses that close it.",
    certificates={"completeness": f"{_HERE}.section:section"},
)


def __getattr__(name: str) -> Any:
    """Import a public name at its first use."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{_HERE}.{_PLACES[name]}"), name)
