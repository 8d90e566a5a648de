"""The provenance of a result: commit, versions of libraries and of Python."""

import platform
import shutil
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_LIBRARIES = ("langgraph", "langchain-core", "langchain-openai", "numpy", "scipy")


@cache  # runs git once, and not for every row
def provenance() -> dict[str, str]:
    """Return the commit (with a + if files differ from it) and the versions, by name."""
    own = {"version": _version("shapley-coop"), "python": platform.python_version()}
    return {"commit": _commit(), **own, **{name: _version(name) for name in _LIBRARIES}}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _commit() -> str:
    """Return the commit of this source tree, or "unknown" if it is not a git checkout."""
    # The package is a folder of links to the root. Resolving them is slow, so no import does it.
    root = Path(__file__).resolve().parents[1]
    if not (root / ".git").exists() or shutil.which("git") is None:
        return "unknown"
    commit = _git(root, "rev-parse", "--short=12", "HEAD")
    return f"{commit}{'+' if _git(root, 'status', '--porcelain') else ''}" if commit else "unknown"


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *arguments],  # noqa: S607 - the git on the user's PATH
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    return done.stdout.strip() if done.returncode == 0 else ""
