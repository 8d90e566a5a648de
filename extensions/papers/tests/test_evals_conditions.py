"""The ablation's table: a line for each condition, measured over its runs."""

import pytest

from shapley_coop.extensions.papers.conditions import CONDITIONS, ablation, summarise
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.folders import read_rows
from tests.evals import swept


def test_every_condition_is_played_on_every_seed():
    cells = expand(ablation({"game": "escape_room"}, range(3)))
    assert [(cell.graph, cell.seed) for cell in cells] == [
        (graph, seed) for graph in CONDITIONS for seed in range(3)
    ]


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    folder = swept.run_once(ablation({"game": "escape_room"}, [0]), tmp_path_factory.mktemp("demo"))
    return read_rows(folder)


def test_a_line_is_the_mean_of_its_conditions_runs(rows):
    lines = {line["condition"]: line for line in summarise(rows)}
    assert list(lines) == list(CONDITIONS.values())
    alone, whole = lines["LLM-only"], lines["LLM+SC"]
    assert (alone["cooperated"], alone["payoffs"]) == (0, {"Alice": -1, "Bob": -1})
    assert (whole["cooperated"], whole["payoffs"]) == (1, {"Alice": 4.5, "Bob": 4.5})
    assert (alone["shapley_distance"], alone["fair_distance"]) == (0, 5.5)
    assert whole["fair_distance"] == 0
    assert all(line["runs"] == 1 for line in lines.values())


def test_the_best_seen_is_over_all_conditions(rows):
    (alone,) = summarise([row for row in rows if row["graph"] == "llm_only"])
    assert (alone["cooperated"], alone["fair_distance"]) == (1, 0), "it is the best of its own"
