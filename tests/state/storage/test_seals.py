"""`coop verify` compares every fact of a run with its seal, and the seals with a kept head."""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from shapley_coop.graphs.running import play
from shapley_coop.seats.records import Entry
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.databases import Statements
from shapley_coop.state.storage.facts import Fact, facts_at
from shapley_coop.state.storage.home import Home, home
from shapley_coop.state.storage.owners import acting_for
from tests.books import (
    Change,
    change_answers,
    change_facts,
    change_value,
    delete_facts,
    reworded,
)
from tests.coop_command import FAILED, Coop
from tests.evals.tampering import failed_checks


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two runs that have ended; each test has a copy."""
    folder = tmp_path_factory.mktemp("played") / "home"
    room = {"seed": 10, "seats": {"*": "embedded:random"}, "params": {"rounds": 2}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COOP_HOME", str(folder))
        for name in ("r", "later"):
            asyncio.run(play("shapley_coop", RunConfig.model_validate(room), run=name))
    return folder


@pytest.fixture
def coop(coop: Coop, played: Path, tmp_path: Path) -> Coop:
    """`coop` in a home with two runs that have ended."""
    copytree(played, tmp_path / "home")
    return coop


def one_more_token(entry: Entry) -> Entry:
    return replace(entry, answer=replace(entry.answer, input_tokens=9))


def slower(entry: Entry) -> Entry:
    return replace(entry, answer=replace(entry.answer, seconds=entry.answer.seconds + 1))


def moved(fact: Fact) -> Fact:
    return replace(fact, scope="another")


FORGED: dict[str, tuple[Callable[[], None], set[str]]] = {
    "an action": (
        lambda: change_answers(reworded(lambda _: "<ACTION>door</ACTION>"), ["act"]),
        {"commitments"},
    ),
    "a nonce": (
        lambda: change_answers(lambda x: replace(x, nonce="another"), ["act"]),
        {"commitments"},
    ),
    "no action": (lambda: change_answers(lambda _: None, ["act"]), {"commitments"}),
    "no posting": (lambda: delete_facts("posting"), {"ledger"}),
    "no line": (lambda: change_value("posting", lines=[]), {"ledger"}),
    "a model": (lambda: change_answers(lambda x: replace(x, model="another")), set()),
    "tokens": (lambda: change_answers(one_more_token), set()),
    "seconds": (lambda: change_answers(slower), set()),
    "the beginning": (lambda: change_value("run", "r", created="1970-01-01T00:00:00+00:00"), set()),
    "the workflow": (lambda: change_value("run", "r", graph="short_term"), set()),
    "an episode": (lambda: change_value("episode", thread="another"), set()),
    "no episode": (lambda: delete_facts("episode"), set()),
    "what was played": (lambda: change_value("follows", "r", episode="another"), set()),
    "nothing played": (lambda: delete_facts("follows", "r"), set()),
    "no seal": (lambda: change_facts("seal", of_r(lambda _: None)), set()),
    "another digest": (lambda: change_facts("seal", of_r(redigested)), set()),
    "another seal": (lambda: change_facts("seal", of_r(as_later)), set()),
    "no hashes": (lambda: delete_facts("sealed", "r"), set()),
    "other hashes": (
        lambda: change_facts("sealed", lambda x: replace(x, body=b"\0"), "r"),
        set(),
    ),
    "hashes elsewhere": (lambda: change_facts("sealed", moved, "r"), set()),
}
"""What is forged → how, and which checks fail beside that of the seals."""


def of_r(change: Change) -> Change:
    """A change of that run's link of the chain alone."""
    return lambda link: change(link) if link.value["run"] == "r" else link


def redigested(link: Fact) -> Fact:
    return replace(link, value={**link.value, "digest": "another"})


def as_later(link: Fact) -> Fact:
    return replace(link, value={**link.value, "run": "later"})


@pytest.mark.parametrize("what", FORGED)
def test_a_fact_that_was_changed_or_deleted_is_found(coop: Coop, what: str) -> None:
    forge, checks = FORGED[what]
    assert failed_checks(coop) == set()
    forge()
    assert failed_checks(coop) >= checks | {"seals"}


def test_no_statement_of_a_run_reads_all_other_runs(
    coop: Coop, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, tuple[Any, ...]] = {}
    execute = Statements.execute

    def noted(books: Statements, statement: str, *values: Any, **named: Any) -> list[Any]:
        asked[statement] = values
        return execute(books, statement, *values, **named)

    with monkeypatch.context() as patched:
        patched.setattr(Statements, "execute", noted)
        assert coop("run", "escape_room", "--graph", "negotiation", "--name", "third").code == 0
    of_one = {query: given for query, given in asked.items() if query.startswith("SELECT owner")}
    assert any("ORDER BY key DESC" in query for query in of_one)
    with facts_at(home().books_url).reading("") as books:
        for query, given in of_one.items():
            plan = str(books.execute(f"EXPLAIN QUERY PLAN {query}", *given))
            assert re.search(r"SEARCH .*kind=\? AND scope=\?", plan), (query, plan)


def test_without_seals_sealed_actions_and_postings_are_still_found(coop: Coop) -> None:
    delete_facts("seal")
    assert failed_checks(coop) == {"seals"}
    change_answers(lambda _: None, ["act"])
    delete_facts("posting")
    assert failed_checks(coop) >= {"commitments", "ledger"}


def test_a_chain_that_was_cut_off_or_written_anew_does_not_hold_a_kept_head(coop: Coop) -> None:
    head = coop("verify", "later", "--head").out.strip()
    assert head.startswith("2:")
    assert coop("verify", "r", "--kept", head).code == 0
    assert json.loads(coop("verify", "r", "--head", "--json").out)["head"] == head
    change_facts("seal", lambda link: link if link.value["run"] == "r" else None)
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
