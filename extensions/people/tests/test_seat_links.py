"""The links of a served table: a letter is answered once, and what is sealed stays so."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import httpx
import pytest

from shapley_coop.cli.console import finish
from shapley_coop.extensions.people import pages
from shapley_coop.extensions.people.pages import SeatPages
from shapley_coop.extensions.people.waiting import find_waiting
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.replies import ANSWERED
from shapley_coop.graphs.running import Waiting, answer, follow
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.storage.register import Run
from tests.background import beside
from tests.waiting import wait_for

COOPERATE = {"type": "fields", "args": {"action": "cooperate"}}


@pytest.fixture
def run() -> Run:
    """A game of three turns that waits for Alice's first action."""
    seats = {"Alice": "human", "*": "embedded:rational"}
    begun = prepare(
        "llm_only", {"game": "prisoners_dilemma", "params": {"rounds": 3}, "seats": seats}
    )
    with pytest.raises(Waiting):
        finish(follow(begun))
    return begun


def waiting(run: Run) -> tuple[Any, Any, Any]:
    found = finish(find_waiting(run, "Alice"))
    assert found is not None
    return found


def test_a_reply_sent_twice_at_once_does_not_answer_the_next_letter(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = Barrier(2)

    async def found_by_both(of: Run, agent: str) -> Any:
        found = await find_waiting(of, agent)
        both.wait()  # so that each request finds the letter before either has answered it
        return found

    seats, first = SeatPages(run, ["Alice"], "127.0.0.1", 0), waiting(run)[0]
    monkeypatch.setattr(pages, "find_waiting", found_by_both)

    def sent(_: int) -> str:
        try:
            return next(iter(seats.reply("Alice", {**COOPERATE, "id": pages.name_of(first)}) or ()))
        except ValueError as refused:
            return str(refused)

    with beside(seats.follow()), ThreadPoolExecutor(2) as at_once:
        assert sorted(at_once.map(sent, range(2))) == [ANSWERED, "taken"]
        following = wait_for("the next letter", lambda: finish(find_waiting(run, "Alice")))
    assert following[0].facts["turn"] == 2


def test_an_answer_to_an_earlier_letter_is_refused(run: Run) -> None:
    seen = waiting(run)[2].id
    assert finish(answer(run, "Alice", "<ACTION>defect</ACTION>", meant=seen)) is None
    with pytest.raises(ValueError, match="has been answered"):
        finish(answer(run, "Alice", "<ACTION>defect</ACTION>", meant=seen))
    assert len(finish(table_of(run))["record"]) == 1


def test_a_refused_reply_to_an_earlier_letter_leaves_the_letter_that_waits(run: Run) -> None:
    earlier = waiting(run)[1]
    assert finish(answer(run, "Alice", "<ACTION>defect</ACTION>")) is None
    assert earlier.refusal("Well.").label == "MPT"
    assert waiting(run)[0].facts["turn"] == 2


def test_the_page_of_a_run_tells_no_length_of_a_sealed_action(run: Run) -> None:
    record = SeatPages(run, ["Alice"], "127.0.0.1", 0).record
    told = httpx.get(record.replace("?run=", "runs/") + ".json").json()
    assert told["state"] == "waiting"
    assert told["cost"] is None, "Bob has acted, and one action's name is longer than the other's"
