"""The commits of a range with their changes, read from one `git log`."""

import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Literal

from shapley_coop.extensions.repository.co_authors import co_authors
from shapley_coop.extensions.repository.contributions import Person
from shapley_coop.extensions.repository.git import LARGEST_RECORD, Repository, RepositoryError
from shapley_coop.extensions.repository.lines import normal

_FIELDS = (
    *("%H", "%an", "%ae", "%aN", "%aE", "%cn", "%ce", "%cN", "%cE", "%at", "%B"),
    "%(trailers:key=Co-authored-by,valueonly,unfold)",
)
_OPTIONS = (
    # By author date, a copy comes after its original even if its branch began earlier.
    *("--reverse", "--author-date-order", "--no-merges"),
    *("-z", "--raw", "--no-abbrev", "--full-index"),
    *("-p", "-U0", "-M", "-l1000", "--inter-hunk-context=0", "--diff-algorithm=histogram"),
    *("--no-ext-diff", "--no-textconv", "--submodule=short", "--no-relative", "-O/dev/null"),
    *("--no-color", "--no-decorate", "--no-notes", "--no-show-signature", "--encoding=UTF-8"),
)
_SECTION = b"diff --git "
_MOST_RECORDS = 2_000_000
"""The most records of one commit; each changed file has two."""

Status = Literal["A", "D", "M", "R", "T"]


@dataclass(frozen=True)
class Change:
    """The change of one file by one commit; lines lack indentation, and mere layout is left out."""

    status: Status
    path: str
    before: str  # the path before the commit, which differs after a rename
    old: str = ""  # the hash of the blob before; zeros if the file is new
    new: str = ""
    garbled: bool = False  # whether git treats the file as binary, or a line is not UTF-8
    runs: list[list[str]] = field(default_factory=list)
    """The added lines of each changed place in the file."""
    edits: list[tuple[list[str], list[str]]] = field(default_factory=list)
    """The removed and the added lines of each changed place that has both."""


@dataclass(frozen=True)
class Commit:
    """One commit that is not a merge."""

    hash: str
    author: Person
    mapped: Person  # the author after .mailmap is applied
    committer: Person
    mapped_committer: Person
    co_authors: tuple[Person, ...]
    unread: tuple[str, ...]  # co-author lines that cannot be read, with the reasons
    time: str  # the author date in seconds since 1970, unchanged from git
    message: str
    changes: list[Change]


def read_commits(
    repository: Repository, tip: str, base: str | None, mailmap: str = ""
) -> Iterator[Commit]:
    """Yield the commits that `tip` reaches and `base` does not, parents before children.

    Merges are left out, since the commits that they merge have their own authors. Git treats a
    deleted and an added file as a rename if half of the lines are equal.

    A random mark separates the commits in git's output, so that no content can imitate a commit.

    Args:
        repository: the repository to read.
        tip: the hash of a commit.
        base: the hash of another commit, or None for everything up to `tip`.
        mailmap: the hash of a mailmap's blob; by default the .mailmap of `tip`.

    Raises:
        RepositoryError: git fails, or its output is malformed or too large.
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
    for one in _between(records, mark.encode(), repository):
        yield _commit(repository, one)


def _between(
    records: Iterable[bytes], mark: bytes, repository: Repository
) -> Iterator[list[bytes]]:
    """Yield each commit's records; a record that equals the random mark begins a commit."""
    one: list[bytes] = []
    held = 0
    for record in records:
        if record == mark:
            if one:
                yield one
            one, held = [], 0
            continue
        one.append(record)
        held += len(record)
        if held > LARGEST_RECORD or len(one) > _MOST_RECORDS:
            raise RepositoryError(
                f"{repository.path}: the commit {one[0].decode('ascii', 'replace')[:12]} is too "
                "large to read: settle a --range without it"
            )
    if one:
        yield one


def read_merges(
    repository: Repository, tip: str, base: str | None, mailmap: str = ""
) -> Iterator[tuple[str, Person, Person]]:
    """Yield hash, author and mapped author of each merge that `tip` reaches and `base` does not."""
    span = (tip, *([f"^{base}"] if base else []), "--")
    form = "--format=format:%H%x00%an%x00%ae%x00%aN%x00%aE%x00"
    asked = ("log", "--merges", "--reverse", "--topo-order", "--encoding=UTF-8", form, *span)
    records = repository.records(*asked, mailmap=mailmap or f"{tip}:.mailmap")
    while hash_ := next(records, b"").decode("ascii").strip():
        who = [part.decode("utf-8", "replace") for part in islice(records, 4)]
        yield hash_, Person(*who[:2]), Person(*who[2:])


def _commit(repository: Repository, records: list[bytes]) -> Commit:
    parts = iter(records)
    head = [part.decode("utf-8", "replace") for part in islice(parts, len(_FIELDS))]
    if len(head) < len(_FIELDS):
        raise RepositoryError(f"{repository.path}: the output of git log ended within a commit")
    hash_, *who, time, message, trailers = head
    author, mapped, committer, mapped_committer = map(Person, who[::2], who[1::2])
    people, unread = co_authors(trailers, message)
    return Commit(
        hash=hash_,
        author=author,
        mapped=mapped,
        committer=committer,
        mapped_committer=mapped_committer,
        co_authors=people,
        unread=unread,
        time=time,
        message=message.strip(),
        changes=_changes(repository, hash_, parts),
    )


def _changes(repository: Repository, hash_: str, parts: Iterator[bytes]) -> list[Change]:
    """Return a commit's changes: raw records name the files, and a patch has a section for each.

    But a file whose text stays the same has no section.
    """
    files: list[Change] = []
    patch = b""
    for part in parts:
        record = part.lstrip(b"\n")
        if record.startswith(b":"):
            *_, old, new, status = record.decode("ascii", "replace").split()
            before = next(parts).decode("utf-8", "surrogateescape")
            path = next(parts).decode("utf-8", "surrogateescape") if status[0] == "R" else before
            # A change of type (a file becomes a link) is printed as a deletion and a creation.
            none = "0" * len(old)
            pairs = [(old, none), (none, new)] if status == "T" else [(old, new)]
            files += [Change(status[0], path, before, *pair) for pair in pairs]  # type: ignore[arg-type]
        elif record:
            patch = b"\0".join([part, *parts])
    sections = _sections(patch)
    changes = [
        _filled(change, sections.pop()) if sections and _is_of(sections[-1], change) else change
        for change in files
    ]
    if sections:
        raise RepositoryError(
            f"{repository.path}: the patch of {hash_[:12]} has {len(sections)} files that git "
            "does not name"
        )
    return changes


def _sections(patch: bytes) -> list[bytes]:
    """Split a patch into files, last first; content lines begin with a sign, never with `diff`."""
    if not patch.startswith(_SECTION):
        return []
    return patch[len(_SECTION) :].split(b"\n" + _SECTION)[::-1]


def _is_of(section: bytes, change: Change) -> bool:
    """Return whether a section is a change's: it names the change's two blobs, or none if equal."""
    head, _, _ = section.partition(b"\n@@ ")
    index = next((line for line in head.split(b"\n") if line.startswith(b"index ")), b"")
    blobs = f"{change.old}..{change.new}".encode()
    return index.split()[1:2] == [blobs] if index else change.old == change.new


def _filled(change: Change, section: bytes) -> Change:
    head, hunks, body = section.partition(b"\n@@ ")
    text = body.partition(b"\n")[2].decode("utf-8", "replace")
    gone: list[str] = []
    come: list[str] = []
    for line in [*text.split("\n"), "@@"]:
        sign = line[:1]
        if sign == "@":  # a hunk begins, or the patch has ended
            if gone and come:
                change.edits.append((gone, come))
            if come:
                change.runs.append(come)
            gone, come = [], []
        elif sign in ("+", "-") and (kept := normal(line[1:])):
            (come if sign == "+" else gone).append(kept)
    binary = not hunks and b"\nBinary files " in head
    return replace(change, garbled=binary or "\ufffd" in text)
