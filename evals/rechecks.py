"""Checks that extensions add to `coop verify` for their own workflows."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from shapley_coop import extension
from shapley_coop.state.additions import SealedAnswer
from shapley_coop.state.table import Table


@dataclass(frozen=True)
class Recheck:
    """A check that an extension makes of runs whose workflow has a certain node.

    Attributes:
        name: the check's name in the output of `coop verify`.
        wrong: returns the differences between the run's last state and recomputed values.
        sound: the words to show if there is no difference.
        sealed: returns the agents' sealed answers, if the workflow makes a deal from sealed
            answers.
    """

    name: str
    wrong: Callable[[Table], list[str]]
    sound: str
    sealed: Callable[[Table], Mapping[str, SealedAnswer]] | None = None


def rechecks(nodes: Collection[str]) -> list[Recheck]:
    """Return the checks that extensions offer for some of a workflow's nodes.

    Raises:
        BrokenExtension: an extension cannot be imported.
    """
    brought = extension.offered("rechecks")
    return [extension.load("rechecks", node) for node in brought if node in nodes]
