"""The steps of the books' schema, from the first release's to today's.

A step may meet tables that were made just now, as they are today: it looks before it changes.
"""

from sqlalchemy import Connection, MetaData, inspect
from sqlalchemy.schema import CreateTable

from shapley_coop.state.storage.versions import Step


def _owners(connection: Connection, _: MetaData) -> None:
    """Rows have an owner, and an episode belongs to one thread of one owner (version 2)."""
    owned = ("answers", "waiting_letters", "postings", "ledger_lines", "runs")
    for table in owned:
        columns = _columns(connection, table)
        if "owner" in columns or not columns:
            continue
        _add(connection, table, "owner VARCHAR(64) NOT NULL DEFAULT ''")
        if "episode" in columns:
            # Nobody can claim an episode that was played before.
            connection.exec_driver_sql(
                "INSERT INTO episodes (episode, owner, thread)"  # noqa: S608 - constants
                f" SELECT DISTINCT episode, '', '' FROM {table}"
                " WHERE episode NOT IN (SELECT episode FROM episodes)"
            )


def _plays(connection: Connection, tables: MetaData) -> None:
    """Episodes are named by what they follow, answers by their model, runs by their workflow."""
    if "previous" not in _columns(connection, "episodes"):
        _add(connection, "episodes", "previous VARCHAR(80)")
        for index in tables.tables["episodes"].indexes:
            index.create(connection)
    if "workflow" not in _columns(connection, "runs"):
        _add(connection, "runs", "workflow VARCHAR(64) NOT NULL DEFAULT ''")
    keyed = inspect(connection).get_pk_constraint("answers")
    if "model" not in keyed["constrained_columns"]:
        _key_by_model(connection, tables, str(keyed["name"]))


def _key_by_model(connection: Connection, tables: MetaData, name: str) -> None:
    answers = tables.tables["answers"]
    key = ", ".join(column.name for column in answers.primary_key)
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(
            f"ALTER TABLE answers DROP CONSTRAINT {name}, ADD PRIMARY KEY ({key})"
        )
        return
    # SQLite cannot change a primary key.
    kept = ", ".join(sorted(_columns(connection, "answers") & set(answers.c.keys())))
    connection.exec_driver_sql("ALTER TABLE answers RENAME TO answers_before")
    connection.execute(CreateTable(answers))
    connection.exec_driver_sql(
        f"INSERT INTO answers ({kept}) SELECT {kept} FROM answers_before"  # noqa: S608
    )
    connection.exec_driver_sql("DROP TABLE answers_before")


def _columns(connection: Connection, table: str) -> set[str]:
    there = inspect(connection)
    if not there.has_table(table):
        return set()
    return {column["name"] for column in there.get_columns(table)}


def _add(connection: Connection, table: str, column: str) -> None:
    connection.exec_driver_sql(f"ALTER TABLE {table} ADD COLUMN {column}")


def _token_parts(connection: Connection, _: MetaData) -> None:
    """Answers tell how many of their tokens were cached, and how many were thought (version 4)."""
    for column in ("cached_tokens", "reasoning_tokens"):
        if column not in _columns(connection, "answers"):
            _add(connection, "answers", f"{column} INTEGER NOT NULL DEFAULT 0")


def _batched(connection: Connection, _: MetaData) -> None:
    """Answers tell whether they came in a provider's batch (version 5)."""
    if "batched" not in _columns(connection, "answers"):
        _add(connection, "answers", "batched INTEGER NOT NULL DEFAULT 0")


STEPS: dict[int, Step] = {2: _owners, 3: _plays, 4: _token_parts, 5: _batched}
"""Version → the step to it."""
