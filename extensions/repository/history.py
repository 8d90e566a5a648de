"""The reader of a git history: it counts each contributor's work in a range of commits.

The counts, and the reasons for them:

code
    Effective lines that the contributor added in the range and that exist at its end. Blank lines,
    comments and layout do not count. Lines that were deleted again earn nothing. Moving,
    reformatting, copying, converting or restoring lines also earns nothing (`blame`, `lineage`,
    `encodings`). Deleting others' lines earns nothing either; their authors are no longer paid for
    them. Every line counts once, for the commit that first added it.
decisions, documents
    One for each accepted decision record and each document that exists at the end of the range.
    Its contributors share it by their lines; short records and documents count as less. Nobody
    earns the part of the lines that are older than the range.
fixes
    The mended lines of each commit whose message announces a fix. A mended line is a line of others
    that the fix changed and that still exists as the fix left it. It counts by the fraction that
    changed, with at most `largest_fix` lines a commit. Lines that a fix adds count as code. A fix
    that the range reverts later counts nothing. A cherry-picked fix counts once.

With the rule `weighed: false`, each fix, document and decision counts as one (Shapley-Coop,
appendix B.2).

Author and co-authors share a commit evenly. The part of a bot or a model goes to the author or
committer, or to nobody, as the rules say. Merges, binary files, and vendored or generated files
earn nothing; configuration earns only if the rules say so. The report gives the reason for each
uncounted commit. Each count is an exact fraction: the sum of the amounts of its evidence.
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
    """Read a range of commits, and count each contributor's work.

    Args:
        repo: a working tree, a folder in one, or a bare repository; the whole repository is read.
        range: `A..B`, or `B` for all commits up to revision B; None for all commits up to HEAD.
        mailmap: a mailmap's text; True applies the .mailmap of the range's last commit.
            A committer could use .mailmap to take the work of others, so the notes always list
            the renamings in .mailmap.
        rules: the rules for the counts; None for the defaults.

    Raises:
        RepositoryError: the repository cannot be read, a revision of the range does not exist, or
            the history is incomplete (a shallow clone).

    Cost: one `git log` with patches, over the whole history if the range has a base (for copies of
    older lines), and one `git blame` for each file that was changed more than once.
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
    """Return the hash of the blob with the mailmap, or "" if there is no mailmap."""
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
                f"{copy.path}: is a shallow clone, whose history ends at {commit.hash[:12]}: run "
                "git fetch --unshallow"
            )
        reading.take(commit)
    for merge in read_merges(copy, tip, base, mailmap):
        reading.take_merge(*merge)
    return reading, people


def _older(copy: Repository, base: str, unread: list[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield (path, line keys) of each addition before the range; note in `unread` if git fails."""
    try:
        for commit in read_commits(copy, base, None):
            for change in commit.changes:
                yield from ((change.path, keys(change.path, run)) for run in change.runs)
    except RepositoryError as error:
        unread.append(f"copies of what is older than the range may be counted: {error}")


def _ends(repository: Repository, span: str | None) -> tuple[str, str | None]:
    """Return the hashes of a range's last commit and of the commit before the range."""
    if span is not None and "..." in span:
        raise RepositoryError(f"{span}: write A..B, for the commits that B has and A lacks")
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
            f"{repository.path}: {revision!r} is not a commit here: give A..B, a branch or a tag"
        ) from None
