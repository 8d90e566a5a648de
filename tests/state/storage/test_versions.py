"""A home of another version is refused in one line and left as it is; so is other wiring."""

import sqlite3
from contextlib import closing
from pathlib import Path
from shutil import copytree
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, text

from shapley_coop.state.storage.home import Home
from shapley_coop.state.storage.register import Runs
from shapley_coop.state.storage.versions import BOOKS, OtherSchema
from tests.coop_command import FAILED, USAGE, Coop, one_line

PLAY = ("run", "escape_room", "--graph", "llm_only", "--name")


def pragma(file: Path, value: int | None = None) -> int:
    """The schema version that a SQLite file says, changed first if a value is given."""
    with closing(sqlite3.connect(file)) as opened:
        if value is not None:
            opened.execute(f"PRAGMA user_version = {value}")
        return int(opened.execute("PRAGMA user_version").fetchone()[0])


def test_every_new_file_says_its_version(coop: Coop, tmp_path: Path) -> None:
    assert coop(*PLAY, "r").code == 0
    assert pragma(tmp_path / "home" / "books.sqlite") == BOOKS
    assert pragma(tmp_path / "home" / "checkpoints.sqlite") == 1


@pytest.mark.parametrize(
    ("name", "version"), [("books", 0), ("books", BOOKS - 1), ("books", 99), ("checkpoints", 99)]
)
def test_a_home_of_another_version_is_refused_in_one_line_and_left_as_it_is(
    coop: Coop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, version: int
) -> None:
    assert coop(*PLAY, "r").code == 0
    copytree(tmp_path / "home", tmp_path / "other")  # which this process has not opened yet
    monkeypatch.setenv("COOP_HOME", str(tmp_path / "other"))
    file = tmp_path / "other" / f"{name}.sqlite"
    today = pragma(file)
    pragma(file, version)
    for command in (("verify", "r"), (*PLAY, "other")):
        said = one_line(coop(*command), USAGE)
        assert f"has schema version {version}, and this coop reads version {today} alone" in said
        assert "name another home" in said
    assert pragma(file) == version
    pragma(file, today)
    assert coop("verify", "r").code == 0


def test_a_run_is_played_on_by_the_wiring_that_it_began_with_alone(
    coop: Coop, tmp_path: Path
) -> None:
    assert coop(*PLAY, "ended").code == 0
    assert coop(*PLAY, "asks", "--model", "human").code == 0
    books = tmp_path / "home" / "books.sqlite"
    with closing(sqlite3.connect(books)) as opened, opened:
        opened.execute("UPDATE runs SET workflow = 'of old'")
    said = one_line(coop("resume", "asks"), USAGE)
    assert "began with version of old of llm_only" in said
    every = coop("resume", "--all")
    assert every.code == FAILED
    assert "began with version of old" in every.err
    assert coop("resume", "ended").code == 0  # nothing of it is left to play


def test_a_postgres_database_of_another_version_is_refused(
    postgres_url: str, tmp_path: Path
) -> None:
    name = f"t{uuid4().hex[:12]}"
    admin = create_engine(_driver(postgres_url), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    url = postgres_url.replace("/postgres?", f"/{name}?")
    assert Home(tmp_path, database=url).runs.list() == []
    with create_engine(_driver(url)).begin() as connection:
        connection.execute(text("UPDATE coop_schema SET version = 99"))
    with pytest.raises(OtherSchema, match="schema version 99"):
        Runs(url)


def _driver(url: str) -> str:
    return url.replace("postgresql://", "postgresql+psycopg://")
