"""The terms under which a server pays calls from a sweep's purse."""

from dataclasses import replace
from typing import Any, cast

import pytest

from shapley_coop.extensions.remote.purse import keeps_to, pay
from shapley_coop.seats.asking import Enquiry
from shapley_coop.seats.records import Answer
from shapley_coop.seats.seat import Seat

ANSWER = Answer(text="yes", input_tokens=1, output_tokens=1)
SLOW, FAST = {"*": {"rpm": 1.0}}, {"*": {"rpm": 2.0}}


async def answer(patience: float) -> Answer:
    """Answer at once."""
    return replace(ANSWER, seconds=patience)


NO_QUESTION = cast(Enquiry, None)


@pytest.mark.parametrize("told", [None, "x", [1], {}, {"sweep": "s", "cost": "many"}])
async def test_metadata_that_name_no_purse_are_one_clear_line(told: Any) -> None:
    with pytest.raises(ValueError, match=r"^the run's metadata `coop_purse` names no sweep"):
        await pay(told, Seat(model="openai:gpt"), NO_QUESTION, answer)


async def test_an_embedded_agent_is_asked_without_a_purse() -> None:
    assert await pay({}, Seat(model="embedded:rational"), NO_QUESTION, answer) == ANSWER


@pytest.mark.parametrize(
    ("theirs", "ours", "kept"),
    [
        ({}, {}, True),
        ({"cost": 1, "rates": {}}, {}, True),
        ({}, {"cost": 1, "rates": {}}, False),
        ({"cost": 1, "rates": {}}, {"cost": 2, "rates": {}}, True),
        ({"cost": 2, "rates": {}}, {"cost": 1, "rates": {}}, False),
        ({"cost": None, "rates": SLOW}, {"cost": 1, "rates": SLOW}, False),
        ({"cost": 1, "rates": SLOW}, {"cost": None, "rates": SLOW}, True),
        ({"cost": None, "rates": FAST}, {"cost": None, "rates": SLOW}, False),
    ],
)
def test_a_run_under_way_goes_on_if_it_keeps_to_the_limits(theirs: Any, ours: Any, kept: bool):
    assert keeps_to(theirs, ours) is kept
