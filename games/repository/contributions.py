"""What a history is read into: contributors, their counts, and the evidence for each count."""

from dataclasses import dataclass, field
from fractions import Fraction

from shapley_coop.games.repository.rules import KINDS


@dataclass(frozen=True)
class Evidence:
    """What one commit adds to one count."""

    commit: str
    path: str  # empty for fixes, which are whole commits
    amount: Fraction


@dataclass
class Contribution:
    """What one contributor made."""

    name: str
    email: str
    commits: int = 0
    evidence: dict[str, list[Evidence]] = field(default_factory=lambda: {k: [] for k in KINDS})

    @property
    def counts(self) -> dict[str, Fraction]:
        """Kind → count: the sum of its evidence."""
        return {
            kind: sum((one.amount for one in shown), Fraction(0))
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

    def artefacts(self) -> dict[str, dict[str, Fraction]]:
        """Contributor → kind → count, of those who made anything that counts."""
        counts = {name: one.counts for name, one in self.contributions.items()}
        return {name: made for name, made in counts.items() if any(made.values())}
