"""Money: what calls cost by a dated list, what a sweep will cost, and what was had for it."""

import json
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from shapley_coop.evals.measures.evaluators import EVALUATORS, score
from shapley_coop.evals.prices import Price, Prices, read_prices
from shapley_coop.extensions.reports.kept import Keeper
from shapley_coop.extensions.reports.money import spent
from shapley_coop.extensions.reports.report import report
from shapley_coop.extensions.sweeps.folders import read_rows
from shapley_coop.seats.usage import parts
from tests.coop_command import one_line
from tests.embedded_reply import reply
from tests.evals.swept import reworded, run, suite
from tests.stub_openai import StubOpenAI

COUNTED = ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens")


def test_the_list_that_ships_has_a_date_and_says_whose_it_is():
    prices = read_prices()
    assert prices.told == "the list that ships with shapley-coop of 2026-06-30"
    assert prices.batch == {"openai:*": 0.5}
    mini = prices.of("openai:gpt-5-mini")
    assert mini.cached_input is not None
    assert mini.cached_input < mini.input < mini.output


def test_a_list_of_models_alone_says_that_it_has_no_date(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("openai:a: {input: 1, output: 2}\n")
    assert read_prices(path).told == f"{path}, which has no date"
    path.write_text("date: 2026-11-01\nmodels: {openai:a: {input: 1, output: 2}}\n")
    assert read_prices(path).told == f"{path} of 2026-11-01"
    path.write_text("date: soon\nmodels: {openai:a: {input: 1, output: 2}}\n")
    with pytest.raises(ValueError, match=r"mine\.yaml: date"):
        read_prices(path)


def call(read: int, written: int, cached: int = 0, thought: int = 0) -> dict[str, Any]:
    counts = zip(COUNTED, (read, written, cached, thought), strict=True)
    return {"model": "openai:dear", **dict(counts)}


def test_cached_input_and_reasoning_have_prices_of_their_own():
    price = Price(input=10, output=100, cached_input=1, reasoning=50)
    prices = Prices({"openai:*": price})
    assert prices.cost([call(1000, 100)]) == pytest.approx(0.02)
    assert prices.cost([call(1000, 100, cached=1000)]) == pytest.approx(0.011)
    assert prices.cost([call(1000, 100, thought=100)]) == pytest.approx(0.015)
    plain = Prices({"openai:*": Price(input=10, output=100)})
    assert plain.cost([call(1000, 100, 900, 90)]) == pytest.approx(0.02)
    # What a call reserves is never less than what it can cost.
    dearer = Prices({"openai:*": Price(input=1, output=1, cached_input=2, reasoning=3)})
    assert dearer.at_worst("openai:dear", 10, 10) >= dearer.cost([call(10, 10, 10, 10)])


def test_what_an_endpoint_counts_as_cached_or_thought_is_kept():
    told = {"input_token_details": {"cache_read": 7}, "output_token_details": {"reasoning": 3}}
    assert parts(told) == {"cached_tokens": 7, "reasoning_tokens": 3}
    for strange in (None, {}, {"input_token_details": None, "output_token_details": {"x": 1}}):
        assert parts(strange) == {"cached_tokens": 0, "reasoning_tokens": 0}


def test_what_runs_cost_is_told_per_agreement_and_per_point_of_welfare():
    def ran(cost: float | None, agreed: bool, welfare: float) -> dict[str, Any]:
        measures = {"cost": cost, "agreement": agreed, "social_welfare": welfare}
        return {"result": {"measures": measures}}

    found = spent([ran(2.0, True, 9.0), ran(1.0, False, -1.0), ran(None, True, 100.0)])
    assert found is not None
    assert (found.total, found.run.value) == (3.0, 1.5)
    assert (found.agreement.value, found.welfare.value) == (3.0, pytest.approx(3 / 8))
    assert found.run.n == 2, "a run without a known cost counts nowhere"
    alone = spent([ran(1.0, False, -2.0)])
    assert alone is not None
    assert (alone.agreement.value, alone.welfare.n) == (float("inf"), 0)
    assert spent([ran(None, True, 1.0)]) is None


def test_the_report_tells_the_cost_by_the_list_that_it_is_given(swept_by_endpoint: Path):
    page = report(swept_by_endpoint, Prices({"openai:*": Price(input=1000, output=0)}, "ours"))
    assert "What it cost, USD</strong>, by the prices of ours" in page
    assert page.count('<th scope="col">cost</th>') >= 1
    assert "What it cost" not in report(swept_by_endpoint)


@pytest.fixture
def swept_by_endpoint(tmp_path: Path) -> Path:
    """A row of a run whose agents were models that cost something."""
    made = suite(vary={"graph": ["llm_only"]}, seeds="0-1")
    run(made, tmp_path)
    reworded(tmp_path, '"model": "embedded:rational"', '"model": "openai:x"')
    return tmp_path


def test_a_run_tells_what_it_cost_and_by_whose_prices(coop, tmp_path, monkeypatch):
    (tmp_path / "ours.yaml").write_text("date: 2026-11-01\nopenai:*: {input: 1000, output: 0}\n")
    (tmp_path / "mine.yaml").write_text(
        "date: 2026-11-01\nmodels: {'openai:*': {input: 1000, output: 0}}\n"
    )
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with StubOpenAI(reply) as stub:
        seats = ("--model", "openai:Alice", "--base-url", stub.base_url)
        assert coop("run", "escape_room", "-g", "llm_only", "--name", "r", *seats).code == 0
    told = coop("show", "r", "--prices", "mine.yaml", "--json").result
    assert told["cost"]["usd"] == pytest.approx(told["usage"]["input_tokens"] / 1000)
    assert told["cost"]["prices"] == "mine.yaml of 2026-11-01"
    assert "USD, by the prices of mine.yaml" in coop("show", "r", "--prices", "mine.yaml").out
    assert "cost" not in coop("show", "r", "--json").result, "the list that ships has no such model"
    assert "give model" in one_line(coop("show", "r", "--prices", "ours.yaml"), 2)


def test_what_a_report_keeps_of_a_row_scores_like_the_row(tmp_path):
    run(suite(seeds=[0]), tmp_path)
    columns = [*EVALUATORS, "payoff:Alice", "done:lever"]
    rows = read_rows(tmp_path)
    kept = Keeper(columns).all(rows)
    for one, row in zip(kept, rows, strict=True):
        assert {c: score(one, c) for c in columns} == {c: score(row, c) for c in columns}
    told = [json.dumps(one, default=dict) for one in kept]
    assert fmean(map(len, told)) < fmean(len(str(row)) for row in rows) / 4
