"""Endpoints that answer as small models do: a plain answer is understood, whatever its form."""

import pytest

from benchmarks.sloppy import played
from tests.seats.manners import MANNERS, Manner

PLAIN = [
    manner
    for manner in MANNERS
    if not manner.guess and (manner.clauses or manner.notation or manner.words)
]
GUESSED = [manner for manner in MANNERS if manner.guess]
IN_FORM = [
    manner for manner in MANNERS if manner.clauses or manner.notation or manner.value or manner.form
]


async def refused(manner: Manner, way: str) -> int:
    """Refusals where every answer is spoilt in one way, in the workflow with most kinds of them."""
    found = await played("short_term", way, seeds=1, manners=[manner], rate=1)
    assert found.spoilt
    return found.refused


@pytest.mark.slow
@pytest.mark.parametrize("manner", PLAIN, ids=lambda manner: manner.name)
async def test_no_kind_alone_is_refused_in_text(manner: Manner) -> None:
    assert await refused(manner, "text") == 0


@pytest.mark.slow
@pytest.mark.parametrize("way", ["schema", "tools"])
@pytest.mark.parametrize("manner", IN_FORM, ids=lambda manner: manner.name)
async def test_no_kind_alone_is_refused_by_schema_or_call(manner: Manner, way: str) -> None:
    found = await played("short_term", way, seeds=1, manners=[manner], rate=1)
    assert found.refused == 0


@pytest.mark.slow
@pytest.mark.parametrize("manner", GUESSED, ids=lambda manner: manner.name)
async def test_what_needs_a_guess_is_asked_back(manner: Manner) -> None:
    assert await refused(manner, "text") > 0


@pytest.mark.slow
@pytest.mark.parametrize("way", ["text", "schema", "tools"])
async def test_with_all_thirty_hardly_an_answer_is_refused_and_deals_are_as_without(
    way: str,
) -> None:
    for graph in ("short_term", "shapley_coop", "contracts", "task_exchange"):
        sound = await played(graph, way, seeds=2, rate=0)
        spoilt = await played(graph, way, seeds=2)
        assert sound.refused == sound.spoilt == 0
        assert spoilt.spoilt > spoilt.answers / 4
        assert spoilt.refused <= (0.15 if way == "text" else 0.05) * spoilt.answers
        assert (spoilt.deals, spoilt.failed) == (sound.deals, 0)
