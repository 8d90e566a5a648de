"""The README's first lines work as printed, where nothing but Python and its index is there."""

import os
import re
import subprocess
import venv
from pathlib import Path

import pytest

from tests.root import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
CLONE, *_ = re.findall(r"```sh\n(python3 -m venv .*?)```", README, re.DOTALL)
WHEEL, *_ = re.findall(r"`(pip install shapley_coop-\S+\.whl)`", README)
FIRST = [
    line[2:] for line in README.splitlines() if re.match(r"\$ coop (attribute|run|verify)", line)
]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone in which the README's lines were given to a shell."""
    folder = tmp_path_factory.mktemp("install") / "clone"
    _shell(f"git clone --quiet {ROOT} {folder}", ROOT)
    _shell(CLONE, folder)
    return folder


@pytest.mark.slow
@pytest.mark.xdist_group("install")
def test_what_stands_first_works_in_a_clone(clone: Path) -> None:
    told = _shell("\n".join([". .venv/bin/activate", *FIRST]), clone)
    assert len(FIRST) == 3
    assert "leave-one-out" in told
    assert "breach of c3" in told
    assert "payoffs: recomputed, equal" in told


@pytest.mark.slow
@pytest.mark.xdist_group("install")
def test_a_wheel_is_all_that_an_empty_environment_needs(clone: Path, tmp_path: Path) -> None:
    _shell(f".venv/bin/pip wheel --quiet --no-deps --wheel-dir {tmp_path} .", clone)
    venv.create(tmp_path / "empty", with_pip=True)
    told = _shell("\n".join([". empty/bin/activate", WHEEL, *FIRST]), tmp_path)
    assert "payoffs: recomputed, equal" in told


def _shell(lines: str, folder: Path) -> str:
    """Give lines to a shell that ends at the first one that fails; what they printed."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("COOP_", "PYTHON", "VIRTUAL"))}
    kept |= {"COOP_HOME": str(folder / ".coop"), "LANGSMITH_TRACING": "false"}
    done = subprocess.run(
        ["sh", "-ec", lines], cwd=folder, env=kept, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
