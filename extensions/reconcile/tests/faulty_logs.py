"""Pairs of logs with known faults, drawn from a seed."""

import csv
import json
import random
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, NamedTuple

PARTIES = ("Acme", "Shop")
COLUMNS = ("id", "time", "recorded", "status", "channel", "customer", "of")
START = datetime.fromisoformat("2026-11-01T00:00:00+00:00")
TERMS: dict[str, Any] = {
    "parties": [*PARTIES],
    "currency": "EUR",
    "price": "0.99",
    "counts": {"status": "resolved", "channel": ["chat", "email"]},
    "window": {"from": "2026-11-01T00:00:00Z", "to": "2026-12-01T00:00:00Z"},
    "final": "3d",
    "reversal": {"where": {"status": "reopened"}, "within": "2d"},
    "same": ["customer", "channel"],
}

Line = dict[str, Any]
Difference = tuple[str, str | None, bool, tuple[str | None, str | None]]
"""Kind, party, whether it is in dispute, and the event's id in each log."""


class Pair(NamedTuple):
    """Two logs, what they differ in, and how many events count in both."""

    logs: tuple[list[Line], list[Line]]
    differences: list[Difference]
    both: int


def written(moment: datetime, dice: random.Random) -> str:
    """The moment, in one of many zones."""
    zone = timezone(timedelta(minutes=dice.choice([-480, -90, 0, 60, 345])))
    return moment.astimezone(zone).isoformat().replace("+00:00", "Z")


def drawn(seed: int) -> Pair:
    """Draw a pair of logs; each event has at most one fault, which is known."""
    dice = random.Random(seed)
    ours: list[Line] = []
    theirs: list[Line] = []
    differences: list[Difference] = []
    both = 0
    for n in range(dice.randint(1, 60)):
        moment = START + timedelta(seconds=dice.choice([0, dice.randrange(5 * 86400, 25 * 86400)]))
        event = {
            "id": f"t{n}",
            "time": written(moment, dice),
            "recorded": written(moment + timedelta(days=dice.choice([-1, 0, 1, 3])), dice),
            "status": "resolved",
            "channel": dice.choice(["chat", "email"]),
            "customer": f"customer {n}",
            "of": "",
        }
        side = dice.randrange(2)
        lines = [[{**event}], [{**event}]]
        fault = dice.choice(FAULTS if dice.random() < 0.4 else NO_FAULTS)
        found = fault(lines, side, moment, dice)
        ids = [own[0]["id"] if own and own[0]["status"] != "reopened" else None for own in lines]
        differences += [
            (kind, None if kind == "renamed id" else PARTIES[side ^ away], open_, (ids[0], ids[1]))
            for kind, away, open_ in found
        ]
        counts = fault not in DECIDED and not any(open_ for *_, open_ in found)
        both += counts
        ours += lines[0]
        theirs += lines[1]
    dice.shuffle(ours)
    dice.shuffle(theirs)
    return Pair((ours, theirs), differences, both)


Lines = list[list[Line]]
Fault = Callable[[Lines, int, datetime, random.Random], list[tuple[str, int, bool]]]
"""Changes one event's lines at a side; gives kind, whether the other side has it, in dispute."""


def _reversal(line: Line, moment: datetime, dice: random.Random) -> Line:
    return {
        **dict.fromkeys(COLUMNS, ""),
        "id": f"r{line['id']}",
        "of": line["id"],
        "time": written(moment, dice),
        "recorded": written(moment, dice),
        "status": "reopened",
    }


def none(lines: Lines, side: int, moment: datetime, dice: random.Random) -> list[Any]:
    return []


def twice_at_both(lines: Lines, side: int, moment: datetime, dice: random.Random) -> list[Any]:
    for own in lines:
        own.append({**own[0]})
    return []


def reversed_too_late(lines: Lines, side: int, moment: datetime, dice: random.Random) -> list[Any]:
    away = timedelta(days=2, seconds=dice.randint(1, 9))
    lines[side].append(_reversal(lines[side][0], moment + away, dice))
    return []


def reversed_before(lines: Lines, side: int, moment: datetime, dice: random.Random) -> list[Any]:
    lines[side].append(_reversal(lines[side][0], moment - timedelta(seconds=1), dice))
    return []


def reversed_at_both(lines: Lines, side: int, moment: datetime, dice: random.Random) -> list[Any]:
    for own in lines:
        own.append(_reversal(own[0], moment + timedelta(days=dice.randint(0, 2)), dice))
    return []


def outside_at_both(lines: Lines, side: int, moment: datetime, dice: random.Random) -> list[Any]:
    for own in lines:
        own[0]["time"] = dice.choice(["2026-12-01T00:00:00Z", "2026-11-01T00:59:59+01:00"])
    return []


def of_no_interest(lines: Lines, side: int, moment: datetime, dice: random.Random) -> list[Any]:
    lines[side][0]["status"] = "opened"
    if dice.random() < 0.5:
        lines[1 - side].clear()
    else:
        lines[1 - side][0]["channel"] = "phone"
    return []


def missing(lines: Lines, side: int, moment: datetime, dice: random.Random) -> list[Any]:
    lines[side].clear()
    return [("missing", 0, True)]


def twice(lines: Lines, side: int, moment: datetime, dice: random.Random) -> list[Any]:
    lines[side] += [{**lines[side][0]} for _ in range(dice.randint(1, 3))]
    return [("counted twice", 0, False)]


def twice_and_missing(lines: Lines, side: int, moment: datetime, dice: random.Random) -> list[Any]:
    lines[side].append({**lines[side][0]})
    lines[1 - side].clear()
    return [("counted twice", 0, False), ("missing", 1, True)]


def late(lines: Lines, side: int, moment: datetime, dice: random.Random) -> list[Any]:
    after = timedelta(days=3, microseconds=dice.choice([1, 10**9]))
    lines[side][0]["recorded"] = written(moment + after, dice)
    return [("late", 0, True)]


def late_and_missing(lines: Lines, side: int, moment: datetime, dice: random.Random) -> list[Any]:
    late(lines, side, moment, dice)
    lines[1 - side].clear()
    return [("late", 0, False)]


def renamed(lines: Lines, side: int, moment: datetime, dice: random.Random) -> list[Any]:
    for line in lines[side]:
        line["id"] = f"x{dice.randrange(10**6)}-{line['id']}"
    return [("renamed id", 0, False)]


def twice_and_late(lines: Lines, side: int, moment: datetime, dice: random.Random) -> list[Any]:
    for own in lines:
        own[0]["recorded"] = written(moment + timedelta(days=4), dice)
    return twice(lines, side, moment, dice)


def renamed_outside(lines: Lines, side: int, moment: datetime, dice: random.Random) -> list[Any]:
    outside_at_both(lines, side, moment, dice)
    return renamed(lines, side, moment, dice)


def reversed_(lines: Lines, side: int, moment: datetime, dice: random.Random) -> list[Any]:
    lines[side].append(_reversal(lines[side][0], moment + timedelta(days=dice.randint(0, 2)), dice))
    return [("reversed", 0, True)]


def renamed_and_reversed(
    lines: Lines, side: int, moment: datetime, dice: random.Random
) -> list[Any]:
    return renamed(lines, side, moment, dice) + reversed_(lines, side, moment, dice)


def outside(lines: Lines, side: int, moment: datetime, dice: random.Random) -> list[Any]:
    lines[side][0]["time"] = dice.choice(["2026-12-01T00:00:00Z", "2026-10-31T23:59:59.999999Z"])
    return [("outside the window", 0, True)]


def outside_alone(lines: Lines, side: int, moment: datetime, dice: random.Random) -> list[Any]:
    lines[1 - side].clear()
    return [("outside the window", 0, False)] if outside(lines, side, moment, dice) else []


def disputed(lines: Lines, side: int, moment: datetime, dice: random.Random) -> list[Any]:
    lines[side][0][dice.choice(["status", "channel"])] = "escalated"
    return [("disputed", 0, True)]


DECIDED: tuple[Fault, ...] = (
    *(reversed_at_both, outside_at_both, of_no_interest, late_and_missing, outside_alone),
    *(twice_and_late, renamed_outside),
)
"""What counts in neither log."""

NO_FAULTS: tuple[Fault, ...] = (
    *(none, none, none, none, twice_at_both, reversed_too_late, reversed_before),
    *(reversed_at_both, outside_at_both, of_no_interest),
)
FAULTS: tuple[Fault, ...] = (
    *(missing, twice, twice_and_missing, late, late_and_missing, renamed, reversed_),
    *(renamed_and_reversed, outside, outside_alone, disputed, twice_and_late, renamed_outside),
)


def write(path: Path, lines: list[Line]) -> Path:
    """Write a log as CSV or as JSON lines, by the file's name."""
    with path.open("w", encoding="utf-8", newline="") as file:
        if path.suffix == ".csv":
            rows = csv.DictWriter(file, COLUMNS)
            rows.writeheader()
            rows.writerows(lines)
        else:
            file.writelines(json.dumps(line) + "\n" for line in lines)
    return path
