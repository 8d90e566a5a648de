"""Distances to solutions that take payments, in workflows in which nobody can pay."""

from pathlib import Path

import pytest
import yaml

from shapley_coop.evals.measures.evaluators import score, scores
from shapley_coop.evals.measures.reference_points import yardstick
from shapley_coop.evals.reports.figures import draw
from shapley_coop.evals.sweeps.local import Local
from shapley_coop.evals.sweeps.stored import Row
from shapley_coop.evals.sweeps.suite import FigureSpec, Suite, expand
from shapley_coop.graphs.catalogue import admits_payments

ASSUMED = ("pareto_distance", "nash_distance", "distance:fixed_split", "distance:random_split")
"""What is measured from a best total that payments divide."""

SWAP = {
    "agents": {
        "Ann": {"holds": {"nail": 1}, "worth": {"nail": 1, "rope": 10}},
        "Ben": {"holds": {"rope": 1}, "worth": {"nail": 4, "rope": 2}},
    }
}
"""Ann and Ben have 1 and 2, and 10 and 4 once they have swapped: there is nothing better."""


async def played(graph: str, **base: object) -> Row:
    suite = Suite(name="unpaid", base={"graph": graph, "seats": {"*": "embedded:rational"}, **base})
    return (await Local("unpaid").play(next(iter(expand(suite))))).row


@pytest.fixture
def swap(tmp_path: Path) -> dict[str, object]:
    file = tmp_path / "swap.yaml"
    file.write_text(yaml.safe_dump(SWAP))
    return {"game": "trade", "params": {"market": str(file), "rounds": 1}}


@pytest.mark.parametrize("graph", ["llm_only", "negotiation"])
async def test_trade_without_payments_is_not_measured_from_what_payments_would_divide(
    graph: str, swap: dict[str, object]
) -> None:
    row = await played(graph, **swap)
    assert [score(row, column) for column in ASSUMED] == [None] * len(ASSUMED)
    assert scores(row)["efficiency"] is not None, "an allocation needs no money"
    rule = yardstick(row["room"], graph)
    assert rule.nash({"Ann": 10.0, "Ben": 4.0}, row["record"]) is None
    assert rule.front((0, 20), (0, 20)) == []
    figure = draw(FigureSpec(kind="plane", title="plane"), [row], [])
    assert "efficient payoffs" not in figure.svg


async def test_trade_with_payments_is_measured_as_before(swap: dict[str, object]) -> None:
    row = await played("negotiation_priced", **swap)
    rule = yardstick(row["room"], "negotiation_priced")
    assert rule.nash({"Ann": 6.5, "Ben": 7.5}, row["record"]) == 0
    assert rule.pareto({"Ann": 10.0, "Ben": 4.0}, row["record"]) == 0
    assert rule.front((0, 20), (0, 20)) == [(0, 14), (14, 0)]


@pytest.mark.parametrize("graph", ["llm_only", "negotiation"])
async def test_nor_is_a_table_of_payoffs(graph: str) -> None:
    row = await played(graph, game="stag_hunt")
    assert [score(row, column) for column in ASSUMED] == [None] * len(ASSUMED)
    assert score(row, "distance:nash") is not None, "it chooses among joint actions"


async def test_an_exchange_too_large_for_its_front_is_not_measured_as_if_tasks_were_money() -> None:
    params = {"scenario": "generated", "atoms": 24, "additive": True}
    row = await played("llm_only", game="task_exchange", params=params)
    rule = yardstick(row["room"], "negotiation_priced")
    payoffs = row["result"]["payoffs"]
    assert rule.best is not None
    assert rule.pareto(payoffs, row["record"]) is rule.nash(payoffs, row["record"]) is None


def test_only_workflows_whose_deals_have_payments_admit_them() -> None:
    assert not any(map(admits_payments, ("llm_only", "negotiation")))
    assert all(map(admits_payments, ("negotiation_priced", "short_term", "shapley_coop")))
    assert all(map(admits_payments, ("contracts", "delegates", "call_market")))
