"""From a range of commits to what every contributor made, with the commits that show it.

The counts, and why they are counted so:

code
    Effective lines that the contributor added in the range and that stand at its end: not blank,
    not comment, not layout. What was written and thrown away again earns nothing, and neither
    does moving, laying out anew, copying, converting or restoring lines (`blame`, `lineage`,
    `encodings`). Deleting the lines of others earns nothing and takes them from those others: what
    is settled is what there is. Every line is counted once, for the commit that first added it.
decisions, documents
    One for each accepted decision record and each document that stands at the end of the range,
    divided among contributors by the lines of it that are theirs; short ones count in part. The
    part of a document that is older than the range belongs to nobody.
fixes
    The lines that were mended, of each commit whose message says that it mends something and whose
    diff shows it: lines of others that it changed and that stand as it left them, each by how much
    of it was changed, and no more than `largest_fix` a commit. What a fix adds is code, and what it
    deletes is gone. A commit that a later one of the range reverted mends nothing, and one picked
    to another branch counts once.

By `weighed: false` each fix, document and decision counts one, as in Shapley-Coop's appendix B.2.

A commit with co-authors is divided evenly among author and co-authors; the part of a bot or a model
goes to whoever committed, or to nobody, as the rules say. Merges, binary files and what is vendored
or generated earn nothing, and configuration only where the rules say so; who committed nothing that
counts is told why. Counts are exact fractions, and each is the sum of its evidence.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from shapley_coop.extensions.repository.blame import ignored_revisions
from shapley_coop.extensions.repository.contributions import History
from shapley_coop.extensions.repository.encodings import replace_by_utf8
from shapley_coop.extensions.repository.fresh import fresh, shallow_ends
from shapley_coop.extensions.repository.git import Repository, RepositoryError
from shapley_coop.extensions.repository.lines import keys
from shapley_coop.extensions.repository.log import read_commits, read_merges
from shapley_coop.extensions.repository.people import People
from shapley_coop.extensions.repository.reading import Reading
from shapley_coop.extensions.repository.rules import Rules
from shapley_coop.extensions.repository.standing import LARGEST_FILE


def read_history(
    repo: str | Path,
    range: str | None = None,
    mailmap: bool | str = False,
    rules: Rules | None = None,
) -> History:
    """Read who made what.

    Args:
        repo: a working tree or bare repository; a folder within one means all of it.
        range: `A..B`, or one revision for everything up to it; None for everything up to HEAD.
        mailmap: heed the .mailmap of the range's last commit, or the text of one. Anybody who may
            commit can write one that gives them the work of others, so what it moves is in the
            notes either way.
        rules: what counts as what.

    Raises:
        RepositoryError: the repository cannot be read, the range names no commits, or the
            history is not all there (a shallow clone).

    Cost: one `git log` with patches, of the whole history where copies can be older than the range,
    and one `git blame` for each file that was changed more than once.
    """
    repository = Repository.at(repo)
    tip, base = _ends(repository, range)
    shallow = shallow_ends(repository)
    with fresh(repository, [tip, *([base] if base else [])]) as copy:
        given, blob = rules or Rules(), _mailmap(copy, tip, mailmap)
        reading, people = _read(copy, (tip, base), shallow, given, blob, mailmap is not False)
        if replace_by_utf8(copy, reading.garbled, LARGEST_FILE):
            reading, people = _read(copy, (tip, base), shallow, given, blob, mailmap is not False)
        unread: list[str] = []
        reading.count_lines(_older(copy, base, unread) if base else ())
        reading.count_fixes()
        reading.count_the_rest()
    contributions, notes = people.named(), [*reading.notes(), *unread]
    excluded = dict(sorted(reading.excluded.items()))
    counts = reading.commits, reading.merges, reading.by_bots
    made = reading.made(contributions)
    return History(str(repo), tip, base, contributions, *counts, excluded, notes, given, made)


def _mailmap(copy: Repository, tip: str, given: bool | str) -> str:
    """Return the blob that says who is who; empty where there is none."""
    if isinstance(given, str):
        written = copy.output("hash-object", "-w", "--stdin", stdin=given.encode())
        return written.decode("ascii").strip()
    try:
        return copy.text("rev-parse", "--verify", "--quiet", f"{tip}:.mailmap")
    except RepositoryError:
        return ""


def _read(
    copy: Repository,
    ends: tuple[str, str | None],
    shallow: set[str],
    rules: Rules,
    mailmap: str,
    heeded: bool,
) -> tuple[Reading, People]:
    tip, base = ends
    people = People(copy, rules, mailmap, heeded)
    known = copy.text("rev-list", tip, *([f"^{base}"] if base else []), "--").split()
    reading = Reading(copy, people, rules, ends, ignored_revisions(copy, tip, known))
    for commit in read_commits(copy, tip, base, mailmap):
        if commit.hash in shallow:
            raise RepositoryError(
                f"{copy.path}: a shallow clone, whose history ends at {commit.hash[:12]}: "
                "git fetch --unshallow"
            )
        reading.take(commit)
    for merge in read_merges(copy, tip, base, mailmap):
        reading.take_merge(*merge)
    return reading, people


def _older(copy: Repository, base: str, unread: list[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield what was added to which file before the range; why it could not all be read."""
    try:
        for commit in read_commits(copy, base, None):
            for change in commit.changes:
                yield from ((change.path, keys(change.path, run)) for run in change.runs)
    except RepositoryError as error:
        unread.append(f"copies of what is older than the range may be counted: {error}")


def _ends(repository: Repository, span: str | None) -> tuple[str, str | None]:
    """Return the hashes of a range's last commit and of the one it starts after."""
    if span is not None and "..." in span:
        raise RepositoryError(f"{span}: write A..B, for what B has and A has not")
    base, dots, tip = (span or "HEAD").rpartition("..")
    base_hash = _hash(repository, base or "HEAD") if dots else None
    return _hash(repository, tip or "HEAD"), base_hash


def _hash(repository: Repository, revision: str) -> str:
    asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    try:
        return repository.text(*asked)
    except RepositoryError:
        if revision == "HEAD":
            raise RepositoryError(f"{repository.path}: has no commit yet") from None
        raise RepositoryError(
            f"{repository.path}: {revision!r} is no commit here: give A..B, a branch or a tag"
        ) from None
