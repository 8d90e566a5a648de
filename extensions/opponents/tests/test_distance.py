"""How far runs end from what an arbiter would have decided."""

from math import dist

import pytest

from shapley_coop.evals.measures.evaluators import score
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.local import Local
from shapley_coop.extensions.sweeps.suite import Suite


@pytest.mark.parametrize(
    ("graph", "solution", "to"),
    [
        ("llm_only", "nash", (40, 40)),
        ("llm_only", "kalai_smorodinsky", (40, 40)),
        ("negotiation_priced", "fixed_split", (40, 40)),
    ],
)
async def test_a_sweep_measures_how_far_payoffs_are_from_each(
    graph: str, solution: str, to: tuple[int, int]
) -> None:
    """In a Stag Hunt of ten turns both could have 40, and have 30 without an agreement."""
    base = {"graph": graph, "game": "stag_hunt", "seats": {"*": "embedded:defector"}}
    suite = Suite(name="arbiters", base=base)
    row = (await Local("arbiters").play(next(iter(expand(suite))))).row
    reached = tuple(row["result"]["payoffs"].values())
    assert score(row, f"distance:{solution}") == pytest.approx(dist(reached, to))


def test_without_the_extension_the_measure_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shapley_coop.extension.offered", lambda kind: {})
    row = {"result": {"measures": {}}, "room": {"seed": 0}, "graph": "llm_only"}
    assert score(row, "distance:nash") is None
