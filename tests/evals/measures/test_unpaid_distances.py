"""Distances to solutions that take payments, in workflows in which nobody can pay."""

import pytest

from shapley_coop.evals.cell import Row
from shapley_coop.evals.measures.evaluators import score
from shapley_coop.evals.measures.reference_points import yardstick
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.local import Local
from shapley_coop.extensions.sweeps.suite import Suite
from shapley_coop.graphs.catalogue import admits_payments
from tests.brought import brought_by

ASSUMED = ("pareto_distance", "nash_distance", "distance:fixed_split", "distance:random_split")
"""What is measured from a best total that payments divide."""


async def played(graph: str, **base: object) -> Row:
    suite = Suite(name="unpaid", base={"graph": graph, "seats": {"*": "embedded:rational"}, **base})
    return (await Local("unpaid").play(next(iter(expand(suite))))).row


@pytest.mark.parametrize("graph", ["llm_only", "negotiation"])
@brought_by("papers")
async def test_without_payments_a_table_of_payoffs_is_measured_from_no_split(
    graph: str,
) -> None:
    row = await played(graph, game="stag_hunt")
    assert [score(row, column) for column in ASSUMED] == [None] * len(ASSUMED)
    assert score(row, "distance:nash") is not None, "it chooses among joint actions"


@brought_by("exchange")
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
    assert admits_payments("contracts")
