"""What a range of commits holds: who made what, and the commits that show it."""

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

from shapley_coop.extensions.repository.rules import KINDS, Rules


@dataclass(frozen=True)
class Person:
    """A name and an address."""

    name: str
    email: str


@dataclass(frozen=True)
class Evidence:
    """What one commit adds to one count."""

    commit: str
    path: str  # empty for fixes, which are whole commits
    amount: Fraction
    lines: Fraction  # that it counts: of code, of the document, or mended


@dataclass
class Contribution:
    """What one contributor made."""

    name: str
    email: str
    commits: int = 0
    uncounted: Counter[str] = field(default_factory=Counter)
    """What of it earns nothing, in words → how many commits."""
    evidence: dict[str, list[Evidence]] = field(default_factory=lambda: {k: [] for k in KINDS})

    @property
    def counts(self) -> dict[str, Fraction]:
        """Kind → count: the sum of its evidence."""
        return {
            kind: sum((one.amount for one in shown), Fraction(0))
            for kind, shown in self.evidence.items()
        }

    @property
    def lines(self) -> dict[str, Fraction]:
        """Kind → lines of its evidence."""
        return {
            kind: sum((one.lines for one in shown), Fraction(0))
            for kind, shown in self.evidence.items()
        }


@dataclass(frozen=True)
class History:
    """What a range of commits holds.

    Attributes:
        path: where the repository is.
        tip: the range's last commit.
        base: the commit that it starts after; None for the whole history.
        contributions: by name, in order of first appearance; a name that two people share, with
            the address.
        commits: how many were read; merges and those of bots are not among them.
        merges: how many were left out as merges.
        by_bots: how many were left out as made by bots.
        excluded: reason → how many files of the last commit were left out for it.
        notes: what a reader should know before paying by these counts.
        rules: by which it was read.
        made: each commit that is no merge, parents first, and who earns it; nobody earns a bot's.
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
        """Contributor → kind → count, of those who made anything that counts."""
        counts = {name: one.counts for name, one in self.contributions.items()}
        return {name: made for name, made in counts.items() if any(made.values())}
