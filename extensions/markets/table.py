"""The table of a call market: the common keys, and the prices."""

from typing import cast

from typing_extensions import TypedDict

from shapley_coop.state.table import Table


class Price(TypedDict):
    """What one good trades at in a call market."""

    price: str  # of a unit, exact, in the game's unit
    volume: int  # units that change hands


class MarketTable(Table, total=False):
    """The table of a call market."""

    prices: dict[str, Price]
    """Good → what it trades at, of those that trade. Written by `open` and `clear`."""


def prices_of(table: Table) -> dict[str, Price]:
    """Good → what it trades at."""
    return cast(MarketTable, table).get("prices", {})
