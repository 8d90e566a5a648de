"""Suites: an experiment as one YAML file.

A suite is a base (workflow and run configuration) and the axes that vary it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from shapley_coop import extension
from shapley_coop.evals.seeds import Seeds
from shapley_coop.files import no_such, read_mapping
from shapley_coop.games.catalogue import is_program
from shapley_coop.invalid import first_error
from shapley_coop.permissions import PROGRAMS, permitted

_SHIPPED = Path(__file__).with_name("suites")
_GAME, _SEATS = "game", "seats"
_LONGEST_NAME = 64

NAMING = "Small letters, digits and _; by default the file's own name."


class Part(BaseModel):
    """The base class of all objects in a suite's file."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Printed(Part):
    """The values that the experiment's source, such as a paper, prints in one row of a table."""

    row: dict[str, str] = Field(description="Axis → label: the labels of this row.")
    values: dict[str, str] = Field(description="Column → the value to print.")


class TableSpec(Part):
    """A table of the report, with a row for each combination of some axes."""

    title: str
    rows: list[str] = Field(default=[], description="The axes of the rows; all axes by default.")
    where: dict[str, str] = Field(
        default={}, description="Axis → label: use only the runs with these labels."
    )
    columns: list[str] = Field(min_length=1, description="Measures (see `evals.measures`).")
    source: str = Field(default="", description="The source of printed values or of the idea.")
    printed: list[Printed] = []


class FigureSpec(Part):
    """One figure of the report, of a kind that an extension draws."""

    kind: str
    title: str
    by: list[str] = Field(default=[], description="The axes of the figure; all axes by default.")
    where: dict[str, str] = Field(
        default={}, description="Axis → label: use only the runs with these labels."
    )
    columns: list[str] = Field(default=[], description="Measures, if the kind needs any.")


class Suite(Part):
    """One experiment.

    `vary` maps an axis to values for the field of that name (`graph`, `rounds`, `params.level`, …),
    or to labels, each with the fields that it sets: `{enforced: {graph: contracts, …}, …}`.
    """

    name: str = Field(pattern=r"^[a-z0-9_]{1,64}$", description=NAMING)
    about: str = Field(default="", description="The question that the experiment answers.")
    base: dict[str, Any] = Field(default={}, description="The settings that all runs share.")
    vary: dict[str, list[Any] | dict[str, dict[str, Any]]] = Field(
        default={}, description="Axis → its values, or label → the settings for this label."
    )
    seeds: Seeds = Field(default=[0])
    repetitions: int = Field(default=1, ge=1, le=1000, description="Runs per condition and seed.")
    compare: str = Field(
        default="",
        description="The axis whose last label is compared with each of its other labels.",
    )
    tables: list[TableSpec] = Field(default=[], description="The report's tables.")
    figures: list[FigureSpec] = Field(default=[], description="The report's figures.")

    @model_validator(mode="after")
    def _axes(self) -> "Suite":
        for axis, values in self.vary.items():
            if not values:
                raise ValueError(f"the axis {axis} has no values: give one or more")
            if isinstance(values, list) and any(isinstance(v, list | dict) for v in values):
                raise ValueError(
                    f"the axis {axis} has lists or mappings as values: give label: {{…}} pairs"
                )
        axes = set(self.axes)
        if self.compare and self.compare not in axes:
            raise ValueError(f"compare: {self.compare!r} is not an axis: choose {sorted(axes)}")
        for table in self.tables:
            named = {*table.rows, *table.where, *(a for p in table.printed for a in p.row)}
            self._check_named(table.title, named, table.where)
        for figure in self.figures:
            self._check_named(figure.title, {*figure.by, *figure.where}, figure.where)
        return self

    def _check_named(self, title: str, axes: set[str], where: Mapping[str, str]) -> None:
        if strangers := axes - set(self.axes):
            raise ValueError(f"{title!r}: {sorted(strangers)} are not axes")
        for axis, label in where.items():
            if label not in (labels := list(self.axes[axis])):
                raise ValueError(f"{title!r}: {axis} has no label {label!r}: choose from {labels}")

    def is_stored_as(self, stored: Mapping[str, Any] | None) -> bool:
        """Return whether a stored suite equals this one, except for its seeds."""
        return stored is not None and {**stored, "seeds": self.seeds} == self.model_dump(
            mode="json"
        )

    @property
    def axes(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Axis → label → the settings that the label stands for, in the order of the file."""
        return {axis.rpartition(".")[2]: _label(axis, v) for axis, v in self.vary.items()}

    @property
    def columns(self) -> list[str]:
        """The measures that the suite's tables and figures show."""
        shown = [table.columns for table in self.tables] + [f.columns for f in self.figures]
        return [column for columns in shown for column in columns]

    @property
    def size(self) -> int:
        """The number of cells."""
        return prod(map(len, self.axes.values())) * len(self.seeds) * self.repetitions


def shipped_suites() -> list[str]:
    """Return the sorted names of the suites in the folder `suites`."""
    return sorted(path.stem for path in _SHIPPED.glob("*.yaml"))


def known_suites() -> list[str]:
    """Return the names of all suites: those in the folder `suites`, then those of extensions."""
    return [*shipped_suites(), *extension.offered("suites")]


def _file_of(name: str) -> Path:
    """Return the file of a named suite, or the name itself as a path."""
    if name in shipped_suites():
        return _SHIPPED / f"{name}.yaml"
    if name in extension.offered("suites"):
        found = Path(str(extension.load("suites", name).__file__))
        return found.parent / f"{name}.yaml"
    return Path(name)


def load_suite(name: str) -> Suite:
    """Read a suite by its name or path. `expand` will look up its games and workflows.

    Raises:
        ValueError: the suite does not exist, its file is invalid, or it names a Python program
            that may not run here.
    """
    path = _file_of(name)
    if not path.is_file():
        raise ValueError(
            no_such("suite", name, known_suites(), "what an extension may bring, or give a file")
        )
    content = read_mapping(path, "a suite", "give name, base and vary")
    try:
        suite = Suite.model_validate({"name": path.stem, **content})
    except ValidationError as error:
        raise ValueError(f"{path}: {first_error(error, Suite)}") from None
    refuse_programs(path, games_in(suite))
    return suite


def seated(suite: Suite, seats: Mapping[str, Any]) -> Suite:
    """Return the suite with other seats, and with the first seat's model added to its name.

    Raises:
        ValueError: an axis of the suite sets seats.
    """
    for axis, labels in suite.axes.items():
        if any(_SEATS in settings for settings in labels.values()):
            raise ValueError(
                f"--model: the axis {axis} of {suite.name} sets the seats: change them in its file"
            )
    model = next(iter(seats.values()))
    of = str(model if isinstance(model, str) else model["model"]).lower()
    name = f"{suite.name}_{re.sub('[^a-z0-9]+', '_', of)}"[:_LONGEST_NAME].strip("_")
    return suite.model_copy(update={"name": name, "base": {**suite.base, _SEATS: dict(seats)}})


def games_in(suite: Suite) -> Iterator[Any]:
    """Yield the game that a suite's base, and each of its labels, sets; None where it sets none."""
    yield suite.base.get(_GAME)
    for labels in suite.axes.values():
        yield from (settings.get(_GAME) for settings in labels.values())


def refuse_programs(where: Path, named: Iterable[Any]) -> None:
    """Refuse games that are programs, because loading a program runs it.

    Args:
        where: the file or folder that names the games, for the message.
        named: the games.

    Raises:
        ValueError: a game is a program, and the command line did not permit programs.
    """
    programs = () if permitted(PROGRAMS) else (game for game in named if is_program(game))
    for game in programs:
        raise ValueError(
            f"{where}: the game {game[:200]!r} is a program; if you trust it: coop "
            "--trust-programs …"
        )


def _label(axis: str, values: list[Any] | dict[str, dict[str, Any]]) -> dict[str, Any]:
    if isinstance(values, dict):
        return values
    field, _, inner = axis.partition(".")
    return {str(v): {field: {inner: v}} if inner else {field: v} for v in values}
