"""A command that runs as the only child of this small process, so that its memory is its own.

A child's peak of memory begins at that of the process that starts it, which is large in a bench.
"""

import resource
import subprocess
import sys
import time
from pathlib import Path


def measured(*words: str) -> tuple[float, float]:
    """Return wall seconds and peak memory in MB of `python WORDS`."""
    command = [sys.executable, "-m", "benchmarks.alone", *words]
    root = Path(__file__).parents[1]
    done = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)
    wall, peak = done.stdout.split()[-2:]
    return float(wall), float(peak)


def _main() -> None:
    began = time.perf_counter()
    subprocess.run([sys.executable, *sys.argv[1:]], check=True)
    wall = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    unit = 1 if sys.platform == "darwin" else 1024
    sys.stdout.write(f"\n{wall} {peak * unit / 1e6}\n")


if __name__ == "__main__":
    _main()
