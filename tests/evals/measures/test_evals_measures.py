"""Measures that depend on more than the result: the run's own norm, and what models cost."""

from pathlib import Path

import pytest

from shapley_coop.evals.cell import Row
from shapley_coop.evals.measures.evaluators import score
from shapley_coop.evals.prices import Price, Prices, with_cost
from shapley_coop.extensions.sweeps.folders import read_rows
from tests.evals.swept import run, suite


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Row]:
    """Three at one door, by three norms that differ there; played to the end."""
    folder: Path = tmp_path_factory.mktemp("norms")
    room = {"game": "escape_room", "params": {"agents": ["Ann", "Ben", "Cem"], "levers": 1}}
    varied = {"norm": ["shapley", "leave_one_out", "equal"]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COOP_HOME", str(folder / "home"))
        run(suite(base={**room, "graph": "shapley_coop"}, vary=varied, seeds="0"), folder)
    return {row["room"]["norm"]: row for row in read_rows(folder)}


@pytest.mark.parametrize("norm", ["shapley", "leave_one_out", "equal"])
def test_a_split_by_the_runs_own_norm_is_at_no_distance_from_it(
    rows: dict[str, Row], norm: str
) -> None:
    assert rows[norm]["result"]["status"] == "agreed"
    assert score(rows[norm], "norm_distance") == pytest.approx(0, abs=1e-6)


def test_the_distance_is_to_the_runs_own_norm_and_to_no_other(rows: dict[str, Row]) -> None:
    row = rows["equal"]
    told_otherwise = {**row, "room": {**row["room"], "norm": "shapley"}}
    shapley = row["result"]["credit"]["shapley"]
    by_hand = sum(abs(row["result"]["payoffs"][a] - shapley[a]) for a in shapley) / len(shapley)
    assert score(told_otherwise, "norm_distance") == pytest.approx(by_hand, abs=1e-6)


def test_a_run_costs_what_its_calls_cost_and_nothing_is_guessed(rows: dict[str, Row]) -> None:
    row = rows["shapley"]
    paid = {**row, "calls": [{**call, "model": "openai:x"} for call in row["calls"]]}
    prices = Prices({"openai:x": Price(input=1, output=10)})
    usage = row["result"]["usage"]
    due = (usage["input_tokens"] + 10 * usage["output_tokens"]) / 1_000_000
    assert score(with_cost(paid, prices), "cost") == pytest.approx(due)
    assert score(with_cost(paid, Prices({"openai:y": Price(input=1, output=1)})), "cost") is None
    assert score(paid, "cost") is None
    # The other measures are what they were.
    assert score(with_cost(paid, prices), "refused:MPT") == score(row, "refused:MPT")
