"""Sources of runs for the viewer: a home, or a folder of bundles."""

import asyncio
from pathlib import Path
from typing import Any, Protocol

from shapley_coop.files import read_json
from shapley_coop.graphs.threads import table_of
from shapley_coop.serve.view.bundle import About, bundle
from shapley_coop.state import Home, Run, home
from shapley_coop.state.listing import listed


class RunSource(Protocol):
    """Runs by name, as bundles."""

    def runs(self) -> list[dict[str, Any]]:
        """Every run: its name, workflow, time and state."""

    def get(self, run: str, private: bool) -> dict[str, Any]:
        """A run's current bundle.

        Raises:
            ValueError: there is no such run, or it cannot be read.
        """


class HomeSource:
    """The runs of this home."""

    def runs(self) -> list[dict[str, Any]]:
        """Every run of the register, newest first."""
        return [listed(run) for run in home().runs.list()]

    def get(self, run: str, private: bool) -> dict[str, Any]:
        """The bundle of a run's latest checkpoint."""
        return bundle_of(home().runs.get(run), home(), private)


class FolderSource:
    """The bundles in a folder, one per file.

    Args:
        folder: the folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def runs(self) -> list[dict[str, Any]]:
        """Every bundle, in the order of file names."""
        keys = ("run", "graph", "created", "state", "status")
        return [{key: one[key] for key in keys if key in one} for one in self._bundles()]

    def get(self, run: str, private: bool) -> dict[str, Any]:
        """A bundle as it was written; without `private`, its private part is left out."""
        for one in self._bundles():
            if one["run"] == run:
                return one if private else {**one, "private": None}
        raise ValueError(f"{self._folder} has no bundle of a run {run!r}")

    def _bundles(self) -> list[dict[str, Any]]:
        found = (read_json(path) for path in sorted(self._folder.glob("*.json")))
        return [one for one in found if isinstance(one, dict) and "bundle" in one]


def bundle_of(run: Run, where: Home, private: bool) -> dict[str, Any]:
    """The current bundle of a run of a home."""
    table = asyncio.run(table_of(run))
    episode = table.get("episode", "")
    return bundle(
        About(run.run, run.graph, run.created, run.state),
        table,
        where.ledger.lines(episode),
        where.journal.entries(episode) if private else None,
    )
