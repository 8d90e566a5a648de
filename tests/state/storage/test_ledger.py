"""The ledger: double entry, each posting once, and nothing ever paid twice."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapley_coop.graphs.running import follow, play
from shapley_coop.graphs.threads import table_of
from shapley_coop.nodes.contract.enforce import enforce
from shapley_coop.nodes.table.settle import settle
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.ledger import WORLD, Key, Ledger, Line, final
from tests.books import posted

AGENTS = ["Ann", "Ben", "Cyd"]
accounts = st.sampled_from([*AGENTS, WORLD, "pot"])


def two_accounts() -> st.SearchStrategy[Line]:
    pairs = st.tuples(accounts, accounts).filter(lambda pair: pair[0] != pair[1])
    return pairs.flatmap(
        lambda pair: st.builds(
            Line, st.just(pair[0]), st.just(pair[1]), st.integers(1, 10**12), st.text(max_size=5)
        )
    )


@pytest.fixture(scope="module")
def sqlite(tmp_path_factory: pytest.TempPathFactory) -> Ledger:
    return Ledger(f"sqlite:///{tmp_path_factory.mktemp('ledger') / 'books.sqlite'}")


@pytest.fixture(scope="module")
def postgres(postgres_url: str) -> Ledger:
    return Ledger(postgres_url)


@pytest.fixture(
    params=[
        "sqlite",
        pytest.param("postgres", marks=[pytest.mark.slow, pytest.mark.xdist_group("postgres")]),
    ]
)
def ledger(request: pytest.FixtureRequest) -> Ledger:
    found: Ledger = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def episode(request: pytest.FixtureRequest) -> str:
    """A play of its own for each test, however long its name."""
    return f"{abs(hash(request.node.nodeid)):x}"


EARNED = [Line(WORLD, "Ann", 10_000_000, "reward"), Line("Ben", WORLD, 1_000_000, "cost")]
MOVED = [Line("Ann", "Ben", 5_500_000, "redistribution")]


def test_what_one_account_pays_another_receives(ledger: Ledger, episode: str) -> None:
    assert posted(ledger, final(episode), [*EARNED, *MOVED]) == "posted"
    assert ledger.lines(episode) == [*EARNED, *MOVED]
    assert ledger.balances(episode) == {WORLD: -9_000_000, "Ann": 4_500_000, "Ben": 4_500_000}


def test_the_same_posting_again_does_nothing(ledger: Ledger, episode: str) -> None:
    verdicts = [posted(ledger, final(episode), EARNED) for _ in range(3)]
    assert verdicts == ["posted", "already", "already"]
    assert ledger.lines(episode) == EARNED


@pytest.mark.parametrize(
    "other",
    [
        [],
        EARNED[:1],
        EARNED[::-1],
        [*EARNED, *MOVED],
        [Line(WORLD, "Ann", 10_000_001, "reward"), EARNED[1]],
        [Line(WORLD, "Ann", 10_000_000, "gift"), EARNED[1]],
        [Line(WORLD, "Cyd", 10_000_000, "reward"), EARNED[1]],
    ],
    ids=["nothing", "less", "order", "more", "amount", "memo", "account"],
)
def test_a_different_posting_under_the_same_key_is_refused(
    ledger: Ledger, episode: str, other: list[Line]
) -> None:
    assert posted(ledger, final(episode), EARNED) == "posted"
    assert posted(ledger, final(episode), other) == "refused"
    assert ledger.lines(episode) == EARNED
    assert posted(ledger, final(episode), EARNED) == "already"


def test_every_clause_and_turn_has_its_own_posting(ledger: Ledger, episode: str) -> None:
    keys = [
        final(episode),
        Key(episode, "payment", "c1", 1),
        Key(episode, "payment", "c1", 2),
        Key(episode, "payment", "c2", 1),
        Key(episode, "fine", "c1", 1),
        final(f"{episode}-fork"),
    ]
    assert [posted(ledger, key, MOVED) for key in keys] == ["posted"] * len(keys)
    assert len(ledger.lines(episode)) == 5
    assert ledger.balances(f"{episode}-fork") == {"Ann": -5_500_000, "Ben": 5_500_000}


def test_of_many_who_post_at_once_one_does(ledger: Ledger, episode: str) -> None:
    with ThreadPoolExecutor(8) as crowd:
        verdicts = list(crowd.map(lambda _: posted(ledger, final(episode), EARNED), range(16)))
    assert sorted(verdicts) == ["already"] * 15 + ["posted"]
    assert ledger.lines(episode) == EARNED


def test_of_many_who_post_differently_one_is_paid(ledger: Ledger, episode: str) -> None:
    offers = [[Line("Ann", "Ben", amount, "race")] for amount in range(1, 9)]
    with ThreadPoolExecutor(8) as crowd:
        verdicts = list(crowd.map(lambda o: posted(ledger, final(episode), o), offers))
    assert sorted(verdicts) == ["posted"] + ["refused"] * 7
    assert ledger.lines(episode) == offers[verdicts.index("posted")]


@given(st.lists(st.lists(two_accounts(), max_size=6), max_size=4))
@settings(max_examples=30)
def test_all_accounts_together_hold_nothing(sqlite: Ledger, postings: list[list[Line]]) -> None:
    episode = uuid4().hex
    for turn, posting in enumerate(postings):
        posted(sqlite, Key(episode, "payment", "c1", turn), posting)
    balances = sqlite.balances(episode)
    assert sum(balances.values()) == 0
    for agent in AGENTS:
        moves = [line for posting in postings for line in posting]
        received = sum(line.amount for line in moves if line.credit == agent)
        paid = sum(line.amount for line in moves if line.debit == agent)
        assert balances.get(agent, 0) == received - paid


@pytest.mark.parametrize(
    ("debit", "credit", "amount"), [("Ann", "Ann", 1), ("Ann", "Ben", 0), ("Ann", "Ben", -5)]
)
def test_what_is_no_transfer_is_no_line(debit: str, credit: str, amount: int) -> None:
    with pytest.raises(ValueError, match="is not a transfer: give two accounts and a positive"):
        Line(debit, credit, amount, "")


# A run and its ledger


async def test_a_run_is_paid_once_however_often_it_is_followed() -> None:
    outcome = await play("shapley_coop", RunConfig(seed=1))
    paid = home().ledger.lines(outcome["episode"])
    for _ in range(2):
        again = await follow(home().runs.get(outcome["run"]))
        assert again["payoffs"] == outcome["payoffs"]
    assert home().ledger.lines(outcome["episode"]) == paid
    micro = {agent: round(x * 10**6) for agent, x in outcome["payoffs"].items()}
    balances = home().ledger.balances(outcome["episode"])
    assert {agent: balances[agent] for agent in micro} == micro
    assert sum(balances.values()) == 0


async def test_a_branch_that_ends_otherwise_is_counterfactual_and_unpaid() -> None:
    outcome = await play("shapley_coop", RunConfig(seed=1))
    paid = home().ledger.lines(outcome["episode"])
    table = await table_of(home().runs.get(outcome["run"]))
    same = await asyncio.to_thread(settle, table)
    assert same["settlement"]["ledger"] == "paid"
    other = await asyncio.to_thread(settle, {**table, "contract": None, "offer": None})
    assert other["settlement"]["ledger"] == "counterfactual"
    assert home().ledger.lines(outcome["episode"]) == paid


# Branches of one episode

HELD = (Key("e", "deposit", "Alice"), [Line("Alice", "escrow", 3, "deposit")])
LOST = (Key("e", "forfeit", "c1", 2), [Line("escrow", "Bob", 3, "breach")])
BACK = (Key("e", "return", "Alice"), [Line("escrow", "Alice", 3, "kept")])


def test_the_postings_of_a_branch_that_was_not_first_are_refused_whole(tmp_path: Path) -> None:
    ledger = Ledger(f"sqlite:///{tmp_path / 'books.sqlite'}")
    assert ledger.post_branch("e", [HELD]) == "posted"
    assert ledger.post_branch("e", [HELD, LOST]) == "posted"
    paid = ledger.lines("e")
    # A fork of before the breach, in which the contract was kept.
    assert ledger.post_branch("e", [HELD]) == "already"
    assert ledger.post_branch("e", [HELD, BACK]) == "refused"
    # A fork of before the signing, with another deposit.
    other = (HELD[0], [Line("Alice", "escrow", 5, "deposit")])
    assert ledger.post_branch("e", [other]) == "refused"
    assert ledger.lines("e") == paid


async def test_a_fork_in_which_a_contract_is_signed_moves_no_deposit() -> None:
    room = RunConfig(game="prisoners_dilemma", seed=1, enforcement="escrow")
    outcome = await play("contracts", room)
    signed: Any = {**await table_of(home().runs.get(outcome["run"])), "episode": "forked"}
    assert signed["contract"] is not None
    first = await asyncio.to_thread(settle, {**signed, "contract": None, "amendments": []})
    assert first["settlement"]["ledger"] == "paid"
    paid = home().ledger.lines("forked")
    await asyncio.to_thread(enforce, signed)
    fork = await asyncio.to_thread(settle, signed)
    assert fork["settlement"]["ledger"] == "counterfactual"
    assert home().ledger.lines("forked") == paid


# The register of runs


async def test_a_failure_after_the_end_erases_no_result() -> None:
    outcome = await play("shapley_coop", RunConfig(seed=1))
    home().runs.finish(outcome["run"], "failed")
    kept = home().runs.get(outcome["run"])
    assert (kept.state, kept.result) == ("ended", outcome)
