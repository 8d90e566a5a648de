"""Sampled Shapley values: unbiased, within their stated errors, and stopped when told."""

import numpy as np
import pytest

from shapley_coop.credit.coalitions import Floats
from shapley_coop.credit.values.sampling import SAMPLERS, Estimate, sample_shapley
from shapley_coop.credit.values.shapley import shapley

N = 8
MASKS = 1 << np.arange(N)
MEMBERS = np.arange(1 << N)[:, None] >> np.arange(N) & 1
STRENGTH = np.array([3, 7, 1, 9, 4, 4, 2, 0])
GAMES: dict[str, Floats] = {
    "smooth": (MEMBERS @ STRENGTH) ** 1.5,
    "threshold": 100.0 * (MEMBERS @ STRENGTH > 15),
    "veto": 100.0 * (MEMBERS @ STRENGTH > 26),
    "noise": np.random.default_rng(5).random(1 << N) * 10,
}
METHODS = (*SAMPLERS, "auto")


def sample(game: str, method: str, **options: object) -> Estimate:
    table = GAMES[game]
    return sample_shapley(N, lambda c: table[c @ MASKS], method, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("game", GAMES)
def test_errors_cover_the_truth_at_the_stated_rate(game: str, method: str) -> None:
    """±1.96 standard errors promise 95 %; 60 seeds × 8 agents, which err together within a seed."""
    truth = shapley(GAMES[game])
    covered = []
    for seed in range(60):
        estimate = sample(game, method, budget=4000, seed=seed)
        miss = np.abs(estimate.values - truth)
        covered.append(miss <= 1.96 * estimate.standard_error + 1e-9)
    assert np.mean(covered) >= 0.91
    assert np.mean(np.array(covered)[:, STRENGTH > 0]) < 0.99


@pytest.mark.parametrize("method", ["antithetic", "cyclic", "auto"])
@pytest.mark.parametrize("game", GAMES)
def test_values_read_off_whole_orders_sum_to_the_total(game: str, method: str) -> None:
    estimate = sample(game, method, budget=500)
    assert estimate.values.sum() == pytest.approx(GAMES[game][-1] - GAMES[game][0])


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_estimate(method: str) -> None:
    first, again, other = (sample("noise", method, budget=2000, seed=s) for s in (7, 7, 8))
    assert first.values.tolist() == again.values.tolist()
    assert first.standard_error.tolist() == again.standard_error.tolist()
    assert first.values.tolist() != other.values.tolist()


@pytest.mark.parametrize("method", METHODS)
def test_every_evaluation_is_counted_and_none_exceeds_the_budget(method: str) -> None:
    asked = []

    def worth(coalitions: np.ndarray) -> Floats:
        assert coalitions.dtype == bool
        asked.append(len(coalitions))
        return GAMES["noise"][coalitions @ MASKS]

    estimate = sample_shapley(N, worth, method, budget=3000)
    assert estimate.evaluations == sum(asked)
    assert 3000 - 2 * N * (N - 1) < estimate.evaluations <= 3000


@pytest.mark.parametrize("method", METHODS)
def test_sampling_stops_once_the_target_is_reached(method: str) -> None:
    loose = sample("threshold", method, target_error=2.0, budget=10**6)
    tight = sample("threshold", method, target_error=0.5, budget=10**6)
    assert loose.reached
    assert tight.reached
    assert tight.standard_error.max() <= 0.5
    assert loose.evaluations < tight.evaluations < 10**6


def test_a_budget_that_ends_before_the_target_says_so() -> None:
    estimate = sample("threshold", "antithetic", target_error=0.01, budget=2000)
    assert estimate.reached is False
    assert estimate.standard_error.max() > 0.01
    assert sample("threshold", "antithetic", budget=2000).reached is None


def many(n: int) -> tuple[np.ndarray, float]:
    strength = np.random.default_rng(n).integers(1, 10, n)
    return strength, strength.sum() / 2


def test_auto_keeps_to_pairs_on_a_smooth_game_of_a_hundred() -> None:
    strength, _ = many(100)
    total = float(strength.sum()) ** 1.5
    estimate = sample_shapley(
        100, lambda c: (c @ strength) ** 1.5, target_error=0.1 * total / 100, budget=100_000
    )
    assert (estimate.method, estimate.reached) == ("antithetic", True)
    assert estimate.evaluations < 10_000


def test_auto_turns_to_circles_on_a_threshold_game_of_fifty() -> None:
    """To a tenth of the mean share, in less than half the evaluations of pairs."""
    strength, half = many(50)

    def wins(coalitions: np.ndarray) -> Floats:
        return (coalitions @ strength > half).astype(float)

    chosen = sample_shapley(50, wins, target_error=0.1 / 50, budget=2_000_000)
    pairs = sample_shapley(50, wins, "antithetic", target_error=0.1 / 50, budget=2_000_000)
    assert (chosen.method, chosen.reached, pairs.reached) == ("cyclic", True, True)
    assert chosen.evaluations < pairs.evaluations / 2


def test_pairs_and_circles_are_exact_when_agents_interact_in_pairs() -> None:
    weights = np.random.default_rng(1).normal(size=(12, 12))

    def worth(coalitions: np.ndarray) -> Floats:
        return np.asarray(np.einsum("mi,ij,mj->m", coalitions, weights, coalitions))

    truth = (weights + weights.T).sum(axis=1) / 2
    for method in ("antithetic", "cyclic"):
        estimate = sample_shapley(12, worth, method, budget=3000)
        assert estimate.values == pytest.approx(truth)
        assert estimate.standard_error == pytest.approx(np.zeros(12), abs=1e-9)


def test_circles_are_exact_when_only_the_position_matters() -> None:
    estimate = sample_shapley(10, lambda c: (c.sum(axis=1) > 6) * 1.0, "cyclic", budget=500)
    assert estimate.values == pytest.approx(np.full(10, 0.1))
    assert estimate.standard_error == pytest.approx(np.zeros(10), abs=1e-12)


def test_an_agent_never_seen_to_matter_is_not_declared_certain() -> None:
    """Twenty in a row decide together with a twenty-first; a few orders do not show it."""
    estimate = sample_shapley(
        40, lambda c: c[:, 0] * 10.0 + c[:, 20:].all(axis=1), "antithetic", budget=1000, seed=1
    )
    unseen = estimate.values[20:] == 0
    assert unseen.any()
    assert (estimate.standard_error[20:][unseen] > 0).all()


@pytest.mark.parametrize("method", METHODS)
def test_one_and_two_agents_need_no_luck(method: str) -> None:
    alone = sample_shapley(1, lambda c: c[:, 0] * 3.0, method, budget=2)
    assert (alone.values.tolist(), alone.standard_error.tolist()) == ([3], [0])
    escape = np.array([0.0, -1, -1, 9])
    both = sample_shapley(2, lambda c: escape[c @ [1, 2]], method, budget=1000)
    assert both.values == pytest.approx([4.5, 4.5], abs=1.0)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"method": "guess"}, "'guess' is not a sampler"),
        ({"budget": 1}, "need 2"),
        ({"budget": 20}, "two antithetic observations of 8 agents"),
        ({"method": "cyclic", "budget": 100}, "need 114"),
        ({"target_error": 0.0}, "above 0"),
        ({"target_error": float("nan")}, "above 0"),
    ],
)
def test_settings_that_allow_no_estimate_are_refused(options: dict, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        sample("noise", **{"method": "auto", **options})


@pytest.mark.parametrize(
    "worth", [lambda c: np.ones(3), lambda c: c * 1.0, lambda c: np.full(len(c), np.nan)]
)
def test_worths_that_are_not_one_finite_number_each_are_refused(worth) -> None:
    with pytest.raises(ValueError, match="worth"):
        sample_shapley(4, worth)
