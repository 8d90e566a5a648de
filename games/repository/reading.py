"""A history while it is read: from commits to credited lines, decisions, documents and fixes."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from shapley_coop.games.repository.contributions import Contribution, Evidence
from shapley_coop.games.repository.git import Repository
from shapley_coop.games.repository.lines import effective_lines, plain_lines
from shapley_coop.games.repository.log import Commit, Person
from shapley_coop.games.repository.ownership import NOBODY, Ownership
from shapley_coop.games.repository.rules import Place, Rules, declared

LARGEST_FILE = 2_000_000
"""Bytes; beyond, a file is taken for data."""

_LONGEST = 64
"""Characters of a name."""

_REVERTS = re.compile(r"^This reverts commit ([0-9a-f]{40,64})\b", re.MULTILINE)


@dataclass(frozen=True)
class _Seen:
    """What is kept of a commit once its lines are accounted for."""

    hash: str
    earners: tuple[str, ...]  # keys into people; nobody's when a bot made it
    same_as: tuple[str, str, str]  # equal for a commit and its picks to other branches
    fixes: bool
    reverts: tuple[str, ...]


class Reading:
    """Takes commits in, parents first; then counts.

    Attributes:
        commits: how many were people's.
        by_bots: how many were bots'.
        excluded: reason → files of the last commit that were left out for it.
    """

    def __init__(self, repository: Repository, rules: Rules, tip: str, mailmap: bool) -> None:
        self._repository, self._rules, self._tip = repository, rules, tip
        self._mailmap = f"{tip}:.mailmap" if mailmap else ""
        self._mapped: dict[Person, Person] = {}
        self._people: dict[str, Contribution] = {}
        self._seen: list[_Seen] = []
        self._lines = Ownership()
        self.commits = self.by_bots = 0
        self.excluded = Counter[str]()

    def take(self, commit: Commit) -> None:
        """Take in the next commit."""
        people = [commit.author, *map(self._map, commit.co_authors)]
        human = [p for p in people if not self._rules.is_bot(p.name, p.email)]
        earners = tuple(dict.fromkeys(self._key(person) for person in human))
        for key in earners:
            self._people[key].commits += 1
        self.commits += bool(earners)
        self.by_bots += not earners
        self._lines.apply(len(self._seen) if earners else NOBODY, commit.changes)
        code = any(self._rules.place(change.path) == "code" for change in commit.changes)
        self._seen.append(
            _Seen(
                hash=commit.hash,
                earners=earners,
                same_as=(commit.author.email, commit.time, commit.message.partition("\n")[0]),
                fixes=code and self._rules.is_fix(commit.message),
                reverts=tuple(_REVERTS.findall(commit.message)),
            )
        )

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
        """Credit the commits that mended code and were not reverted."""
        reverted: set[str] = set()
        for commit in reversed(self._seen):
            if commit.hash not in reverted:
                reverted.update(commit.reverts)
        counted: set[tuple[str, str, str]] = set()
        for commit in self._seen:
            if commit.fixes and commit.hash not in reverted and commit.same_as not in counted:
                counted.add(commit.same_as)
                self._award("fixes", commit, "", Fraction(1))

    def named(self) -> tuple[dict[str, Contribution], list[str]]:
        """Contributors by a name of their own, and what is to be noted about names."""
        names = Counter(one.name for one in self._people.values())
        notes = [
            f"{name} commits from {n} addresses, which are counted apart: if that is one person, "
            "say so in .mailmap"
            for name, n in names.items()
            if n > 1
        ]
        labels = {
            one.name if names[one.name] == 1 else _label(one): one for one in self._people.values()
        }
        return labels, notes

    def _credit(self, path: str, place: Place, text: str) -> None:
        if place == "decisions" and not self._rules.is_accepted(text):
            return
        lines = list(effective_lines(path, text) if place == "code" else plain_lines(text))
        each = Fraction(1) if place == "code" else Fraction(1, max(1, len(lines)))
        for number, n in sorted(self._lines.standing(path, lines).items()):
            self._award(place, self._seen[number], path, n * each)

    def _award(self, kind: str, commit: _Seen, path: str, amount: Fraction) -> None:
        for key in commit.earners:
            one = Evidence(commit.hash, path, amount / len(commit.earners))
            self._people[key].evidence[kind].append(one)

    def _tree(self) -> Iterator[tuple[str, str]]:
        """Path and blob of every regular file of the last commit; links are no files."""
        listing = self._repository.records("ls-tree", "-r", "-z", "--full-tree", self._tip)
        for record in listing:
            mode, _, rest = record.partition(b" ")
            about, _, path = rest.partition(b"\t")
            if mode in (b"100644", b"100755"):
                yield path.decode("utf-8", "surrogateescape"), about.split()[-1].decode("ascii")

    def _attributes(self) -> str:
        """The .gitattributes at the top of the last commit."""
        listing = self._repository.output("ls-tree", "-z", self._tip, ".gitattributes").split()
        if len(listing) < 3 or listing[1] != b"blob":
            return ""
        content = next(self._repository.blobs([listing[2].decode("ascii")], LARGEST_FILE))
        return (content or b"").decode("utf-8", "replace")

    def _key(self, person: Person) -> str:
        """Whom an address stands for; the latest name it was used with is shown."""
        name, email = _printable(person.name), _printable(person.email)
        key = email.casefold() or name
        known = self._people.setdefault(key, Contribution(name, email))
        known.name = name or email
        return key

    def _map(self, person: Person) -> Person:
        """A co-author as .mailmap has them; of its own accord git maps authors alone."""
        if not self._mailmap:
            return person
        if person not in self._mapped:
            written = f"{person.name} <{person.email}>\n".encode("utf-8", "replace")
            answer = self._repository.output(
                "check-mailmap", "--stdin", stdin=written, mailmap=self._mailmap
            )
            name, _, email = answer.decode("utf-8", "replace").strip().rpartition("<")
            self._mapped[person] = Person(name.strip(), email.rstrip(">"))
        return self._mapped[person]


def _label(one: Contribution) -> str:
    """A name that somebody else has too, told apart by the address."""
    both = f"{one.name} <{one.email}>"
    return both if len(both) <= _LONGEST else one.email


def _printable(text: str) -> str:
    """Without characters that hide or reorder what is shown, and short enough to show."""
    return "".join(c for c in " ".join(text.split()) if c.isprintable())[:_LONGEST].strip()
