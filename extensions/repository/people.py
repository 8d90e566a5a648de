"""The contributors of a history, told apart by address, and their parts of each commit."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction

from shapley_coop.escaping import without_hidden
from shapley_coop.extensions.repository.contributions import Contribution, Person
from shapley_coop.extensions.repository.git import Repository
from shapley_coop.extensions.repository.log import Commit
from shapley_coop.extensions.repository.rules import Rules
from shapley_coop.games.look_alikes import Shown, find_mixed
from shapley_coop.games.params import RESERVED

_LONGEST = 64
"""The most characters of a name."""

_TOOL = "agent|ai|assistant|bot|cli|coder|codegen|copilot|gpt|llm|model|noreply(?=@)"
_LIKE_A_TOOL = re.compile(rf"(?<![a-z])({_TOOL})(?![a-z])", re.IGNORECASE)


class People:
    """The contributors that commits name, in order of first appearance.

    Args:
        repository: the repository of the commits.
        rules: the rules that recognize bots and models, and say who earns their parts.
        mailmap: the hash of the mailmap's blob; empty for no mailmap.
        heeded: whether the mailmap is applied; if not, the notes only list its effects.

    Attributes:
        known: lower-case address (or name, if there is no address) → the contributor's work.
    """

    def __init__(self, repository: Repository, rules: Rules, mailmap: str, heeded: bool) -> None:
        self._repository, self._rules = repository, rules
        self._mailmap, self._heeded = mailmap, heeded
        self.known: dict[str, Contribution] = {}
        self._others: Counter[tuple[str, str]] = Counter()  # (bot or model, who gets its part)
        self._moved: Counter[tuple[str, str]] = Counter()  # (address, its person in .mailmap)
        self._mapped: dict[Person, Person] = {}
        self._seen: set[str] = set()  # addresses of authors
        self._named: dict[str, str] = {}  # address → co-author

    def earners(self, commit: Commit) -> dict[str, Fraction]:
        """Return person → fraction of a commit, in equal parts; the rules reassign bots' parts."""
        author = self._chosen(commit.author, commit.mapped)
        self._seen.add(author.email.casefold())
        self._map(commit.co_authors)
        named = [self._chosen(one, self._mapped[one]) for one in commit.co_authors]
        self._named.update({one.email.casefold(): _shown(one) for one in named})
        people = [author, *named]
        people = list({p.email.casefold() or p.name: p for p in reversed(people)}.values())[::-1]
        by = next((p for p in self._who_committed(commit, author) if self._is_person(p)), None)
        found: dict[str, Fraction] = {}
        for person in people:
            goes_to = self._rules.part_of(person.name, person.email)
            if goes_to is not None:
                self._others[_shown(person), goes_to] += 1
            earner = person if goes_to is None else by if goes_to == "committer" else None
            if earner is not None:
                # Anyone can write trailers and empty commits, so these do not rename a contributor.
                key = self._key(earner, bool(commit.changes) and earner is author)
                found[key] = found.get(key, Fraction(0)) + Fraction(1, len(people))
        return found

    def known_as(self, person: Person, mapped: Person) -> str | None:
        """Return the key of a merge's author or of a committer; None for a bot or a model."""
        chosen = mapped if self._heeded else person
        return self._key(chosen, False) if self._is_person(chosen) else None

    def named(self) -> dict[str, Contribution]:
        """Return all contributors, each under a unique name.

        The address is added to a name that is shared, looks like another name, or is reserved
        for an account of the ledger. So no contributor's name can prevent the others' payment.
        """
        names = Counter(one.name for one in self.known.values())
        labels: dict[str, Contribution] = {}
        shown = Shown()
        for number, one in enumerate(self.known.values(), 1):
            both = f"{one.name} <{one.email}>"
            usual = [one.name] if names[one.name] == 1 and one.name not in RESERVED else []
            choices = (*usual, both, one.email, f"contributor {number}")
            fit = (name for name in choices if _is_agents_name(name, shown))
            label = next(fit, f"contributor {number} of {len(self.known)}")
            shown.add(label)
            labels[label] = one
        return labels

    def notes(self) -> list[str]:
        """Return notes on names with several addresses, the mailmap's effects, bots and models."""
        did, mend = (
            ("gives", "without --mailmap they are counted apart")
            if self._heeded
            else ("would give", "if that is so, --mailmap .mailmap counts it so")
        )
        notes = [
            f"{name} commits from {n} addresses, which are counted apart: if that is one person, "
            "say so in .mailmap"
            for name, n in Counter(one.name for one in self.known.values()).items()
            if n > 1
        ]
        notes += [
            f"the .mailmap {did} the work of {address} in {n} commit{'s' * (n != 1)} to {person}: "
            f"{mend}"
            for (address, person), n in self._moved.items()
        ]
        doubtful = [
            who
            for email, who in self._named.items()
            if email not in self._seen and self._is_person(Person(*_parts(who)))
            if _LIKE_A_TOOL.search(who)
        ]
        notes += [
            f"is {who} a person? A co-author without a commit of its own, of a tool's name: if it "
            "is none, name it in the rules under ai, before anything is paid"
            for who in sorted(doubtful)
        ]
        return notes + [
            f"{who} is {'a bot' if self._rules.is_bot(*_parts(who)) else 'a model'} and earns "
            f"nothing; its part of {n} commit{'s' * (n != 1)} goes to "
            + ("whoever committed" if part == "committer" else "nobody")
            for (who, part), n in sorted(self._others.items())
        ]

    def _who_committed(self, commit: Commit, author: Person) -> Iterator[Person]:
        """Yield the people who may be paid for a model's work: the author, then the committer."""
        yield author
        yield self._chosen(commit.committer, commit.mapped_committer)

    def _is_person(self, person: Person) -> bool:
        return self._rules.part_of(person.name, person.email) is None

    def _key(self, person: Person, renames: bool) -> str:
        """Return a person's key in `known`; `renames` is whether to show this name from now on."""
        name, email = printable(person.name), printable(person.email)
        key = email.casefold() or name
        known = self.known.setdefault(key, Contribution(name or email, email))
        if renames:
            known.name = name or email
        return key

    def _chosen(self, person: Person, mapped: Person) -> Person:
        """Return the person to credit: the mapped person if the mailmap is applied."""
        if person.email.casefold() != mapped.email.casefold():
            whom = _shown(mapped)
            self._moved[printable(person.email) or printable(person.name), whom] += 1
        return mapped if self._heeded else person

    def _map(self, people: Iterable[Person]) -> None:
        """Apply the mailmap to co-authors, since git's log maps only authors and committers."""
        unknown = [one for one in dict.fromkeys(people) if one not in self._mapped]
        if not self._mailmap:
            self._mapped.update(zip(unknown, unknown, strict=True))
        elif unknown:
            written = "".join(f"{one.name} <{one.email}>\n" for one in unknown)
            asked = ("check-mailmap", "--stdin")
            given = written.encode("utf-8", "replace")
            answer = self._repository.output(*asked, stdin=given, mailmap=self._mailmap)
            lines = answer.decode("utf-8", "replace").split("\n")
            for one, line in zip(unknown, lines, strict=False):
                name, _, email = line.strip().rpartition("<")
                self._mapped[one] = Person(name.strip(), email.rstrip(">"))


def _is_agents_name(name: str, taken: Shown) -> bool:
    """Return whether a game accepts a name for an agent, given the names already taken."""
    return (
        0 < len(name) <= _LONGEST
        and name not in RESERVED
        and find_mixed([name]) is None
        and not taken.has_alike(name)
    )


def _shown(person: Person) -> str:
    return printable(f"{person.name} <{person.email}>")


def _parts(shown: str) -> tuple[str, str]:
    name, _, email = shown.rstrip(">").rpartition(" <")
    return name, email


def printable(text: str, longest: int = _LONGEST) -> str:
    """Return a text without characters that hide or reorder text, cut to `longest` characters."""
    return without_hidden(text)[:longest].strip()
