"""How much it takes to go on with a big sweep in which nothing is left to do, and to read it.

    python -m benchmarks.resume --rows 100000

The rows are copies of one real run, each under a cell of its own. The sweep's command is run three
times: with no index, with one, and after the last hundred lines came without it, as after a kill.
Then the rows are reported, compared and exported.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.tables import table
from shapley_coop.evals.sweeps.index import Index, index_of
from shapley_coop.evals.sweeps.store import read, register
from shapley_coop.evals.sweeps.suite import expand, load_suite

LATE = 100
"""Lines that the index does not know of in the third row of the table."""

SUITE = """\
name: big
base: {game: raid_battle}
vary: {graph: [llm_only, shapley_coop]}
seeds: 0-%d
"""


def main() -> None:
    """Make the rows, resume, and print the table."""
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
        one = (read(folder / "one", kind)[0] for kind in ("rows", "volatile"))
        lines = copies(suite, *one, out)
        again = ("sweep", str(suite), "-o", str(out))
        found = [(f"sweep, {how}", *_measured(*again)) for how in ("no index", "index")]
        path = out / "rows.jsonl"
        with path.open("rb+") as file:
            file.truncate(path.stat().st_size - sum(map(len, lines[-LATE:])))
        with Index(path):
            pass
        with path.open("ab") as file:
            file.writelines(lines[-LATE:])
        found.append((f"sweep, index without the last {LATE}", *_measured(*again)))
        found.append(("report", *_measured("report", str(out))))
        sides = [f"{out}:graph={graph}" for graph in ("llm_only", "shapley_coop")]
        found.append(("compare", *_measured("compare", *sides)))
        found.append(("export", *_measured("export", str(out))))
        megabytes = path.stat().st_size / 1e6
        size = index_of(path).stat().st_size / 1e6
    shown = table(["command", "CPU s", "peak MB"], found)
    sys.stdout.write(f"{rows} rows, {megabytes:.0f} MB; index {size:.0f} MB\n{shown}\n")


def copies(
    suite: Path, row: dict[str, object], volatile: dict[str, object], out: Path
) -> list[bytes]:
    """Write a row and its times for every cell of a suite; return the last of the rows."""
    made = load_suite(str(suite))
    register(out, [made], {})
    last: list[bytes] = []
    with (out / "rows.jsonl").open("wb") as file, (out / "volatile.jsonl").open("w") as times:
        for cell in expand(made):
            own = {"cell": cell.id, "labels": dict(cell.labels), "seed": cell.seed}
            line = json.dumps({**row, **own}, ensure_ascii=False, sort_keys=True)
            last = [*last[-LATE:], f"{line}\n".encode()]
            file.write(last[-1])
            times.write(json.dumps({**volatile, "cell": cell.id}) + "\n")
    return last


def _measured(*words: str) -> tuple[float, float]:
    """CPU seconds and peak memory in MB of a command."""
    # A child of its own, so that the peak of its children is this command's.
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
        "u = resource.getrusage(resource.RUSAGE_CHILDREN); "
        "print(u.ru_utime + u.ru_stime, u.ru_maxrss)"
    )
    command = [sys.executable, "-c", code, sys.executable, "-m", "shapley_coop"]
    done = subprocess.run([*command, *words], check=True, capture_output=True, text=True)
    seconds, peak = done.stdout.split()[-2:]
    unit = 1 if sys.platform == "darwin" else 1024
    return float(seconds), float(peak) * unit / 1e6


def _coop(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "shapley_coop", *words], check=True, capture_output=True)


if __name__ == "__main__":
    main()
