"""A Postgres of another version is refused in one line and left as it is."""

from pathlib import Path
from typing import Any

import psycopg
import pytest

from shapley_coop.state.storage.home import Home
from shapley_coop.state.storage.versions import BOOKS, OtherVersion
from tests.postgres import own_database


@pytest.fixture
def postgres(postgres_url: str) -> str:
    """The URL of a database that holds nothing."""
    return own_database(postgres_url)


def asked(url: str, query: str) -> set[Any]:
    """What a query finds in the first column."""
    with psycopg.connect(url) as there:
        return {first for first, *_ in there.execute(query).fetchall()}


TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"


def test_a_new_postgres_names_its_version_whatever_is_asked_first(
    postgres: str, tmp_path: Path
) -> None:
    leases: Any = Home(tmp_path, database=postgres).leases
    assert leases.fence("r") == 0
    assert asked(postgres, TABLES) == {"facts", "coop_schema"}
    assert asked(postgres, "SELECT version FROM coop_schema") == {BOOKS}


@pytest.mark.parametrize("version", [0, BOOKS - 1, 99])
def test_a_postgres_of_another_version_is_refused_and_left_as_it_is(
    postgres: str, tmp_path: Path, version: int
) -> None:
    with psycopg.connect(postgres) as there:
        there.execute("CREATE TABLE facts (run VARCHAR(80))")
        if version:
            there.execute("CREATE TABLE coop_schema (version INTEGER NOT NULL)")
            there.execute(f"INSERT INTO coop_schema VALUES ({version})")
    before = asked(postgres, TABLES)
    home = Home(tmp_path, database=postgres)
    named = f"version {version}" if version else "no version"
    for ask in (lambda: home.leases, lambda: home.runs, lambda: home.episodes):
        with pytest.raises(OtherVersion, match=f"this home's database has {named}"):
            ask()
    assert asked(postgres, TABLES) == before
