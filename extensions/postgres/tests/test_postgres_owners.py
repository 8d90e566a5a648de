"""Postgres itself separates the owners' rows."""

from pathlib import Path
from typing import Any

import psycopg
import pytest

from shapley_coop.state.storage.databases import driver
from shapley_coop.state.storage.home import Home
from shapley_coop.state.storage.ledger import Key
from shapley_coop.state.storage.owners import acting_for
from tests.books import posted
from tests.postgres import own_database
from tests.state.storage.test_owners import PAID, entry


def test_postgres_itself_shows_and_takes_only_the_owners_rows(
    postgres_url: str, tmp_path: Path
) -> None:
    plain_role = own_database(postgres_url, plain_role=True)
    books = Home(tmp_path, database=plain_role)
    with acting_for("ann", "t1"):
        posted(books.ledger, Key("e", "final"), PAID)
        books.journal.write("e", entry())
    assert driver(plain_role).unsafe() == ""
    assert "is above row-level security" in driver(postgres_url).unsafe()
    kinds = ("answer", "posting", "episode")

    def facts(connection: psycopg.Connection[Any], owner: str) -> list[int]:
        connection.execute("SELECT set_config('coop.owner', %s, false)", [owner])
        count = "SELECT count(*) FROM facts WHERE kind = %s"
        return [connection.execute(count, [kind]).fetchone()[0] for kind in kinds]  # type: ignore[index]

    with psycopg.connect(plain_role, autocommit=True) as connection:
        assert facts(connection, "ann") == [1, 1, 1]
        assert facts(connection, "bob") == facts(connection, "") == [0, 0, 0]
        connection.execute("SELECT set_config('coop.owner', 'bob', false)")
        stolen = "INSERT INTO facts VALUES (DEFAULT, 'ann', 'posting', 'e', 'final', '{}', '')"
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
            connection.execute(stolen)
