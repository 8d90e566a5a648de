"""The exchange in the layouts of its paper."""

from collections import Counter
from pathlib import Path

import pytest

from shapley_coop.evals.cell import Row
from shapley_coop.extensions.exchange.measures import VARIANTS
from shapley_coop.extensions.papers.exchange_tables import (
    PAPER_LABELS,
    exchange_suite,
    played_as,
    plus_minus,
    table_2,
)
from shapley_coop.extensions.reports.stats import mean_interval, rate_interval
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.folders import read_rows
from shapley_coop.extensions.sweeps.suite import load_suite
from shapley_coop.state.storage.home import home
from tests.coop_command import Coop

SEATS = {"*": "embedded:rational"}


def test_rates_have_a_binomial_error_and_means_a_sample_deviation() -> None:
    # As in the paper's Table 1.
    assert plus_minus("agreement", rate_interval([1] * 5 + [0])) == "83.3 ± 15.2 %"
    assert plus_minus("payoff:Alice", mean_interval([1.0, 2.0, 4.0])) == "2.33 ± 1.53"
    assert plus_minus("payoff:Alice", mean_interval([0.25])) == "0.25"
    assert plus_minus("error", rate_interval([])) == "—"


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")[1:-1]]


@pytest.mark.slow
def test_one_command_prints_both_tables_of_the_paper_and_goes_on_where_it_was(coop: Coop) -> None:
    ended = coop("scenario", "table", "--seeds", "1")
    assert ended.code == 0, ended.err
    lines = [cells(line) for line in ended.out.splitlines() if line.startswith("|")]
    assert len(lines) == (2 + 8 + 4) + (2 + 2 * 8 + 4)
    head, _, *outcomes = lines[:14]
    assert head[:5] == ["Scenario", "Setting", "n", "Agreement", "Error"]
    assert head[5:10] == ["Turns", "Alice", "Bob", "SW", "L2"]
    assert Counter(line[1] for line in outcomes) == dict.fromkeys(
        [*VARIANTS.values(), "utility-aware, printed", "baseline, printed"], 2
    )
    shown = {(line[0], line[1]): line[3:10] for line in outcomes}
    assert shown["paper_competitive", "baseline, printed"] == [
        *("60.0 ± 21.9 %", "50 ± 16 %", "6.8 ± 4.0", "0.58 ± 0.00", "0.25 ± 0.00"),
        *("0.83 ± 0.00", "0.028 ± 0.0"),
    ]
    labels, _, *refused = lines[14:]
    assert labels[3:10] == list(PAPER_LABELS)
    found = {(line[0], line[1]): line[3:10] for line in refused}
    assert found["paper_competitive", "utility-aware, printed"] == [
        f"{n} in 10" for n in (5, 12, 3, 3, 1, 0, 0)
    ]
    assert "simulation" in ended.out
    (folder,) = (home().folder / "sweeps").iterdir()
    assert len(read_rows(folder)) == 8
    again = coop("scenario", "table", "--seeds", "1")
    assert again.out == ended.out
    assert len(read_rows(folder)) == 8


@pytest.mark.slow
def test_with_the_papers_preset_models_answer_in_tags(coop: Coop) -> None:
    ended = coop("scenario", "table", "--seeds", "1", "--preset", "task_exchange_paper")
    assert ended.code == 0, ended.err
    (folder,) = (home().folder / "sweeps").iterdir()
    rooms = [row["room"] for row in read_rows(folder)]
    assert {room["seats"]["Alice"]["answers"] for room in rooms} == {"text"}
    assert all(room["params"]["exact"] for room in rooms)


def test_the_second_table_has_a_line_by_the_papers_validator() -> None:
    def row(seed: int, **measures: float) -> Row:
        labels = {"scenario": "paper_cooperative", "graph": "task_exchange"}
        told = {key.replace("_as_", ":"): n for key, n in measures.items()}
        return {"labels": labels, "seed": seed, "result": {"measures": told}}

    suite = exchange_suite([], SEATS, range(2))
    rows = [
        row(0, attempts=5, refused_as_MAT=1, first_messages=4, strict_as_UNK=2, strict_as_ACK=1),
        row(1, attempts=5, refused_as_MAT=1, first_messages=4, strict_as_MAT=1),
    ]
    head, _, *lines = map(cells, table_2(rows, suite).splitlines())
    assert head == ["Scenario", "Setting", "Attempts", *PAPER_LABELS, "ACK"]
    no = "0 (0.00 %)"
    assert [line[1:] for line in lines[:2]] == [
        ["utility-aware", "10", no, "2 (20.00 %)", *[no] * 6],
        ["utility-aware, strict", "8", "2 (25.00 %)", "1 (12.50 %)", *[no] * 5, "1 (12.50 %)"],
    ]
    _, _, _, unknown, _ = map(cells, table_2([row(0, attempts=5)], suite).splitlines())
    assert unknown[1:] == ["utility-aware, strict", *["—"] * 8], "no letters were at hand"


def test_a_table_can_be_played_with_the_papers_preset() -> None:
    paper = exchange_suite([], SEATS, [0], "task_exchange_paper")
    assert {cell.room["preset"] for cell in expand(paper)} == {"task_exchange_paper"}
    default = exchange_suite([], SEATS, [0])
    assert played_as(paper) != played_as(default)
    assert "preset" not in default.base


def test_the_shipped_suite_has_the_four_variants_and_the_priced_game() -> None:
    suite = load_suite("task_exchange_table")
    assert list(suite.axes["graph"]) == ["shapley_coop", *reversed(VARIANTS)]
    assert list(suite.axes["scenario"]) == ["paper_cooperative", "paper_competitive"]
    printed = {(p.row["scenario"], p.row["graph"]) for p in suite.tables[0].printed}
    assert printed == {
        (name, graph)
        for name in suite.axes["scenario"]
        for graph in ("task_exchange", "task_exchange_baseline")
    }


def test_the_tables_take_any_scenarios_and_seats(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text("{atoms: [A, B], initial: {Ann: '10', Ben: '01'}, competition: 0.5}")
    suite = exchange_suite([str(path)], {"*": "embedded:linear"}, range(3))
    found = expand(suite)
    assert len(found) == 4 * 3
    assert {cell.graph for cell in found} == set(VARIANTS)
    models = {seat["model"] for cell in found for seat in cell.room["seats"].values()}
    assert models == {"embedded:linear"}
    name = played_as(suite)
    assert played_as(exchange_suite([str(path)], {"*": "embedded:linear"}, [7])) == name
    assert played_as(exchange_suite([str(path)], SEATS, [7])) != name
    path.write_text(path.read_text().replace("0.5", "0.6"))
    assert played_as(suite) != name, "what was played with the file before is something else"
