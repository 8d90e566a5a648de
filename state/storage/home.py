"""The home of all runs: a folder or a database, which stores checkpoints and facts."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # slow imports that many commands do not need
    from shapley_coop.state.storage.chain import Chain
    from shapley_coop.state.storage.episodes import Episodes
    from shapley_coop.state.storage.journal import Journal
    from shapley_coop.state.storage.leases import Leases
    from shapley_coop.state.storage.ledger import Ledger
    from shapley_coop.state.storage.owned import Owners
    from shapley_coop.state.storage.register import Run, Runs

HOME_VARIABLE = "COOP_HOME"
DATABASE_VARIABLE = "COOP_DATABASE_URL"

BOOKS_FILE = "books.sqlite"


@dataclass(frozen=True)
class Home:
    """The place where runs are stored.

    Attributes:
        folder: the folder of the home's files; `.coop` unless COOP_HOME names another folder.
        database: the URL of a shared database; if empty, SQLite files in the folder store the runs.
    """

    folder: Path
    database: str = ""

    @cached_property
    def books_url(self) -> str:
        """The URL of the database that holds the journal, the ledger and the register of runs."""
        return self.database or f"sqlite:///{self.folder / BOOKS_FILE}"

    @property
    def chain(self) -> "Chain":
        """The hash chain of the seals of ended runs."""
        from shapley_coop.state.storage.chain import Chain

        return Chain(self.books_url)

    @property
    def checkpoints(self) -> Path:
        """The SQLite file of LangGraph's checkpoints."""
        return self.folder / "checkpoints.sqlite"

    @property
    def secrets(self) -> Path:
        """The folder of secrets, with files NAME.yaml that map agents to their secret texts."""
        return self.folder / "secrets"

    @property
    def episodes(self) -> "Episodes":
        """The store of the episodes that each thread plays."""
        from shapley_coop.state.storage.episodes import Episodes

        return Episodes(self.books_url)

    @property
    def journal(self) -> "Journal":
        """The operator's private journal of letters and answers."""
        from shapley_coop.state.storage.journal import Journal

        return Journal(self.books_url)

    @property
    def ledger(self) -> "Ledger":
        """The ledger of postings."""
        from shapley_coop.state.storage.ledger import Ledger

        return Ledger(self.books_url)

    @property
    def leases(self) -> "Leases":
        """The leases, which let only one worker at a time play a run."""
        if self.database:
            return _shared_leases(self.database)
        from shapley_coop.state.storage.leases import FileLeases

        return FileLeases(self.folder / "leases")

    @property
    def owners(self) -> "Owners":
        """The store of the owners of threads and episodes."""
        from shapley_coop.state.storage.owned import Owners

        return Owners(self.books_url)

    @property
    def runs(self) -> "Runs":
        """The register of the runs in this home."""
        from shapley_coop.state.storage.register import Runs

        return Runs(self.books_url)

    def run(self, name: str) -> "Run":
        """Return a run by its name, without creating the home if it does not exist.

        Raises:
            ValueError: no run has that name.
        """
        from shapley_coop.state.storage.register import no_such_run

        if not self.has_books():
            raise no_such_run(name)
        return self.runs.get(name)

    def list_runs(self, cells: bool = True) -> "list[Run]":
        """Return every run as `Runs.list` does, without creating the home if it does not exist."""
        return self.runs.list(cells) if self.has_books() else []

    def threads(self) -> dict[str, str]:
        """Return thread → its start time, for the threads of LangGraph's server."""
        return self.runs.threads() if self.has_books() else {}

    def compact(self) -> int:
        """Free the space of removed runs in SQLite files, and return the bytes freed.

        A shared database frees space by itself.

        Raises:
            sqlite3.OperationalError: another process uses a file, whose space is then not freed.
        """
        from shapley_coop.state.storage.sqlite import compact

        files = () if self.database else (self.folder / BOOKS_FILE, self.checkpoints)
        return sum(compact(file) for file in files if file.exists())

    @property
    def place(self) -> str:
        """The place of the home in words, for messages."""
        return "the database" if self.database else f"{self.folder}; COOP_HOME names another home"

    def has_books(self) -> bool:
        """Return whether the home has a register of runs, or cannot: its folder is a file."""
        unusable = self.folder.is_file()  # opening the register raises the error
        return bool(self.database) or unusable or (self.folder / BOOKS_FILE).exists()


def home() -> Home:
    """Return the home that the environment names.

    Raises:
        ValueError: the environment names a database that no installed extension opens.
    """
    return _home(os.environ.get(HOME_VARIABLE, ".coop"), os.environ.get(DATABASE_VARIABLE, ""))


@contextmanager
def home_for_now() -> Iterator[None]:
    """Use a temporary home, with the secrets of the real home, within the `with` block."""
    before = {name: os.environ.get(name) for name in (HOME_VARIABLE, DATABASE_VARIABLE)}
    secrets = home().secrets.resolve()
    with tempfile.TemporaryDirectory() as folder:
        if secrets.exists():
            (Path(folder) / secrets.name).symlink_to(secrets)
        os.environ[HOME_VARIABLE] = folder
        os.environ.pop(DATABASE_VARIABLE, None)
        try:
            yield
        finally:
            os.environ.pop(HOME_VARIABLE)
            os.environ |= {name: value for name, value in before.items() if value is not None}


@lru_cache(maxsize=64)  # cached: each step of a run calls this several times
def _home(folder: str, database: str) -> Home:
    if database:
        from shapley_coop.state.storage.databases import check_address

        check_address(database, DATABASE_VARIABLE)
    return Home(Path(folder), database)


@cache  # one connection holds all leases of a process
def _shared_leases(url: str) -> "Leases":
    from shapley_coop.state.storage.databases import driver

    return driver(url).leases()
