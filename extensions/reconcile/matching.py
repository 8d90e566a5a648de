"""The events of two logs, matched in a temporary SQLite file, and what the logs differ in."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import groupby
from typing import Any, NamedTuple

from shapley_coop.extensions.reconcile.contract import OutcomeContract, seconds
from shapley_coop.extensions.reconcile.logs import COUNTS, LATE, OTHER, OUTSIDE, REVERSED, Log
from shapley_coop.extensions.reconcile.pairing import Alone, pairs

MOST_DIFFERENCES = 100_000
"""The most differences of two logs that are written down."""

_MOST_LINES = 20
_KINDS = {LATE: "late", REVERSED: "reversed", OUTSIDE: "outside the window"}

_TABLES = """
PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768;
CREATE TABLE event (side INT, id TEXT, line INT, status INT, time INT, key TEXT);
"""

_REVERSE = """
UPDATE event SET status = 1 WHERE status = 0 AND EXISTS (
  SELECT 1 FROM event AS back WHERE back.status = 5 AND back.side = event.side
  AND back.id = event.id AND back.time BETWEEN event.time AND event.time + ?)
"""

# The reversals of what their own log does not have.
_UNKNOWN = """
WITH known AS (
  SELECT side, id FROM event WHERE status < 5 AND EXISTS (
    SELECT 1 FROM event AS back
    WHERE back.status = 5 AND back.side = event.side AND back.id = event.id))
SELECT id, group_concat(line) FILTER (WHERE side = 0), group_concat(line) FILTER (WHERE side = 1)
FROM event WHERE status = 5 AND (side, id) NOT IN (SELECT side, id FROM known) GROUP BY id"""

# `state` has what each log says of an event: that of its best line, as long as the log has any.
# `alone` has the events whose ids the other log lacks, `renamed` their pairs.
_STATES = """
CREATE TABLE state AS SELECT id, min(key) AS key, min(time) FILTER (WHERE status < 4) AS time,
  group_concat(line) FILTER (WHERE side = 0) AS lines,
  min(status) FILTER (WHERE side = 0) AS status,
  sum(status IN (0, 2, 3)) FILTER (WHERE side = 0) AS times,
  group_concat(line) FILTER (WHERE side = 1) AS lines2,
  min(status) FILTER (WHERE side = 1) AS status2,
  sum(status IN (0, 2, 3)) FILTER (WHERE side = 1) AS times2
  FROM event WHERE status < 5 GROUP BY id;
CREATE TABLE alone AS
  SELECT 0 AS side, id, key, time, lines, status, times FROM state
  WHERE status2 IS NULL AND status < 4
  UNION ALL
  SELECT 1, id, key, time, lines2, status2, times2 FROM state
  WHERE status IS NULL AND status2 < 4;
CREATE UNIQUE INDEX lonely ON alone (id);
CREATE TABLE renamed (id TEXT PRIMARY KEY, id2 TEXT UNIQUE);
CREATE VIEW pair AS
  SELECT id, lines, status, times, id AS id2, lines2, status2, times2 FROM state
  WHERE status IS NOT NULL AND status2 IS NOT NULL
  UNION ALL
  SELECT a.id, a.lines, a.status, a.times, b.id, b.lines, b.status, b.times
  FROM alone AS a LEFT JOIN renamed ON renamed.id = a.id LEFT JOIN alone AS b ON b.id = renamed.id2
  WHERE a.side = 0
  UNION ALL
  SELECT NULL, NULL, NULL, NULL, id, lines, status, times FROM alone
  WHERE side = 1 AND id NOT IN (SELECT id2 FROM renamed);
"""

_DIFFERENT = """
SELECT * FROM pair WHERE status IS NOT status2 OR times IS NOT times2 OR id IS NOT id2"""
_ALONE = "SELECT count(*) FROM alone GROUP BY side"
_KEYED = "SELECT key, time, status, id, side FROM alone WHERE key IS NOT NULL ORDER BY key"
_CLAIMED = "SELECT side, count(*) FROM event WHERE status < 4 GROUP BY side"
_COUNTS = "SELECT sum(status = 0), sum(status2 = 0), sum(status = 0 AND status2 = 0) FROM pair"


class _State(NamedTuple):
    """What one log says of an event, over all lines about it."""

    id: str
    lines: str  # numbers, separated by commas
    status: int
    times: int  # the number of lines that claim the event and are not reversed


def match(
    logs: Sequence[Log], contract: OutcomeContract
) -> tuple[dict[str, Any], int, list[dict[str, Any]]]:
    """Return each party's counts, how many events count in both logs, and the differences by id.

    Raises:
        ValueError: a line is wrong, or there are more than `MOST_DIFFERENCES`.
    """
    parties = contract.parties
    with closing(sqlite3.connect("")) as books:  # an empty name is a file that SQLite removes
        books.executescript(_TABLES)
        for side, log in enumerate(logs):
            rows = ((side, *event) for event in log.read())
            books.executemany("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?)", rows)
        found: list[dict[str, Any]] = []
        if contract.reversal:
            books.execute("CREATE INDEX back ON event (side, id, time) WHERE status = 5")
            books.execute(_REVERSE, (seconds(contract.reversal.within) * 1_000_000,))
            for event, *lines in books.execute(_UNKNOWN):
                found.append(_unknown(parties, event, lines))
                _check_few(len(found), logs)
        books.executescript(_STATES)
        _check_few(max([0, *(count for (count,) in books.execute(_ALONE))]), logs)
        for _, same in groupby(books.execute(_KEYED).fetchall(), lambda row: row[0]):
            renamed = pairs(Alone(*row[1:]) for row in same)
            books.executemany("INSERT INTO renamed VALUES (?, ?)", renamed)
        for row in books.execute(_DIFFERENT):
            found += _differences(parties, _state(row[:4]), _state(row[4:]))
            _check_few(len(found), logs)
        sides, both = _counted(books, parties, logs)
        return sides, both, sorted(found, key=_place)


def _counted(
    books: sqlite3.Connection, parties: Sequence[str], logs: Sequence[Log]
) -> tuple[dict[str, Any], int]:
    """Return each party's counts, and how many events count in both logs."""
    claimed = dict(books.execute(_CLAIMED))
    *counts, both = (count or 0 for count in books.execute(_COUNTS).fetchone())
    sides = {
        party: {
            "log": log.hash.hexdigest(),
            "lines": log.lines,
            "claimed": claimed.get(side, 0),
            "counts": counts[side],
        }
        for side, (party, log) in enumerate(zip(parties, logs, strict=True))
    }
    return sides, both


def _check_few(differences: int, logs: Sequence[Log]) -> None:
    """Refuse logs that differ in too much; each event with an id of its own is a difference."""
    if differences > MOST_DIFFERENCES:
        names = " and ".join(str(log.path) for log in logs)
        raise ValueError(f"{names} differ in more than {MOST_DIFFERENCES} lines: check ids")


def _state(columns: Sequence[Any]) -> _State | None:
    return None if columns[0] is None else _State(*columns)


def _differences(
    parties: Sequence[str], ours: _State | None, theirs: _State | None
) -> Iterator[dict[str, Any]]:
    """Yield a difference for each thing that two logs say differently of one event."""
    both = [*zip(parties, (ours, theirs), (theirs, ours), strict=True)]
    at = {party: _shown(state.id, state.lines) for party, state, _ in both if state}
    counting = [state for state in (ours, theirs) if state and state.status == COUNTS]
    one_counts = len(counting) == 1

    def difference(kind: str, party: str | None, in_dispute: bool) -> dict[str, Any]:
        return {"kind": kind, "party": party, "in_dispute": in_dispute, "at": at}

    if ours and theirs and ours.id != theirs.id:
        yield difference("renamed id", None, False)
    for party, state, other in both:
        if state is None:
            if one_counts:
                yield difference("missing", party, True)
            continue
        if state.times > max(1, other.times if other else 0):
            yield difference("counted twice", party, False)
        if other and other.status == state.status:
            continue
        if kind := _KINDS.get(state.status):
            yield difference(kind, party, one_counts)
        elif state.status == OTHER and one_counts:
            yield difference("disputed", party, True)


def _unknown(parties: Sequence[str], event: str, lines: Sequence[str | None]) -> dict[str, Any]:
    """Return the difference that one log, or both, takes back an event that it does not have."""
    sides = zip(parties, lines, strict=True)
    at = {party: _shown(event, numbers) for party, numbers in sides if numbers}
    party = next(iter(at)) if len(at) == 1 else None
    return {"kind": "unknown id", "party": party, "in_dispute": False, "at": at}


def _shown(event: str, lines: str) -> dict[str, Any]:
    numbers = sorted(map(int, lines.split(",")))
    return {"id": event, "lines": numbers[:_MOST_LINES]}


def _place(difference: dict[str, Any]) -> tuple[str, str]:
    """Return a difference's place, which is the same whichever log comes first."""
    return min(one["id"] for one in difference["at"].values()), difference["kind"]
