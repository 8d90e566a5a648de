"""The driver of a Postgres database, which the extension registers as `databases`."""

from contextlib import AbstractAsyncContextManager

from shapley_coop.extensions.postgres.checkpoints import PostgresSaver, in_postgres
from shapley_coop.extensions.postgres.connections import PostgresDatabase
from shapley_coop.extensions.postgres.leases import PostgresLeases
from shapley_coop.extras import require_extra
from shapley_coop.state.storage.facts import facts_at
from shapley_coop.state.storage.owners import SERVER

with require_extra("postgres", "a home in Postgres"):
    from psycopg import Error, OperationalError

_ABOVE = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"


class PostgresDriver:
    """The driver of one database.

    Args:
        url: `postgresql://…`.
    """

    errors: tuple[type[Exception], ...] = (Error,)

    def __init__(self, url: str) -> None:
        self._url = url

    def open(self) -> PostgresDatabase:
        """Return the database's connections."""
        return PostgresDatabase(self._url)

    def leases(self) -> PostgresLeases:
        """Return the leases of the machines that share the database."""
        return PostgresLeases(self._url)

    def saver(self) -> AbstractAsyncContextManager[PostgresSaver]:
        """Open the database's checkpoint saver."""
        return in_postgres(self._url)

    def unsafe(self) -> str:
        """Return a warning if the role, such as a superuser, bypasses row-level security."""
        with facts_at(self._url).reading(SERVER) as session:
            above = session.execute(_ABOVE)[0][0]
        return "This database's role is above row-level security" if above else ""

    @staticmethod
    def explain(error: BaseException) -> str:
        """Return the fault that an error of psycopg reports, or ""."""
        if not isinstance(error, Error):
            return ""
        # Other errors' messages quote values of the statement, which may be private.
        operational = isinstance(error, OperationalError)
        said = str(error).partition("\n")[0] if operational else type(error).__name__
        return f"the database: {said} (check that COOP_DATABASE_URL's server runs and answers)"
