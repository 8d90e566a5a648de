"""Homes of the first release open, go on and verify; those of a later one are refused in a line.

`homes/first_release.tar.gz` was written by the first release, in processes that were killed:
`mid_talk` before an answer to an offer, `mid_play` within a turn, `in_escrow` before and `paid_in`
after the deposits were posted. `whole` had ended.
"""

import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, inspect, text

from shapley_coop.state.storage.database import database
from shapley_coop.state.storage.home import Home
from shapley_coop.state.storage.migrations import STEPS
from shapley_coop.state.storage.owned import OWNED
from shapley_coop.state.storage.versions import BOOKS, NewerSchema, version_of
from tests.coop_command import FAILED, USAGE, Coop, coop_in, one_line, valid

FIRST_RELEASE = Path(__file__).parent / "homes" / "first_release.tar.gz"
UNFINISHED = {"mid_talk": 2, "mid_play": 2, "in_escrow": 7, "paid_in": 7}
"""Unfinished run → the least number of lines that its ledger has at its end."""


@pytest.fixture
def coop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Coop:
    """`coop` on the home that the first release left."""
    with tarfile.open(FIRST_RELEASE) as kept:
        kept.extractall(tmp_path / "home", filter="data")
    return coop_in(tmp_path, monkeypatch, capsys)


def pragma(file: Path, value: int | None = None) -> int:
    """The schema version that a SQLite file says, changed first if a value is given."""
    with closing(sqlite3.connect(file)) as opened:
        if value is not None:
            opened.execute(f"PRAGMA user_version = {value}")
        return int(opened.execute("PRAGMA user_version").fetchone()[0])


@pytest.mark.parametrize("run", UNFINISHED)
def test_an_unfinished_run_of_the_first_release_goes_on_and_is_paid_once(
    coop: Coop, run: str, tmp_path: Path
) -> None:
    asked = _answers(tmp_path)
    outcome = valid(coop("resume", run, "--json").result)
    lines = Home(tmp_path / "home").ledger.lines(outcome["episode"])
    assert len(lines) >= UNFINISHED[run]
    assert coop("verify", run).code == 0
    # What it was answered before was not asked again, and is there unchanged.
    assert asked.items() <= _answers(tmp_path).items()
    assert coop("resume", run, "--json").result["episode"] == outcome["episode"]
    assert Home(tmp_path / "home").ledger.lines(outcome["episode"]) == lines


def test_an_ended_run_of_the_first_release_verifies(coop: Coop, tmp_path: Path) -> None:
    assert coop("verify", "whole").code == 0
    books = tmp_path / "home" / "books.sqlite"
    assert pragma(books) == BOOKS
    with closing(sqlite3.connect(books)) as opened:
        indexes = opened.execute("SELECT name FROM sqlite_master WHERE type = 'index'").fetchall()
    named = {name for table in OWNED.values() for _, name, _ in table.indexes}
    assert named <= {name for (name,) in indexes}


def test_a_home_of_a_later_release_is_refused_in_one_line(coop: Coop, tmp_path: Path) -> None:
    for name in ("books", "checkpoints"):
        file = tmp_path / "home" / f"{name}.sqlite"
        before = pragma(file)
        pragma(file, 99)
        said = one_line(coop("resume", "mid_talk"), USAGE)
        assert "schema version 99" in said
        assert "use the later coop" in said
        pragma(file, before)
    assert coop("resume", "mid_talk").code == 0


def test_every_new_file_says_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fresh = coop_in(tmp_path, monkeypatch, capsys)
    assert fresh("run", "escape_room", "--graph", "llm_only", "--name", "r").code == 0
    assert pragma(tmp_path / "home" / "books.sqlite") == BOOKS
    assert pragma(tmp_path / "home" / "checkpoints.sqlite") == 1


def test_a_run_is_played_on_by_the_wiring_that_it_began_with_alone(
    coop: Coop, tmp_path: Path
) -> None:
    assert coop("runs").code == 0  # brings the home to today's schema
    books = tmp_path / "home" / "books.sqlite"
    with closing(sqlite3.connect(books)) as opened, opened:
        opened.execute("UPDATE runs SET workflow = 'of old' WHERE run = 'mid_talk'")
    said = one_line(coop("resume", "mid_talk"), USAGE)
    assert "began with version of old of shapley_coop" in said
    every = coop("resume", "--all")
    assert every.code == FAILED
    assert "began with version of old" in every.err
    assert "3 of 4 resumed" in every.err
    assert coop("resume", "whole").code == 0  # nothing of it is left to play


def test_postgres_of_the_first_release_is_migrated(postgres_url: str, tmp_path: Path) -> None:
    name = f"t{uuid4().hex[:12]}"
    admin = create_engine(_driver(postgres_url), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    url = postgres_url.replace("/postgres?", f"/{name}?")
    there = create_engine(_driver(url))
    with there.begin() as connection:
        for table in OWNED.values():
            for statement in table.created(sqlite=False):
                connection.execute(text(statement))
        connection.execute(text("DROP TABLE chain, episodes, thread_owners, idempotency_keys"))
        connection.execute(text("ALTER TABLE runs DROP COLUMN workflow"))
        for table in ("answers", "waiting_letters", "postings", "ledger_lines", "runs"):
            connection.execute(text(f"ALTER TABLE {table} DROP COLUMN owner"))
        key = "DROP CONSTRAINT answers_pkey, ADD PRIMARY KEY (episode, agent, letter, attempt)"
        connection.execute(text(f"ALTER TABLE answers {key}"))
        connection.execute(text("INSERT INTO postings VALUES ('e', 'final', '', 0, 'digest')"))
    home = Home(tmp_path, database=url)
    assert home.runs.list() == []
    assert home.owners.of_episode("e") is not None
    with database(url).reading() as books:
        assert version_of(books) == BOOKS == max(STEPS)
    with there.begin() as connection:
        keyed = inspect(connection).get_pk_constraint("answers")["constrained_columns"]
        indexed = {index["name"] for index in inspect(connection).get_indexes("episodes")}
        assert "model" in keyed
        assert {name for _, name, _ in OWNED["episodes"].indexes} <= indexed
        connection.execute(text("UPDATE coop_schema SET version = 99"))
    from shapley_coop.state.storage.register import Runs

    with pytest.raises(NewerSchema, match="schema version 99"):
        Runs(url)


def _answers(folder: Path) -> dict[str, str]:
    """Nonce → answer: an answer that was asked again has another nonce."""
    with closing(sqlite3.connect(folder / "home" / "books.sqlite")) as books:
        return dict(books.execute("SELECT nonce, text FROM answers").fetchall())


def _driver(url: str) -> str:
    return url.replace("postgresql://", "postgresql+psycopg://")
