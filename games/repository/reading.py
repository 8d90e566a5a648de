"""From commits to contributors, their counts, and the evidence for each count."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from shapley_coop.games.look_alikes import look_alike, mixed
from shapley_coop.games.params import RESERVED
from shapley_coop.games.repository.contributions import Contribution, Evidence
from shapley_coop.games.repository.git import Repository, RepositoryError
from shapley_coop.games.repository.lines import effective_lines, plain_lines
from shapley_coop.games.repository.log import Commit, Person
from shapley_coop.games.repository.ownership import NOBODY, Ownership
from shapley_coop.games.repository.padding import Repeats, but_for_numbers
from shapley_coop.games.repository.rules import Place, Rules, declared

_MOST_TOLD = 10
"""Of notes of one sort."""

LARGEST_FILE = 2_000_000
"""Bytes; beyond, a file is taken for data."""

_LONGEST = 64
"""Characters of a name."""

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

    def __init__(
        self, repository: Repository, rules: Rules, tip: str, mailmap: str, heeded: bool
    ) -> None:
        self._repository, self._rules, self._tip = repository, rules, tip
        self._mailmap, self._heeded = mailmap, heeded
        self._others: Counter[tuple[str, str]] = Counter()  # who is no person, and who earns
        self._moved: Counter[tuple[str, str]] = Counter()  # from an address to another person
        self._mapped: dict[Person, Person] = {}
        self._people: dict[str, Contribution] = {}
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
        earners = self._earners(commit)
        for key in earners:
            self._people[key].commits += 1
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

    def _earners(self, commit: Commit) -> dict[str, Fraction]:
        """Whose a commit is, in parts: even ones, and those of bots and models as the rules say."""
        author = self._chosen(commit.author, commit.mapped)
        people = [
            author,
            *(self._chosen(person, self._map(person)) for person in commit.co_authors),
        ]
        people = list({p.email.casefold() or p.name: p for p in reversed(people)}.values())[::-1]
        by = next((p for p in self._who_committed(commit, author) if self._is_person(p)), None)
        found: dict[str, Fraction] = {}
        for person in people:
            goes_to = self._rules.part_of(person.name, person.email)
            if goes_to is not None:
                self._others[_shown(person), goes_to] += 1
            earner = person if goes_to is None else by if goes_to == "committer" else None
            if earner is not None:
                # A commit of nothing, or a trailer, which anybody can write, names nobody anew.
                key = self._key(earner, bool(commit.changes) and earner is author)
                found[key] = found.get(key, Fraction(0)) + Fraction(1, len(people))
        return found

    def _who_committed(self, commit: Commit, author: Person) -> Iterator[Person]:
        """Its author, who worked with the model; else who entered it."""
        yield author
        yield self._chosen(commit.committer, commit.mapped_committer)

    def _is_person(self, person: Person) -> bool:
        return self._rules.part_of(person.name, person.email) is None

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

    def named(self) -> tuple[dict[str, Contribution], list[str]]:
        """Contributors by a name of their own, and what is to be noted about names."""
        names = Counter(one.name for one in self._people.values())
        notes = [
            f"{name} commits from {n} addresses, which are counted apart: if that is one person, "
            "say so in .mailmap"
            for name, n in names.items()
            if n > 1
        ]
        notes += self._notes_on_mailmap()
        notes += [
            f"not counted, as it is said before (numbers aside): {n} lines of "
            f"{commit[:10]} in {_printable(path)}"
            for (commit, path), n in self._alike.most_common(_MOST_TOLD)
            if n > self._rules.most_alike
        ]
        notes += [
            f"{who} is {'a bot' if self._rules.is_bot(*_parts(who)) else 'a model'} and earns "
            f"nothing; its part of {n} commit{'s' * (n != 1)} goes to "
            + ("whoever committed" if part == "committer" else "nobody")
            for (who, part), n in sorted(self._others.items())
        ]
        labels: dict[str, Contribution] = {}
        for number, one in enumerate(self._people.values(), 1):
            # A name that somebody else has too is told apart by the address; so is one that looks
            # like another's or names an account: nobody's name keeps the others from being paid.
            both = f"{one.name} <{one.email}>"
            usual = [one.name] if names[one.name] == 1 and one.name not in RESERVED else []
            choices = (*usual, both, one.email, f"contributor {number}")
            fit = (name for name in choices if _is_agents_name(name, labels))
            labels[next(fit, f"contributor {number} of {len(self._people)}")] = one
        return labels, notes

    def made(
        self, contributions: Mapping[str, Contribution]
    ) -> tuple[tuple[str, frozenset[str]], ...]:
        """Each commit, parents first, and the names of those who earn it."""
        names = {id(one): name for name, one in contributions.items()}
        return tuple(
            (commit.hash, frozenset(names[id(self._people[k])] for k in self.earners[commit.hash]))
            for commit in self._commits
        )

    def _notes_on_mailmap(self) -> list[str]:
        """Whose work the .mailmap gives to whom, and how to consent or not."""
        did, mend = (
            ("gives", "without --mailmap they are counted apart")
            if self._heeded
            else ("would give", "if that is so, --mailmap .mailmap counts it so")
        )
        return [
            f"the .mailmap {did} the work of {address} in {n} commit{'s' * (n != 1)} to {person}: "
            f"{mend}"
            for (address, person), n in self._moved.items()
        ]

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
                self._people[key].evidence[kind].append(one)

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

    def _key(self, person: Person, renames: bool) -> str:
        """Whom an address stands for; the latest name that it worked under is shown."""
        name, email = _printable(person.name), _printable(person.email)
        key = email.casefold() or name
        known = self._people.setdefault(key, Contribution(name or email, email))
        if renames:
            known.name = name or email
        return key

    def _chosen(self, person: Person, mapped: Person) -> Person:
        """Who is credited: the person, or whom the .mailmap names if it is heeded."""
        if person.email.casefold() != mapped.email.casefold():
            whom = _shown(mapped)
            self._moved[_printable(person.email) or _printable(person.name), whom] += 1
        return mapped if self._heeded else person

    def _map(self, person: Person) -> Person:
        """A co-author as .mailmap has them; of its own accord git maps authors alone."""
        if person not in self._mapped:
            written = f"{person.name} <{person.email}>\n".encode("utf-8", "replace")
            answer = self._repository.output(
                "check-mailmap", "--stdin", stdin=written, mailmap=self._mailmap
            )
            name, _, email = answer.decode("utf-8", "replace").strip().rpartition("<")
            self._mapped[person] = Person(name.strip(), email.rstrip(">"))
        return self._mapped[person]


def _is_agents_name(name: str, taken: Iterable[str]) -> bool:
    """Whether a game takes it for an agent's, beside those that are taken."""
    return (
        0 < len(name) <= _LONGEST
        and name not in RESERVED
        and mixed([name]) is None
        and not any(look_alike([other, name]) for other in taken)
    )


def _shown(person: Person) -> str:
    return _printable(f"{person.name} <{person.email}>")


def _parts(shown: str) -> tuple[str, str]:
    name, _, email = shown.rstrip(">").rpartition(" <")
    return name, email


def _printable(text: str) -> str:
    """Without characters that hide or reorder what is shown, and short enough to show."""
    return "".join(c for c in " ".join(text.split()) if c.isprintable())[:_LONGEST].strip()
