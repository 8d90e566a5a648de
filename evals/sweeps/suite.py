"""Suites: an experiment as one YAML file, and its runs, the cells.

A suite is a base (workflow and run configuration) and the axes that vary it. Its cells are the
product of axes × seeds × repetitions, each named by the hash of its content.

>>> from shapley_coop.evals.sweeps.suite import Suite, expand
>>> suite = Suite(name="two", base={"game": "escape_room"}, vary={"rounds": [1]}, seeds="0-1")
>>> [(cell.labels, cell.seed) for cell in expand(suite)]
[({'rounds': '1'}, 0), ({'rounds': '1'}, 1)]
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product, starmap
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field, ValidationError, model_validator

from shapley_coop import extension
from shapley_coop.evals.sweeps.seeds import MOST_SEEDS, Seeds
from shapley_coop.evals.sweeps.specs import FigureSpec, Part, TableSpec
from shapley_coop.files import no_such, read_mapping
from shapley_coop.games.catalogue import is_program
from shapley_coop.graphs.catalogue import check_name
from shapley_coop.invalid import first_error
from shapley_coop.permissions import PROGRAMS, permitted
from shapley_coop.state.run_config import RunConfig

_SHIPPED = Path(__file__).parents[1] / "suites"
_GRAPH, _GAME = "graph", "game"
_MERGED = ("params", "seats")

MAX_CELLS = MOST_SEEDS
_SEED = "\0"
"""Where a cell's seed and repetition go in the JSON of its condition: nothing else is this text."""

NAMING = "Small letters, digits and _; by default the file's own name."


class Suite(Part):
    """One experiment.

    `vary` maps an axis to the values of the field of that name (`graph`, `rounds`, `params.level`,
    …), or to labels and what each of them sets: `{enforced: {graph: contracts, …}, …}`.
    """

    name: str = Field(pattern=r"^[a-z0-9_]{1,64}$", description=NAMING)
    about: str = Field(default="", description="What the experiment asks.")
    base: dict[str, Any] = Field(default={}, description="What every run has in common.")
    vary: dict[str, list[Any] | dict[str, dict[str, Any]]] = Field(
        default={}, description="Axis → its values, or label → what it sets."
    )
    seeds: Seeds = Field(default=[0])
    repetitions: int = Field(default=1, ge=1, le=1000, description="Runs of each cell and seed.")
    compare: str = Field(
        default="", description="The axis whose last label is compared with each other."
    )
    tables: list[TableSpec] = Field(default=[], description="The report's tables.")
    figures: list[FigureSpec] = Field(default=[], description="The report's figures.")

    @model_validator(mode="after")
    def _axes(self) -> "Suite":
        for axis, values in self.vary.items():
            if not values:
                raise ValueError(f"the axis {axis} has no values: give one or more")
            if isinstance(values, list) and any(isinstance(v, list | dict) for v in values):
                raise ValueError(f"the axis {axis} lists no plain values: give label: {{…}} pairs")
        axes = set(self.axes)
        if self.compare and self.compare not in axes:
            raise ValueError(f"compare: {self.compare!r} is no axis: there are {sorted(axes)}")
        for table in self.tables:
            named = {*table.rows, *table.where, *(a for p in table.printed for a in p.row)}
            self._check_named(table.title, named, table.where)
        for figure in self.figures:
            self._check_named(figure.title, {*figure.by, *figure.where}, figure.where)
        return self

    def _check_named(self, title: str, axes: set[str], where: Mapping[str, str]) -> None:
        if strangers := axes - set(self.axes):
            raise ValueError(f"{title!r} names {sorted(strangers)}: no axes")
        for axis, label in where.items():
            if label not in (labels := list(self.axes[axis])):
                raise ValueError(f"{title!r}: {axis} has no label {label!r}, but {labels}")

    @property
    def axes(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Axis → label → what it sets, in the order of the file."""
        return {axis.rpartition(".")[2]: _labelled(axis, v) for axis, v in self.vary.items()}

    @property
    def columns(self) -> list[str]:
        """The measures that its tables and figures show."""
        shown = [table.columns for table in self.tables] + [f.columns for f in self.figures]
        return [column for columns in shown for column in columns]

    @property
    def size(self) -> int:
        """How many cells it has."""
        return prod(map(len, self.axes.values())) * len(self.seeds) * self.repetitions


@dataclass(frozen=True, eq=False)
class Condition:
    """What cells have in common that differ in seed and repetition alone.

    Attributes:
        suite: the suite's name.
        labels: axis → label.
        graph: the workflow.
        settings: what is played, resolved, as plain JSON; the seed is each cell's own.
        rank: in the suite; not part of what its cells are.
    """

    suite: str
    labels: Mapping[str, str]
    graph: str
    settings: Mapping[str, Any]
    rank: int = 0

    @cached_property  # a hundred thousand cells share it
    def around_the_seed(self) -> tuple[Any, str]:
        """The hash of a cell's canonical JSON up to its seed, and the text up to its repetition."""
        settings = {**self.settings, "seed": _SEED}
        content = [self.suite, dict(self.labels), self.graph, settings, _SEED]
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        before, between, _ = text.split(json.dumps(_SEED))
        return hashlib.sha256(before.encode()), between


class Cell(NamedTuple):
    """One run of an experiment.

    Attributes:
        condition: what it has in common with others.
        seed: the run configuration's.
        repetition: from 0.
    """

    condition: Condition
    seed: int
    repetition: int = 0

    @classmethod
    def alone(cls, graph: str, room: Mapping[str, Any]) -> "Cell":
        """A run that belongs to no suite."""
        return cls(Condition("", {}, graph, room), int(room["seed"]))

    @property
    def id(self) -> str:
        """The hash of its content and labels: 20 hexadecimal digits."""
        before, between = self.condition.around_the_seed
        whole = before.copy()
        whole.update(f"{self.seed}{between}{self.repetition}]".encode())
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
        """What is played, resolved, as plain JSON."""
        return {**self.condition.settings, "seed": self.seed}

    @property
    def name(self) -> str:
        """Its condition and seed, for people."""
        return ", ".join([*self.labels.values(), f"seed {self.seed}"])


def shipped() -> list[str]:
    """The suites that come with the core, sorted."""
    return sorted(path.stem for path in _SHIPPED.glob("*.yaml"))


def known() -> list[str]:
    """The suites that can be named: those of the core, then those of extensions."""
    return [*shipped(), *extension.offered("suites")]


def _file_of(name: str) -> Path:
    """The file of a suite: one that comes with the project or an extension, or a path."""
    if name in shipped():
        return _SHIPPED / f"{name}.yaml"
    if name in extension.offered("suites"):
        found = Path(str(extension.load("suites", name).__file__))
        return found.parent / f"{name}.yaml"
    return Path(name)


def load_suite(name: str) -> Suite:
    """Read a suite by its name or file. Games and workflows are looked up by `expand` only.

    Raises:
        ValueError: there is none, or it is not what a suite is.
    """
    path = _file_of(name)
    if not path.is_file():
        raise ValueError(no_such("suite", name, known(), "or give a file"))
    content = read_mapping(path, "a suite", "give name, base and vary")
    try:
        suite = Suite.model_validate({"name": path.stem, **content})
    except ValidationError as error:
        raise ValueError(f"{path}: {first_error(error, Suite)}") from None
    refuse_programs(path, games_in(suite))
    return suite


def games_in(suite: Suite) -> Iterator[Any]:
    """What a suite sets the game to, wherever it does."""
    yield suite.base.get(_GAME)
    for labels in suite.axes.values():
        yield from (settings.get(_GAME) for settings in labels.values())


def refuse_programs(where: Path, named: Iterable[Any]) -> None:
    """Refuse games of a file that are programs: to load one is to run it.

    Args:
        where: the file or folder, for the message.
        named: its games.

    Raises:
        ValueError: one is a program, and the command line did not permit it.
    """
    programs = () if permitted(PROGRAMS) else (game for game in named if is_program(game))
    for game in programs:
        raise ValueError(
            f"{where}: names {game[:200]!r}, which is a program; if you trust it: "
            "coop --trust-programs …"
        )


def expand(suite: Suite, seeds: Sequence[int] = ()) -> list[Cell]:
    """Every cell of a suite, condition by condition.

    Args:
        suite: the experiment.
        seeds: in place of the suite's own.

    Raises:
        ValueError: a game or workflow is not there, or a setting is wrong; names the condition.
    """
    seeds = list(seeds or suite.seeds)
    if len(set(seeds)) < len(seeds):
        raise ValueError(f"{suite.name}: seeds repeat: use repetitions to play one again")
    cells: list[Cell] = []
    for condition in _conditions(suite):
        cells += starmap(partial(Cell, condition), product(seeds, range(suite.repetitions)))
        if len(cells) > MAX_CELLS:
            raise ValueError(f"{suite.name}: more than {MAX_CELLS} cells: vary less")
    return cells


def _conditions(suite: Suite) -> Iterator[Condition]:
    """Every combination of the axes' labels."""
    axes = suite.axes
    for rank, labels in enumerate(product(*axes.values())):
        named = dict(zip(axes, labels, strict=True))
        settings = dict(suite.base)
        for axis, label in named.items():
            settings = _overlaid(settings, axes[axis][label])
        try:
            graph, config = configured(settings)
            room = config.resolve().model_dump(mode="json")
        except ValueError as error:
            shown = " ".join(f"{axis}={label}" for axis, label in named.items()) or "base"
            raise ValueError(f"suite {suite.name}, {shown}: {error}") from None
        yield Condition(suite.name, named, graph, room, rank)


def configured(settings: Mapping[str, Any]) -> tuple[str, RunConfig]:
    """The workflow and the configuration that settings of a run name; no game is loaded yet.

    Raises:
        ValueError: there is no such workflow, or a setting is wrong.
    """
    graph = str(settings.get(_GRAPH, "shapley_coop"))
    check_name(graph)
    rest = {key: value for key, value in settings.items() if key != _GRAPH}
    try:
        return graph, RunConfig.model_validate(rest)
    except ValidationError as error:
        raise ValueError(str(first_error(error, RunConfig, beside=(_GRAPH,)))) from None


def _labelled(axis: str, values: list[Any] | dict[str, dict[str, Any]]) -> dict[str, Any]:
    if isinstance(values, dict):
        return values
    field, _, inner = axis.partition(".")
    return {str(v): {field: {inner: v}} if inner else {field: v} for v in values}


def _overlaid(settings: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters and seats are merged by key, everything else is replaced."""
    merged = {key: {**settings.get(key, {}), **more[key]} for key in _MERGED if key in more}
    return {**settings, **more, **merged}
