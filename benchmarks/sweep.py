"""A big sweep that is already complete: its command once more, and the report on its rows.

The rows are copies of one real run, each under another cell.
"""

import json
from pathlib import Path

from benchmarks.alone import measured
from benchmarks.figures import Figure
from benchmarks.seats import scratch
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.store import ROW, Store
from shapley_coop.extensions.sweeps.suite import load_suite

SUITE = """\
name: big
base: {game: raid_battle}
vary: {graph: [llm_only, shapley_coop]}
seeds: 0-%d
"""


def sweep(rows: int = 100_000) -> list[Figure]:
    """Measure how soon a sweep knows that nothing is left to play, and the memory of its report."""
    with scratch() as folder:
        suite, one, out = folder / "big.yaml", folder / "one", folder / "out"
        suite.write_text(SUITE % (rows // 2 - 1))
        command = ("-m", "shapley_coop", "sweep", str(suite), "-o")
        measured(*command, str(one), "--limit", "1")
        _copy(suite, one, out)
        seconds, megabytes = measured(*command, str(out))
        _, reporting = measured("-m", "shapley_coop", "report", str(out))
    known = f"what is left of {rows} rows, known"
    return [
        Figure(f"{known} after", seconds, "s", goal=0.2, floor=1),
        Figure(f"{known} with", megabytes, "MB", goal=40, floor=100),
        Figure(f"report on {rows} rows with", reporting, "MB", goal=100, floor=200),
    ]


def _copy(suite: Path, one: Path, out: Path) -> None:
    """Write the only row of the folder `one`, and its times, for every cell of a suite."""
    made = load_suite(str(suite))
    with Store(one) as store:
        ((row, volatile),) = store.rows().timed()
        (kept,) = store.rows().as_kept(store.rows().cells())
    with Store(out, new=True) as store:
        swept = store.register([made], {})
    with Store(out) as store, store.writing() as session:
        for cell in expand(made):
            own = {"cell": cell.id, "labels": dict(cell.labels), "seed": cell.seed}
            content = json.dumps({**row, **own}, ensure_ascii=False, sort_keys=True)
            times = json.dumps({**volatile, "cell": cell.id, "run": f"{swept}.{cell.id}"})
            told = {**own, "labels": json.dumps(own["labels"]), "content": content}
            session.execute(ROW, **{**kept, **told, "volatile": times})
