"""Where runs are kept: one folder, or one database, for checkpoints, journal, ledger and runs."""

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from shapley_coop.state.storage.journal import Journal
from shapley_coop.state.storage.leases import FileLeases, Leases, PostgresLeases
from shapley_coop.state.storage.ledger import Ledger
from shapley_coop.state.storage.register import Runs

HOME_VARIABLE = "COOP_HOME"
DATABASE_VARIABLE = "COOP_DATABASE_URL"


@dataclass(frozen=True)
class Home:
    """The place of all runs.

    Attributes:
        folder: for files; `.coop` unless COOP_HOME says otherwise.
        database: a Postgres URL for everything, or empty: then SQLite files in the folder.
    """

    folder: Path
    database: str = ""

    @property
    def books_url(self) -> str:
        """The database of journal, ledger and runs."""
        return self.database or f"sqlite:///{self.folder / 'books.sqlite'}"

    @property
    def checkpoints(self) -> Path:
        """The SQLite file of LangGraph's checkpoints."""
        return self.folder / "checkpoints.sqlite"

    @property
    def secrets(self) -> Path:
        """The folder of what users tell one agent and nobody else: NAME.yaml, agent → text."""
        return self.folder / "secrets"

    @property
    def journal(self) -> Journal:
        """The operator's journal."""
        return _journal(self.books_url)

    @property
    def ledger(self) -> Ledger:
        """The ledger."""
        return _ledger(self.books_url)

    @property
    def leases(self) -> Leases:
        """Who plays which run now."""
        return _leases(self.database) if self.database else FileLeases(self.folder / "leases")

    @property
    def runs(self) -> Runs:
        """The register of runs."""
        return _runs(self.books_url)


def home() -> Home:
    """The home that the environment names."""
    folder = Path(os.environ.get(HOME_VARIABLE, ".coop"))
    return Home(folder, os.environ.get(DATABASE_VARIABLE, ""))


@cache
def _journal(url: str) -> Journal:
    return Journal(url)


@cache
def _ledger(url: str) -> Ledger:
    return Ledger(url)


@cache
def _leases(url: str) -> Leases:
    return PostgresLeases(url)


@cache
def _runs(url: str) -> Runs:
    return Runs(url)
