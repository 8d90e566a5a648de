"""Measures, tidy tables and prices: what a sweep's rows say, and nothing else."""

import asyncio
import json
from math import sqrt
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shapley_coop.evals.cell import Row
from shapley_coop.evals.measures.evaluators import EVALUATORS, find, score, scores
from shapley_coop.evals.measures.reference_points import yardstick
from shapley_coop.evals.prices import NO_PRICES, Price, Prices, read_prices
from shapley_coop.extensions.reports.summary import compare_rows, conditions, estimate
from shapley_coop.extensions.reports.tables import COLUMNS, tables, whole
from shapley_coop.extensions.reports.writing import write
from shapley_coop.extensions.sweeps.cells import expand, models_of
from shapley_coop.extensions.sweeps.folders import read_rows
from shapley_coop.extensions.sweeps.forecast import forecast, pilots
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.evals.swept import CONDITIONS, DILEMMA, run_once, suite


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    other = suite(
        name="dilemma", base={"game": DILEMMA}, vary={"graph": CONDITIONS[:2]}, seeds=[0, 1]
    )
    return run_once([suite(), other], tmp_path_factory.mktemp("swept"))


@pytest.fixture
def rows(folder: Path) -> list[Row]:
    return [row for row in read_rows(folder) if row["suite"] == "mini"]


def made_up(**changes: Any) -> Row:
    """A row of Escape Room in which Alice escaped and paid Bob 5.5; with changes to its result."""
    (cell,) = expand(suite(vary={"graph": ["shapley_coop"]}, seeds=[0]))
    outcome = {
        "agents": ["Alice", "Bob"],
        "status": "agreed",
        "rewards": {"Alice": 10.0, "Bob": -1.0},
        "payoffs": {"Alice": 4.5, "Bob": 4.5},
        "credit": {"shapley": {"Alice": 4.5, "Bob": 4.5}, "claims": {}},
        "breaches": [],
        "usage": {"calls": 8, "input_tokens": 700, "output_tokens": 70},
        "turns_played": 1,
        "rounds_of_talk": 2,
    }
    played = {"turn": 1, "actions": {"Alice": "door", "Bob": "lever"}}
    return {
        "graph": cell.graph,
        "room": dict(cell.room),
        "result": {**outcome, **changes},
        "record": [{**played, "rewards": {"Alice": 10, "Bob": -1}}],
        "offers": [],
        "clauses": [{"duties": 4, "breaches": 1}],
        "refused": {"Alice": 1, "Bob": 1},
    }


def test_the_fair_outcome_of_escape_room_scores_as_the_theory_says():
    found = scores(made_up())
    assert found["social_welfare"] == 9
    assert found["efficiency"] == found["cooperation"] == found["agreement"] == 1
    assert found["pareto_distance"] == found["nash_distance"] == found["shapley_distance"] == 0
    assert found["individual_rationality"] == 1
    assert found["budget_balance"] == 0
    assert (found["adherence"], found["format_errors"]) == (0.75, 0.25)
    assert found["first_advantage"] == 0
    assert found["won"] is None
    assert found["over_claim"] is None


@pytest.mark.parametrize(("effect", "won"), [("won", 1), ("lost", 0), ("strike", None)])
def test_a_team_has_won_where_the_record_says_so_whatever_its_reward(effect, won):
    row = made_up()
    row["record"][0] |= {"pot": 0, "effects": [{"effect": effect}]}
    assert score(row, "won") == won


def test_shares_are_compared_where_values_have_another_unit():
    row = made_up(credit={"shapley": {"Alice": 300, "Bob": 100}, "claims": {}})
    assert score(row, "share_distance") == 0.25
    assert score(made_up(payoffs={"Alice": -1.0, "Bob": -1.0}), "share_distance") is None


def test_staying_locked_in_is_inefficient_and_still_rational():
    found = scores(made_up(status="no_deal", payoffs={"Alice": -1.0, "Bob": -1.0}))
    assert found["social_welfare"] == -2
    assert found["pareto_distance"] == pytest.approx(11 / sqrt(2))
    assert found["nash_distance"] == pytest.approx(5.5 * sqrt(2))
    assert found["individual_rationality"] == 1
    assert (found["cooperation"], found["agreement"]) == (0, 0)


def test_the_exploited_get_less_than_they_secure_alone():
    found = scores(made_up(payoffs={"Alice": 11.0, "Bob": -2.0}))
    assert found["individual_rationality"] == 0.5
    assert (found["shapley_distance"], found["first_advantage"]) == (6.5, 13)


def test_money_that_was_made_or_lost_shows():
    assert score(made_up(payoffs={"Alice": 4.5, "Bob": 4.500001}), "budget_balance") == 1e-6


def test_an_over_claim_is_the_mean_of_what_is_claimed_beyond_the_record():
    claims = {"Alice": {"over_claim": 0.2}, "Bob": {"over_claim": -0.1}}
    credit = {"shapley": {"Alice": 4.5, "Bob": 4.5}, "claims": claims}
    assert score(made_up(credit=credit), "over_claim") == pytest.approx(0.1)


def test_an_error_is_neither_agreement_nor_disagreement():
    found = scores(made_up(status="error"))
    assert (found["agreement"], found["error"]) == (None, 1)


def test_what_a_workflow_measures_itself_goes_first():
    row = made_up(measures={"pareto_distance": 0.25, "nash_distance": None})
    assert (score(row, "pareto_distance"), score(row, "nash_distance")) == (0.25, None)


def test_measures_of_one_agent_or_action_take_an_argument():
    row = made_up()
    assert (score(row, "payoff:Bob"), score(row, "reward:Bob")) == (4.5, -1)
    assert (score(row, "share:Bob"), score(row, "done:lever"), score(row, "done:sing")) == (
        0.5,
        1,
        0,
    )
    assert score(row, "payoff:Zoe") is None


@pytest.mark.parametrize("column", ["nope", "payoff", "won:x", "payoff:"])
def test_other_measures_are_refused(column):
    with pytest.raises(ValueError, match="no measure"):
        find(column)


def test_an_offer_is_worth_what_it_would_pay_if_kept(rows):
    signed = [row for row in rows if row["labels"]["graph"] == "shapley_coop"]
    for row in signed:
        last = [s for s in row["offers"] if "deal" in s][-1]
        assert last["would_pay"] == row["result"]["payoffs"]
    plans = [s for row in rows for s in row["offers"] if s.get("deal") and s["topic"] == "plan"]
    assert plans
    assert {sum(s["would_pay"].values()) for s in plans} == {9}


def test_an_offer_that_leaves_somebody_free_is_worth_nothing_certain():
    from shapley_coop.deals.language.clauses import Do
    from shapley_coop.deals.language.deal import Deal

    rule = yardstick(
        RunConfig(game="escape_room").resolve().model_dump(mode="json"), "shapley_coop"
    )
    assert rule.value(Deal(clauses=(Do(agent="Bob", action="lever"),)), []) is None


def test_conditions_and_estimates_name_every_run(rows):
    found = conditions(rows, ["graph"])
    assert [group.name for group in found] == CONDITIONS
    assert [len(group.rows) for group in found] == [3, 3, 3, 3]
    assert estimate(found[3].rows, "payoff:Alice").shown() == "4.50 [4.50, 4.50] n=3"
    assert estimate(found[0].rows, "adherence").n == 0
    assert estimate(found[3].rows, "agreement").method == "wilson"


def test_runs_are_compared_on_the_same_seeds_only(rows):
    alone, whole = (
        [row for row in rows if row["graph"] == graph] for graph in ("llm_only", "shapley_coop")
    )
    found = {c.measure: c for c in compare_rows(alone, whole[1:], differing=["graph"])}
    assert found["social_welfare"].difference.value == 11
    assert found["social_welfare"].difference.n == 2
    assert "adherence" not in found
    with pytest.raises(ValueError, match="there are no pairs"):
        compare_rows(alone, whole)
    with pytest.raises(ValueError, match="runs differ in graph"):
        compare_rows(rows, whole, differing=["graph"])


def test_tables_say_what_the_rows_say(folder):
    made, rows = whole(tables(folder)), read_rows(folder)
    assert set(made) == set(COLUMNS)
    runs = made["runs"]
    assert runs["cell"].to_list() == [row["cell"] for row in rows]
    assert runs["suite"].unique().sort().to_list() == ["dilemma", "mini"]
    for row, line in zip(rows, runs.iter_rows(named=True), strict=True):
        assert {key: line[key] for key in EVALUATORS} == scores(row)
        assert (line["axis_graph"], line["seed"]) == (row["graph"], row["seed"])
    totals = made["calls"].group_by("cell", maintain_order=True).agg(pl.col("calls").sum())
    assert totals["calls"].to_list() == runs["calls"].to_list()
    assert len(made["offers"]) == sum(len(row["offers"]) for row in rows)
    assert len(made["actions"]) == 2 * sum(len(row["record"]) for row in rows)
    paid = made["settlements"].group_by("cell", maintain_order=True).agg(pl.col("payoff").sum())
    assert paid["payoff"].to_list() == pytest.approx(runs["social_welfare"].to_list())
    signed = [row for row in rows if row["result"]["contract"]]
    assert made["clauses"]["cell"].n_unique() == len(signed)
    assert set(made["timings"]["phase"]) == {"negotiation", "action", "settlement"}


@pytest.mark.parametrize("format_", ["csv", "jsonl", "parquet"])
def test_every_format_holds_the_same(folder, tmp_path, format_):
    made = whole(tables(folder))
    paths = write(tables(folder), tmp_path, format_)
    readers = {"csv": pl.read_csv, "jsonl": pl.read_ndjson, "parquet": pl.read_parquet}
    for path in paths:
        again, before = readers[format_](path), made[path.stem]
        assert set(again.columns) == set(before.columns)
        assert again.select("cell").equals(before.select("cell"))
        for name, kind in before.schema.items():
            if kind == pl.Float64:
                assert again[name].cast(pl.Float64).to_list() == before[name].to_list()
    with pytest.raises(ValueError, match="'xls' is not a format"):
        write([made], tmp_path, "xls")


def test_prices_are_by_name_or_the_longest_pattern_that_fits(tmp_path):
    path = tmp_path / "prices.yaml"
    path.write_text('"openai:*": {input: 1, output: 2}\nopenai:big: {input: 10, output: 20}\n')
    prices = read_prices(path)
    assert prices.of("openai:big") == Price(input=10, output=20)
    assert prices.of("openai:small").input == 1
    assert prices.of("embedded:rational").output == 0
    call = {"model": "openai:big", "input_tokens": 200_000, "output_tokens": 100_000}
    assert prices.cost([call]) == pytest.approx(4.0)
    with pytest.raises(ValueError, match="no price for mistralai:x"):
        prices.of("mistralai:x")


@pytest.mark.parametrize("content", ["[1]", "a: {input: -1, output: 0}", "a: {input: 1}", "a: ["])
def test_a_file_that_is_no_price_list_is_refused(tmp_path, content):
    path = tmp_path / "prices.yaml"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"prices\.yaml"):
        read_prices(path)


def test_a_dry_run_scales_a_free_pilot_to_the_models_of_the_suite():
    made = suite(
        base={
            "game": "escape_room",
            "seats": {
                "Alice": {"model": "openai:dear", "max_tokens": 500},
                "*": "embedded:rational",
            },
        },
        vary={"graph": ["llm_only", "negotiation"]},
        seeds="0-9",
    )
    cells = expand(made)
    found = asyncio.run(pilots(cells))
    told = forecast(cells, found, Prices({"openai:dear": Price(input=1, output=1)}))
    runs = [pilot.row for pilot in found.values()]
    calls = [call for row in runs for call in row["calls"]]
    paid = [call for call in calls if call["agent"] == "Alice"]
    tokens = sum(c["input_tokens"] + c["output_tokens"] for c in paid)
    at_most = sum(3 * (c["input_tokens"] + 500) for c in paid if c["attempt"] == 1)
    assert (len(found), told.simulated) == (2, True)
    assert told.calls == 10 * len(calls)
    assert told.cost == pytest.approx(10 * tokens / 1e6)
    assert told.at_longest == pytest.approx(10 * at_most / 1e6), "3 tries of 500 tokens each"
    assert forecast(cells, found, NO_PRICES).cost is None
    assert home().runs.list() == []
    with pytest.raises(ValueError, match="no price for openai:dear"):
        list(map(NO_PRICES.of, models_of(cells)))


def test_a_row_is_plain_json(folder):
    for row in read_rows(folder):
        assert json.loads(json.dumps(row, allow_nan=False)) == row
