"""What came of NegotiationArena's games, recomputed from their answers and held against the record.

The study tells at the end of each game what was answered last and to which trade, what each held at
the start and holds at the end, and what it takes for each one's outcome. All of it follows from the
answers and the start, and is compared.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from shapley_coop.amounts import plain
from shapley_coop.extensions.studies.negotiation_arena_records import (
    MONEY,
    Amounts,
    Recorded,
    Summary,
    Trade,
)

_CALLED = {
    "answer": "the last answer",
    "trade": "the trade that stood",
    "start": "held at the start",
    "end": "held at the end",
    "outcome": "outcome",
}
"""Part of a summary → what it is called where it differs."""


def differences(record: Recorded) -> str:
    """Say how the recorded summary differs from what its answers come to; empty if it does not."""
    ours = recomputed(record)
    pairs = {part: (getattr(record.summary, part), getattr(ours, part)) for part in _CALLED}
    return "; ".join(
        f"{_CALLED[part]}: recorded {_shown(told)}, ours {_shown(own)}"
        for part, (told, own) in pairs.items()
        if told != own
    )


def recomputed(record: Recorded) -> Summary:
    """Return what came of a game by its answers alone."""
    start = tuple(map(_fractions, record.holds))
    changes = changes_by(record.accepted or ({}, {}))
    end = tuple(map(_added, start, changes))
    outcome: tuple[Amounts, ...]
    if record.kind == "sale":
        outcome = tuple({MONEY: gain} if gain else {} for gain in gains(record, changes))
    else:
        outcome = changes if record.kind == "swap" else (end[0], changes[1])
    return Summary(
        answer=record.answers[-1].says,
        trade=record.standing,
        start=start,
        end=end,
        outcome=outcome,
    )


def changes_by(trade: Trade) -> tuple[Amounts, ...]:
    """Return what each gets by a trade, less what it gives."""
    given = tuple(map(_fractions, trade))
    return tuple(
        _added(given[1 - i], {good: -amount for good, amount in given[i].items()}) for i in (0, 1)
    )


def gains(record: Recorded, changes: Sequence[Amounts]) -> tuple[Fraction, ...]:
    """Return what each gains, by the record's worths: a unit of money, or without worths, is 1."""
    worths = record.worths or (Fraction(1), Fraction(1))
    return tuple(
        sum(
            (amount * (1 if good == MONEY else worth) for good, amount in change.items()),
            Fraction(0),
        )
        for change, worth in zip(changes, worths, strict=True)
    )


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
