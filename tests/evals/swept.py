"""Small sweeps for tests: Escape Room and an inline dilemma, run in this process."""

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.evals.prices import NO_PRICES, Prices
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.local import Local
from shapley_coop.extensions.sweeps.playing import Limits, Player, Tally
from shapley_coop.extensions.sweeps.store import FILE, Store
from shapley_coop.extensions.sweeps.suite import Suite
from shapley_coop.extensions.sweeps.sweep import Sweep
from shapley_coop.extensions.sweeps.workers import Worker
from tests.stub_openai import StubOpenAI

DILEMMA: dict[str, Any] = {
    "name": "dilemma",
    "agents": ["Ann", "Ben"],
    "actions": {"Ann": ["give", "keep"], "Ben": ["give", "keep"]},
    "payoffs": [
        {"play": ["give", "give"], "pays": [1, 1]},
        {"play": ["give", "keep"], "pays": [-1, 2]},
        {"play": ["keep", "give"], "pays": [2, -1]},
        {"play": ["keep", "keep"], "pays": [0, 0]},
    ],
    "rounds": 3,
}

CONDITIONS = ["llm_only", "negotiation", "short_term", "shapley_coop"]

SUITE = """\
name: mini
base: {game: escape_room}
vary: {graph: [llm_only, negotiation, short_term, shapley_coop]}
seeds: 0-2
"""


def suite(**settings: Any) -> Suite:
    """The ablation on Escape Room at a few seeds, unless told otherwise."""
    given = {"name": "mini", "base": {"game": "escape_room"}, "vary": {"graph": CONDITIONS}}
    return Suite.model_validate({**given, "seeds": "0-2", **settings})


def behind(stub: StubOpenAI, graphs: list[str], seeds: str) -> Suite:
    """Escape Room with both agents behind the stub."""
    seats = {
        agent: {"model": f"openai:{agent}", "base_url": stub.base_url, "max_tokens": 300}
        for agent in ("Alice", "Bob")
    }
    base = {"game": "escape_room", "seats": seats}
    return suite(base=base, vary={"graph": graphs}, seeds=seeds)


def run(
    suites: Suite | Sequence[Suite],
    folder: Path,
    limits: Limits | None = None,
    player: Player | None = None,
    prices: Prices = NO_PRICES,
) -> Tally:
    """Sweep suites into a folder."""
    chosen = [suites] if isinstance(suites, Suite) else list(suites)
    cells = [cell for one in chosen for cell in expand(one)]
    with Store(folder, new=True) as store, Worker(store) as worker:
        playing = Local(store.register(chosen, {}))
        return asyncio.run(
            Sweep(cells, player or playing, worker, limits or Limits(), prices).play()
        )


def registered(folder: Path, made: Suite) -> str:
    """Make a folder for a sweep of a suite; the sweep's id."""
    with Store(folder, new=True) as store:
        return store.register([made], {})


def kept(folder: Path, volatile: bool = False) -> list[str]:
    """Every row of a folder as it was written, or its volatile fields, by cell."""
    column = "volatile" if volatile else "content"
    with Store(folder) as store:
        rows = store.rows()
        return [row[column] for row in rows.as_kept(sorted(rows.cells()))]


def change(folder: Path, statement: str, *values: object) -> None:
    """Do to a folder's file what somebody could do by hand."""
    with closing(sqlite3.connect(folder / FILE)) as file, file:
        file.execute(statement, values)


def reworded(folder: Path, old: str, new: str) -> None:
    """Replace a text in every row of a folder."""
    change(folder, "UPDATE sweep_rows SET content = REPLACE(content, ?, ?)", old, new)


def run_once(suites: Suite | Sequence[Suite], folder: Path) -> Path:
    """Sweep into a folder with a home of its own, for tests that only read it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COOP_HOME", str(folder / "home"))
        patch.delenv("COOP_DATABASE_URL", raising=False)
        run(suites, folder)
    return folder


def ablation(factory: pytest.TempPathFactory) -> Path:
    """The standard suite's sweep: made by whichever test of this process asks first."""
    folder = factory.getbasetemp() / "ablation"
    return folder if folder.exists() else run_once(suite(), folder)
