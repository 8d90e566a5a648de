"""Numbers are shown without the noise of floating point or of a machine's clock."""

import pytest

from shapley_coop.extensions.attribute.figures import rough_seconds, shown
from shapley_coop.extensions.attribute.result import Spent, per_second


@pytest.mark.parametrize(
    ("x", "said"),
    [(1.1e-16, "0"), (-3e-15, "0"), (25640.3, "25640"), (0.00012345, "0.0001234"), (None, "—")],
)
def test_a_number_is_shown_without_noise(x: float | None, said: str) -> None:
    assert shown(x) == said


def test_there_is_no_value_per_second_of_a_moment() -> None:
    took = {"slow": 0.5, "quick": 0.004}
    spent = {agent: Spent(1, 0, None, None, None, x) for agent, x in took.items()}
    assert per_second({"slow": 1.0, "quick": 1.0}, spent) == {"slow": 2.0, "quick": None}


def test_seconds_are_no_finer_than_a_clock_tells() -> None:
    assert [shown(rough_seconds(x)) for x in (-3.6e-05, 0.00077, 1.234)] == ["0", "0.0008", "1.2"]
