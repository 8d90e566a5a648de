"""Logs of events, read line by line from JSON lines or CSV; every error names file and line."""

import csv
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from shapley_coop.extensions.reconcile.contract import OutcomeContract, seconds, text_of, time_of
from shapley_coop.files import no_number, unique_keys

Read = TypeVar("Read", str, int)

MOST_LINE_BYTES = 1_000_000
_CHUNK = 1000
_MICRO = 1_000_000
_read_json = json.JSONDecoder(
    object_pairs_hook=unique_keys, parse_constant=no_number, parse_float=str
).decode


COUNTS, REVERSED, LATE, OUTSIDE, OTHER, REVERSAL = range(6)
"""What a line says of an event; of several lines about one event, the lowest decides.

The fields of an `OTHER` line have other values; a `REVERSAL` takes back the event with its id.
"""


class Event(NamedTuple):
    """A line about an event; `key` is equal for lines about the same event under another id."""

    id: str
    line: int
    status: int
    time: int
    key: str | None


class Log:
    """A log, which is read once.

    Attributes:
        path: the file; CSV if its name ends in .csv, else JSON lines.
        lines: the number of lines read, without a header and empty lines.
        hash: the SHA-256 of the bytes read.
    """

    def __init__(self, path: Path, contract: OutcomeContract, advance: Callable[[], None]) -> None:
        self.path, self.lines, self.hash = path, 0, hashlib.sha256()
        self._line, self._advance, self._contract = 0, advance, contract
        self._counts = [(name, {*values}) for name, values in contract.counts.items()]
        where = contract.reversal.where if contract.reversal else {}
        self._reverses = [(name, {*values}) for name, values in where.items()]
        self._from, self._to = time_of(contract.window.start), time_of(contract.window.end)
        self._final = seconds(contract.final) * _MICRO if contract.final else None

    def read(self) -> Iterator[Event]:
        """Yield the lines of the log.

        Raises:
            ValueError: the file cannot be read, or a line is wrong; one line says where and why.
        """
        is_csv = self.path.suffix.lower() == ".csv"
        try:
            for record in self._rows() if is_csv else self._objects():
                self.lines += 1
                yield self._read(record)
        except OSError as error:
            raise ValueError(f"{self.path}: cannot be read as a log: {error.strerror}") from None
        except (ValueError, csv.Error, RecursionError) as error:
            why = "it is not UTF-8" if isinstance(error, UnicodeError) else str(error)
            line = f"line {self._line}: " if self._line else ""
            raise ValueError(f"{self.path}: {line}{why}") from None

    def _text(self) -> Iterator[str]:
        """Yield the lines of the file as text, and hash them."""
        with self.path.open("rb") as file:
            while raw := file.readline(MOST_LINE_BYTES + 1):
                self._line += 1
                if len(raw) > MOST_LINE_BYTES:
                    raise ValueError(f"it has more than {MOST_LINE_BYTES} bytes")
                self.hash.update(raw)
                if self._line % _CHUNK == 0:
                    self._advance()
                yield raw.decode("utf-8-sig" if self._line == 1 else "utf-8")

    def _objects(self) -> Iterator[Mapping[str, Any]]:
        for text in self._text():
            if not text.strip():
                continue
            try:
                found = _read_json(text)
            except json.JSONDecodeError as error:
                raise ValueError(f"it is no JSON: {error.msg}, column {error.colno}") from None
            if not isinstance(found, dict):
                raise ValueError('it is no JSON object: give {"id": …, "time": …}')
            yield found

    def _rows(self) -> Iterator[Mapping[str, Any]]:
        rows = csv.reader(self._text(), strict=True)
        header = next(filter(None, rows), [])
        if not header:
            columns = ", ".join(dict.fromkeys(self._contract.columns()))
            raise ValueError(f"it is empty: give a header with {columns}")
        for column, times in Counter(header).items():
            if times > 1:
                raise ValueError(f"the column {column!r} occurs twice in the header: rename one")
        for column in self._contract.columns():
            if column not in header:
                raise ValueError(f"the header has no column {column!r}, which the contract names")
        for row in filter(None, rows):
            if len(row) != len(header):
                raise ValueError(f"it has {len(row)} cells, but the header has {len(header)}")
            yield dict(zip(header, row, strict=True))

    def _read(self, record: Mapping[str, Any]) -> Event:
        time = _field(record, "time", time_of)
        if self._reverses and all(
            name in record and _field(record, name, text_of) in values
            for name, values in self._reverses
        ):
            return Event(_field(record, "of", text_of), self._line, REVERSAL, time, None)
        own = _field(record, "id", text_of)
        if not own:
            raise ValueError("id: it is empty: give the id of an event")
        for name, values in self._counts:
            if _field(record, name, text_of) not in values:
                return Event(own, self._line, OTHER, time, None)
        return Event(own, self._line, self._status(record, time), time, self._key(record, time))

    def _status(self, record: Mapping[str, Any], time: int) -> int:
        if not self._from <= time < self._to:
            return OUTSIDE
        if self._final is None or _field(record, "recorded", time_of) <= time + self._final:
            return COUNTS
        return LATE

    def _key(self, record: Mapping[str, Any], time: int) -> str | None:
        """Return the values of the fields in `same` as one text; their lengths keep them apart."""
        if not (same := self._contract.same):
            return None
        found = [str(time) if one == "time" else _field(record, one, text_of) for one in same]
        return "".join([f"{len(text)}:{text}" for text in found])


def _field(record: Mapping[str, Any], name: str, read: Callable[[Any], Read]) -> Read:
    """Return what a line's field says; the error names the field."""
    try:
        return read(record[name])
    except KeyError:
        raise ValueError(f"it has no {name!r}, which the contract names") from None
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
