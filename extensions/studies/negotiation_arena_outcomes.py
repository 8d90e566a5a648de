"""The outcomes of NegotiationArena's games, recomputed from the answers and compared.

The study records a summary of each game: the last answer and its trade, each player's resources at
the start and at the end, and each player's outcome. The summary follows from the answers and the
resources at the start.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from shapley_coop.amounts import plain
from shapley_coop.extensions.studies.negotiation_arena_records import (
    FACTS,
    MONEY,
    Amounts,
    Recorded,
    Summary,
    Trade,
)


def differences(record: Recorded) -> str:
    """Return in words where a game's recorded and recomputed summaries differ; "" if nowhere."""
    return "; ".join(
        f"{fact}: recorded {_shown(told)}, ours {_shown(ours)}"
        for fact, told, ours in zip(FACTS, record.summary, recomputed(record), strict=True)
        if told != ours
    )


def recomputed(record: Recorded) -> Summary:
    """Return the summary of a game, computed from its answers and its resources at the start."""
    start = tuple(map(_fractions, record.holds))
    changes = changes_by(record.accepted or ({}, {}))
    end = tuple(map(_added, start, changes))
    outcome: tuple[Amounts, ...]
    if record.kind == "sale":
        outcome = tuple({MONEY: gain} if gain else {} for gain in gains(record, changes))
    else:
        outcome = changes if record.kind == "swap" else (end[0], changes[1])
    return record.answers[-1].says, record.standing, start, end, outcome


def changes_by(trade: Trade) -> tuple[Amounts, ...]:
    """Return each player's net change of resources by a trade."""
    given = tuple(map(_fractions, trade))
    return tuple(
        _added(given[1 - i], {good: -amount for good, amount in given[i].items()}) for i in (0, 1)
    )


def gains(record: Recorded, changes: Sequence[Amounts]) -> tuple[Fraction, ...]:
    """Return each player's gain; a unit of money, or of a good without valuations, counts 1."""
    worths = record.worths or (Fraction(1), Fraction(1))
    return tuple(
        sum(
            (amount * (1 if good == MONEY else worth) for good, amount in change.items()),
            Fraction(0),
        )
        for change, worth in zip(changes, worths, strict=True)
    )


def loss(record: Recorded, trade: Trade) -> str:
    """Return a sentence about the first player that loses or lacks goods; "" if there is none."""
    gained = gains(record, changes_by(trade))
    for name, own, given, gain in zip(record.players, record.holds, trade, gained, strict=True):
        for good, amount in given.items():
            if amount > own.get(good, 0):
                return f"{name} gives {amount} {good} and holds {own.get(good, 0)}"
        if gain < 0 and record.kind != "division":
            return f"{name} loses {plain(-gain)}"
    return ""


def _fractions(own: Mapping[str, int]) -> dict[str, Fraction]:
    return {good: Fraction(amount) for good, amount in own.items()}


def _added(one: Amounts, other: Amounts) -> dict[str, Fraction]:
    total = {good: one.get(good, Fraction(0)) + other.get(good, 0) for good in {**one, **other}}
    return {good: amount for good, amount in total.items() if amount}


def _shown(part: str | Sequence[Mapping[str, int | Fraction]] | None) -> str:
    if part is None or isinstance(part, str):
        return part or "none"
    return " and ".join(
        ", ".join(f"{plain(Fraction(x))} {good}" for good, x in sorted(side.items())) or "nothing"
        for side in part
    )
