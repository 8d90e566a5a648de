"""Which commit each line of a file is from, by `git blame`."""

from collections.abc import Container, Iterable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from shapley_coop.extensions.repository.git import Repository, RepositoryError

IGNORED = ".git-blame-ignore-revs"
"""The file in which a project lists the commits that only laid out anew what others wrote."""

MOST_IGNORED = 1_000
_LARGEST = 1_000_000

_OPTIONS = ("-w", "-M", "--porcelain", "--no-textconv", "--no-progress", "--encoding=UTF-8")


@dataclass(frozen=True)
class Blamed:
    """The commit that a line is from, and where it stood there."""

    commit: str
    path: str
    line: int


def ignored_revisions(copy: Repository, tip: str, known: Iterable[str]) -> list[str]:
    """Return the known commits that the last commit's `.git-blame-ignore-revs` lists.

    Args:
        copy: a repository of our own, to which the list is written for `blame`.
        tip: the range's last commit.
        known: hashes of commits.
    """
    try:
        content = next(copy.blobs([f"{tip}:{IGNORED}"], _LARGEST)) or b""
    except RepositoryError:  # there is none
        content = b""
    lines = content.decode("utf-8", "replace").splitlines()
    listed = {line.partition("#")[0].strip().lower() for line in lines}
    found = [one for one in known if one in listed][:MOST_IGNORED]
    _file(copy).write_text("".join(f"{one}\n" for one in found), encoding="ascii")
    return found


def blame(
    copy: Repository, tip: str, base: str | None, path: str, wanted: Container[int]
) -> dict[int, Blamed]:
    """Where the wanted lines of a file are from, white space and moves within the file aside.

    Lines that are older than `base` are from a commit that is not in the range.

    Raises:
        RepositoryError: git fails.
    """
    span = (tip, *([f"^{base}"] if base else []))
    ignoring = ("--ignore-revs-file", str(_file(copy)))
    printed = copy.output("blame", *_OPTIONS, *ignoring, *span, "--", path)
    return _parsed(BytesIO(printed), wanted)


def _parsed(lines: Iterable[bytes], wanted: Container[int]) -> dict[int, Blamed]:
    """Read git's blame output: for each line its commit and headers, then its text after a tab."""
    found: dict[int, Blamed] = {}
    paths: dict[str, str] = {}
    commit, at, number = "", 0, 0
    for line in lines:
        if line.startswith(b"\t"):
            if number in wanted:
                found[number] = Blamed(commit, paths[commit], at)
            commit = ""
        elif not commit:
            name, was, now, *_ = line.split()
            commit, at, number = name.decode("ascii"), int(was), int(now)
        elif line.startswith(b"filename "):
            name = line[len(b"filename ") :].rstrip(b"\n")
            paths[commit] = name.decode("utf-8", "surrogateescape")
    return found


def _file(copy: Repository) -> Path:
    return copy.git_dir / "ignored-revisions"
