"""The table of contracts' effects in social dilemmas, as in Schiavone (2025), section 5.

The runs come from the shipped suite `contracts_table`. A row is for one game, one group of agents
and one way to enforce contracts, or no contract. The measures are collective welfare, the rate of
agreement on a contract (utilisation) and, not in the paper, adherence and breaches.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shapley_coop.deals.analysis.stage import Play, StageGame
from shapley_coop.evals.cell import Cell, Row
from shapley_coop.extensions.reports.stats import Estimate
from shapley_coop.extensions.reports.summary import conditions, estimate
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.suite import Suite, load_suite
from shapley_coop.seats.embedded import CHARACTERS
from shapley_coop.seats.embedded.strategies import DRAWN, selfish
from shapley_coop.seats.seat import EMBEDDED, Seat
from shapley_coop.state.settings import game_of

SUITE = "contracts_table"
MEASURES = {
    "welfare": "social_welfare",
    "utilisation": "agreement",
    "adherence": "adherence",
    "breaches": "breaches",
}
"""Column of the table → measure in `evals.measures.evaluators`."""

UNBOUND, NOTIONAL = "none", "notional"
KEEPERS, BREAKERS, BROKEN = "keepers", "breakers", "keepers + breaker"
SELF_INTERESTED = (KEEPERS, BREAKERS, BROKEN)
"""The groups of agents that compare the payoffs of their choices, with and without a contract. All
other groups follow fixed strategies."""


def planned(seeds: Sequence[int]) -> tuple[Suite, list[Cell]]:
    """Return the suite with these seeds, and its cells. Deterministic cells have one seed only."""
    suite = load_suite(SUITE).model_copy(update={"seeds": list(seeds)})
    return suite, [c for c in expand(suite) if c.seed == seeds[0] or depends_on_seed(c)]


def depends_on_seed(cell: Cell) -> bool:
    """Return whether the seed can change a cell's runs: by talk or by an agent's random draws.

    Without talk, only embedded agents that are noisy or careless, or play at random, vary by seed.
    The games of this suite have no random events.
    """
    seats = [Seat.model_validate(seat) for seat in cell.room["seats"].values()]
    if cell.graph != "llm_only" or any(seat.provider != EMBEDDED for seat in seats):
        return True
    own = [CHARACTERS[seat.name] for seat in seats]
    return any(c.noise or c.sloppiness or c.strategy in DRAWN for c in own)


@dataclass(frozen=True)
class GameTable:
    """One game's part of the table, and the claims that it supports.

    Attributes:
        game: the game's label.
        stage: the stage game, in the form that letters show.
        lines: (agents, contract) → column → estimate; a line without a contract has only welfare.
        trusted: the joint actions of the agents `keepers + breaker` under an unenforced contract.
    """

    game: str
    stage: StageGame
    lines: Mapping[tuple[str, str], Mapping[str, Estimate]]
    trusted: frozenset[Play]

    @property
    def best(self) -> float:
        """The highest possible collective welfare, summed over all turns."""
        return float(self.stage.turns * self.stage.best_total)

    @property
    def selfish(self) -> float:
        """The collective welfare if each agent plays its best response to uniform beliefs."""
        play = tuple(selfish(self.stage, i) for i in range(len(self.stage.agents)))
        return float(self.stage.turns * sum(self.stage.pays[play]))

    @property
    def weak(self) -> list[Play]:
        """The weak (not strict) equilibria of the stage game: no agent gains by deviating."""
        return [play for play, strict in self.stage.equilibria.items() if not strict]

    def mean(self, agents: str, contract: str, column: str = "welfare") -> float:
        """Return the mean in one cell of the table."""
        return self.lines[agents, contract][column].value

    @property
    def shows(self) -> dict[str, bool]:
        """Claim of the paper → whether this table supports the claim."""
        bound = {contract for _, contract in self.lines} - {UNBOUND}
        enforced = bound - {NOTIONAL}
        held = {mode for mode in bound if self.mean(BROKEN, mode, "breaches") == 0}
        found = {
            "Without a contract the self-interested end where selfish play does.": all(
                self.mean(agents, UNBOUND) == self.selfish for agents in SELF_INTERESTED
            ),
            "With one, those who keep it do better.": all(
                self.mean(KEEPERS, mode) > self.selfish for mode in bound
            ),
            "Against a breaker the enforced modes hold.": enforced <= held,
        }
        if NOTIONAL in held:
            claim = "Unenforced it holds as well: what it asks for are weak equilibria, and nothing"
            return {**found, f"{claim} is gained by breaking it.": self.trusted <= {*self.weak}}
        lost = self.mean(BROKEN, NOTIONAL) < min(self.mean(BROKEN, mode) for mode in enforced)
        return {**found, "Unenforced it is broken, and all together have less.": lost}

    def record(self) -> dict[str, Any]:
        """Return this part of the table as plain JSON."""
        return {
            "game": self.game,
            "best": self.best,
            "selfish": self.selfish,
            "weak_equilibria": [list(play) for play in self.weak],
            "rows": [
                {"agents": agents, "contract": contract}
                | {column: _as_json(found) for column, found in measures.items()}
                for (agents, contract), measures in self.lines.items()
            ],
            "shows": self.shows,
        }


def game_tables(rows: Sequence[Row]) -> list[GameTable]:
    """Return the parts of the table, one per game."""
    found = []
    for group in conditions(rows, ["game"]):
        cells = {c.key: c for c in conditions(group.rows, ["agents", "contract"])}
        found.append(
            GameTable(
                game=group.labels["game"],
                stage=StageGame.of(game_of(group.rows[0]["room"]).facts()),
                lines={
                    (agents, how): {
                        column: estimate(cell.rows, measure)
                        for column, measure in MEASURES.items()
                        if how != UNBOUND or column == "welfare"
                    }
                    for (agents, how), cell in cells.items()
                },
                trusted=frozenset(
                    tuple(turn["actions"].get(agent, "") for agent in row["result"]["agents"])
                    for row in cells[BROKEN, NOTIONAL].rows
                    for turn in row["record"]
                ),
            )
        )
    return found


def _as_json(found: Estimate) -> dict[str, Any] | None:
    """Return an estimate's value, interval, n and method, or None without data."""
    stated = ("value", "low", "high", "n", "method")
    return {name: getattr(found, name) for name in stated} if found.n else None
