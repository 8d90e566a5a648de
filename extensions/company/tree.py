"""The company's git repository on disk, rebuilt from the record with reproducible hashes."""

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from shapley_coop.extensions.repository.git import clean_environment
from shapley_coop.games.params import GameError
from shapley_coop.games.turns import Turn

COMMIT = "commit"
"""The effect that records an artefact, with the keys agent, kind, path, content and message."""

MAX_PATH = 120
_PATH = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_.-]*/){0,5}[A-Za-z0-9_][A-Za-z0-9_.-]*")
_FIRST_SECOND = 1_000_000_000
"""The date of the first commit; each commit is a second later, so hashes are reproducible."""


def mistake_in_path(path: str) -> str:
    """Return an objection to a path for a file of the workspace; "" if the path is valid.

    A valid path stays within the workspace on every system, and never touches .git.
    """
    if len(path) > MAX_PATH or not _PATH.fullmatch(path):
        return (
            f"{path[:MAX_PATH]!r} is not a path in the workspace: folders and a name of letters, "
            "digits, '_', '-' and '.', none beginning with a dot, as in src/main.py"
        )
    return ""


def commits_of(record: Sequence[Turn]) -> list[dict[str, Any]]:
    """Return those effects in a record that are commits, in order."""
    return [e for turn in record for e in turn.get("effects", []) if e["effect"] == COMMIT]


def materialise(record: Sequence[Turn], folder: str | Path) -> str:
    """Build the git repository of a record, with a working tree.

    Every artefact is a commit with its agent as the author. Dates are fixed, so the same record
    always gives the same hashes. The repository is a view of the record and can be deleted at any
    time.

    Args:
        record: the record of a company's play.
        folder: the folder of the repository; it must not exist, or must be empty.

    Returns:
        The hash of the last commit; "" if the record has no artefact.

    Raises:
        GameError: the folder is not empty, a commit of the record is invalid, or git fails.
    """
    target = Path(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise GameError(f"{folder}: is not empty; give a new folder for the workspace")
    stream = b"".join(_commit(n, made) for n, made in enumerate(commits_of(record)))
    target.mkdir(parents=True, exist_ok=True)
    init = ("init", "-q", "-b", "main", "--template=", "--object-format=sha1")
    _git(target, *init)
    if not stream:
        return ""
    _git(target, "fast-import", "--quiet", stdin=stream)
    _git(target, "reset", "-q", "--hard", "main")
    return _git(target, "rev-parse", "main").decode("ascii").strip()


@contextmanager
def written(files: Mapping[str, str]) -> Iterator[Path]:
    """Write these files into a temporary folder, which exists within the `with` block.

    Raises:
        GameError: a path is not valid in a workspace.
    """
    for path in files:
        if mistake := mistake_in_path(path):
            raise GameError(mistake)
    with TemporaryDirectory(prefix="workspace-") as name:
        folder = Path(name)
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content.encode("utf-8"))
        yield folder


def _commit(number: int, made: Mapping[str, Any]) -> bytes:
    """Return one commit as input for `git fast-import`."""
    agent, path, message = str(made["agent"]), str(made["path"]), str(made["message"])
    if mistake := mistake_in_path(path):
        raise GameError(mistake)
    if re.search(r"[<>\x00-\x1f]", agent + message):
        raise GameError(f"{agent!r}: a commit's author and message must be one line without < or >")
    address = re.sub(r"\W+", "-", agent.lower()).strip("-")
    who = f"{agent} <{address}@company.invalid> {_FIRST_SECOND + number} +0000"
    content, said = str(made["content"]).encode("utf-8"), message.encode("utf-8")
    return b"".join(
        [
            f"commit refs/heads/main\nauthor {who}\ncommitter {who}\n".encode(),
            f"data {len(said)}\n".encode(),
            said,
            f"\nM 100644 inline {path}\ndata {len(content)}\n".encode(),
            content,
            b"\n",
        ]
    )


def _git(folder: Path, *args: str, stdin: bytes = b"") -> bytes:
    command, env = ["git", *args], clean_environment()
    try:
        done = subprocess.run(
            command, cwd=folder, env=env, input=stdin, capture_output=True, check=False
        )
    except FileNotFoundError:
        raise GameError("git is not installed: install it to build a workspace") from None
    if done.returncode:
        reason = " ".join(done.stderr.decode("utf-8", "replace").split())[:200]
        raise GameError(f"{folder}: git {args[0]} failed: {reason}")
    return done.stdout
