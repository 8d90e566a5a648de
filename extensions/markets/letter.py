"""The letter that asks for orders: its answer in fields, a person's form, what its author signs."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from shapley_coop.deals.signing.acceptance import Binding
from shapley_coop.extensions.markets.orders import in_words, orders_in
from shapley_coop.extensions.markets.signing import order_to_sign
from shapley_coop.sealed_letters import SealedLetter
from shapley_coop.seats.clause_fields import Part
from shapley_coop.state.signed_settings import signed_run
from shapley_coop.state.turn import TurnContext


class OneOrder(Part):
    """Up to so many units, at this price for each or a better one."""

    side: Literal["buy", "sell"]
    good: str
    quantity: int
    price: float | str


class Orders(Part):
    """Your orders to the call market; null for none."""

    thoughts: str = Field(description="Private reasoning; nobody else reads it.")
    orders: list[OneOrder] | None


def _proposal(fields: Mapping[str, Any]) -> Any:
    orders = fields.get("orders")
    return {"orders": orders} if orders else None


def _choices(turn: TurnContext, agent: str) -> Mapping[str, Any]:
    """What can be ordered, and how much of it the agent has."""
    game = turn.evaluated.game
    holds = game.holdings(turn.table["position"])[agent]
    return {"market": {"goods": list(game.goods), "holds": holds}}


def _in_words(turn: TurnContext, agent: str, text: str) -> list[str]:
    return in_words(orders_in(text, agent, turn.evaluated.game.goods))


def _to_sign(turn: TurnContext, agent: str, text: str) -> Binding | None:
    placed = orders_in(text, agent, turn.evaluated.game.goods)
    return order_to_sign(signed_run(turn.table), agent, placed) if placed else None


ORDER = SealedLetter(
    answer=Orders,
    elements={"orders": "the orders of `<PROPOSAL>`"},
    proposal=_proposal,
    written='{"orders": […]}',
    choices=_choices,
    in_words=_in_words,
    to_sign=_to_sign,
)
