"""What trade is measured by where nobody can pay, and where all can."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import dist, prod
from pathlib import Path

import pytest
import yaml

from shapley_coop.evals.measures.evaluators import score, scores
from shapley_coop.evals.measures.reference_points import yardstick
from shapley_coop.extensions.markets.drawn import drawn
from shapley_coop.extensions.markets.market import Market
from shapley_coop.extensions.markets.unpaid import Payoffs, alone, efficient, nash
from shapley_coop.graphs.catalogue import admits_payments
from tests.brought import brought_by
from tests.evals.measures.test_unpaid_distances import played

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
async def test_trade_without_payments_is_measured_from_what_goods_alone_give(
    graph: str, swap: dict[str, object]
) -> None:
    row = await played(graph, **swap)
    rule, reached = yardstick(row["room"], graph), row["result"]["payoffs"]
    assert rule.front((0, 20), (0, 20)) == [(0, 6), (10, 4), (11, 0)]
    assert rule.nash({"Ann": 10.0, "Ben": 4.0}, row["record"]) == 0
    assert rule.pareto({"Ann": 1.0, "Ben": 2.0}, row["record"]) == pytest.approx(
        dist((1, 2), (0, 6))
    )
    assert score(row, "nash_distance") == pytest.approx(dist(tuple(reached.values()), (10, 4)))
    assert scores(row)["efficiency"] is not None, "an allocation needs no money"


@brought_by("opponents")
async def test_arbiters_choose_among_the_outcomes_of_unpaid_trade(swap: dict[str, object]) -> None:
    row = await played("llm_only", **swap)
    for solution in ("nash", "kalai_smorodinsky"):
        reached = tuple(row["result"]["payoffs"].values())
        assert score(row, f"distance:{solution}") == pytest.approx(dist(reached, (10, 4)))
    assert score(row, "distance:fixed_split") is None
    paid = await played("negotiation_priced", **swap)
    assert score(paid, "distance:nash") is None, "where all can pay, the outcomes are more"


async def test_trade_with_payments_is_measured_as_before(swap: dict[str, object]) -> None:
    row = await played("negotiation_priced", **swap)
    rule = yardstick(row["room"], "negotiation_priced")
    assert rule.nash({"Ann": 6.5, "Ben": 7.5}, row["record"]) == 0
    assert rule.pareto({"Ann": 10.0, "Ben": 4.0}, row["record"]) == 0
    assert rule.front((0, 20), (0, 20)) == [(0, 14), (14, 0)]


def test_in_a_call_market_payments_can_be_made() -> None:
    assert admits_payments("call_market")


def outcomes(market: Market) -> Iterator[Payoffs]:
    """The payoffs of every division of every good, and of a refused pool."""
    agents = market.agents
    splits = [
        [cut for cut in product(range(total + 1), repeat=len(agents)) if sum(cut) == total]
        for total in market.totals.values()
    ]
    for cuts in product(*splits):
        held = [dict(zip(market.goods, own, strict=True)) for own in zip(*cuts, strict=True)]
        yield tuple(market.worth(a, own) for a, own in zip(agents, held, strict=True))
    if market.pool:
        yield alone(market)


@pytest.mark.parametrize("mode", ["exchange", "price", "ultimatum", "issues", "options"])
@pytest.mark.parametrize("seed", range(4))
def test_efficient_outcomes_are_those_of_brute_force(mode: str, seed: int) -> None:
    names = ["Ann", "Ben", "Cem"] if mode == "exchange" and seed == 0 else ["Ann", "Ben"]
    market = drawn(mode, names, seed)
    every = set(outcomes(market))
    best = [
        point
        for point in every
        if not any(
            other != point and all(a >= b for a, b in zip(other, point, strict=True))
            for other in every
        )
    ]
    assert efficient(market) == sorted(best, reverse=True)
    without = alone(market)
    product_of = {
        point: prod(a - b for a, b in zip(point, without, strict=True))
        for point in every
        if all(a >= b for a, b in zip(point, without, strict=True))
    }
    found = nash(efficient(market), without)
    assert found is not None
    assert product_of[found] == max(product_of.values())


def test_too_many_outcomes_are_not_listed() -> None:
    market = drawn("exchange", list("ABCDEF"), 0)
    assert efficient(market) == []
    assert nash([], (Fraction(0),)) is None
