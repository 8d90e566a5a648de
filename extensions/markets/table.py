"""The table of a call market: the common keys, and the prices."""

from typing import cast

from typing_extensions import TypedDict

from shapley_coop.state.table import Table


class Price(TypedDict):
    """The price of a good in a call market, and how much of it trades."""

    price: str  # of a unit, exact, in the game's unit
    volume: int  # units that change hands


class MarketTable(Table, total=False):
    """The table of a call market."""

    prices: dict[str, Price]
    """Good → its price, of the goods that trade. Written by `open` and `clear`."""


def prices_of(table: Table) -> dict[str, Price]:
    """Return good → its price, of the goods that trade."""
    return cast(MarketTable, table).get("prices", {})
