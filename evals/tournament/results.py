"""What a tournament's rows come to: the ranking, each game's table, and the cross-play matrix."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from shapley_coop.amounts import exact
from shapley_coop.deals import earned
from shapley_coop.evals.measures.evaluators import score
from shapley_coop.evals.measures.stats import Estimate, Floats, mean_interval
from shapley_coop.evals.sweeps.store import read_rows, replace_file
from shapley_coop.evals.sweeps.stored import Row
from shapley_coop.evals.sweeps.suite import expand, refuse_programs
from shapley_coop.evals.tournament.entry import (
    FIRST,
    ROLES,
    SECOND,
    Tournament,
    suite_name,
    suites,
)
from shapley_coop.evals.tournament.ranking import Rank, rank
from shapley_coop.files import read_json
from shapley_coop.state import game_of

ENTRY, RANKING = "tournament.json", "ranking.json"
RESAMPLES = 2_000
"""Of a mean's interval: a page has some hundreds."""

SAME = 1e-6
"""Libraries of another version may round strengths otherwise; nothing else may differ."""


@dataclass(frozen=True)
class Played:
    """A whole tournament with its rows, by game."""

    tournament: Tournament
    rows: dict[str, list[Row]]

    def ranking(self) -> list[Rank]:
        """The seats by strength."""
        return rank(list(self.tournament.seats), self.payoffs)

    @cached_property
    def payoffs(self) -> Floats:
        """All payoffs, as `ranking.wins` takes them."""
        seats = list(self.tournament.seats)
        shape = (len(self.rows), ROLES, len(seats), len(seats), len(self.tournament.seeds))
        payoffs = np.full(shape, np.nan)
        seeds = {seed: at for at, seed in enumerate(self.tournament.seeds)}
        for game, rows in enumerate(self.rows.values()):
            for row in rows:
                first, second = (seats.index(row["labels"][axis]) for axis in (FIRST, SECOND))
                a, b = (row["result"]["payoffs"][agent] for agent in row["result"]["agents"])
                payoffs[game, 0, first, second, seeds[row["seed"]]] = a
                payoffs[game, 1, second, first, seeds[row["seed"]]] = b
        return payoffs

    def regret(self, game: str, seat: str) -> Estimate:
        """What the best reply among the seats would have had in a seat's place, beyond its own.

        In its place: in the same role, against the same opponent, on the same seed. So it counts
        what opponents do in return, and what a contract makes of it; a reply that nobody entered
        it does not know.
        """
        own = self.payoffs[list(self.rows).index(game)]
        lost = own.max(axis=1) - own[:, list(self.tournament.seats).index(seat)]
        return mean_interval(lost.ravel().tolist(), RESAMPLES)

    def measured(self, game: str, seat: str) -> list[Estimate]:
        """`COLUMNS` and `REGRET` of a seat in a game, over all its matches.

        Matches against itself count in both roles. Intervals are over matches, which share
        opponents and seeds.
        """
        rows = self.rows[game]
        roles = [(row, at) for row in rows for at in range(ROLES) if _sits(row, at) == seat]
        found = []
        for only, read in COLUMNS.values():
            taken = [read(row, at) for row, at in roles if only in (None, at)]
            values = [float(x) for x in taken if x is not None]
            found.append(mean_interval(values, RESAMPLES))
        return [*found, self.regret(game, seat)]

    def crossed(self, game: str) -> dict[tuple[str, str], float]:
        """First seat, second seat → the first one's mean payoff."""
        found: dict[tuple[str, str], list[float]] = {}
        for row in self.rows[game]:
            found.setdefault((_sits(row, 0), _sits(row, 1)), []).append(_payoff(row, 0))
        return {pair: float(np.mean(values)) for pair, values in found.items()}


def _sits(row: Row, role: int) -> str:
    return str(row["labels"][(FIRST, SECOND)[role]])


def _agent(row: Row, role: int) -> str:
    return str(row["result"]["agents"][role])


def _payoff(row: Row, role: int) -> float:
    return float(row["result"]["payoffs"][_agent(row, role)])


def _over_claim(row: Row, role: int) -> float | None:
    claim = row["result"]["credit"]["claims"].get(_agent(row, role), {})
    over = claim.get("over_claim")
    return None if over is None else max(0.0, float(over))


Read = Callable[[Row, int], float | None]

COLUMNS: dict[str, tuple[int | None, Read]] = {
    "payoff, first role": (0, _payoff),
    "payoff, second role": (1, _payoff),
    "welfare": (None, lambda row, _: score(row, "social_welfare")),
    "agreement": (None, lambda row, _: score(row, "agreement")),
    "own breaches": (None, lambda row, role: score(row, f"breaches:{_agent(row, role)}")),
    "own over-claim": (None, _over_claim),
    "own bluff": (None, lambda row, role: score(row, f"bluff:{_agent(row, role)}")),
}
"""What a game's table shows → the role that it is of, and how a match is read."""

REGRET = "regret"
"""The column after those, which takes other matches than a seat's own."""


def played_in(folder: Path) -> Played:
    """The tournament of a folder with all its rows.

    Raises:
        ValueError: the folder holds none, or not all of its matches, or others.
    """
    content = read_json(folder / ENTRY, "a tournament")
    tournament = Tournament.model_validate(content)
    refuse_programs(folder, (settings["game"] for settings in tournament.games.values()))
    wanted = {cell.id: cell for suite in suites(tournament) for cell in expand(suite)}
    rows = {row["cell"]: row for row in read_rows(folder) if row["cell"] in wanted}
    if left := len(wanted) - len(rows):
        raise ValueError(f"{folder}: {left} of {len(wanted)} matches are left: run it again")
    for cell in wanted.values():
        row = rows[cell.id]
        if (row["labels"], row["seed"]) != (dict(cell.labels), cell.seed):
            raise ValueError(f"{folder}: the row of {cell.name} has other labels than its match")
    by_game: dict[str, list[Row]] = {}
    for game, (cell_id, cell) in product(tournament.games, wanted.items()):
        if cell.suite == suite_name(tournament, game):
            by_game.setdefault(game, []).append(rows[cell_id])
    return Played(tournament, by_game)


def enter(folder: Path, tournament: Tournament) -> None:
    """Keep the tournament beside its rows.

    Raises:
        ValueError: the folder holds another one.
    """
    path, content = folder / ENTRY, tournament.model_dump(mode="json")
    if path.exists() and read_json(path, "a tournament") != content:
        raise ValueError(f"{folder} holds another tournament: give another -o DIR")
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def as_json(ranking: Sequence[Rank]) -> list[dict[str, Any]]:
    """A ranking as plain JSON."""
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


def keep_ranking(folder: Path, ranking: Sequence[Rank]) -> None:
    """Write the ranking, which `check_ranking` computes again."""
    replace_file(folder / RANKING, json.dumps(as_json(ranking), indent=1) + "\n")


def check_ranking(folder: Path) -> list[Rank]:
    """Compute a kept ranking again from the rows, and what each row pays from its record.

    Raises:
        ValueError: a match is missing, a row pays other than its record, or the kept ranking is
            another; names the first difference.
    """
    try:
        played = played_in(folder)
        for row in (row for rows in played.rows.values() for row in rows):
            _check_paid(row, folder)
        found = played.ranking()
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(f"{folder}: a row is not of a match: {type(error).__name__}") from None
    kept, anew = read_json(folder / RANKING, "a ranking"), as_json(found)
    if not isinstance(kept, list) or len(kept) != len(anew):
        raise ValueError(f"{folder / RANKING}: lists other seats than the tournament")
    for place, (was, now) in enumerate(zip(kept, anew, strict=True), start=1):
        for key, value in now.items():
            told = was.get(key) if isinstance(was, dict) else None
            both = isinstance(value, float) and isinstance(told, int | float)
            if not (abs(value - told) <= SAME if both else value == told):
                raise ValueError(
                    f"{folder / RANKING}: place {place} says {key} {told!r}; the rows say {value!r}"
                )
    return found


def _check_paid(row: Row, folder: Path) -> None:
    """Refuse a row whose payoffs are not what its actions pay, and its transfers move."""
    told, record = row["result"], row["record"]
    again = [after.rewards for after in game_of(row["room"]).replay(record)]
    due = earned(record, told["agents"])
    for moved in told["transfers"]:
        for agent, sign in ((moved["payer"], -1), (moved["payee"], 1)):
            if agent in due:
                due[agent] += sign * exact(moved["amount"])
    paid = {agent: exact(x) for agent, x in told["payoffs"].items()}
    if (
        again != [turn["rewards"] for turn in record]
        or paid.keys() != due.keys()
        or any(abs(paid[agent] - due[agent]) > 2 * SAME for agent in due)
    ):
        raise ValueError(
            f"{folder}: the row of {row['labels'][FIRST]} against {row['labels'][SECOND]}, seed "
            f"{row['seed']}, pays other than its record"
        )
