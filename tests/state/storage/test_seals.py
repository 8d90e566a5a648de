"""`coop verify` compares every row of a run with its seal, and the seals with a kept head."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.state import RunConfig, home
from shapley_coop.state.storage.database import database
from shapley_coop.state.storage.driver import Row, SqliteSession
from shapley_coop.state.storage.home import Home
from shapley_coop.state.storage.owners import acting_for
from tests.coop_command import FAILED, Coop, coop_in
from tests.evals.tampering import failed_checks, in_the_books


@pytest.fixture
def coop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Coop:
    """`coop` in a home with two runs that have ended."""
    here = coop_in(tmp_path, monkeypatch, capsys)
    for name in ("r", "later"):
        options = ("--seed", "10", "--model", "embedded:random", "--set", "rounds=2")
        assert here("run", "escape_room", *options, "--name", name).code == 0
    return here


@pytest.mark.parametrize(
    ("statement", "checks"),
    [
        ("update answers set text = '<ACTION>door</ACTION>' where act = 'act'", {"commitments"}),
        ("update answers set nonce = 'another' where act = 'act'", {"commitments"}),
        ("delete from answers where act = 'act'", {"commitments"}),
        ("delete from postings", {"ledger"}),
        ("update postings set digest = 'another'", {"ledger"}),
        ("update ledger_lines set memo = 'another'", {"ledger"}),
        ("update answers set model = 'another'", set()),
        ("update answers set input_tokens = input_tokens + 1", set()),
        ("update answers set seconds = seconds + 1", set()),
        ("update runs set created = 'yesterday'", set()),
        ("update runs set graph = 'short_term'", set()),
        ("update episodes set previous = 'another' where thread = 'r'", set()),
        ("delete from episodes where thread = 'r'", set()),
        ("delete from chain where run = 'r'", set()),
        ("update chain set digest = 'another' where run = 'r'", set()),
        ("update chain set rows = x'00' where run = 'r'", set()),
        ("update chain set run = 'later' where run = 'r'", set()),
    ],
)
def test_a_row_that_was_changed_or_deleted_is_found(
    coop: Coop, statement: str, checks: set[str]
) -> None:
    assert failed_checks(coop) == set()
    in_the_books(statement)
    assert failed_checks(coop) >= checks | {"seals"}


def test_no_statement_of_a_run_reads_all_other_runs(
    coop: Coop, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, Mapping[str, Any]] = {}
    rows = SqliteSession.rows

    def noted(session: SqliteSession, query: str, given: Mapping[str, Any]) -> list[Row]:
        asked[query] = given
        return rows(session, query, given)

    with monkeypatch.context() as patched:
        patched.setattr(SqliteSession, "rows", noted)
        assert coop("run", "escape_room", "--graph", "negotiation", "--name", "third").code == 0
    of_one = {query: given for query, given in asked.items() if ":run" in query or ":ep" in query}
    assert any("FROM chain" in query for query in of_one)
    with database(home().books_url).reading() as books:
        for query, given in of_one.items():
            (plan, *_) = books.rows(f"EXPLAIN QUERY PLAN {query}", given)
            assert re.search(r"SEARCH .*\b(run|episode)=\?", plan["detail"]), (query, plan)


def test_without_seals_sealed_actions_and_postings_are_still_found(coop: Coop) -> None:
    in_the_books("delete from chain")
    assert failed_checks(coop) == {"seals"}
    in_the_books("delete from answers where act = 'act'")
    in_the_books("delete from postings")
    assert failed_checks(coop) >= {"commitments", "ledger"}


def test_a_chain_that_was_cut_off_or_written_anew_does_not_hold_a_kept_head(coop: Coop) -> None:
    head = coop("verify", "later", "--head").out.strip()
    assert head.startswith("2:")
    assert coop("verify", "r", "--kept", head).code == 0
    assert json.loads(coop("verify", "r", "--head", "--json").out)["head"] == head
    in_the_books("delete from chain where number = 2")
    assert coop("verify", "r").code == 0
    found = coop("verify", "r", "--kept", head)
    assert found.code == FAILED
    assert f"the head {head} is none of this home's" in found.out


def test_a_resume_of_what_has_ended_adds_no_seal(coop: Coop) -> None:
    head = home().chain.head()
    assert coop("resume", "r").code == 0
    assert home().chain.head() == head


@pytest.fixture(params=["sqlite", "postgres"])
def books(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    if request.param == "sqlite":
        return Home(tmp_path)
    return Home(tmp_path, database=request.getfixturevalue("postgres_url"))


def test_each_owner_has_a_chain_of_its_own(books: Home) -> None:
    result: dict[str, Any] = {"payoffs": {}}
    heads = {}
    for owner in ("ann", "bob"):
        with acting_for(owner):
            books.runs.begin(f"of {owner}", "llm_only", RunConfig().model_dump(mode="json"), "v1")
            books.chain.seal(f"of {owner}", {"episode": f"e {owner}"}, result)
            heads[owner] = books.chain.head()
            assert books.chain.broken(heads[owner]) == ""
            assert books.chain.changed(f"of {owner}", {"episode": f"e {owner}"}, result) == []
            other = {"episode": f"e {owner}", "verdict": "other"}
            assert books.chain.changed(f"of {owner}", other, result) == ["table"]
    assert [head.partition(":")[0] for head in heads.values()] == ["1", "1"]
    with acting_for("bob"):
        assert "none of this home's" in books.chain.broken(heads["ann"])
