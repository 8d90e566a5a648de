"""The counting of each contributor's work from commits, with the evidence for each count."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from shapley_coop.extensions.repository.contributions import Contribution, Evidence, Person
from shapley_coop.extensions.repository.git import Repository
from shapley_coop.extensions.repository.lineage import NOBODY, Lineage, Origin
from shapley_coop.extensions.repository.log import Change, Commit
from shapley_coop.extensions.repository.padding import Repeats
from shapley_coop.extensions.repository.people import People, printable
from shapley_coop.extensions.repository.rules import Rules
from shapley_coop.extensions.repository.standing import COUNTED, File, Standing
from shapley_coop.extensions.repository.uncounted import (
    ENTERED,
    MERGE,
    Lines,
    ignored_notes,
    shared_notes,
    unread_notes,
    why_not,
)

_REVERTS = re.compile(r"^This reverts commit ([0-9a-f]{40,64})\b", re.MULTILINE)

MOST_SQUASHED = 1_000
"""The most pairs of commits that are compared as squash and original."""


class Reading:
    """The counter of a history: it takes commits in, parents first, and then counts.

    Args:
        repository: the temporary copy of the repository.
        people: the contributors.
        rules: the rules for the counts.
        ends: the last commit to read, and the commit before the first one.
        ignored: the hashes of commits whose changes do not change the authors of lines.

    Attributes:
        commits: the number of commits with a person as earner.
        by_bots: the number of commits for which no person earns, since bots made them.
        merges: the number of merges, which are left out.
        excluded: reason → number of the last commit's files that are left out.
        garbled: the changes of text files that are not in UTF-8.
    """

    def __init__(
        self,
        repository: Repository,
        people: People,
        rules: Rules,
        ends: tuple[str, str | None],
        ignored: Collection[str],
    ) -> None:
        self._repository, self._people = repository, people
        self._known, self._rules = people.known, rules
        self._ends, self._ignored = ends, frozenset(ignored)
        self._commits: list[Commit] = []
        self._numbers: dict[str, int] = {}
        self._fixes: list[Commit] = []
        self.earners: dict[str, dict[str, Fraction]] = {}  # commit → person → part that it earns
        retouched = Fraction(rules.retouched if rules.weighed else 0)
        self._lineage = Lineage(retouched, self._gives, self._mends)
        self.commits = self.by_bots = self.merges = 0
        self._mended: defaultdict[str, Fraction] = defaultdict(Fraction)  # a fix's hash → lines
        self.excluded = Counter[str]()
        self.garbled: list[Change] = []
        self._lines = Lines()
        self._authors: dict[str, str] = {}  # a commit's hash → a name
        self._why: dict[str, str] = {}  # a commit's hash → the reason if it earns nothing
        self._written: dict[str, tuple[str, str, str]] = {}
        self._squashed: dict[tuple[int, int], bool] = {}  # (a, b) → whether commit a squashes b

    def take(self, commit: Commit) -> None:
        """Take in the next commit."""
        earners = self._people.earners(commit)
        for person in earners:
            self._known[person].commits += 1
        entered = self._people.known_as(commit.committer, commit.mapped_committer)
        if entered and entered not in earners:
            self._known[entered].uncounted[ENTERED] += 1
        self.commits += bool(earners)
        self.by_bots += not earners
        places = [self._rules.place(change.path) for change in commit.changes]
        fix = bool(earners) and "code" in places and self._rules.is_fix(commit.message)
        number = self._numbers[commit.hash] = len(self._commits)
        self.earners[commit.hash], self._authors[commit.hash] = earners, commit.author.name
        ignored = commit.hash in self._ignored
        foreign = {
            change.path
            for change, place in zip(commit.changes, places, strict=True)
            if place in ("vendored", "generated")
        }
        self._lineage.take(number, commit.changes, ignored, fix, foreign)
        self._why[commit.hash] = why_not(commit, self._rules, ignored)
        for change, place in zip(commit.changes, places, strict=True):
            if change.garbled and place in COUNTED:
                self.garbled.append(change)
            status = change.status if change.path not in self._written else "M"
            self._written[change.path] = status, commit.hash, change.new
        kept = replace(commit, changes=[])
        self._commits.append(kept)
        if fix:
            self._fixes.append(kept)

    def take_merge(self, hash_: str, author: Person, mapped: Person) -> None:
        """Take in a merge, which earns nothing."""
        self.merges += 1
        self._numbers[hash_], self._authors[hash_] = NOBODY, author.name
        if whose := self._people.known_as(author, mapped):
            self._known[whose].uncounted[MERGE] += 1

    def count_lines(self, older: Iterable[tuple[str, Sequence[str]]] = ()) -> None:
        """Credit the code, documents and decisions in the range's last commit.

        Args:
            older: (path, keys of the added lines) for each addition before the range.
        """
        self._lineage.trace(older)
        standing = Standing(
            self._repository, self._rules, self._ends, self._numbers, self._written, self._lineage
        )
        files = list(standing.files())
        self.excluded.update(standing.excluded)
        claimed = standing.claimed(files)
        for file in files:
            self._credit(file, claimed)

    def count_fixes(self) -> None:
        """Credit the fixes that were not reverted; call this after `count_lines`."""
        reverted: set[str] = set()
        for commit in reversed(self._commits):
            if commit.hash not in reverted:
                reverted.update(_REVERTS.findall(commit.message))
        counted: set[tuple[str, str, str]] = set()
        for commit in self._fixes:
            # A commit and its cherry-picks have the same author, time and subject.
            same = (commit.author.email, commit.time, commit.message.partition("\n")[0])
            if commit.hash not in reverted and same not in counted:
                counted.add(same)
                lines = self._mended[commit.hash]
                most = Fraction(self._rules.largest_fix)
                amount = min(lines, most) if self._rules.weighed else Fraction(1)
                self._award("fixes", commit, "", amount, lines)

    def count_the_rest(self) -> None:
        """Note a reason for each commit that adds nothing to its earner's counts; call it last."""
        counted = {
            (person, shown.commit)
            for person, one in self._known.items()
            for kind in one.evidence.values()
            for shown in kind
        }
        for commit in self._commits:
            for person in self.earners[commit.hash]:
                if (person, commit.hash) not in counted:
                    self._known[person].uncounted[self._why[commit.hash]] += 1

    def notes(self) -> list[str]:
        """Return the remarks that whoever pays by the counts must read first."""
        return [
            *self._people.notes(),
            *ignored_notes([one for one in self._commits if one.hash in self._ignored]),
            *self._squash_notes(),
            *shared_notes(self._commits),
            *unread_notes(self._commits),
            *self._lines.notes(self._rules.most_alike, self._authors),
        ]

    def _squash_notes(self) -> list[str]:
        pairs = [
            (self._commits[squash], self._commits[one])
            for (squash, one), given in self._squashed.items()
            if given
        ]
        told = [
            f"commit {squash.hash[:10]} looks like a squash of {one.hash[:10]} by "
            f"{printable(one.author.name)}: the lines of both count for the latter"
            for squash, one in pairs
        ]
        more = ["not all commits were checked for being a squash of others"]
        return told + (more if len(self._squashed) >= MOST_SQUASHED else [])

    def made(
        self, contributions: Mapping[str, Contribution]
    ) -> tuple[tuple[str, frozenset[str]], ...]:
        """Return the hash of each commit, parents first, with the names of its earners."""
        names = {id(one): name for name, one in contributions.items()}
        return tuple(
            (
                commit.hash,
                frozenset(names[id(self._known[k])] for k in self.earners[commit.hash]),
            )
            for commit in self._commits
        )

    def _mends(self, fix: int, fixed: int) -> bool:
        """Return whether a fix may earn by mending a commit's lines: if the two share no earner."""
        return not self._earners(fix).keys() & self._earners(fixed).keys()

    def _gives(self, squash: int, original: int) -> bool:
        """Return whether a commit looks like a later squash of an original with fewer earners."""
        if not set() < set(self._earners(original)) < set(self._earners(squash)):
            return False
        pair = squash, original
        if pair not in self._squashed and len(self._squashed) < MOST_SQUASHED:
            first, second = (self._commits[number] for number in pair)
            asked = ("rev-list", "--max-count=1", first.hash, f"^{second.hash}")
            apart = bool(self._repository.text(*asked))
            self._squashed[pair] = apart and _time(second) <= _time(first)
        return self._squashed.get(pair, False)

    def _earners(self, number: int) -> Mapping[str, Fraction]:
        return self.earners[self._commits[number].hash] if number != NOBODY else {}

    def _credit(self, file: File, claimed: Mapping[tuple[str, int], Origin]) -> None:
        weighed, code = self._rules.weighed, file.place == "code"
        wholes = {"documents": self._rules.whole_document, "decisions": self._rules.whole_decision}
        whole = max(file.different, wholes.get(file.place, 1)) if weighed else file.all
        claims = Counter[int]()
        repeats = Repeats(code, self._rules.most_alike)
        for at, line in enumerate(file.lines):
            if (origin := claimed.get((file.path, at))) is None:
                copied = line.by != NOBODY
                self._lines.add("copied" if copied else "merged", line.blamed.commit, file.path)
                continue
            if code and origin.mender != NOBODY:
                self._mended[self._commits[origin.mender].hash] += origin.extent
            if weighed and repeats(line.text, origin.commit):
                self._lines.add("alike", self._commits[origin.commit].hash, file.path)
                continue
            claims[origin.commit] += 1
        each = Fraction(1, max(1, whole))
        for number, n in sorted(claims.items()):
            amount = Fraction(n) if code else n * each
            self._award(file.place, self._commits[number], file.path, amount, Fraction(n))

    def _award(
        self, kind: str, commit: Commit, path: str, amount: Fraction, lines: Fraction
    ) -> None:
        for key, part in self.earners[commit.hash].items():
            if amount:
                one = Evidence(commit.hash, path, amount * part, lines * part)
                self._known[key].evidence[kind].append(one)


def _time(commit: Commit) -> int:
    """Return a commit's author time in seconds, or 0 if the commit has no valid time."""
    return int(commit.time) if commit.time.isdecimal() and commit.time.isascii() else 0
