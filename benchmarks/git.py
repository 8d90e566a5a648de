"""How fast a git history is read: commits a second, beside git's own log."""

import os
import random
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.tables import Cell, Found, exponent, timed
from shapley_coop.extensions.repository.history import read_history

_PLAIN = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}


def git(repeats: int = 5, commits: tuple[int, ...] = (500, 1000, 2000)) -> Found:
    """Reading histories of some lengths, by `coop settle-git` and by `git log --numstat`."""
    rows: list[list[Cell]] = []
    walls = []
    for count in commits:
        with TemporaryDirectory() as scratch:
            folder = Path(scratch) / "repository"
            _write(folder, count)
            log = timed(repeats, lambda: _git(folder, "log", "--numstat", "-M"))  # noqa: B023
            ours = timed(repeats, lambda: read_history(folder))  # noqa: B023
        walls.append(ours)
        rows.append([f"{count} commits: git log --numstat -M", 1.0, log, count / log])
        rows.append([f"{count} commits: coop settle-git", ours / log, ours, count / ours])
    slope = exponent(commits, walls)
    return Found(
        f"Reading a history: who wrote what and what of it stands. Medians of {repeats}.",
        ("reader", "× git's own log", "wall, s", "commits a second"),
        rows,
        notes=[f"Exponent of time over commits: {slope:.2g}. There is no goal for it."],
    )


def _write(folder: Path, commits: int, files: int = 100) -> None:
    """A repository of three authors, written at once: each commit adds ten lines to a file."""
    folder.mkdir()
    _git(folder, "init", "-q", "-b", "main")
    dice, texts, stream = random.Random(commits), dict[str, str](), list[str]()
    for n in range(commits):
        name = f"part{dice.randrange(files)}.py"
        added = "".join(f"value_{n}_{k} = step({dice.random()})\n" for k in range(10))
        texts[name] = texts.get(name, "") + added
        who = f"Dev{n % 3} <dev{n % 3}@example.org> {1_600_000_000 + n} +0000"
        stream += [f"commit refs/heads/main\nauthor {who}\ncommitter {who}\n", _data(f"Work {n}")]
        stream += [f"M 100644 inline {name}\n", _data(texts[name])]
    _git(folder, "fast-import", "--quiet", given="".join(stream).encode())


def _data(text: str) -> str:
    return f"data {len(text.encode())}\n{text}\n"


def _git(folder: Path, *arguments: str, given: bytes | None = None) -> None:
    subprocess.run(
        ["git", *arguments],  # noqa: S607 - whichever git the user has
        cwd=folder,
        env=os.environ | _PLAIN,
        input=given,
        capture_output=True,
        check=True,
    )
