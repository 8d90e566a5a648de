"""The cells of a suite, one for each run: the product of axes × seeds × repetitions.

A cell's id is the hash of its content. A sweep may have a hundred thousand cells, so the cells of a
condition share everything but seed and repetition.

>>> from shapley_coop.evals.sweeps.cells import expand
>>> from shapley_coop.evals.sweeps.suite import Suite
>>> suite = Suite(name="two", base={"game": "escape_room"}, vary={"rounds": [1]}, seeds="0-1")
>>> [(cell.labels, cell.seed) for cell in expand(suite)]
[({'rounds': '1'}, 0), ({'rounds': '1'}, 1)]
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product, starmap
from typing import Any, NamedTuple

from pydantic import ValidationError

from shapley_coop.evals.sweeps.seeds import MOST_SEEDS
from shapley_coop.evals.sweeps.suite import Suite
from shapley_coop.graphs.catalogue import check_name
from shapley_coop.invalid import first_error
from shapley_coop.state.run_config import RunConfig

_GRAPH = "graph"
_MERGED = ("params", "seats")
_SEED = "\0"
"""The placeholder of seed and repetition in a condition's JSON; no other value equals it."""


@dataclass(frozen=True, eq=False)
class Condition:
    """The common part of cells that differ only in seed and repetition.

    Attributes:
        suite: the suite's name.
        labels: axis → label.
        graph: the workflow.
        settings: the resolved run configuration as plain JSON; each cell adds its seed.
        rank: the condition's position in the suite; it is not part of a cell's id.
    """

    suite: str
    labels: Mapping[str, str]
    graph: str
    settings: Mapping[str, Any]
    rank: int = 0

    @cached_property  # because a hundred thousand cells share this text
    def around_the_seed(self) -> tuple[str, str]:
        """A cell's canonical JSON before the seed, and between the seed and the repetition."""
        settings = {**self.settings, "seed": _SEED}
        content = [self.suite, dict(self.labels), self.graph, settings, _SEED]
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        before, between, _ = text.split(json.dumps(_SEED))
        return before, between


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
        whole = f"{before}{self.seed}{between}{self.repetition}]"
        return hashlib.sha256(whole.encode()).hexdigest()[:20]

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
        """The labels and the seed, for display."""
        return ", ".join([*self.labels.values(), f"seed {self.seed}"])


def expand(suite: Suite, seeds: Sequence[int] = ()) -> list[Cell]:
    """Return every cell of a suite, condition by condition.

    Args:
        suite: the experiment.
        seeds: seeds that replace the suite's seeds, if any.

    Raises:
        ValueError: seeds repeat, there are too many cells, or a condition's settings are wrong.
    """
    seeds = list(seeds or suite.seeds)
    if len(set(seeds)) < len(seeds):
        raise ValueError(f"{suite.name}: a seed is given twice: use repetitions to play it again")
    cells: list[Cell] = []
    for condition in _conditions(suite):
        cells += starmap(partial(Cell, condition), product(seeds, range(suite.repetitions)))
        if len(cells) > MOST_SEEDS:
            raise ValueError(f"{suite.name}: more than {MOST_SEEDS} cells: use fewer seeds")
    return cells


def _conditions(suite: Suite) -> Iterator[Condition]:
    """Yield the condition of every combination of the axes' labels."""
    axes = suite.axes
    for rank, labels in enumerate(product(*axes.values())):
        named = dict(zip(axes, labels, strict=True))
        settings = dict(suite.base)
        for axis, label in named.items():
            settings = _overlaid(settings, axes[axis][label])
        try:
            graph, config = read_settings(settings)
            room = config.resolve().model_dump(mode="json")
        except ValueError as error:
            shown = " ".join(f"{axis}={label}" for axis, label in named.items()) or "base"
            raise ValueError(f"suite {suite.name}, {shown}: {error}") from None
        yield Condition(suite.name, named, graph, room, rank)


def read_settings(settings: Mapping[str, Any]) -> tuple[str, RunConfig]:
    """Return the workflow and the configuration in a run's settings, without loading the game.

    Raises:
        ValueError: the workflow does not exist, or a setting is wrong.
    """
    graph = str(settings.get(_GRAPH, "shapley_coop"))
    check_name(graph)
    rest = {key: value for key, value in settings.items() if key != _GRAPH}
    try:
        return graph, RunConfig.model_validate(rest)
    except ValidationError as error:
        raise ValueError(str(first_error(error, RunConfig, beside=(_GRAPH,)))) from None


def _overlaid(settings: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings overridden by `more`; parameters and seats are merged by key."""
    merged = {key: {**settings.get(key, {}), **more[key]} for key in _MERGED if key in more}
    return {**settings, **more, **merged}
