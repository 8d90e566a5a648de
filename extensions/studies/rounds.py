"""Recorded rounds in one form: a row for each agent and round, as CSV or as JSON lines.

A CSV file begins with a line that names the columns. A file of JSON lines ends in `.jsonl`; each
line is an object with these keys. Other columns are ignored; rows may have any order.

======  ===========================================================================
match   the play that the row belongs to; without this column all rows are one play
round   the number of the round in its match, from 1; without this column 1
agent   the agent's name in the game
action  the agent's action; empty, as if there were no row, if it did nothing
points  the agent's points in this round; empty, or without this column, they are unknown
======  ===========================================================================
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from shapley_coop.amounts import exact
from shapley_coop.files import no_number, no_such, read_text, unique_keys
from shapley_coop.games import Game
from shapley_coop.games.actions import told_actions
from shapley_coop.invalid import first_error

COLUMNS = ("match", "round", "agent", "action", "points")


def _number(told: Any) -> Fraction:
    if isinstance(told, bool):
        raise ValueError(f"it is {told}: a number is needed")
    return exact(told, "it")


class Row(BaseModel):
    """One row; `where` is its place in the record, for errors and differences."""

    model_config = ConfigDict(
        frozen=True, coerce_numbers_to_str=True, str_strip_whitespace=True, extra="forbid"
    )

    where: str
    match: str = ""
    round: int = Field(default=1, ge=1)
    agent: str
    action: str = ""
    points: Annotated[Fraction, BeforeValidator(_number)] | None = None

    @classmethod
    def of(cls, where: str, told: Mapping[str, Any]) -> "Row":
        """Return the row of a mapping from columns to cells, without empty cells.

        Raises:
            ValueError: a cell is missing or wrong; the one-line message begins with the place.
        """
        cells = {key: told[key] for key in COLUMNS if told.get(key) not in (None, "")}
        try:
            return cls(where=where, **cells)
        except ValidationError as error:
            raise ValueError(f"{where}: {first_error(error)}") from None


Rounds = Sequence[Sequence[Row]]
"""The rounds of one match, in order; each has its rows."""


def read_rounds(file: Path, game: Game) -> dict[str, Rounds]:
    """Return match → its rounds, for all rows of a CSV file or a file of JSON lines.

    Raises:
        ValueError: a row is not of the form, or not possible in the game; the one-line message
            names the file and the line.
    """
    found: dict[str, dict[int, dict[str, Row]]] = {}
    for where, cells in _cells(file):
        row = Row.of(where, cells)
        if row.agent not in game.agents:
            raise ValueError(f"{where}: {no_such('agent', row.agent, game.agents)}")
        if row.action and row.action not in (acts := game.actions[row.agent]):
            lacking = no_such(f"action of {row.agent}", row.action, told_actions(acts))
            raise ValueError(f"{where}: {lacking}")
        others = found.setdefault(row.match, {}).setdefault(row.round, {})
        if row.agent in others:
            raise ValueError(
                f"{where}: {row.agent} has a row for round {row.round} already, at "
                f"{others[row.agent].where}: tell plays apart by a column match"
            )
        others[row.agent] = row
    if not found:
        raise ValueError(f"{file}: has no rows: give columns {', '.join(COLUMNS)}")
    return {match: _in_order(rounds) for match, rounds in found.items()}


def json_lines(file: Path, kind: str) -> Iterator[tuple[str, Any]]:
    """Yield the place and the value of each line of JSON; empty lines are left out.

    Raises:
        ValueError: the file cannot be read, or a line is not JSON.
    """
    for number, line in enumerate(read_text(file, kind).split("\n"), start=1):
        if line.strip():
            try:
                told = json.loads(line, object_pairs_hook=unique_keys, parse_constant=no_number)
            except (ValueError, RecursionError):
                raise ValueError(f"{file}:{number}: is not JSON") from None
            yield f"{file}:{number}", told


def _cells(file: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if file.suffix == ".jsonl":
        for where, told in json_lines(file, "recorded rounds"):
            if not isinstance(told, dict):
                raise ValueError(f"{where}: is not an object with {', '.join(COLUMNS)}")
            yield where, told
        return
    rows = csv.DictReader(StringIO(read_text(file, "recorded rounds"), newline=""), strict=True)
    try:
        if missing := {"agent", "action"} - {*(rows.fieldnames or ())}:
            raise ValueError(
                f"{file}:1: has no column {min(missing)}: name {', '.join(COLUMNS)} in the first "
                "line, with commas between them; JSON lines need a name ending in .jsonl"
            )
        for cells in rows:
            if None in cells or None in cells.values():
                raise ValueError(f"{file}:{rows.line_num}: has more or fewer cells than line 1")
            yield f"{file}:{rows.line_num}", cells
    except csv.Error as error:
        raise ValueError(f"{file}:{rows.reader.line_num}: is not CSV: {error}") from None


def _in_order(rounds: Mapping[int, Mapping[str, Row]]) -> Rounds:
    ordered = [list(rows.values()) for _, rows in sorted(rounds.items())]
    for number, (row, *_) in enumerate(ordered, start=1):
        if row.round != number:
            raise ValueError(
                f"{row.where}: round {row.round}, but there is no round {number}: number the "
                "rounds of a match 1, 2, …"
            )
    return ordered
