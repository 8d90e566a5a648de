"""Counts of the deals in NegotiationArena that our checks would have stopped, by kind of game."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from shapley_coop.extensions.studies.negotiation_arena import Replayed
from shapley_coop.extensions.studies.negotiation_arena_records import ACCEPT, Unreadable


@dataclass(frozen=True)
class Protection:
    """The counts for one kind of game; all are counts of games, but `offers…` count proposals.

    Attributes:
        kind: sale, swap or division.
        games: replayed games.
        deals: games that ended in a deal.
        bad: deals that leave a player worse off, or that a player cannot perform.
        bad_stopped: bad deals that our checks stop.
        good_let_through: other deals that our checks do not stop.
        offers: proposals in all games, without proposals to trade nothing.
        offers_asked_back: proposals that our checks refuse.
        differing: games whose recorded outcome differs from ours.
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
        """The number of deals that are not bad."""
        return self.deals - self.bad

    @property
    def whole(self) -> bool:
        """Whether all bad deals are stopped, all good deals let through, and all outcomes agree."""
        counts = (self.bad_stopped, self.good_let_through, self.differing)
        return counts == (self.bad, self.good, 0)

    def record(self) -> dict[str, Any]:
        """Return the counts as plain JSON."""
        return {**vars(self), "good": self.good, "protected": self.whole}


def protection(found: Iterable[Replayed]) -> Iterator[Protection]:
    """Yield the counts for each kind of game, sorted by name."""
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
            offers=sum(len(one.offers) for one in games),
            offers_asked_back=sum(
                refused.act == "proposes" for one in games for refused in one.refused
            ),
            differing=sum(bool(one.differs) for one in games),
        )


def remarks(found: Sequence[Replayed]) -> list[str]:
    """Return remarks on games that the counts omit, and on assumptions of the counts."""
    answers = [answer for one in found for answer in one.record.answers]
    worded = [one.says for one in answers if "accept" in one.says.casefold() and one.says != ACCEPT]
    accepted = sum(one.record.accepted is not None and not one.deal for one in found)
    own = sum(one.says == ACCEPT and one.trade is not None for one in answers)
    said = {
        f"{sum(one.of_nothing for one in found)} offers, {accepted} of them accepted, give nothing "
        "on either side: our table has no such deal, and they are in no count": any(
            one.of_nothing for one in found
        ),
        f"{len(worded)} answers accept in other words than {ACCEPT} "
        f"({', '.join(sorted(set(worded)))}), which the study takes for going on, and so do we": (
            bool(worded)
        ),
        f"{own} acceptances bring a trade of their own: the study executes the one before, and so "
        "do we": bool(own),
        "in a swap each unit counts as 1, so every uneven swap is bad by definition, whatever the "
        "traders wanted": any(one.record.kind == "swap" for one in found),
    }
    return [line for line, holds in said.items() if holds]


def left_out(unreadable: Iterable[Unreadable]) -> list[str]:
    """Return a line for each reason why records are unreadable: how many, and one file's name."""
    by_reason: dict[str, list[str]] = {}
    for one in unreadable:
        by_reason.setdefault(one.why, []).append(one.where)
    return [
        f"{len(where)} left out: {why} ({where[0]})"
        for why, where in sorted(by_reason.items(), key=lambda each: (-len(each[1]), each[0]))
    ]
