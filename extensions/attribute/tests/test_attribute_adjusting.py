"""Sampled values that a fitted model adjusts: fewer plays where agents need each other, no bias."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from extensions.attribute.tests.benchmark.many import AGENTS, app, score
from shapley_coop.credit.coalitions import Coalitions, Floats
from shapley_coop.credit.values.sampling import sample_shapley
from shapley_coop.credit.values.shapley import shapley
from shapley_coop.extensions.attribute import attribute
from shapley_coop.extensions.attribute.adjusting import LEAST_FOLDS, adjusted_shapley

N = 8
ENDS = np.vstack([np.ones(N, bool), ~np.eye(N, dtype=bool)])
ROWS = (np.arange(1 << N)[:, None] >> np.arange(N) & 1).astype(bool)


def of(rule: Callable[[Coalitions], Floats]) -> tuple[Callable[[Coalitions], Floats], Floats]:
    """A game, and its values."""
    return rule, np.array([float(x) for x in shapley(rule(ROWS))])


def pipeline(rows: Coalitions) -> Floats:
    """Two agents without whom nothing counts, and four whose work they pass on."""
    gate = rows[:, 0] & rows[:, 1]
    points = 3 * rows[:, 2] + 2 * rows[:, 3] + rows[:, 4] + 5 * (rows[:, 4] & rows[:, 5])
    return np.asarray(gate * (2.0 + points))


def majority(rows: Coalitions) -> Floats:
    return np.asarray(rows.sum(axis=1) > N / 2, dtype=np.float64)


def noise(rows: Coalitions) -> Floats:
    """A worth that nothing explains."""
    drawn = np.random.default_rng(3).normal(size=1 << N)
    return np.asarray(drawn[rows @ (1 << np.arange(N))])


def test_a_pipeline_is_known_ten_times_better_than_by_its_orders_alone() -> None:
    rule, truth = of(pipeline)
    found = adjusted_shapley(N, rule, 16, 0, ENDS)
    orders = sample_shapley(N, rule, "antithetic", budget=found.evaluations, seed=0)
    ours, theirs = (np.abs(one.values - truth).max() for one in (found, orders))
    assert 10 * ours < theirs


@pytest.mark.parametrize("game", [majority, noise])
def test_a_model_that_is_wrong_biases_nothing(game: Callable[[Coalitions], Floats]) -> None:
    rule, truth = of(game)
    found = [adjusted_shapley(N, rule, 12, seed, ENDS) for seed in range(40)]
    means = np.array([one.values for one in found])
    error = means.std(axis=0, ddof=1) / np.sqrt(len(means))
    assert (np.abs(means.mean(axis=0) - truth) < 4 * error + 1e-9).all()
    # The errors that it states are about as large as those that it makes.
    stated = np.sqrt(np.mean([one.standard_error**2 for one in found]))
    assert 0.5 < stated / np.sqrt(((means - truth) ** 2).mean()) < 2


def test_the_values_sum_to_what_there_is() -> None:
    rule, truth = of(noise)
    assert adjusted_shapley(N, rule, 9, 1, ENDS).values.sum() == pytest.approx(truth.sum())


def test_it_looks_at_the_coalitions_of_the_antithetic_sampler() -> None:
    seen: list[set[bytes]] = [set(), set()]

    def watched(at: int) -> Any:
        def worth(rows: Coalitions) -> Floats:
            seen[at] |= {row.tobytes() for row in rows}
            return pipeline(rows)

        return worth

    adjusted_shapley(N, watched(0), 8, 5, ENDS)
    sample_shapley(N, watched(1), "antithetic", budget=8 * 2 * (N - 1) + 2, seed=5)
    assert seen[1] <= seen[0]
    assert len(seen[0] - seen[1]) <= len(ENDS)


def test_orders_that_are_fewer_than_folds_are_refused() -> None:
    with pytest.raises(ValueError, match=f"at least {LEAST_FOLDS}"):
        adjusted_shapley(N, pipeline, LEAST_FOLDS - 1, 0, ENDS)


@pytest.mark.slow
def test_ten_agents_within_ten_percent_take_less_than_a_tenth_of_the_naive_calls(
    tmp_path: Any,
) -> None:
    given = {"max_calls": 10_000, "cache": tmp_path / "calls.sqlite"}
    found = attribute(app(), AGENTS, score, {"found": []}, **given)
    assert found.values is not None
    assert found.standard_error is not None
    assert "adjusted" in found.method
    assert max(found.standard_error.values()) <= 0.1 * 29 / 10
    assert found.calls["made"] < 5120 / 10
