"""From commits to what each contributor made of each kind, and the evidence for each count."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from shapley_coop.games.repository.contributions import Contribution, Evidence
from shapley_coop.games.repository.git import Repository, RepositoryError
from shapley_coop.games.repository.lines import effective_lines, plain_lines
from shapley_coop.games.repository.log import Commit
from shapley_coop.games.repository.ownership import NOBODY, Ownership
from shapley_coop.games.repository.padding import Repeats, but_for_numbers
from shapley_coop.games.repository.people import People, printable
from shapley_coop.games.repository.rules import Place, Rules, declared

_MOST_TOLD = 10
"""Of notes of one sort."""

LARGEST_FILE = 2_000_000
"""Bytes; beyond, a file is taken for data."""

MOST_FILES = 1_000_000
"""Of the last commit: trees can be nested so that a small pack holds any number."""

_REVERTS = re.compile(r"^This reverts commit ([0-9a-f]{40,64})\b", re.MULTILINE)


class Reading:
    """Takes commits in, parents first; then counts.

    Attributes:
        commits: how many were people's.
        by_bots: how many were bots'.
        excluded: reason → files of the last commit that were left out for it.
    """

    def __init__(self, repository: Repository, people: People, rules: Rules, tip: str) -> None:
        self._repository, self._people = repository, people
        self._known, self._rules, self._tip = people.known, rules, tip
        self._commits: list[Commit] = []
        self._fixes: list[Commit] = []
        self.earners: dict[str, dict[str, Fraction]] = {}  # a commit's hash → person → part
        self._lines = Ownership(Fraction(rules.retouched if rules.weighed else 0))
        self.commits = self.by_bots = 0
        self._alike: Counter[tuple[str, str]] = Counter()  # by commit and path
        self._mended: defaultdict[str, Fraction] = defaultdict(Fraction)  # by a fix's hash
        self.excluded = Counter[str]()

    def take(self, commit: Commit) -> None:
        """Take in the next commit."""
        earners = self._people.earners(commit)
        for key in earners:
            self._known[key].commits += 1
        self.commits += bool(earners)
        self.by_bots += not earners
        code = any(self._rules.place(change.path) == "code" for change in commit.changes)
        fix = bool(earners) and code and self._rules.is_fix(commit.message)
        number = len(self._commits) if earners else NOBODY
        self.earners[commit.hash] = earners
        self._lines.apply(number, commit.changes, self._mends(earners) if fix else None)
        kept = replace(commit, changes=[])
        self._commits.append(kept)
        if fix:
            self._fixes.append(kept)

    def _mends(self, earners: Mapping[str, Fraction]) -> Callable[[int], bool]:
        """Whether changing a line mends it: nobody is paid for mending what is one's own."""

        def others(number: int) -> bool:
            whose = self.earners[self._commits[number].hash] if number != NOBODY else {}
            return not earners.keys() & whose.keys()

        return others

    def count_lines(self) -> None:
        """Credit what the range's last commit holds: lines of code, documents and decisions."""
        tree = {path: blob for path, blob in self._tree() if self._lines.knows(path)}
        attributes = declared(self._attributes())
        places = {path: self._rules.place(path, attributes) for path in tree}
        wanted = [p for p, place in places.items() if place in ("code", "documents", "decisions")]
        self.excluded.update(p for p in places.values() if p in ("generated", "vendored"))
        contents = self._repository.blobs([tree[path] for path in wanted], LARGEST_FILE)
        for path, content in zip(wanted, contents, strict=True):
            if content is None or b"\0" in content:
                self.excluded["too large" if content is None else "binary"] += 1
            elif self._rules.is_generated(text := content.decode("utf-8", "replace")):
                self.excluded["generated"] += 1
            else:
                self._credit(path, places[path], text)

    def count_fixes(self) -> None:
        """Credit the commits that mended code and were not reverted; after the lines."""
        reverted: set[str] = set()
        for commit in reversed(self._commits):
            if commit.hash not in reverted:
                reverted.update(_REVERTS.findall(commit.message))
        counted: set[tuple[str, str, str]] = set()
        for commit in self._fixes:
            # Equal for a commit and its picks to other branches.
            same = (commit.author.email, commit.time, commit.message.partition("\n")[0])
            if commit.hash not in reverted and same not in counted:
                counted.add(same)
                lines = self._mended[commit.hash]
                most = Fraction(self._rules.largest_fix)
                amount = min(lines, most) if self._rules.weighed else Fraction(1)
                self._award("fixes", commit, "", amount, lines)

    def notes(self) -> list[str]:
        """What to know before paying by the counts."""
        return self._people.notes() + [
            f"not counted, as it is said before (numbers aside): {n} lines of "
            f"{commit[:10]} in {printable(path)}"
            for (commit, path), n in self._alike.most_common(_MOST_TOLD)
            if n > self._rules.most_alike
        ]

    def made(
        self, contributions: Mapping[str, Contribution]
    ) -> tuple[tuple[str, frozenset[str]], ...]:
        """Each commit, parents first, and the names of those who earn it."""
        names = {id(one): name for name, one in contributions.items()}
        return tuple(
            (
                commit.hash,
                frozenset(names[id(self._known[k])] for k in self.earners[commit.hash]),
            )
            for commit in self._commits
        )

    def _credit(self, path: str, place: Place, text: str) -> None:
        if place == "decisions" and not self._rules.is_accepted(text):
            return
        lines = list(effective_lines(path, text) if place == "code" else plain_lines(text))
        whole = {"code": 1, "documents": self._rules.whole_document}.get(
            place, self._rules.whole_decision
        )
        weighed, code = self._rules.weighed, place == "code"
        said = len(set(map(but_for_numbers, lines))) if weighed else len(lines)
        each = Fraction(1, max(1, said, whole if weighed else 1))
        claims = Counter[int]()
        repeats = Repeats(code, self._rules.most_alike)
        for line, origin in self._lines.standing(path, lines):
            if code and origin.mender != NOBODY:
                self._mended[self._commits[origin.mender].hash] += origin.extent
            if weighed and repeats(line, origin.commit):
                if origin.commit != NOBODY:
                    self._alike[self._commits[origin.commit].hash, path] += 1
                continue
            claims[origin.commit] += 1
        del claims[NOBODY]
        for number, n in sorted(claims.items()):
            amount = Fraction(n) if code else n * each
            self._award(place, self._commits[number], path, amount, Fraction(n))

    def _award(
        self, kind: str, commit: Commit, path: str, amount: Fraction, lines: Fraction
    ) -> None:
        for key, part in self.earners[commit.hash].items():
            if amount:
                one = Evidence(commit.hash, path, amount * part, lines * part)
                self._known[key].evidence[kind].append(one)

    def _tree(self) -> Iterator[tuple[str, str]]:
        """Path and blob of every regular file of the last commit; links are no files."""
        listing = self._repository.records("ls-tree", "-r", "-z", "--full-tree", self._tip)
        for number, record in enumerate(listing, 1):
            if number > MOST_FILES:
                raise RepositoryError(
                    f"{self._repository.path}: {self._tip[:12]} holds more than {MOST_FILES} "
                    "files: more than can be read"
                )
            mode, _, rest = record.partition(b" ")
            about, _, path = rest.partition(b"\t")
            if mode in (b"100644", b"100755"):
                yield path.decode("utf-8", "surrogateescape"), about.split()[-1].decode("ascii")

    def _attributes(self) -> str:
        """The .gitattributes at the top of the last commit."""
        try:
            content = next(self._repository.blobs([f"{self._tip}:.gitattributes"], LARGEST_FILE))
        except RepositoryError:  # there is none
            return ""
        return (content or b"").decode("utf-8", "replace")
