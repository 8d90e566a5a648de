"""The result of reading a range of commits: each contributor's work, with its evidence."""

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

from shapley_coop.extensions.repository.rules import KINDS, Rules


@dataclass(frozen=True)
class Person:
    """A person in a commit, by name and e-mail address."""

    name: str
    email: str


@dataclass(frozen=True)
class Evidence:
    """The amount that one commit adds to a contributor's count of one kind of work."""

    commit: str
    path: str  # empty for a fix, which is a whole commit
    amount: Fraction
    lines: Fraction  # the counted lines of code or of a document, or the mended lines


@dataclass
class Contribution:
    """The counted work of one contributor."""

    name: str
    email: str
    commits: int = 0
    uncounted: Counter[str] = field(default_factory=Counter)
    """Reason why commits earn nothing → number of these commits."""
    evidence: dict[str, list[Evidence]] = field(default_factory=lambda: {k: [] for k in KINDS})

    @property
    def counts(self) -> dict[str, Fraction]:
        """Kind of work → its count, the sum of the amounts of its evidence."""
        return {
            kind: sum((one.amount for one in shown), Fraction(0))
            for kind, shown in self.evidence.items()
        }

    @property
    def lines(self) -> dict[str, Fraction]:
        """Kind of work → the sum of the lines in its evidence."""
        return {
            kind: sum((one.lines for one in shown), Fraction(0))
            for kind, shown in self.evidence.items()
        }


@dataclass(frozen=True)
class History:
    """The result of reading a range of commits.

    Attributes:
        path: the path of the repository.
        tip: the range's last commit.
        base: the commit before the range; None for the whole history.
        contributions: name → contribution, in order of first appearance; if two people share a
            name, the address is added.
        commits: the number of counted commits, without merges and commits by bots.
        merges: the number of merges, which are left out.
        by_bots: the number of commits by bots, which are left out.
        excluded: reason → number of the last commit's files that are left out.
        notes: the remarks to read before paying by these counts.
        rules: the rules by which work was counted.
        made: (hash, names of earners) of each commit except merges, parents before children.
    """

    path: str
    tip: str
    base: str | None
    contributions: dict[str, Contribution]
    commits: int
    merges: int
    by_bots: int
    excluded: dict[str, int]
    notes: list[str]
    rules: Rules = field(default_factory=Rules)
    made: tuple[tuple[str, frozenset[str]], ...] = ()

    def artefacts(self) -> dict[str, dict[str, Fraction]]:
        """Return contributor → kind → count, for contributors with any counted work."""
        counts = {name: one.counts for name, one in self.contributions.items()}
        return {name: made for name, made in counts.items() if any(made.values())}
