"""Whether our table would have protected NegotiationArena's agents, counted by kind of game."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from shapley_coop.extensions.studies.negotiation_arena import Replayed


@dataclass(frozen=True)
class Protection:
    """The counts of one kind of game; all but `offers` and those asked back are of games.

    Attributes:
        kind: sale, swap or division.
        games: how many were replayed.
        deals: those that ended in an agreement.
        bad: deals by which somebody loses, or which somebody cannot perform.
        bad_stopped: those of `bad` that our table stops.
        good_let_through: deals that are not bad and that it lets pass.
        offers: proposals in all games.
        offers_asked_back: those of `offers` that go back to their author.
        differing: games whose recorded gains are not ours.
    """

    kind: str
    games: int
    deals: int
    bad: int
    bad_stopped: int
    good_let_through: int
    offers: int
    offers_asked_back: int
    differing: int

    @property
    def good(self) -> int:
        """Deals by which nobody loses."""
        return self.deals - self.bad

    @property
    def whole(self) -> bool:
        """Whether every bad deal is stopped, every good one let through, and all gains agree."""
        counts = (self.bad_stopped, self.good_let_through, self.differing)
        return counts == (self.bad, self.good, 0)

    def record(self) -> dict[str, Any]:
        """As plain JSON."""
        return {**vars(self), "good": self.good, "protected": self.whole}


def protection(found: Iterable[Replayed]) -> Iterator[Protection]:
    """The answer for each kind of game, by name."""
    groups: dict[str, list[Replayed]] = {}
    for one in found:
        groups.setdefault(one.record.kind, []).append(one)
    for kind, games in sorted(groups.items()):
        deals = [one for one in games if one.deal]
        yield Protection(
            kind=kind,
            games=len(games),
            deals=len(deals),
            bad=sum(one.bad for one in deals),
            bad_stopped=sum(one.bad and one.stopped for one in deals),
            good_let_through=sum(not one.bad and not one.stopped for one in deals),
            offers=sum(one.offers for one in games),
            offers_asked_back=sum(
                refused.act == "proposes" for one in games for refused in one.refused
            ),
            differing=sum(bool(one.differs) for one in games),
        )
