"""Runs that a page shows: played here, and kept as files."""

import asyncio
from functools import cache
from pathlib import Path
from typing import Any

from shapley_coop.extensions.page.run_sources import HomeSource
from shapley_coop.extensions.page.selfcontained import standalone_page
from shapley_coop.games import names
from shapley_coop.graphs.running import play
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home

GAMES: dict[str, dict[str, Any]] = {
    "escape_room": {"graph": "shapley_coop"},
    "cash_grab": {
        "graph": "contracts",
        "game": "cash_grab",
        "seed": 1,
        "seats": {"*": "embedded:rational", "Bob": "embedded:defector"},
        "enforcement": "escrow",
        "deposit": "1",
    },
    "public_goods": {"graph": "shapley_coop", "game": "public_goods"},
}
if "task_exchange" in names():
    GAMES["task_exchange"] = {"graph": "task_exchange", "game": "task_exchange", "seed": 2}
"""One of each kind of run that has something else to show."""


@cache
def kind(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The bundle and the result of one of them, played once for all tests, which only read."""
    bundle = made(**GAMES[name], private=True)
    return bundle, home().runs.get(bundle["run"]).result or {}


def made(graph: str = "shapley_coop", private: bool = False, **room: Any) -> dict[str, Any]:
    """The bundle of a finished run."""
    given = {"game": "escape_room", "seed": 3, **room}
    outcome = asyncio.run(play(graph, RunConfig.model_validate(given)))
    return HomeSource().get(outcome["run"], private)


@cache
def sloppy() -> dict[str, Any]:
    """The operator's bundle of a run in which drafts were sent back, played once for all."""
    return made(private=True, seats={"*": "embedded:sloppy"}, seed=7)


def saved(bundle: dict[str, Any], folder: Path) -> str:
    """The address of the page that one file holds."""
    path = folder / "run.html"
    path.write_text(standalone_page(bundle), encoding="utf-8")
    return path.as_uri()
