"""The package as `pip` installs it: its wheel, and an environment that holds it."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from tests.root import ROOT

PACKAGE = "shapley_coop"
OUTSIDE = {"tests", "benchmarks", "docs", "build"}
"""Folders at the root that are not installed."""


def built(folder: Path) -> Path:
    """Build the wheel offline from a copy, so that nothing is left beside the sources."""
    ignore = shutil.ignore_patterns(".*", "*.egg-info", "__pycache__", *OUTSIDE)
    shutil.copytree(ROOT, folder / "source", ignore=ignore)
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "-w", str(folder)]
    run([sys.executable, "-m", "pip", "wheel", *options, str(folder / "source")], folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


def programs(wheel: Path, folder: Path) -> Path:
    """Make an environment that holds a wheel of ours alone, and then sees the libraries."""
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    options = ["--quiet", "--no-deps", "--no-index"]
    command = [sys.executable, "-m", "pip", "--python", str(python), "install"]
    run([*command, *options, str(wheel)], folder)
    (site,) = folder.glob("lib/python*/site-packages")
    ours = {path.name for path in site.iterdir() if path.suffix != ".dist-info"}
    assert ours == {PACKAGE}
    # Python reads no .pth file in folders that a .pth file adds: the editable install stays out.
    libraries = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    (site / "libraries.pth").write_text("\n".join(libraries), encoding="utf-8")
    return folder / "bin"


def run(command: list[str], folder: Path) -> str:
    """Run a program in a folder that is its home, too; what it printed."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("COOP_", "PYTHON"))}
    kept |= {"COOP_HOME": str(folder / ".coop"), "LANGSMITH_TRACING": "false"}
    done = subprocess.run(
        command, cwd=folder, env=kept, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
