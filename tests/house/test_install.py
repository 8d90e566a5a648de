"""The README's first lines work as printed, where nothing but Python and its index is there."""

import json
import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from tests.root import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
CLONE, *_ = re.findall(r"```sh\n(python3 -m venv .*?)```", README, re.DOTALL)
WHEEL, *_ = re.findall(r"`(pip install \"shapley_coop-\S+\.whl\[attribute\]\")`", README)
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


CORE = """
coop list
coop run escape_room --name first
coop verify first
coop credit first
coop report first
coop demo --seeds 1
coop sweep escape_room --seeds 2 --out swept
python -c "import shapley_coop.graphs.shapley_coop"
"""
LEFT_OUT = {
    *("polars", "scipy", "psycopg", "langgraph-checkpoint-postgres", "pettingzoo"),
    *(
        "gymnasium",
        "google-re2",
        "a2a-sdk",
        "cryptography",
        "negmas",
        "mcp",
        "uvicorn",
        "starlette",
    ),
    *("langgraph-cli", "langgraph-api", "opentelemetry-api", "resvg-py", "sepaxml", "isal"),
}
MOST_PACKAGES, MOST_MEGABYTES = 70, 250


@pytest.mark.slow
@pytest.mark.xdist_group("install")
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_the_core_is_small_and_works_in_an_empty_environment(
    clone: Path, tmp_path: Path, kind: str
) -> None:
    """Without the libraries of any extra, of which each is named by what needs it."""
    if kind == "wheel":
        _shell(f".venv/bin/pip wheel --quiet --no-deps --wheel-dir {tmp_path} .", clone)
    else:
        made = f"from setuptools.build_meta import build_sdist; build_sdist({str(tmp_path)!r})"
        _shell(f"{sys.executable} -c '{made.replace(chr(39), chr(34))}'", clone)
    (built,) = tmp_path.glob("shapley_coop-*")
    venv.create(tmp_path / "empty", with_pip=True)
    begun = "\n. empty/bin/activate\n"
    empty = _megabytes(tmp_path / "empty")
    _shell(f"{begun}pip install --quiet {built}", tmp_path)
    assert _megabytes(tmp_path / "empty") - empty <= MOST_MEGABYTES
    listed = json.loads(_shell(f"{begun}pip list --format=json", tmp_path))
    names = {canonicalize_name(one["name"]) for one in listed} - {"pip", "setuptools"}
    assert names & LEFT_OUT == set()
    assert len(names) <= MOST_PACKAGES
    told = _shell(begun + CORE, tmp_path)
    assert "payoffs: recomputed, equal" in told
    assert 'not compared: the nucleolus needs scipy: pip install "shapley-coop[nucleolus]"' in told
    assert "--agent" in _shell(f"{begun}coop run --help", tmp_path)


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20


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
