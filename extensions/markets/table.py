"""The state of a call market's run: the keys of every run's table, and the prices."""

from typing import cast

from typing_extensions import TypedDict

from shapley_coop.state.table import Table


class Price(TypedDict):
    """The price and the traded volume of a good in a call market."""

    price: str  # the exact price of a unit, in the game's unit
    volume: int  # number of units that trade


class MarketTable(Table, total=False):
    """The table of a call market."""

    prices: dict[str, Price]
    """Good → price and volume, for the goods that trade. Written by `open` and `clear`."""


def prices_of(table: Table) -> dict[str, Price]:
    """Return good → price and volume, for the goods that trade."""
    return cast(MarketTable, table).get("prices", {})
