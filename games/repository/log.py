"""The commits of a range and what each changed, read from one `git log`."""

import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from shapley_coop.games.repository.git import LARGEST_RECORD, Repository, RepositoryError
from shapley_coop.games.repository.lines import normal

_FIELDS = (
    *("%H", "%an", "%ae", "%aN", "%aE", "%cn", "%ce", "%cN", "%cE", "%at", "%B"),
    "%(trailers:key=Co-authored-by,valueonly)",
)
_OPTIONS = (
    *("--reverse", "--topo-order", "--no-merges", "-z", "--raw", "--no-abbrev"),
    *("-p", "-U0", "-M", "-C", "-l1000", "--inter-hunk-context=0", "--diff-algorithm=histogram"),
    *("--no-ext-diff", "--no-textconv", "--submodule=short", "--no-relative", "-O/dev/null"),
    *("--no-color", "--no-decorate", "--no-notes", "--no-show-signature", "--encoding=UTF-8"),
)
_PERSON = re.compile(r"\s*([^<>]*?)\s*<([^<>]*)>\s*")
_SECTION = b"diff --git "
_MOST_RECORDS = 2_000_000
"""Of one commit: two for each file that it changes."""

Status = Literal["A", "C", "D", "M", "R", "T"]


@dataclass(frozen=True)
class Person:
    """A name and an address."""

    name: str
    email: str


@dataclass(frozen=True)
class Change:
    """What one commit did to one file, in lines without indentation; layout is left out."""

    status: Status
    path: str
    before: str  # where the file was: another path when it was renamed or copied
    binary: bool
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    edits: list[tuple[list[str], list[str]]] = field(default_factory=list)
    """What was removed in one place, and what stands there instead."""


@dataclass(frozen=True)
class Commit:
    """One commit that is no merge."""

    hash: str
    author: Person
    mapped: Person  # the author as the .mailmap has them
    committer: Person
    mapped_committer: Person
    co_authors: tuple[Person, ...]
    time: str  # of authoring, in seconds since 1970, as git has it
    message: str
    changes: list[Change]


def read_commits(
    repository: Repository, tip: str, base: str | None, mailmap: str = ""
) -> Iterator[Commit]:
    """The commits that `tip` has and `base` has not, parents before children.

    Merges are left out: what they bring has authors of its own. Renames and copies are found as
    git finds them (half of the lines alike).

    Commits are told apart by a mark drawn for this reading, so that no content can pass for one.

    Args:
        repository: what to read.
        tip: a commit's hash.
        base: another's, or None for everything up to `tip`.
        mailmap: a blob that says who is who; the .mailmap of `tip` if it is not given.

    Raises:
        RepositoryError: git fails, or prints what it should not.
    """
    mark = secrets.token_hex(16)
    fields = "%x00".join(_FIELDS)
    records = repository.records(
        "log",
        *_OPTIONS,
        f"--format=format:{mark}%x00{fields}%x00",
        tip,
        *([f"^{base}"] if base else []),
        "--",
        mailmap=mailmap or f"{tip}:.mailmap",
    )
    one: list[bytes] = []
    held = 0
    for record in records:
        if record == mark.encode() and one:
            yield _commit(repository, one)
            one, held = [], 0
        elif record != mark.encode():
            one.append(record)
            held += len(record)
            if held > LARGEST_RECORD or len(one) > _MOST_RECORDS:
                raise RepositoryError(
                    f"{repository.path}: the commit {one[0].decode('ascii', 'replace')[:12]} "
                    "changes more than can be read; settle a --range without it"
                )
    if one:
        yield _commit(repository, one)


def _commit(repository: Repository, records: list[bytes]) -> Commit:
    parts = iter(records)
    head = [part.decode("utf-8", "replace") for part in islice(parts, len(_FIELDS))]
    if len(head) < len(_FIELDS):
        raise RepositoryError(f"{repository.path}: git log broke off within a commit")
    hash_, *who, time, message, trailers = head
    author, mapped, committer, mapped_committer = map(Person, who[::2], who[1::2])
    named = (_PERSON.fullmatch(line) for line in trailers.splitlines())
    return Commit(
        hash=hash_,
        author=author,
        mapped=mapped,
        committer=committer,
        mapped_committer=mapped_committer,
        co_authors=tuple(Person(*match.groups()) for match in named if match),
        time=time,
        message=message.strip(),
        changes=_changes(repository, hash_, parts),
    )


def _changes(repository: Repository, hash_: str, parts: Iterator[bytes]) -> list[Change]:
    """Raw records come first and name the files; then the patch, a section for each of them."""
    files: list[tuple[str, str, str]] = []
    patch = b""
    for part in parts:
        record = part.lstrip(b"\n")
        if record.startswith(b":"):
            status = chr(record.split()[-1][0])
            before = next(parts).decode("utf-8", "surrogateescape")
            moved = status in "RC"
            path = next(parts).decode("utf-8", "surrogateescape") if moved else before
            files.append((status, path, before))
        elif record:
            patch = b"\0".join([part, *parts])
    # A change of type (a file becomes a link) is printed as a deletion and a creation.
    files = [file for file in files for _ in range(2 if file[0] == "T" else 1)]
    sections = _sections(patch)
    if len(sections) != len(files):
        raise RepositoryError(
            f"{repository.path}: the patch of {hash_[:12]} has {len(sections)} files and not "
            f"{len(files)}"
        )
    return [
        _change(status, path, before, section)
        for (status, path, before), section in zip(files, sections, strict=True)
    ]


def _sections(patch: bytes) -> list[bytes]:
    """A patch by files. Only headers begin a line with `diff`: content has a sign in front."""
    if not patch.startswith(_SECTION):
        return []
    return patch[len(_SECTION) :].split(b"\n" + _SECTION)


def _change(status: str, path: str, before: str, section: bytes) -> Change:
    head, hunks, body = section.partition(b"\n@@ ")
    _, _, body = body.partition(b"\n")
    change = Change(
        status=status,  # type: ignore[arg-type]
        path=path,
        before=before,
        binary=not hunks and b"\nBinary files " in head,
    )
    gone: list[str] = []
    come: list[str] = []
    for line in [*body.decode("utf-8", "replace").split("\n"), "@@"]:
        sign = line[:1]
        if sign == "@":  # the next place, or the end
            if gone and come:
                change.edits.append((gone, come))
            change.removed.extend(gone)
            change.added.extend(come)
            gone, come = [], []
        elif sign in ("+", "-") and (text := normal(line[1:])):
            (come if sign == "+" else gone).append(text)
    return change
