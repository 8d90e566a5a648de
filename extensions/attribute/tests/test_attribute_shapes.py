"""`attribute` on every shape of app: values known by hand, nothing asked twice."""

from itertools import combinations

import pytest

from extensions.attribute.tests.attributed_apps import SHAPES, KnownApp
from shapley_coop.credit.norms import norm
from shapley_coop.extensions.attribute import attribute
from shapley_coop.extensions.attribute.attributing import attribute_async
from shapley_coop.extensions.attribute.result import AppCredit
from tests.brought import brought_by


def credit_of(app: KnownApp, **settings: object) -> AppCredit:
    return attribute(app.graph, app.agents, app.score, app.given, **settings)


@pytest.mark.parametrize("shape", SHAPES)
def test_values_are_those_worked_out_by_hand_and_a_second_run_asks_nobody(shape: str) -> None:
    app = SHAPES[shape]()
    credit = credit_of(app)
    assert credit.failures == []
    assert credit.values == pytest.approx(app.values, abs=1e-12)
    assert credit.values is not None
    assert credit.total is not None
    assert sum(credit.values.values()) == pytest.approx(credit.total, abs=1e-9)
    assert credit.calls["made"] > 0
    second = credit_of(SHAPES[shape]())
    assert (second.calls["made"], second.calls["other"]) == (0, 0)
    assert second.values == credit.values
    assert second.worth == credit.worth


def test_pairs_say_who_only_works_together() -> None:
    credit = credit_of(SHAPES["side by side"]())
    assert credit.interactions == pytest.approx({"a,b": 4.0, "a,c": 0.0, "b,c": 0.0})
    needing = credit_of(SHAPES["Send"]())
    # Three who all must be there: each pair adds 2, less what the third is missing from: half.
    assert needing.interactions == pytest.approx(
        {",".join(pair): 1.0 for pair in combinations(("plan", "work", "join"), 2)}
    )


@pytest.mark.parametrize(
    "by",
    [*(pytest.param(x, marks=brought_by("values")) for x in ("banzhaf", "nucleolus")), "equal"],
)
def test_other_norms_are_those_of_the_table(by: str) -> None:
    app = SHAPES["pipeline with a review loop"]()
    credit = credit_of(app, value=by)
    keys = ["", "research", "write", "research,write", "review"]
    keys += ["research,review", "write,review", "research,write,review"]
    table = [credit.worth[key] for key in keys]
    assert list((credit.values or {}).values()) == [float(x) for x in norm(by)(table)]


async def test_it_is_awaited_and_called_where_a_loop_is_running() -> None:
    app = SHAPES["handing over"]()
    awaited = await attribute_async(app.graph, app.agents, app.score, app.given)
    called = credit_of(app)
    assert awaited.values == called.values == app.values


def test_a_scorer_may_take_the_input_and_may_be_awaited() -> None:
    app = SHAPES["side by side"]()

    async def score(state: dict[str, object], given: dict[str, object]) -> float:
        return float(str(state["total"])) if given == app.given else float("nan")

    credit = attribute(app.graph, app.agents, score, app.given)
    assert credit.values == {"a": 1.0, "b": 2.0, "c": 3.0}
