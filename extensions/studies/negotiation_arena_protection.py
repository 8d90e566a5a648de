"""Counts of the deals in NegotiationArena that our checks would have stopped, by kind of game."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from shapley_coop.extensions.studies.negotiation_arena import Replayed
from shapley_coop.extensions.studies.negotiation_arena_records import ACCEPT, Unreadable


def protection(found: Iterable[Replayed]) -> Iterator[dict[str, Any]]:
    """Yield the counts for each kind of game, sorted by name.

    All counts are of games, but `offers…` count proposals; no count has trades of nothing. A deal
    is `bad` if it leaves a player worse off, or a player cannot perform it; all others are `good`.
    `protected`: all bad deals are stopped, all good ones let through, and all outcomes agree.
    """
    groups: dict[str, list[Replayed]] = {}
    for one in found:
        groups.setdefault(one.record.kind, []).append(one)
    for kind, games in sorted(groups.items()):
        bad = [one for one in games if one.deal and one.loss]
        good = [one for one in games if one.deal and not one.loss]
        differing = sum(bool(one.differs) for one in games)
        yield {
            "kind": kind,
            "games": len(games),
            "deals": len(bad) + len(good),
            "bad": len(bad),
            "bad_stopped": sum(one.stopped for one in bad),
            "good_let_through": sum(not one.stopped for one in good),
            "offers": sum(len(one.offers) for one in games),
            "offers_asked_back": sum(x.act == "proposes" for one in games for x in one.refused),
            "differing": differing,
            "good": len(good),
            "protected": not differing and not any(one.misjudged for one in games),
        }


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
