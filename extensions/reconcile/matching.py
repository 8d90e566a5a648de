"""The events of two logs, matched in a temporary SQLite file, and what the logs differ in."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice
from typing import Any, NamedTuple

from shapley_coop.extensions.reconcile.logs import Event, Log, Reversed, Status

MOST_DIFFERENCES = 200_000
"""The most differences of two logs that are written down."""

_MOST_LINES = 20
_BATCH = 10_000

MISSING, DISPUTED, TWICE, RENAMED = "missing", "disputed", "counted twice", "renamed id"
_KINDS = {Status.LATE: "late", Status.REVERSED: "reversed", Status.OUTSIDE: "outside the window"}

_TABLES = """
PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768;
CREATE TABLE event (side INT, id TEXT, line INT, status INT, time INT, key TEXT);
CREATE TABLE reversal (side INT, of TEXT, time INT);
"""

_REVERSE = """
UPDATE event SET status = 1 WHERE status = 0 AND EXISTS (
  SELECT 1 FROM reversal WHERE reversal.side = event.side AND reversal.of = event.id
  AND reversal.time BETWEEN event.time AND event.time + ?)
"""

# An event's state is that of its best line: with `min`, SQLite takes the bare columns from the row
# of the least value. `alone` has the events whose ids the other log lacks; `place` numbers those
# with equal keys, so that each is paired with at most one under another id.
_STATES = """
CREATE TABLE state (side INT, id TEXT, best INT, status INT, times INT, lines TEXT, key TEXT,
  PRIMARY KEY (side, id)) WITHOUT ROWID;
INSERT INTO state
  SELECT side, id, min(status << 40 | line), status, sum(status IN (0, 2, 3)), group_concat(line),
    key
  FROM event GROUP BY side, id ORDER BY side, id;
CREATE TABLE alone AS
  SELECT *, row_number() OVER (PARTITION BY side, key ORDER BY status, id) AS place
  FROM state WHERE status < 4 AND NOT EXISTS (
    SELECT 1 FROM state AS other WHERE other.side = 1 - state.side AND other.id = state.id);
CREATE INDEX lonely ON alone (side, key, place);
CREATE VIEW pair AS
  SELECT a.id, a.lines, a.status, a.times,
    b.id AS id2, b.lines AS lines2, b.status AS status2, b.times AS times2
  FROM state AS a JOIN state AS b ON b.side = 1 AND b.id = a.id WHERE a.side = 0
  UNION ALL
  SELECT a.id, a.lines, a.status, a.times, b.id, b.lines, b.status, b.times
  FROM alone AS a JOIN alone AS b ON b.side = 1 AND b.key = a.key AND b.place = a.place
  WHERE a.side = 0;
CREATE VIEW single AS
  SELECT side, id, lines, status, times FROM alone AS a WHERE NOT EXISTS (
    SELECT 1 FROM alone AS b WHERE b.side = 1 - a.side AND b.key = a.key AND b.place = a.place);
"""

_DIFFERENT = "SELECT * FROM pair WHERE status <> status2 OR times <> times2 OR id <> id2"
_CLAIMED = "SELECT side, count(*) FROM event WHERE status < 4 GROUP BY side"
_COUNTS = "SELECT side, count(*) FROM state WHERE status = 0 GROUP BY side"
_BOTH = "SELECT 0, count(*) FROM pair WHERE status = 0 AND status2 = 0"


class Found(NamedTuple):
    """What the logs agree and differ in.

    Attributes:
        claimed: for each log, the number of lines whose fields count, whatever their time.
        counts: for each log, the number of events that count by the contract.
        both: the number of events that count in both logs.
        differences: the differences, by id.
    """

    claimed: tuple[int, int]
    counts: tuple[int, int]
    both: int
    differences: list[dict[str, Any]]


class _State(NamedTuple):
    """What one log says of an event, over all lines about it."""

    id: str
    lines: str  # numbers, separated by commas
    status: int
    times: int  # the number of lines that claim the event and are not reversed


def match(logs: Sequence[Log], parties: Sequence[str], within: int | None) -> Found:
    """Return what two logs agree and differ in.

    Args:
        logs: the log of each party.
        parties: the parties' names, in the same order.
        within: the seconds in which a reversal takes an event back; None without reversals.

    Raises:
        ValueError: a line is wrong, or there are more than `MOST_DIFFERENCES`.
    """
    with closing(sqlite3.connect("")) as books:  # an empty name is a file that SQLite removes
        books.executescript(_TABLES)
        for side, log in enumerate(logs):
            _load(books, side, log)
        if within is not None:
            books.execute("CREATE INDEX reversals ON reversal (side, of, time)")
            books.execute(_REVERSE, (within * 1_000_000,))
        books.executescript(_STATES)
        differences = []
        for ours, theirs in _pairs(books):
            differences += _differences(parties, ours, theirs)
            if len(differences) > MOST_DIFFERENCES:
                both = " and ".join(str(log.path) for log in logs)
                raise ValueError(f"{both} differ in more than {MOST_DIFFERENCES} lines: check ids")
        counted = (_by_side(books, query) for query in (_CLAIMED, _COUNTS, _BOTH))
        claimed, counts, (both_count, _) = counted
        return Found(claimed, counts, both_count, sorted(differences, key=_place))


def _load(books: sqlite3.Connection, side: int, log: Log) -> None:
    """Write a log's lines into the tables, a batch at a time."""
    lines = log.read()
    while batch := [*islice(lines, _BATCH)]:
        events = [(side, *one) for one in batch if isinstance(one, Event)]
        books.executemany("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?)", events)
        back = [(side, *one) for one in batch if isinstance(one, Reversed)]
        books.executemany("INSERT INTO reversal VALUES (?, ?, ?)", back)


def _by_side(books: sqlite3.Connection, query: str) -> tuple[int, int]:
    found: dict[int, int] = dict(books.execute(query).fetchall())
    return found.get(0, 0), found.get(1, 0)


def _pairs(books: sqlite3.Connection) -> Iterator[tuple[_State | None, _State | None]]:
    """Yield what each log says of every event in which they differ."""
    for row in books.execute(_DIFFERENT):
        yield _State(*row[:4]), _State(*row[4:])
    for side, *row in books.execute("SELECT * FROM single"):
        yield (None, _State(*row)) if side else (_State(*row), None)


def _differences(
    parties: Sequence[str], ours: _State | None, theirs: _State | None
) -> Iterator[dict[str, Any]]:
    """Yield a difference for each thing that two logs say differently of one event."""
    both = [*zip(parties, (ours, theirs), (theirs, ours), strict=True)]
    at = {party: _shown(state) for party, state, _ in both if state}
    one_counts = sum(state is not None and state.status == Status.COUNTS for state in both[0][1:])

    def difference(kind: str, party: str | None, open_: bool) -> dict[str, Any]:
        return {"kind": kind, "party": party, "in_dispute": open_, "at": at}

    if ours and theirs and ours.id != theirs.id:
        yield difference(RENAMED, None, False)
    for party, state, other in both:
        if state is None:
            if one_counts == 1:
                yield difference(MISSING, party, True)
            continue
        if state.times > max(1, other.times if other else 0):
            yield difference(TWICE, party, False)
        if other and other.status == state.status:
            continue
        if kind := _KINDS.get(Status(state.status)):
            yield difference(kind, party, one_counts == 1)
        elif state.status == Status.OTHER and one_counts == 1:
            yield difference(DISPUTED, party, True)


def _shown(state: _State) -> dict[str, Any]:
    lines = sorted(map(int, state.lines.split(",")))
    return {"id": state.id, "lines": lines[:_MOST_LINES]}


def _place(difference: dict[str, Any]) -> tuple[str, str]:
    """Return a difference's place, which is the same whichever log comes first."""
    return min(one["id"] for one in difference["at"].values()), difference["kind"]
