"""Recorded rounds in one form: a row for each agent and round, as CSV or as JSON lines.

A CSV file begins with a line that names the columns. A file of JSON lines ends in `.jsonl`; each
line is an object with these keys. Other columns are ignored; rows may have any order.

======  ===========================================================================
match   the play that the row belongs to; without this column all rows are one play
round   the number of the round in its match, from 1
agent   the agent's name in the game
action  the agent's action; empty if it did nothing
points  the agent's points in this round; empty if they are unknown
======  ===========================================================================
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from shapley_coop.amounts import exact
from shapley_coop.files import no_number, no_such, read_text, unique_keys
from shapley_coop.games import Game

COLUMNS = ("round", "agent", "action", "points")


class Row(NamedTuple):
    """What one agent did in one round, and the points that the record gives it.

    Attributes:
        where: the place of the row in its file, for errors and differences.
        agent: the agent's name in the game.
        action: the agent's action; "" if it did nothing.
        points: the agent's points, after the payments of a contract; None if they are unknown.
        match: the name of the play.
        round: the number of the round in its match, from 1.
    """

    where: str
    agent: str
    action: str
    points: Fraction | None = None
    match: str = ""
    round: int = 1


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
        row = _row(where, cells, game)
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
        if missing := [column for column in COLUMNS if column not in (rows.fieldnames or ())]:
            raise ValueError(
                f"{file}:1: has no column {missing[0]}: name {', '.join(COLUMNS)} in the first "
                "line, with commas between them; JSON lines need a name ending in .jsonl"
            )
        for cells in rows:
            if None in cells or None in cells.values():
                raise ValueError(f"{file}:{rows.line_num}: has more or fewer cells than line 1")
            yield f"{file}:{rows.line_num}", cells
    except csv.Error as error:
        raise ValueError(f"{file}:{rows.line_num}: is not CSV: {error}") from None


def _row(where: str, cells: Mapping[str, Any], game: Game) -> Row:
    match, number, agent, action, points = (
        "" if (cell := cells.get(column)) is None else cell for column in ("match", *COLUMNS)
    )
    agent, action = str(agent).strip(), str(action).strip()
    try:
        if agent not in game.agents:
            raise ValueError(no_such("agent", agent, game.agents))
        if action and action not in game.actions[agent]:
            raise ValueError(no_such(f"action of {agent}", action, game.actions[agent]))
        known = None if points == "" else _number(points, "points")
        return Row(where, agent, action, known, str(match), _whole(number))
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _number(cell: Any, column: str) -> Fraction:
    if isinstance(cell, bool):
        raise ValueError(f"{column} is {cell}: a number is needed")
    return exact(cell, column)


def _whole(cell: Any) -> int:
    number = _number(cell, "round")
    if number.denominator != 1 or number < 1:
        raise ValueError(f"round is {cell}: number the rounds 1, 2, …")
    return int(number)


def _in_order(rounds: Mapping[int, Mapping[str, Row]]) -> Rounds:
    ordered = [list(rows.values()) for _, rows in sorted(rounds.items())]
    for number, (row, *_) in enumerate(ordered, start=1):
        if row.round != number:
            raise ValueError(
                f"{row.where}: round {row.round}, but there is no round {number}: number the "
                "rounds of a match 1, 2, …"
            )
    return ordered
