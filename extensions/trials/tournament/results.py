"""The results of a tournament's rows: ranking, table of each game, and cross-play matrix."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shapley_coop.evals.cell import Row
from shapley_coop.evals.measures.evaluators import score
from shapley_coop.extensions.reports.stats import Estimate, Floats, mean_interval
from shapley_coop.extensions.trials.tournament.entry import FIRST, ROLES, SECOND, Tournament
from shapley_coop.extensions.trials.tournament.ranking import Rank, rank

RESAMPLES = 2_000
"""Bootstrap resamples for the interval of a mean; a page has some hundred intervals."""


@dataclass(frozen=True)
class Played:
    """A tournament: game → the rows of its matches, and match id → the name of its run."""

    tournament: Tournament
    rows: dict[str, list[Row]]
    runs: Mapping[str, str]

    def all_rows(self) -> list[Row]:
        """Return the rows of all games, in the order of the matches."""
        return [row for rows in self.rows.values() for row in rows]

    def ranking(self) -> list[Rank]:
        """Return the ranking of the seats, by strength."""
        return rank(list(self.tournament.seats), self.payoffs)

    @cached_property  # cached, because the regret of every seat reads all payoffs
    def payoffs(self) -> Floats:
        """An array (games, roles, seats, opponents, seeds) of all payoffs, as in `ranking.wins`."""
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
        """Return a seat's mean regret: the best entered seat's payoff minus the seat's own.

        The payoffs compared have the same role, opponent and seed. So regret includes the
        opponents' reactions and the effects of contracts, but compares only entered seats.
        """
        own = self.payoffs[list(self.rows).index(game)]
        lost = own.max(axis=1) - own[:, list(self.tournament.seats).index(seat)]
        return mean_interval(lost.ravel().tolist(), RESAMPLES)

    def measured(self, game: str, seat: str) -> list[Estimate]:
        """Return the values of `COLUMNS` and `REGRET` of a seat in a game, over all its matches.

        A match of a seat against itself counts in both roles. The intervals treat matches as
        independent, although they share opponents and seeds.
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
        """Return (first seat, second seat) → the first seat's mean payoff in a game."""
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
"""Column of a game's table → its role (None for both), and the function that reads a match."""

REGRET = "regret"
"""The last column, whose values also depend on the matches of other seats."""
