"""The sources of runs for the viewer: a home, or a folder of bundles."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

from shapley_coop.escaping import visible_data
from shapley_coop.extensions.page.bundle import DONE, About, bundle
from shapley_coop.files import read_json
from shapley_coop.graphs.finding import every_run, run_of
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.listing import age, line, list_line
from shapley_coop.state.storage.home import Home, home
from shapley_coop.state.storage.register import Run


class RunSource(Protocol):
    """A source of runs, which lists the runs and returns the bundle of a named run."""

    def runs(self) -> list[dict[str, Any]]:
        """Return every run as a line of a list (`state.listing`), with its age."""

    def get(self, run: str, private: bool) -> dict[str, Any]:
        """Return a run's current bundle.

        Raises:
            ValueError: there is no such run, or the run cannot be read.
        """


class HomeSource:
    """The runs of this home.

    Args:
        only: the name of the only run to return; "" for all runs.
    """

    def __init__(self, only: str = "") -> None:
        self._only = only

    def runs(self) -> list[dict[str, Any]]:
        """Return every run, newest first."""
        found = asyncio.run(every_run())
        return lines_with_age(one for one in found if self._only in ("", one.run))

    def get(self, run: str, private: bool) -> dict[str, Any]:
        """Return the bundle of a run's latest checkpoint."""
        if self._only not in ("", run):
            raise ValueError(f"this page shows only the run {self._only}")
        return bundle_of(asyncio.run(run_of(run)), home(), private)


class FolderSource:
    """The bundles in a folder, one per file.

    Args:
        folder: the folder of JSON files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def runs(self) -> list[dict[str, Any]]:
        """Return every bundle, in the order of file names."""
        return [_line(one) for one in self._bundles()]

    def get(self, run: str, private: bool) -> dict[str, Any]:
        """Return a bundle from its file, with its private part only if `private` is true.

        Raises:
            ValueError: the folder has no bundle of the run.
        """
        for one in self._bundles():
            if one["run"] == run:
                return one if private else {**one, "private": None}
        raise ValueError(f"{self._folder} has no bundle of the run {run!r}")

    def _bundles(self) -> list[dict[str, Any]]:
        found = (visible_data(read_json(path)) for path in sorted(self._folder.glob("*.json")))
        return [one for one in found if isinstance(one, dict) and "bundle" in one]


def lines_with_age(runs: Iterable[Run]) -> list[dict[str, Any]]:
    """Return one list line (`state.listing`) for each run, with the run's age, newest first."""
    newest_first = sorted(runs, key=lambda run: run.created, reverse=True)
    return [{**list_line(run), "age": age(run.created)} for run in newest_first]


def bundle_of(run: Run, where: Home, private: bool) -> dict[str, Any]:
    """Return the current bundle of a run of a home."""
    table = asyncio.run(table_of(run))
    episode = table.get("episode", "")
    # Viewers poll unfinished runs, so their journals are read only if private data is requested.
    read = private or run.state in DONE
    return bundle(
        About(run.run, run.graph, run.created, run.state, run.why),
        table,
        where.ledger.lines(episode),
        list(where.journal.entries(episode)) if read else None,
        private,
    )


def _line(one: dict[str, Any]) -> dict[str, Any]:
    """Return a bundle as a line of a list."""
    settings = {"seats": one.get("seats", {}), "seed": one.get("seed", 0)}
    settings["game"] = (one.get("game") or {}).get("name", "")
    ended = one.get("outcome") or {}
    return line(
        one["run"],
        one["graph"],
        one.get("created", ""),
        one.get("state", ""),
        settings,
        one.get("status", "") if ended else "",
        ended.get("points", {}).get("ended"),
        one.get("why", ""),
    ) | ({"age": age(one["created"])} if one.get("created") else {})
