"""Outcome contracts: the events that count, the price of an event, and the limits of the total."""

import re
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from shapley_coop.amounts import Exact
from shapley_coop.currencies import decimals_of
from shapley_coop.invalid import first_error

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_TIME = "give a time in ISO 8601 with its zone, such as 2026-11-01T00:00:00Z"


def time_of(value: Any) -> int:
    """Return a time as microseconds since 1970.

    Raises:
        ValueError: the value is not a time in ISO 8601, or has no zone.
    """
    try:
        found = value if isinstance(value, datetime) else datetime.fromisoformat(value)
        if found.tzinfo:
            return (found - _EPOCH) // _MICROSECOND
    except (TypeError, ValueError):
        raise ValueError(f"{str(value)[:40]!r} is no time: {_TIME}") from None
    raise ValueError(f"{str(value)[:40]!r} has no zone of time: {_TIME}")


def seconds(duration: str) -> int:
    """Return the length of a duration such as 72h, in seconds."""
    return int(duration[:-1]) * _UNITS[duration[-1]]


def text_of(value: Any) -> str:
    """Return a field's value as it is compared: 17 is "17", true is "true", null is "".

    Raises:
        ValueError: the value is not a text, whole number, true, false or null.
    """
    if type(value) is str:
        if not value.isascii():
            value.encode()  # refuses half a character (a lone surrogate), which JSON can escape
        return value
    if not isinstance(value, int | None):
        raise ValueError("give text, a whole number, true or false")
    return "" if value is None else str(value).lower()


def _in_utc(value: Any) -> str:
    """Return a time as text in UTC, so that one moment has one text in the signed contract."""
    try:
        found = _EPOCH + time_of(value) * _MICROSECOND
    except OverflowError:
        raise ValueError(f"{str(value)[:40]!r} is too far away: {_TIME}") from None
    return found.isoformat().replace("+00:00", "Z")


def _duration(value: Any) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"\d{1,6}[smhd]", value, re.ASCII):
        raise ValueError("give a whole number of s, m, h or d, such as 72h or 3d")
    return value


def _values(value: Any) -> list[str]:
    listed = value if isinstance(value, list) and value else [value]
    return sorted({text_of(one) for one in listed})


Name = Annotated[str, Field(min_length=1, max_length=100)]
Party = Annotated[str, Field(pattern=r"^[^=\x00-\x1f]{1,100}$")]
Time = Annotated[str, BeforeValidator(_in_utc)]
Duration = Annotated[str, BeforeValidator(_duration)]
Where = Annotated[dict[Name, Annotated[list[str], BeforeValidator(_values)]], Field(min_length=1)]
"""Field → the values that it may have; one value stands for a list of one."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Window(_Part):
    """The times whose events count."""

    start: Time = Field(alias="from")
    end: Time = Field(alias="to")  # the first moment that no longer counts


class Reversal(_Part):
    """The lines that take events back."""

    where: Where
    within: Duration  # how long after an event a reversal takes it back


class MakeGood(_Part):
    """What the first party gives back if too few events count."""

    guaranteed: int = Field(ge=0, le=10**9)  # the number of events that is promised
    amount: Exact = Field(ge=0)  # for each event fewer


class OutcomeContract(_Part):
    """What is paid for each event that counts."""

    parties: tuple[Party, Party]  # the party that is paid, then the one that pays
    currency: str = Field(min_length=3)
    price: Exact = Field(gt=0)  # for each event
    counts: Where
    window: Window
    final: Duration | None = None  # how long after an event a log may still record it
    reversal: Reversal | None = None
    same: list[Name] = []  # fields that one event has in both logs, even under different ids
    tolerance: Exact = Field(default=Fraction(0), ge=0, le=1)  # part of the events
    cap: Exact | None = Field(default=None, ge=0)  # the most that the events cost
    make_good: MakeGood | None = None

    @model_validator(mode="after")
    def _consistent(self) -> "OutcomeContract":
        decimals_of(self.currency)
        if self.parties[0] == self.parties[1]:
            raise ValueError("parties: give two different names")
        if time_of(self.window.start) >= time_of(self.window.end):
            raise ValueError("window: from has to be before to")
        if self.final and self.reversal and seconds(self.reversal.within) > seconds(self.final):
            raise ValueError(f"reversal: within is longer than {self.final}, when events are final")
        return self

    def content(self) -> dict[str, Any]:
        """Return the contract as JSON-compatible data, the same for each way to write it."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    def columns(self) -> list[str]:
        """Return the fields that a log needs."""
        late = ["recorded"] if self.final else []
        back = ["of", *self.reversal.where] if self.reversal else []
        return ["id", "time", *self.counts, *self.same, *late, *back]

    def price_of(self, events: int) -> Fraction:
        """Return the price of events, at most the cap."""
        return self.price * events if self.cap is None else min(self.price * events, self.cap)

    def owed(self, events: int) -> Fraction:
        """Return what the first party gets for events; below 0, it gives back more than it gets."""
        if self.make_good is None:
            return self.price_of(events)
        fewer = max(0, self.make_good.guaranteed - events)
        return self.price_of(events) - self.make_good.amount * fewer


def contract_in(content: Any, source: str) -> OutcomeContract:
    """Return the contract in JSON-compatible data.

    Raises:
        ValueError: the data is not an outcome contract; the line names `source`.
    """
    try:
        return OutcomeContract.model_validate(content)
    except ValidationError as error:
        raise ValueError(f"{source}: {first_error(error, OutcomeContract)}") from None
