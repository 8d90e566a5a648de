"""Suites: what a file stands for, cell by cell."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapley_coop.evals.measures.evaluators import find
from shapley_coop.evals.seeds import parse_seeds
from shapley_coop.extensions.reports.figures import KINDS
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.checks import check_cells
from shapley_coop.extensions.sweeps.folders import shard
from shapley_coop.extensions.sweeps.running import cells_of_suites
from shapley_coop.extensions.sweeps.suite import Suite, load_suite, seated, shipped_suites
from shapley_coop.graphs import names
from tests.evals.swept import CONDITIONS, DILEMMA, suite


def test_cells_are_the_product_of_axes_seeds_and_repetitions():
    made = suite(vary={"graph": CONDITIONS, "rounds": [1, 2]}, seeds="0-4", repetitions=3)
    cells = expand(made)
    assert len(cells) == 4 * 2 * 5 * 3
    assert len({cell.id for cell in cells}) == len(cells)
    assert cells[0].labels == {"graph": "llm_only", "rounds": "1"}


def test_a_cell_is_named_by_what_it_plays():
    one, again = expand(suite(seeds=[7])), expand(suite(seeds=[3, 7]))
    assert {cell.id for cell in one} < {cell.id for cell in again}
    other = expand(suite(seeds=[7], base={"game": "escape_room", "params": {"prize": 11}}))
    assert not {cell.id for cell in one} & {cell.id for cell in other}


def test_a_payoff_file_is_part_of_the_cell():
    cells = expand(suite(base={"game": DILEMMA}, vary={"graph": ["llm_only"]}))
    richer = {**DILEMMA, "payoffs": [{**c, "pays": [9, 9]} for c in DILEMMA["payoffs"]]}
    others = expand(suite(base={"game": richer}, vary={"graph": ["llm_only"]}))
    assert cells[0].room["game"]["payoffs"] == DILEMMA["payoffs"]
    assert cells[0].id != others[0].id


def test_labels_set_what_they_say_and_keep_other_parameters():
    made = suite(
        base={"game": "escape_room", "params": {"cost": 2}},
        vary={
            "order": {"Bob first": {"params": {"agents": ["Bob", "Alice"]}}},
            "params.prize": [5],
        },
        seeds=[0],
    )
    (cell,) = expand(made)
    assert cell.labels == {"order": "Bob first", "prize": "5"}
    assert cell.room["params"] == {"cost": 2, "agents": ["Bob", "Alice"], "prize": 5}


@given(st.integers(1, 7), st.integers(1, 12), st.integers(1, 3))
def test_shards_are_disjoint_and_complete_and_stay_so_when_seeds_are_added(parts, seeds, again):
    made = suite(seeds=list(range(seeds)), repetitions=again)
    more = suite(seeds=list(range(seeds + 5)), repetitions=again)
    cells, later = expand(made), expand(more)
    ids = [[cell.id for cell in shard(cells, part, parts)] for part in range(1, parts + 1)]
    assert sorted(i for part in ids for i in part) == sorted(cell.id for cell in cells)
    for part, before in enumerate(ids, start=1):
        assert set(before) <= {cell.id for cell in shard(later, part, parts)}


@pytest.mark.parametrize(
    ("text", "seeds"), [("0-3", [0, 1, 2, 3]), ("7", [7]), ("0-1,5,8-9", [0, 1, 5, 8, 9])]
)
def test_seeds_are_ranges_and_lists(text, seeds):
    assert parse_seeds(text) == seeds


@pytest.mark.parametrize("text", ["", "a", "1-", "-3", "0:3", "1,,2", "3-1", "0-999999999"])
def test_other_seeds_are_refused(text):
    with pytest.raises(ValueError, match="give 0-29"):
        parse_seeds(text)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"vary": {"graph": ["nope"]}}, "suite mini, graph=nope: no workflow 'nope'"),
        ({"base": {"game": "nope"}}, "no game 'nope'"),
        ({"base": {"gane": "escape_room"}}, "there is no setting 'gane'"),
        ({"vary": {"rounds": [0]}}, "rounds: it has to be greater than"),
        ({"base": {"seats": {"Zoe": "embedded:rational"}}}, "a seat is given to Zoe"),
    ],
)
def test_a_condition_that_cannot_be_played_is_named_in_one_line(settings, complaint):
    with pytest.raises(ValueError, match=complaint) as refused:
        expand(suite(**settings))
    assert "\n" not in str(refused.value)


def test_repeated_seeds_are_refused():
    with pytest.raises(ValueError, match="repetitions"):
        expand(suite(seeds=[1, 1]))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("- 1", "contains no suite"),
        ("a: [", "cannot be read as a suite"),
        ("varied: {}", "there is no setting 'varied'"),
        ("vary: {graph: []}", "has no values"),
        ("vary: {order: [[a, b]]}", "has lists or mappings as values"),
        ("tables: [{title: t, rows: [x], columns: [won]}]", "are not axes"),
        ("seeds: x", "give 0-29"),
    ],
)
def test_a_file_that_is_no_suite_is_refused_in_one_line(tmp_path: Path, content, complaint):
    path = tmp_path / "broken.yaml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=complaint) as refused:
        load_suite(str(path))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", shipped_suites())
def test_a_shipped_suite_names_known_measures_and_figures(name):
    made = load_suite(name)
    assert isinstance(made, Suite)
    assert made.name == name
    assert made.about
    names_known_columns(made)


def names_known_columns(made: Suite) -> None:
    columns = [c for spec in (*made.tables, *made.figures) for c in spec.columns]
    printed = [c for spec in made.tables for row in spec.printed for c in row.values]
    for column in (*columns, *printed):
        find(column)
    assert {spec.kind for spec in made.figures} <= set(KINDS)


@pytest.mark.parametrize("name", shipped_suites())
def test_a_shipped_suite_can_be_played(name):
    cells = expand(load_suite(name))
    check_cells(cells)
    assert {cell.graph for cell in cells} <= set(names())
    assert len({cell.id for cell in cells}) == len(cells)


def test_an_unknown_suite_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match="escape_room"):
        load_suite("nope")


def test_a_model_takes_every_seat_of_a_suite_under_a_name_of_its_own():
    suites, cells, _ = cells_of_suites(["escape_room"], "0", "openai:gpt-5-mini", "http://here/v1")
    assert [suite.name for suite in suites] == ["escape_room_openai_gpt_5_mini"]
    seats = [seat for cell in cells for seat in cell.room["seats"].values()]
    assert {(seat["model"], seat["base_url"]) for seat in seats} == {
        ("openai:gpt-5-mini", "http://here/v1")
    }


def test_a_model_is_refused_where_an_axis_sets_the_seats():
    made = suite(vary={"who": {"greedy": {"seats": {"*": "embedded:greedy"}}}})
    with pytest.raises(ValueError, match="--model: the axis who of mini sets the seats"):
        seated(made, {"*": "openai:gpt-5-mini"})
