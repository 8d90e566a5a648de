"""Distances of trade to solutions that take payments, where nobody can pay and where all can."""

from pathlib import Path

import pytest
import yaml

from shapley_coop.evals.measures.evaluators import score, scores
from shapley_coop.evals.measures.reference_points import yardstick
from shapley_coop.extensions.reports.figures import draw
from shapley_coop.extensions.sweeps.suite import FigureSpec
from shapley_coop.graphs.catalogue import admits_payments
from tests.evals.measures.test_unpaid_distances import ASSUMED, played

SWAP = {
    "agents": {
        "Ann": {"holds": {"nail": 1}, "worth": {"nail": 1, "rope": 10}},
        "Ben": {"holds": {"rope": 1}, "worth": {"nail": 4, "rope": 2}},
    }
}
"""Ann and Ben have 1 and 2, and 10 and 4 once they have swapped: there is nothing better."""


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


def test_in_a_call_market_payments_can_be_made() -> None:
    assert admits_payments("call_market")
