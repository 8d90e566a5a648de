"""`make engines`: others' engines in an environment of their own, for tests that show they fit.

Temporal, DBOS and Celery play the recipes of `docs/jobs.md`; Inspect reads what `coop export`
writes; Aegra serves the workflows (`tests.aegra_server`). None is among the libraries that this
project needs. They come from the package index; the environment also sees this repository and its
libraries.
"""

import subprocess
import sys
import venv
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.root import ROOT

PINS = ("temporalio==1.35.0", "dbos==3.4.0", "celery==5.7.0", "inspect-ai==0.3.285")
AEGRA = "aegra-api==0.11.0"
"""It names Python 3.12 as its oldest, and runs on 3.11 all the same."""

FOLDER = ROOT / "build" / "engines"
PYTHON = FOLDER / "bin" / "python"


def engines_python() -> str:
    """Return the environment's Python; skip the test if it was not made."""
    if not PYTHON.exists():
        pytest.skip("make engines installs temporalio, dbos, celery and inspect-ai for this test")
    return str(PYTHON)


def main() -> None:
    """Make the environment."""
    venv.create(FOLDER, with_pip=True, clear=True)
    subprocess.run([PYTHON, "-m", "pip", "install", "--quiet", *PINS], check=True)
    (site,) = FOLDER.glob("lib/python*/site-packages")
    libraries = Path(str(find_spec("langgraph").submodule_search_locations[0])).parent  # type: ignore[union-attr,index]
    (site / "project.pth").write_text(f"{libraries}\n{ROOT}\n", encoding="utf-8")
    install = [PYTHON, "-m", "pip", "install", "--quiet", "--ignore-requires-python"]
    subprocess.run([*install, AEGRA], check=True)
    sys.stdout.write(f"{PYTHON} has {', '.join((*PINS, AEGRA))}\n")


if __name__ == "__main__":
    main()
