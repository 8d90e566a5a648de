"""The steps of the books' schema, from the first release's to today's.

A step may meet tables that were made just now, as they are today: it looks before it changes.
"""

from collections.abc import Mapping

from shapley_coop.state.storage.driver import Session
from shapley_coop.state.storage.tables import Table
from shapley_coop.state.storage.versions import Step

Tables = Mapping[str, Table]


def _owners(session: Session, _: Tables) -> None:
    """Rows have an owner, and an episode belongs to one thread of one owner (version 2)."""
    owned = ("answers", "waiting_letters", "postings", "ledger_lines", "runs")
    for table in owned:
        columns = _columns(session, table)
        if "owner" in columns or not columns:
            continue
        _add(session, table, "owner VARCHAR(64) NOT NULL DEFAULT ''")
        if "episode" in columns:
            # Nobody can claim an episode that was played before.
            session.write(
                "INSERT INTO episodes (episode, owner, thread)"  # noqa: S608 - constants
                f" SELECT DISTINCT episode, '', '' FROM {table}"
                " WHERE episode NOT IN (SELECT episode FROM episodes)"
            )


def _plays(session: Session, tables: Tables) -> None:
    """Episodes are named by what they follow, answers by their model, runs by their workflow."""
    if "previous" not in _columns(session, "episodes"):
        _add(session, "episodes", "previous VARCHAR(80)")
        for index in tables["episodes"].indexed():
            session.write(index)
    if "workflow" not in _columns(session, "runs"):
        _add(session, "runs", "workflow VARCHAR(64) NOT NULL DEFAULT ''")
    _key_by_model(session, tables["answers"])


def _key_by_model(session: Session, answers: Table) -> None:
    key = ", ".join(answers.key)
    if not session.sqlite:
        (now,) = session.rows(_KEY_IN_POSTGRES, {})
        if "model" not in now["columns"]:
            changed = f"DROP CONSTRAINT {now['name']}, ADD PRIMARY KEY ({key})"
            session.write(f"ALTER TABLE answers {changed}")
        return
    keyed = session.rows("SELECT name FROM pragma_table_info('answers') WHERE pk > 0", {})
    if "model" in (row["name"] for row in keyed):
        return
    # SQLite cannot change a primary key.
    kept = ", ".join(sorted(_columns(session, "answers") & {*answers.columns}))
    session.write("ALTER TABLE answers RENAME TO answers_before")
    for statement in answers.created(sqlite=True):
        session.write(statement)
    session.write(
        f"INSERT INTO answers ({kept}) SELECT {kept} FROM answers_before"  # noqa: S608
    )
    session.write("DROP TABLE answers_before")


_KEY_IN_POSTGRES = """
    SELECT conname AS name, pg_get_constraintdef(oid) AS columns FROM pg_constraint
    WHERE conrelid = to_regclass('answers') AND contype = 'p'
"""


def _columns(session: Session, table: str) -> set[str]:
    query = (
        "SELECT name FROM pragma_table_info(:asked)"
        if session.sqlite
        else "SELECT column_name AS name FROM information_schema.columns"
        " WHERE table_schema = current_schema() AND table_name = :asked"
    )
    return {row["name"] for row in session.rows(query, {"asked": table})}


def _add(session: Session, table: str, column: str) -> None:
    session.write(f"ALTER TABLE {table} ADD COLUMN {column}")


def _token_parts(session: Session, _: Tables) -> None:
    """Answers tell how many of their tokens were cached, and how many were thought (version 4)."""
    for column in ("cached_tokens", "reasoning_tokens"):
        if column not in _columns(session, "answers"):
            _add(session, "answers", f"{column} INTEGER NOT NULL DEFAULT 0")


def _batched(session: Session, _: Tables) -> None:
    """Answers tell whether they came in a provider's batch (version 5)."""
    if "batched" not in _columns(session, "answers"):
        _add(session, "answers", "batched INTEGER NOT NULL DEFAULT 0")


def _seals_by_run(session: Session, tables: Tables) -> None:
    """A run's seal is found without reading all others (version 6)."""
    for index in tables["chain"].indexed():
        session.write(index)


STEPS: dict[int, Step] = dict(
    enumerate((_owners, _plays, _token_parts, _batched, _seals_by_run), start=2)
)
"""Version → the step to it."""
