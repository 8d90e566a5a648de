"""A tournament's folder: two files beside the sweep's rows, and the verification of both.

tournament.json   the tournament's definition
ranking.json      the ranking, and the hash (seal) of the rows that the ranking is computed from
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from shapley_coop.evals.cell import Cell, Row
from shapley_coop.evals.verifying_books import name_differences
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.store import Store
from shapley_coop.extensions.trials.tournament.entry import (
    FIRST,
    SECOND,
    Tournament,
    read_tournament,
    suite_name,
    suites,
)
from shapley_coop.extensions.trials.tournament.ranking import Rank
from shapley_coop.extensions.trials.tournament.results import Played
from shapley_coop.extensions.trials.tournament.verifying import seal, wrong_in
from shapley_coop.files import read_json
from shapley_coop.written_files import make_folder, replace_file

ENTRY, RANKING = "tournament.json", "ranking.json"

SAME = 1e-6
"""The tolerance for strengths, which other versions of the libraries may round differently."""


class _Held(NamedTuple):
    """A tournament's folder: the matches by id, the first row and the run of each, and strangers.

    `strangers` has a message for each row that has no match, and for each second row of a match.
    """

    folder: Path
    tournament: Tournament
    cells: dict[str, Cell]
    rows: dict[str, Row]
    runs: dict[str, str]
    strangers: list[str]

    def played(self) -> Played:
        """Return the tournament, with the rows of all its matches.

        Raises:
            ValueError: the row of a match is missing.
        """
        if left := len(self.cells) - len(self.rows):
            total = len(self.cells)
            raise ValueError(f"{self.folder}: {left} of {total} matches are left: run it again")
        by_game: dict[str, list[Row]] = {game: [] for game in self.tournament.games}
        games = {suite_name(self.tournament, game): game for game in by_game}
        for cell in self.cells.values():
            by_game[games[cell.suite]].append(self.rows[cell.id])
        return Played(self.tournament, by_game, self.runs)


def enter(folder: Path, tournament: Tournament) -> None:
    """Write the tournament's definition into its folder.

    Raises:
        ValueError: the folder holds another tournament.
    """
    path, content = folder / ENTRY, tournament.model_dump(mode="json")
    if path.exists() and read_json(path, "a tournament") != content:
        raise ValueError(f"{folder} contains another tournament: give another -o DIR")
    make_folder(folder)
    replace_file(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def played_in(folder: Path) -> Played:
    """Return the tournament of a folder with all its rows.

    Raises:
        ValueError: the folder has no tournament, a match has no row, or a row has no match.
    """
    held = _held_in(folder)
    if held.strangers:
        raise ValueError(f"{folder}: {held.strangers[0]}")
    return held.played()


def keep_ranking(folder: Path, played: Played, ranking: Sequence[Rank]) -> None:
    """Write the ranking and the hash of its rows; `verify` recomputes both."""
    content = {"ranking": as_json(ranking), "rows": seal(played.all_rows())}
    replace_file(folder / RANKING, json.dumps(content, indent=1) + "\n")


def as_json(ranking: Sequence[Rank]) -> list[dict[str, Any]]:
    """Return a ranking as JSON-compatible data."""
    return [
        {
            "seat": one.seat,
            "strength": one.strength.value,
            "low": one.strength.low,
            "high": one.strength.high,
            "seeds": one.strength.n,
            "won": one.won,
            "compared": one.compared,
            "population": one.population,
        }
        for one in ranking
    ]


def verify(folder: Path) -> tuple[list[Rank], list[str]]:
    """Recompute each row from its match's messages and actions, then the ranking.

    Returns:
        The ranking, which is empty if a row is wrong, and a line for each difference.

    Raises:
        ValueError: a file cannot be read, or a match is missing.
    """
    held, kept = _held_in(folder), read_json(folder / RANKING, "a ranking")
    if not isinstance(kept, dict):
        raise ValueError(f"{folder / RANKING}: has no hash of the rows: run the tournament again")
    wrong = held.strangers + [
        f"{_match(cell)}: {name_differences(found)}"
        for cell in held.cells.values()
        if cell.id in held.rows and (found := wrong_in(held.rows[cell.id], cell))
    ]
    if wrong:
        return [], wrong
    played = held.played()
    ranking = played.ranking()
    wrong = [f"{RANKING}: {one}" for one in _differently_ranked(kept.get("ranking"), ranking)]
    if kept.get("rows") != seal(played.all_rows()):
        wrong.append(f"{RANKING}: its seal is of other rows: words or calls in them were changed")
    return ranking, wrong


def _differently_ranked(kept: Any, ranking: Sequence[Rank]) -> Iterator[str]:
    """Yield a line for each difference between a stored and a new ranking, rounding aside."""
    anew = as_json(ranking)
    if not isinstance(kept, list) or len(kept) != len(anew):
        yield "lists other seats than the tournament"
        return
    for place, (was, now) in enumerate(zip(kept, anew, strict=True), start=1):
        for key, value in now.items():
            told = was.get(key) if isinstance(was, dict) else None
            both = isinstance(value, float) and isinstance(told, int | float)
            if not (abs(value - told) <= SAME if both else value == told):
                yield f"place {place} says {key} {told!r}; the rows say {value!r}"


def _held_in(folder: Path) -> _Held:
    tournament = read_tournament(folder / ENTRY)
    cells = {cell.id: cell for suite in suites(tournament) for cell in expand(suite)}
    rows: dict[str, Row] = {}
    runs: dict[str, str] = {}
    strangers = []
    with Store(folder) as store:
        for row, volatile in store.rows().timed():
            cell = str(row.get("cell"))
            runs[cell] = str(volatile.get("run", ""))
            if cell not in cells:
                strangers.append(f"the cell {cell[:40]!r} is no match of this tournament")
            elif rows.setdefault(cell, row) is not row:
                strangers.append(f"{_match(cells[cell])}: there are two rows")
    if strangers and not rows:
        raise ValueError(f"{folder}: its rows are of another version or tournament: run it again")
    return _Held(folder, tournament, cells, rows, runs, strangers)


def _match(cell: Cell) -> str:
    first, second = (cell.labels[axis] for axis in (FIRST, SECOND))
    return f"{cell.suite}, {first} against {second}, seed {cell.seed}"
