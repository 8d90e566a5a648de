"""The origin commit of each line of a file, by `git blame`."""

from collections.abc import Container, Iterable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from shapley_coop.extensions.repository.git import Repository, RepositoryError

IGNORED = ".git-blame-ignore-revs"
"""The file in which a project lists commits that only reformatted the lines of others."""

MOST_IGNORED = 1_000
_LARGEST = 1_000_000

_OPTIONS = ("-w", "-M", "--porcelain", "--no-textconv", "--no-progress", "--encoding=UTF-8")


@dataclass(frozen=True)
class Blamed:
    """The commit that a line is from, with the line's path and number in that commit."""

    commit: str
    path: str
    line: int


def ignored_revisions(copy: Repository, tip: str, known: Iterable[str]) -> list[str]:
    """Return the known commits that `.git-blame-ignore-revs` of the commit `tip` lists.

    Args:
        copy: a temporary copy of the repository, into which the found list is written for `blame`.
        tip: the last commit that is read.
        known: the hashes of all commits that are read.
    """
    try:
        content = next(copy.blobs([f"{tip}:{IGNORED}"], _LARGEST)) or b""
    except RepositoryError:  # the repository has no such file
        content = b""
    lines = content.decode("utf-8", "replace").splitlines()
    listed = {line.partition("#")[0].strip().lower() for line in lines}
    found = [one for one in known if one in listed][:MOST_IGNORED]
    _file(copy).write_text("".join(f"{one}\n" for one in found), encoding="ascii")
    return found


def blame(
    copy: Repository, tip: str, base: str | None, path: str, wanted: Container[int]
) -> dict[int, Blamed]:
    """Return line number → origin, for a file's wanted lines; changes of white space are ignored.

    Moved lines keep their origin. A line from before `base..tip` has an origin outside this range.

    Raises:
        RepositoryError: git fails.
    """
    span = (tip, *([f"^{base}"] if base else []))
    ignoring = ("--ignore-revs-file", str(_file(copy)))
    printed = copy.output("blame", *_OPTIONS, *ignoring, *span, "--", path)
    return _parsed(BytesIO(printed), wanted)


def _parsed(lines: Iterable[bytes], wanted: Container[int]) -> dict[int, Blamed]:
    """Parse git's blame output: for each line its commit and headers, then its text after a tab."""
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
