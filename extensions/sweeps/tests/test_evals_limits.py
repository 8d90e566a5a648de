"""When a sweep stops by itself: failures, cost, and how much it does at once."""

import asyncio
from collections.abc import Collection
from typing import Any

import pytest

from shapley_coop.evals.cell import Cell, Row
from shapley_coop.evals.prices import Price, Prices
from shapley_coop.evals.rows import Finished
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.folders import failures_in, read_rows
from shapley_coop.extensions.sweeps.playing import Limits
from shapley_coop.seats.seat import SeatError
from tests.evals.swept import registered, run, suite


class Paid:
    """A player whose cells cost 1 USD each, and fail where they are told to."""

    elsewhere = True

    def __init__(self, failing: set[str] | None = None) -> None:
        self.failing = failing or set()
        self.played: list[str] = []
        self.kept: list[str] = []
        self.side_by_side = self.most = 0

    async def play(self, cell: Cell) -> Finished:
        self.played.append(cell.id)
        self.side_by_side += 1
        self.most = max(self.most, self.side_by_side)
        await asyncio.sleep(0)
        self.side_by_side -= 1
        if cell.id in self.failing:
            raise SeatError("Alice's seat did not answer")
        row = {"cell": cell.id, "suite": cell.suite, "labels": dict(cell.labels)}
        row |= {
            "seed": cell.seed,
            "repetition": cell.repetition,
            "calls": await self.paid_for(cell),
        }
        return Finished(row, {"cell": cell.id})

    async def paid_for(self, cell: Cell) -> list[dict[str, Any]]:
        return [{"model": "openai:dear", "input_tokens": 1_000_000, "output_tokens": 0}]

    async def written(self, cell: Cell, row: Row) -> None:
        self.kept.append(cell.id)

    async def tidy(self, ended: Collection[str]) -> None:
        self.kept += ended


class Together(Paid):
    """Plays three cells side by side, or none."""

    def __init__(self) -> None:
        super().__init__()
        self.three = asyncio.Barrier(3)

    async def play(self, cell: Cell) -> Finished:
        self.side_by_side += 1
        self.most = max(self.most, self.side_by_side)
        await self.three.wait()
        self.side_by_side -= 1
        return await super().play(cell)


DEAR = Prices({"openai:*": Price(input=1, output=0)})


def test_a_failed_cell_costs_nobody_elses_run_and_is_tried_again(tmp_path):
    made = suite(vary={"graph": ["llm_only"]}, seeds="0-9")
    cells = expand(made)
    registered(tmp_path, made)
    failing = Paid({cells[4].id})
    tally = run(made, tmp_path, Limits(errors=0.1), failing)
    assert (tally.done, tally.failed, tally.stopped) == (9, 1, "")
    (failure,) = failures_in(tmp_path)
    assert (failure["cell"], failure["error"]) == (cells[4].id, "Alice's seat did not answer")
    again = Paid()
    assert run(made, tmp_path, Limits(), again).left == 0
    assert again.played == [cells[4].id]


def test_a_sweep_stops_once_too_many_cells_have_failed(tmp_path):
    made = suite(vary={"graph": ["llm_only"]}, seeds="0-19")
    registered(tmp_path, made)
    player = Paid({cell.id for cell in expand(made)})
    tally = run(made, tmp_path, Limits(at_once=1, errors=0.1), player)
    assert (tally.failed, tally.stopped) == (3, "3 of 20 cells failed")
    assert len(player.played) == 3


@pytest.mark.parametrize("at_once", [1, 4, 16])
def test_a_cost_limit_is_not_passed_and_a_higher_one_goes_on(tmp_path, at_once):
    made = suite(vary={"graph": ["llm_only"]}, seeds="0-9")
    registered(tmp_path, made)
    tally = run(made, tmp_path, Limits(at_once=at_once, cost=4.5), Paid(), DEAR)
    assert (tally.done, tally.cost) == (4, 4.0)
    assert "cost limit of 4.5 USD" in tally.stopped
    tally = run(made, tmp_path, Limits(at_once=at_once, cost=100), Paid(), DEAR)
    assert (tally.before, tally.done, tally.cost, tally.stopped) == (4, 6, 10.0, "")


def test_failed_attempts_count_against_the_cost_limit_once(tmp_path):
    made = suite(vary={"graph": ["llm_only"]}, seeds="0-3")
    registered(tmp_path, made)
    failing = Paid({expand(made)[0].id})
    tally = run(made, tmp_path, Limits(at_once=1, cost=2.5, errors=1), failing, DEAR)
    assert (tally.done, tally.failed, tally.cost) == (1, 1, 2.0)
    tally = run(made, tmp_path, Limits(at_once=1, cost=9), Paid(), DEAR)
    # The failed attempt's calls are among those of the run that it became.
    assert (tally.left, sum(DEAR.cost(row["calls"]) for row in read_rows(tmp_path))) == (0, 4.0)


def test_no_more_cells_are_played_side_by_side_than_allowed(tmp_path):
    made = suite(vary={"graph": ["llm_only"]}, seeds="0-20")
    player = Together()
    assert run(made, tmp_path, Limits(at_once=3), player).done == 21
    assert player.most == 3
