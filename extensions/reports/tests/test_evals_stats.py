"""Statistics against closed forms and enumeration."""

from itertools import product
from math import isnan, nan, sqrt

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from shapley_coop.extensions.reports.stats import (
    compare,
    correct,
    holm,
    mean_interval,
    rate_interval,
    ratio_interval,
    sign_flip,
)


def test_a_rate_has_wilsons_interval_and_the_papers_standard_error():
    found = rate_interval([1] * 7 + [0] * 3)
    z = 1.959964
    middle, half = 0.7 + z**2 / 20, z * sqrt(0.7 * 0.3 / 10 + z**2 / 400)
    ends = ((middle - half) / (1 + z**2 / 10), (middle + half) / (1 + z**2 / 10))
    assert (found.low, found.high) == pytest.approx(ends, abs=1e-6)
    assert found.spread == pytest.approx(sqrt(0.7 * 0.3 / 10))


def test_a_mean_has_the_samples_deviation():
    assert mean_interval([1.0, 2.0, 4.0]).spread == pytest.approx(1.5275, abs=1e-4)
    assert isnan(mean_interval([1.0]).spread)


def test_what_is_no_outcome_is_refused():
    with pytest.raises(ValueError, match="0 or 1"):
        rate_interval([1, 0.5])


def test_the_bootstrap_of_normal_data_is_close_to_students_t():
    x = np.random.default_rng(3).normal(5, 2, size=200)
    half = scipy.stats.t.ppf(0.975, 199) * x.std(ddof=1) / sqrt(200)
    found = mean_interval(x.tolist())
    assert (found.low, found.high) == pytest.approx((x.mean() - half, x.mean() + half), abs=0.03)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=12))
def test_an_interval_lies_within_the_data_around_the_mean(values):
    found = mean_interval(values, resamples=499)
    assert min(values) - 1e-6 <= found.low <= found.high <= max(values) + 1e-6
    assert found.n == len(values)


def test_data_that_differ_by_rounding_alone_are_equal():
    assert mean_interval([0.1 + 0.2, 0.3, 0.3]).method == "all equal"


def test_every_estimate_names_its_n():
    assert mean_interval([]).shown() == "— n=0"
    assert mean_interval([3.0]).shown() == "3.00 n=1"
    assert mean_interval([3.0, 3.0]).shown() == "3.00 [3.00, 3.00] n=2"
    assert rate_interval([0, 1, 1]).shown().endswith("n=3")
    assert mean_interval([3.0, 3.0]).method == "all equal"


def test_a_ratio_is_of_sums_and_infinite_without_a_denominator():
    found = ratio_interval([100, 200, 300], [1, 0, 1])
    assert found.value == 300
    assert found.low <= 300 <= found.high
    assert ratio_interval([5, 5], [0, 0]).value == float("inf")


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_the_sign_flip_test_is_the_full_enumeration(differences):
    signs = product((1, -1), repeat=len(differences))
    sums = [abs(sum(s * d for s, d in zip(flip, differences, strict=True))) for flip in signs]
    expected = sum(s >= abs(sum(differences)) for s in sums) / len(sums)
    assert sign_flip(np.array(differences, dtype=float))[0] == pytest.approx(expected)


def test_sampled_signs_come_close_to_the_exact_p():
    d = np.random.default_rng(5).normal(0.35, 1, size=40)
    p, test = sign_flip(d)
    _, expected = scipy.stats.ttest_rel(d, np.zeros(40))
    assert "samples" in test
    assert p == pytest.approx(expected, abs=0.02)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 5))
def test_for_rates_it_is_mcnemars_exact_test(gained, lost, ties):
    pairs = [(0.0, 1.0)] * gained + [(1.0, 0.0)] * lost + [(1.0, 1.0)] * (ties + 1)
    found = compare("won", pairs)
    discordant = gained + lost
    expected = scipy.stats.binomtest(gained, discordant).pvalue if discordant else 1.0
    assert found.p == pytest.approx(expected)
    assert (found.more, found.fewer, found.difference.n) == (gained, lost, len(pairs))


def test_the_effect_is_cohens_d_of_the_differences():
    pairs = [(0.0, 1.0), (1.0, 3.0), (2.0, 2.5), (0.0, 2.0)]
    d = [b - a for a, b in pairs]
    found = compare("x", pairs)
    assert found.effect == pytest.approx(np.mean(d) / np.std(d, ddof=1))
    assert (found.first, found.second) == (0.75, 2.125)
    assert isnan(compare("x", [(0.0, 1.0), (1.0, 2.0)]).effect)
    assert isnan(compare("x", [(0.1, 0.3), (0.0, 0.2)]).effect), "they are all equal but for dust"


def test_holm_is_its_definition():
    # m = 4: 4·0.005, 3·0.01, 2·0.03, and no less than the one before.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_what_was_not_tested_is_not_counted_by_holm():
    adjusted = holm([0.02, nan, 0.03])
    assert adjusted[0] == pytest.approx(0.04)
    assert isnan(adjusted[1])


def test_comparisons_made_together_are_corrected_together():
    made = [compare("a", [(0.0, 1.0)] * 8), compare("b", [(0.0, 1.0)] * 8)]
    assert [c.adjusted for c in correct(made)] == pytest.approx([c.p * 2 for c in made])
