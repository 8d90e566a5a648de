"""The cost of resuming a big sweep that is already complete, and of reading its rows.

    python -m benchmarks.resume --rows 100000

The rows are copies of one real run, each under another cell. The benchmark runs the sweep's command
again, and then reports, compares and exports the rows.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.tables import table
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.store import FILE, ROW, Store
from shapley_coop.extensions.sweeps.suite import load_suite

SUITE = """\
name: big
base: {game: raid_battle}
vary: {graph: [llm_only, shapley_coop]}
seeds: 0-%d
"""


def main() -> None:
    """Make the rows, measure the commands on them, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["COOP_HOME"] = str(folder / "home")
        suite = folder / "big.yaml"
        suite.write_text(SUITE % (rows // 2 - 1))
        out = folder / "out"
        _coop("sweep", str(suite), "-o", str(folder / "one"), "--limit", "1")
        copy(suite, folder / "one", out)
        found = [("sweep", *_measured("sweep", str(suite), "-o", str(out)))]
        found.append(("report", *_measured("report", str(out))))
        sides = [f"{out}:graph={graph}" for graph in ("llm_only", "shapley_coop")]
        found.append(("compare", *_measured("compare", *sides)))
        found.append(("export", *_measured("export", str(out))))
        megabytes = (out / FILE).stat().st_size / 1e6
    shown = table(["command", "seconds", "CPU s", "peak MB"], found)
    sys.stdout.write(f"{rows} rows, {megabytes:.0f} MB\n{shown}\n")


def copy(suite: Path, one: Path, out: Path) -> None:
    """Write the only row of the folder `one`, and its times, for every cell of a suite."""
    made = load_suite(str(suite))
    with Store(one) as store:
        ((row, volatile),) = store.rows().timed()
        (kept,) = store.rows().as_kept(store.rows().cells())
    with Store(out, new=True) as store:
        sweep = store.register([made], {})
    with Store(out) as store, store.writing() as session:
        for cell in expand(made):
            own = {"cell": cell.id, "labels": dict(cell.labels), "seed": cell.seed}
            content = json.dumps({**row, **own}, ensure_ascii=False, sort_keys=True)
            times = json.dumps({**volatile, "cell": cell.id, "run": f"{sweep}.{cell.id}"})
            told = {**own, "labels": json.dumps(own["labels"]), "content": content}
            session.execute(ROW, **{**kept, **told, "volatile": times})


def _measured(*words: str) -> tuple[float, float, float]:
    """Return wall seconds, CPU seconds and peak memory in MB of a command."""
    # The command runs as the only child of a child, so that RUSAGE_CHILDREN counts it alone.
    code = (
        "import resource, subprocess, sys, time; t = time.monotonic(); "
        "subprocess.run(sys.argv[1:], check=True); t = time.monotonic() - t; "
        "u = resource.getrusage(resource.RUSAGE_CHILDREN); "
        "print(t, u.ru_utime + u.ru_stime, u.ru_maxrss)"
    )
    command = [sys.executable, "-c", code, sys.executable, "-m", "shapley_coop"]
    done = subprocess.run([*command, *words], check=True, capture_output=True, text=True)
    seconds, cpu, peak = done.stdout.split()[-3:]
    unit = 1 if sys.platform == "darwin" else 1024
    return float(seconds), float(cpu), float(peak) * unit / 1e6


def _coop(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "shapley_coop", *words], check=True, capture_output=True)


if __name__ == "__main__":
    main()
