"""A cell: one run of an experiment, and the type of the row that stores its results.

A cell's id is the hash of its content. A sweep may have a hundred thousand cells, so those that
differ only in seed and repetition share one `Condition`.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

Row = dict[str, Any]
"""The stored fields of one run: see `evals.rows`."""

_SEED = "\0"
"""The placeholder of seed and repetition in a condition's JSON; no other value equals it."""


@dataclass(frozen=True, eq=False)
class Condition:
    """The common part of cells that differ only in seed and repetition.

    Attributes:
        suite: the suite's name.
        labels: axis of the suite → this condition's label on the axis.
        graph: the workflow.
        settings: the resolved run configuration as plain JSON; each cell adds its seed.
        rank: the condition's position in the suite; it is not part of a cell's id.
    """

    suite: str
    labels: Mapping[str, str]
    graph: str
    settings: Mapping[str, Any]
    rank: int = 0

    @cached_property  # because a hundred thousand cells share it
    def around_the_seed(self) -> tuple[Any, str]:
        """The hash of a cell's JSON before the seed, and the JSON from there to the repetition."""
        settings = {**self.settings, "seed": _SEED}
        content = [self.suite, dict(self.labels), self.graph, settings, _SEED]
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        before, between, _ = text.split(json.dumps(_SEED))
        return hashlib.sha256(before.encode()), between


class Cell(NamedTuple):
    """One run of an experiment.

    Attributes:
        condition: the cell's settings without seed and repetition.
        seed: the seed of the run configuration.
        repetition: the number of the repetition, from 0.
    """

    condition: Condition
    seed: int
    repetition: int = 0

    @classmethod
    def alone(cls, graph: str, room: Mapping[str, Any]) -> "Cell":
        """Return a cell for a run that belongs to no suite."""
        return cls(Condition("", {}, graph, room), int(room["seed"]))

    @property
    def id(self) -> str:
        """The hash of the cell's content and labels: 20 hexadecimal digits."""
        before, between = self.condition.around_the_seed
        (whole := before.copy()).update(f"{self.seed}{between}{self.repetition}]".encode())
        return str(whole.hexdigest()[:20])

    @property
    def suite(self) -> str:
        """The suite's name."""
        return self.condition.suite

    @property
    def labels(self) -> Mapping[str, str]:
        """Axis → label."""
        return self.condition.labels

    @property
    def graph(self) -> str:
        """The workflow."""
        return self.condition.graph

    @property
    def room(self) -> dict[str, Any]:
        """The resolved run configuration with the cell's seed, as plain JSON."""
        return {**self.condition.settings, "seed": self.seed}

    @property
    def name(self) -> str:
        """The cell's labels and its seed, as a text to display."""
        return ", ".join([*self.labels.values(), f"seed {self.seed}"])
