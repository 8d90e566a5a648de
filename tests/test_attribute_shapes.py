"""`attribute` on every shape of app: values known by hand, nothing asked twice."""

import pytest

from shapley_coop.evals.attribution import AppCredit, attribute
from tests.attributed_apps import SHAPES, KnownApp


def credit_of(app: KnownApp, **settings: object) -> AppCredit:
    return attribute(app.graph, app.agents, app.score, app.given, **settings)


@pytest.mark.parametrize("shape", SHAPES)
def test_values_are_those_worked_out_by_hand(shape: str) -> None:
    app = SHAPES[shape]()
    credit = credit_of(app)
    assert credit.failures == []
    assert credit.values == pytest.approx(app.values, abs=1e-12)
    assert credit.values is not None
    assert credit.total is not None
    assert sum(credit.values.values()) == pytest.approx(credit.total, abs=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_second_run_asks_nobody(shape: str) -> None:
    first, second = credit_of(SHAPES[shape]()), credit_of(SHAPES[shape]())
    assert first.calls["made"] > 0
    assert (second.calls["made"], second.calls["other"]) == (0, 0)
    assert second.values == first.values
    assert second.worth == first.worth
