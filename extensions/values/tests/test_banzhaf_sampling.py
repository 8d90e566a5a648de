"""Sampled Banzhaf values: rare gains are not taken for none, and scaled errors cover the truth."""

from fractions import Fraction

import numpy as np
import pytest

from shapley_coop.credit.attribution import attribute_by
from shapley_coop.credit.characteristic import Characteristic
from shapley_coop.credit.norms import norm
from shapley_coop.extensions.values.banzhaf_sampling import sample_banzhaf
from shapley_coop.games import load
from shapley_coop.state.characteristic import characteristic
from tests.credit.credit_plays import at_random

AGENTS = [f"a{k}" for k in range(18)]
NEEDED = frozenset(AGENTS[:12])


@pytest.mark.parametrize("by", ["banzhaf", "banzhaf_normalised"])
def test_a_gain_that_no_sample_saw_is_within_the_errors(by):
    """A dozen of eighteen agents are needed: almost no random coalition shows that any counts."""
    of = Characteristic(AGENTS, lambda coalition: Fraction(coalition >= NEEDED))
    found = attribute_by(of, by)
    truth = 1 / 12 if by == "banzhaf_normalised" else 2**-11
    for agent, value in found.values.items():
        missed = abs(float(value) - (truth if agent in NEEDED else 0))
        assert 0 < missed + 1e-9 <= 2 * found.standard_error[agent]
    assert ("errors above the target" in found.method) == (by == "banzhaf_normalised")


def test_scaled_errors_cover_the_truth_and_are_no_wider_than_needed():
    n = 8
    members = np.arange(1 << n)[:, None] >> np.arange(n) & 1
    strength = np.array([3, 7, 1, 9, 4, 4, 2, 0])
    for table in (1.0 * (members @ strength > 15), (members @ strength - 12.0) ** 2):
        truth = np.array([float(x) for x in norm("banzhaf_normalised")(table)])
        missed, errors = [], []
        for seed in range(60):
            found = sample_banzhaf(
                n,
                lambda c, t=table: t[c @ (1 << np.arange(n))],
                budget=9 * 500,
                seed=seed,
                scaled=True,
            )
            missed.append(np.abs(found.values - truth))
            errors.append(found.standard_error)
        assert np.mean(np.array(missed) <= 1.96 * np.array(errors) + 1e-9) >= 0.91
        ratio = np.sqrt(
            np.mean(np.square(missed), axis=0)[:7] / np.mean(np.square(errors), axis=0)[:7]
        )
        assert (ratio > 0.75).all()
        assert (ratio < 1.3).all()


def test_sampled_banzhaf_values_agree_with_exact_ones() -> None:
    game = load("escape_room", {"agents": [f"A{n}" for n in range(8)], "levers": 2, "rounds": 5})
    record = at_random(game, 2)
    of = characteristic(game, record)
    exact = attribute_by(of, "banzhaf")
    few = type(of)(of.agents, of.worth, of.batch, at_baseline=of.at_baseline, exact_agents=2)
    found = attribute_by(few, "banzhaf")
    assert found.standard_error is not None
    for agent, value in found.values.items():
        assert abs(value - exact.values[agent]) <= 5 * found.standard_error[agent] + 1e-6
