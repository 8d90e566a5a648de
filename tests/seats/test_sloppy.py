"""Endpoints that answer as small models do: a plain answer is understood, whatever its form."""

import pytest

from benchmarks.sloppy import played
from tests.seats.manners import MANNERS, Manner, Sloppy
from tests.stub_faults import Completion

PLAIN = [
    manner
    for manner in MANNERS
    if not manner.guess and (manner.clauses or manner.notation or manner.words)
]
GUESSED = [manner for manner in MANNERS if manner.guess]
IN_FORM = [
    manner for manner in MANNERS if manner.clauses or manner.notation or manner.value or manner.form
]


def test_there_are_thirty_kinds_and_two_of_them_need_a_guess() -> None:
    assert len({manner.name for manner in MANNERS}) == 30
    assert [manner.name for manner in GUESSED] == ["yes in words alone", "two actions"]


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


def test_what_happens_to_an_answer_is_the_same_again_and_in_every_form() -> None:
    def kinds(request: dict[str, object]) -> list[tuple[str, str]]:
        manner = Sloppy(lambda messages, request: "<ACTION>door</ACTION>")
        said = [manner.say([], {"model": "A-1", **request}) for _ in range(20)]
        assert set(said) == {"<ACTION>door</ACTION>"}
        return [
            (one.text, one.refusal or "")
            for one in (manner.spoil(Completion(str(x)), {"model": "A-1"}) for x in said)
        ]

    assert kinds({}) == kinds({})
    assert len(set(kinds({}))) > 5
