"""The state of a call market's run: the keys of every run's table, and the prices."""

from collections.abc import Mapping
from typing import Any, cast

from typing_extensions import TypedDict

from shapley_coop.state.table import Table
from shapley_coop.state.turn import TurnContext


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


def cleared(turn: TurnContext, agent: str) -> dict[str, Any]:
    """Return the prices and volumes, for the letters of the play."""
    return {"prices": {good: prices_of(turn.table).get(good) for good in turn.evaluated.game.goods}}


def cleared_in_words(view: Mapping[str, Any]) -> dict[str, str]:
    """Return the variable that states each good's price, and which orders traded nothing."""
    told = [
        f"- {good}: " + ("{volume} traded, at {price} each".format(**one) if one else "none traded")
        for good, one in view["prices"].items()
    ]
    why = "Orders to buy below a good's price, or to sell above it, traded nothing."
    return {"brought": "\n".join(["The call market:", "", *told, "", why])}
