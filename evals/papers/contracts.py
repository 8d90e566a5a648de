"""What contracts do in social dilemmas, in the layout of the paper (Schiavone, 2025, section 5).

The rows are those of the shipped suite `contracts_table`: a game, who sits at the table, and how
the contract is enforced, if there is one. Measured are the collective welfare, how often a contract
was agreed on (utilisation), and, what the paper leaves open, how much of it was kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shapley_coop.deals.analysis.stage import Play, StageGame
from shapley_coop.evals.measures.stats import Estimate
from shapley_coop.evals.measures.summary import Condition, conditions, estimate
from shapley_coop.evals.sweeps.store import Row
from shapley_coop.evals.sweeps.suite import Cell, Suite, expand, load_suite
from shapley_coop.seats import Seat
from shapley_coop.seats.embedded import CHARACTERS
from shapley_coop.seats.embedded.strategies import DRAWN, selfish
from shapley_coop.seats.seat import EMBEDDED
from shapley_coop.state import game_of

SUITE = "contracts_table"
MEASURES = {
    "welfare": "social_welfare",
    "utilisation": "agreement",
    "adherence": "adherence",
    "breaches": "breaches",
}
"""Column → measure of `evals.measures.evaluators`."""

UNBOUND, NOTIONAL = "none", "notional"
KEEPERS, BREAKERS, BROKEN = "keepers", "breakers", "keepers + breaker"
SELF_INTERESTED = (KEEPERS, BREAKERS, BROKEN)
"""Who weighs what pays, without and with a contract; all others follow a strategy."""


def planned(seeds: Sequence[int]) -> tuple[Suite, list[Cell]]:
    """The suite at these seeds, and the cells to run: where nothing is drawn, one for all seeds."""
    suite = load_suite(SUITE).model_copy(update={"seeds": list(seeds)})
    return suite, [c for c in expand(suite) if c.seed == seeds[0] or depends_on_seed(c)]


def depends_on_seed(cell: Cell) -> bool:
    """Whether two seeds of a cell can differ: in talk, or by the dice of somebody at the table.

    Without talk an embedded agent throws dice only if it is noisy or careless, or if its strategy
    draws. The games of this suite have none.
    """
    if cell.graph != "llm_only":
        return True
    seats = [Seat.model_validate(seat) for seat in cell.room["seats"].values()]
    if any(seat.provider != EMBEDDED for seat in seats):
        return True
    own = [CHARACTERS[seat.name] for seat in seats]
    return any(c.noise or c.sloppiness or c.strategy in DRAWN for c in own)


@dataclass(frozen=True)
class Line:
    """One condition.

    Attributes:
        agents: who sits at the table.
        contract: how it is enforced; `none` without one.
        measures: column → its estimate; without a contract there is only welfare.
    """

    agents: str
    contract: str
    measures: dict[str, Estimate]


@dataclass(frozen=True)
class GameTable:
    """One game's part of the table, and what it shows.

    Attributes:
        game: its label.
        stage: the game, as letters show it.
        lines: a condition each.
        trusted: every joint action of keepers and a breaker under a contract that nobody enforces.
    """

    game: str
    stage: StageGame
    lines: tuple[Line, ...]
    trusted: frozenset[Play]

    @property
    def best(self) -> float:
        """The highest collective welfare there is."""
        return float(self.stage.turns * self.stage.best_total)

    @property
    def selfish(self) -> float:
        """The collective welfare if everybody does what pays it most against uniform beliefs."""
        play = tuple(selfish(self.stage, i) for i in range(len(self.stage.agents)))
        return float(self.stage.turns * sum(self.stage.pays[play]))

    @property
    def weak(self) -> list[Play]:
        """The weak equilibria of one turn: a contract that asks for them changes no incentive."""
        return [play for play, strict in self.stage.equilibria.items() if not strict]

    def mean(self, agents: str, contract: str, column: str = "welfare") -> float:
        """One number of the table."""
        found = (x for x in self.lines if (x.agents, x.contract) == (agents, contract))
        return next(found).measures[column].value

    @property
    def shows(self) -> dict[str, bool]:
        """What such a table is made to show, and whether this one does."""
        bound = {line.contract for line in self.lines} - {UNBOUND}
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


def game_tables(rows: Sequence[Row]) -> list[GameTable]:
    """The table, game by game."""
    found = []
    for group in conditions(rows, ["game"]):
        cells = conditions(group.rows, ["agents", "contract"])
        found.append(
            GameTable(
                game=group.labels["game"],
                stage=StageGame.of(game_of(group.rows[0]["room"]).facts()),
                lines=tuple(_line(cell) for cell in cells),
                trusted=frozenset(
                    tuple(turn["actions"].get(agent, "") for agent in row["result"]["agents"])
                    for cell in cells
                    if tuple(cell.labels.values()) == (BROKEN, NOTIONAL)
                    for row in cell.rows
                    for turn in row["record"]
                ),
            )
        )
    return found


def as_record(table: GameTable) -> dict[str, Any]:
    """One game's part as plain JSON."""
    return {
        "game": table.game,
        "best": table.best,
        "selfish": table.selfish,
        "weak_equilibria": [list(play) for play in table.weak],
        "rows": [
            {
                "agents": line.agents,
                "contract": line.contract,
                **{column: _as_json(found) for column, found in line.measures.items()},
            }
            for line in table.lines
        ],
        "shows": table.shows,
    }


def _line(cell: Condition) -> Line:
    agents, contract = cell.labels.values()
    columns = ["welfare"] if contract == UNBOUND else list(MEASURES)
    return Line(agents, contract, {c: estimate(cell.rows, MEASURES[c]) for c in columns})


def _as_json(found: Estimate) -> dict[str, Any] | None:
    """An estimate's number, interval and n; null without data."""
    known = {"value": found.value, "low": found.low, "high": found.high}
    return {**known, "n": found.n, "method": found.method} if found.n else None
