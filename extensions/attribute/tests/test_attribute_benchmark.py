"""The benchmark: values known by construction, apps that earn what is said, one command."""

import pytest

from extensions.attribute.tests.benchmark.apps import KnownApp, known_apps
from extensions.attribute.tests.benchmark.shapes import build
from shapley_coop.extensions.attribute import attribute

APPS = known_apps()
ONE_OF_EACH = {app.shape: app for app in reversed(APPS) if app.is_certain}


FAST = ("chain", "loop", "tools")


@pytest.mark.parametrize(
    "shape",
    [pytest.param(x, marks=[] if x in FAST else pytest.mark.slow) for x in sorted(ONE_OF_EACH)],
)
def test_a_played_coalition_earns_what_its_terms_say(shape: str) -> None:
    app = ONE_OF_EACH[shape]
    built = build(app)
    names = dict(zip(built.agents, app.agents, strict=True))
    settings = {"exact_up_to": 10, "max_calls": 10_000}
    credit = attribute(built.graph, built.agents, built.score, built.inputs, **settings)
    assert len(credit.worth) == 2 ** len(app.agents)
    for coalition, worth in credit.worth.items():
        present = [names[path] for path in coalition.split(",") if path]
        assert worth == pytest.approx(app.worth(present)), coalition
    assert credit.values is not None
    assert list(credit.values.values()) == pytest.approx(list(app.shapley().values()))


EIGHT = [app for app in APPS if len(app.agents) == 8 and app.is_certain]


@pytest.mark.slow
@pytest.mark.parametrize("app", EIGHT)
def test_a_quarter_of_the_coalitions_of_eight_gives_values_within_a_tenth(app: KnownApp) -> None:
    built = build(app)
    settings = {"exact_up_to": 1, "budget": 2**8 // 4, "max_calls": 10_000, "at_once": 1}
    credit = attribute(built.graph, built.agents, built.score, built.inputs, **settings)
    assert len(credit.worth) <= 2**8 / 4
    assert credit.total == pytest.approx(app.worth(app.agents) - app.nobody)
    assert credit.interval is not None
    for agent, value in app.shapley().items():
        low, high = credit.interval[agent]
        assert low - 1e-9 <= value <= high + 1e-9
        assert (high - low) / 2 <= 0.1 * credit.total, "of what all agents add"
