"""Many facts that are written to Postgres at once: each arrives as it was."""

from uuid import uuid4

import pytest

from shapley_coop.seats.records import Answer, Entry, nonce
from shapley_coop.state.storage.journal import Journal
from shapley_coop.state.storage.ledger import WORLD, Ledger, Line, final
from tests.books import kept, posted

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("postgres")]

SAID = [
    *("", "plain", "two\nlines\t", "Zoë: “yes” 🙂", "O'Brien; DROP TABLE facts", '{"a": "b"}'),
    *(r"\x6162", r"\u0041", "%s :episode %(text)s", "nul \0", "x" * 100_000),
]
"""Answers whose texts one form or another could mistake for its own."""


def entry(agent: str, text: str) -> Entry:
    told = Answer(text, input_tokens=2**31 - 1, seconds=0.1 + 0.2)
    return Entry(agent, "act", "m", f"letter to {agent}", f"Choose: {text}", 1, told, nonce())


@pytest.fixture
def journal(postgres_url: str) -> Journal:
    return Journal(postgres_url)


@pytest.fixture
def episode() -> str:
    return uuid4().hex


async def test_rows_written_at_once_are_read_as_they_were(journal: Journal, episode: str) -> None:
    wave = [entry(f"Agent {number}", text) for number, text in enumerate(SAID)]
    assert await kept(journal, [(episode, one) for one in wave]) == wave
    pointers = {one.agent: one.pointer() for one in wave}
    assert journal.open_all(episode, pointers) == {one.agent: one for one in wave}


async def test_what_was_first_counts_and_all_others_are_kept(
    journal: Journal, episode: str
) -> None:
    first, late = entry("Ann", "yes"), entry("Ann", "no")
    assert journal.write(episode, first) == first
    ben, cid = entry("Ben", "yes"), entry("Cid", "no")
    wave = [(episode, one) for one in (ben, late, cid)]
    assert await kept(journal, wave) == [ben, first, cid]


def test_amounts_beyond_what_json_is_certain_to_carry_are_posted_exactly(
    postgres_url: str, episode: str
) -> None:
    ledger, most = Ledger(postgres_url), 2**63 - 1
    lines = [Line(WORLD, "Ann", most, "reward"), Line(WORLD, "Ben", most - 1, "reward")]
    assert posted(ledger, final(episode), lines) == "posted"
    assert ledger.lines(episode) == lines
