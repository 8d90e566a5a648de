"""What `coop verify` recomputes of the workflows that extensions bring."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from shapley_coop import extension
from shapley_coop.state.additions import SealedAnswer
from shapley_coop.state.table import Table


@dataclass(frozen=True)
class Recheck:
    """What is recomputed of a workflow, whose node has the name of the part `rechecks`.

    Attributes:
        name: what is compared.
        wrong: returns what is not as it is stated, of the last table.
        sound: what is said if nothing is wrong.
        sealed: returns what agents bound themselves to by answers that stay sealed, where a deal is
            made of such.
    """

    name: str
    wrong: Callable[[Table], list[str]]
    sound: str
    sealed: Callable[[Table], Mapping[str, SealedAnswer]] | None = None


def rechecks(nodes: Collection[str]) -> list[Recheck]:
    """Return what extensions recompute of a workflow with these nodes.

    Raises:
        BrokenExtension: an extension cannot be imported.
    """
    brought = extension.offered("rechecks")
    return [extension.load("rechecks", node) for node in brought if node in nodes]
