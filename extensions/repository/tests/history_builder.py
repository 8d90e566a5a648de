"""Builds git repositories whose right answers are known, and large ones to time."""

import os
import random
import subprocess
from pathlib import Path

import pytest

ADA, EVE = "Ada <ada@example.org>", "Eve <eve@example.org>"
BOB, CLEO = "Bob <bob@example.org>", "Cleo <cleo@example.org>"
ENV = {
    "PATH": os.environ["PATH"],
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
}


def code(n: int, tag: str = "value") -> str:
    """So many lines of code, all different."""
    return "".join(f"{tag}_{k} = compute({k})\n" for k in range(n))


LINES = code(10)


class Builder:
    """A repository that is written commit by commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.commits = 0
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *args: str, who: str = "Ada <ada@example.org>") -> str:
        """Run git in the repository as somebody."""
        name, _, email = who.rstrip(">").partition(" <")
        date = f"{1_600_000_000 + self.commits} +0000"
        people = {
            f"GIT_{role}_{key}": value
            for role in ("AUTHOR", "COMMITTER")
            for key, value in (("NAME", name), ("EMAIL", email), ("DATE", date))
        }
        done = subprocess.run(
            ["git", *args], cwd=self.folder, env=ENV | people, capture_output=True, check=False
        )
        assert not done.returncode, done.stderr.decode()
        return done.stdout.decode().strip()

    def write(self, path: str, content: str | bytes) -> None:
        """Write a file of the working tree."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, message: str, who: str, **files: str | bytes | None) -> str:
        """Write or delete files and commit all; returns the hash. `__` in a name is a slash."""
        self.commits += 1
        for name, content in files.items():
            path = name.replace("__", "/").replace("_dot_", ".")
            if content is None:
                self.git("rm", "-q", path)
            else:
                self.write(path, content)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message, who=who)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repo(tmp_path: Path) -> Builder:
    """A repository in which Ada wrote ten lines."""
    repo = Builder(tmp_path / "repo")
    repo.commit("Write", ADA, a_dot_py=LINES)
    return repo


def build_large(folder: Path, commits: int, files: int = 200, seed: int = 0) -> None:
    """A repository of many commits by five people, in seconds: one `git fast-import`.

    Each commit appends some lines to one file and rewrites some; every 50th renames one, every
    10th is a fix, and every 25th adds a document.
    """
    rng = random.Random(seed)
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=folder, env=ENV, check=True)
    names = [f"src/part{n % 20}/module{n}.py" for n in range(files)]
    texts: dict[str, list[str]] = {name: [] for name in names}
    stream: list[str] = []
    for n in range(commits):
        who = f"Dev{n % 5} <dev{n % 5}@example.org>"
        message = f"fix: part {n}" if n % 10 == 0 else f"Work on {n}"
        stream.append(
            f"commit refs/heads/main\nauthor {who} {1_600_000_000 + n} +0000\n"
            f"committer {who} {1_600_000_000 + n} +0000\ndata {len(message)}\n{message}\n"
        )
        at = rng.randrange(len(names))
        if n % 50 == 49:
            old, names[at] = names[at], f"src/moved/module{n}.py"
            texts[names[at]] = texts.pop(old)
            if texts[names[at]]:
                stream.append(f"R {old} {names[at]}\n")
        lines = texts[names[at]]
        for _ in range(min(len(lines), 5)):
            lines[rng.randrange(len(lines))] = f"value_{n}_{rng.random()} = compute({n})"
        lines += [f"    result_{n}_{k} = step({k}, {rng.random()})" for k in range(20)]
        stream.append(_file(names[at], "\n".join(lines) + "\n"))
        if n % 25 == 0:
            stream.append(_file(f"docs/note{n}.md", f"# Note {n}\n\nWhat we know of {n}.\n"))
    done = subprocess.run(
        ["git", "fast-import", "--quiet"],
        input="".join(stream).encode(),
        cwd=folder,
        env=ENV,
        capture_output=True,
        check=False,
    )
    assert not done.returncode, done.stderr.decode()


def _file(path: str, content: str) -> str:
    return f"M 100644 inline {path}\ndata {len(content.encode())}\n{content}\n"
