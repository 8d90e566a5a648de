"""The SQL in which Postgres differs from SQLite, and the policy that separates owners' rows."""

import re
from collections.abc import Mapping

from shapley_coop.state.storage.databases import Statements
from shapley_coop.state.storage.owners import SERVER

_NAMED = re.compile(r"(?<!:):(\w+)")

_SETTING = "coalesce(current_setting('coop.owner', true), '')"
_MAY = f"({_SETTING} IN (owner, '{SERVER}'))"
_POLICY = (
    "ALTER TABLE facts ENABLE ROW LEVEL SECURITY",
    "ALTER TABLE facts FORCE ROW LEVEL SECURITY",
    f"CREATE POLICY coop_owner ON facts USING {_MAY} WITH CHECK {_MAY}",
)
"""The statements by which Postgres lets a session read and write only its owner's rows."""


class PostgresStatements(Statements):
    """Statements for Postgres; a table of one row holds the version of the whole database."""

    types: Mapping[str, str] = {
        "counted": "BIGSERIAL PRIMARY KEY",
        "bytewise": 'COLLATE "C"',
        "bytes": "BYTEA",
    }
    _tables = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"

    def translate(self, statement: str) -> str:
        """Return a statement with psycopg's placeholders for values."""
        written = statement.replace("%", "%%").replace("?", "%s")
        return _NAMED.sub(r"%(\1)s", written)

    def version(self) -> int:
        """Return the version of the tables in the database, or 0 if it has none yet."""
        if "coop_schema" not in self.tables():
            return 0
        return int(self.execute("SELECT version FROM coop_schema")[0][0])

    def complete(self, version: int) -> None:
        """Create the policy that separates owners' rows, and record the tables' version."""
        for statement in _POLICY:
            self.execute(statement)
        self.execute("CREATE TABLE coop_schema (version INTEGER NOT NULL)")
        self.execute("INSERT INTO coop_schema VALUES (?)", version)
