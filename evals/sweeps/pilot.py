"""Pilots: one run of each condition, from which the cost of a sweep is forecast."""

import asyncio
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shapley_coop.evals.sweeps.folders import opened_if_there
from shapley_coop.evals.sweeps.forecast import Pilot, stand_ins
from shapley_coop.evals.sweeps.local import Local
from shapley_coop.evals.sweeps.suite import Cell
from shapley_coop.state.storage.home import DATABASE_VARIABLE, HOME_VARIABLE, home

MOST = 100
"""Runs of a condition that a forecast is made from."""

Pilots = dict[tuple[str, int], list[Pilot]]


async def pilots(
    cells: Sequence[Cell], folder: Path, watch: Callable[[], Any] = lambda: None
) -> Pilots:
    """Runs of every condition: those that the folder has, else one played for this.

    Pilots are free: embedded agents replace the models that cost money. They are not kept.

    Args:
        cells: what is to be run.
        folder: the sweep's; it need not be there.
        watch: called once for each condition.
    """
    found = await asyncio.to_thread(_from, folder, cells)
    with home_for_now():
        for cell in stand_ins(cells):
            if (cell.suite, cell.condition) not in found:
                finished = await Local("pilot").play(cell)
                pilot = Pilot(finished.row, finished.volatile["seconds"])
                found[cell.suite, cell.condition] = [pilot]
            watch()
    return found


def _from(folder: Path, cells: Sequence[Cell]) -> Pilots:
    """The folder's own runs of these conditions, the first `MOST` of each."""
    found: Pilots = {}
    ranks = {(c.suite, frozenset(c.labels.items())): c.condition for c in cells}
    with opened_if_there(folder) as store:
        for row, volatile in store.rows().timed(MOST) if store else ():
            rank = ranks.get((row["suite"], frozenset(row["labels"].items())))
            if rank is not None and "seconds" in volatile:
                pilot = Pilot(row, volatile["seconds"])
                found.setdefault((row["suite"], rank), []).append(pilot)
    return found


@contextmanager
def home_for_now() -> Iterator[None]:
    """A temporary home with the secrets of the real one."""
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
