"""The question that asks all agents for orders to a call market, sealed until all have answered."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, Literal, cast

from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import Message, untagged_object
from shapley_coop.extensions.markets.clearing import BUY, SELL
from shapley_coop.extensions.markets.ordering import orders, tradable
from shapley_coop.extensions.markets.orders import (
    SHAPE,
    Placed,
    beyond,
    in_words,
    orders_hash,
    orders_in,
    read_orders,
)
from shapley_coop.seats.answer import Answer, Facts, Fields
from shapley_coop.seats.clause_fields import Part
from shapley_coop.seats.elements import How, Within, proposal_of
from shapley_coop.state.additions import limits_of
from shapley_coop.state.consent import reservation
from shapley_coop.state.judging import reader
from shapley_coop.state.publishing import seal_actions
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.topics import PLAN
from shapley_coop.state.turn import Form, Question, TurnContext
from shapley_coop.state.view import stand
from shapley_coop.state.who import all_agents


class OneOrder(Part):
    """Up to so many units, at this price for each or a better one."""

    side: Literal["buy", "sell"]
    good: str
    quantity: int
    price: float | str


class Orders(Answer):
    """Your orders to the call market; null, or empty lists, for none."""

    orders: Annotated[list[OneOrder] | None, Within("the orders of `<PROPOSAL>`")]

    @classmethod
    def written(cls) -> dict[str, How]:
        """Return the rules of all fields, with those of orders by the unit (`bounded`)."""
        return {**super().written(), **_BY_UNIT}

    @classmethod
    def known(cls) -> frozenset[str]:
        """Return the keys that `decided` writes."""
        return super().known() | _BY_UNIT.keys()

    @classmethod
    def decided(cls, fields: Fields) -> str:
        """Return the orders as a tagged message; `<REJECT>` for none."""
        # Keep both forms if both are given, so that the reader refuses one.
        said = {key: fields[key] for key in ("orders", *_BY_UNIT) if fields.get(key)}
        return proposal_of(said) if said else "<REJECT>"

    @classmethod
    def bounded(cls, schema: dict[str, Any], facts: Facts) -> dict[str, Any]:
        """Ask for the price of each unit that the agent can sell or buy, if they are few.

        A list of prices cannot offer more units than there are; orders with quantities can, and a
        schema does not add up.
        """
        most = tradable(facts)
        if not most or any(
            count > MOST_LISTED for goods in most.values() for count in goods.values()
        ):
            return schema
        price = schema["$defs"].pop("OneOrder")["properties"]["price"]
        by_unit = {side: _prices(price, goods) for side, goods in most.items()}
        fields: dict[str, Any] = {}
        for name, field in schema["properties"].items():
            fields |= by_unit if name == "orders" else {name: field}
        return {**schema, "properties": fields, "required": list(fields)}


_BY_UNIT: dict[str, How] = {
    SELL: Within("the least price of each unit that you sell, good by good"),
    BUY: Within("the highest price for each unit that you buy, good by good"),
}
MOST_LISTED = 32
"""The most units of a good of which an answer lists the prices one by one."""


def _prices(price: dict[str, Any], goods: Mapping[str, int]) -> dict[str, Any]:
    """Return the schema of an object good → the prices of at most so many units."""
    listed = {
        good: {"type": "array", "items": price, "maxItems": most} for good, most in goods.items()
    }
    return {
        "type": "object",
        "properties": listed,
        "required": list(listed),
        "additionalProperties": False,
    }


@reader
def read(turn: TurnContext, agent: str, message: Message) -> Orders | Fault:
    """Return the orders in an answer (None if it is `<REJECT>`), or the answer's fault."""
    if message.accept is not None or message.action is not None:
        return Fault("VOID", "There is nothing to accept or to do yet: send orders, or <REJECT>.")
    sent = message.proposal
    if sent is None:
        if message.reject is not None:
            return Orders.of(orders=None)
        sent = untagged_object(message, "orders")
    if sent is None:
        return Fault("MPT", f"Put your orders into one <PROPOSAL>…</PROPOSAL>: {SHAPE}")
    found = read_orders(sent, agent, turn.evaluated.game.goods)
    return found if isinstance(found, Fault) else Orders.of(orders=found)


def check(turn: TurnContext, agent: str, said: Orders) -> AgentOutput | Fault:
    """Accept orders that the agent could carry out in full, or return a fault.

    Orders are sealed like actions: the table has only pointers to them.
    """
    sealed: AgentOutput = {"act": "act", "text": ""}
    if said.orders is None:
        return sealed
    placed = cast(list[Placed], said.orders)  # `read` returned orders of this type
    holds = turn.evaluated.game.holdings(turn.table["position"])[agent]
    fault = beyond(placed, holds, _purse(turn, agent))
    return fault or _not_allowed(turn, agent) or sealed


def _purse(turn: TurnContext, agent: str) -> Fraction | None:
    """Return the most that an agent can pay: the smaller of its purse and its mandate's limit."""
    allowed = limits_of(turn.evaluated.config, agent).most_pay
    known = [x for x in (turn.evaluated.game.purse(agent), allowed) if x is not None]
    return min(known, default=None)


def _not_allowed(turn: TurnContext, agent: str) -> Fault | None:
    """Return a fault if the agent has a reservation value, which orders cannot guarantee."""
    if reservation(turn, agent) is not None:
        return Fault(
            "RESERVE",
            "The least that you are to end with cannot be promised by orders: send none, <REJECT>.",
        )
    return None


def _choices(turn: TurnContext, agent: str) -> dict[str, Any]:
    """Return the goods and the agent's holdings, for a person's form."""
    game = turn.evaluated.game
    holds = game.holdings(turn.table["position"])[agent]
    return {"market": {"goods": list(game.goods), "holds": holds}}


def _preview(turn: TurnContext, agent: str, text: str) -> dict[str, Any]:
    return {"words": in_words(orders_in(text, agent, turn.evaluated.game.goods))}


def _binds(turn: TurnContext, agent: str, text: str) -> str | None:
    placed = orders_in(text, agent, turn.evaluated.game.goods)
    return orders_hash(placed) if placed else None


QUESTION = Question(
    name="order",
    title="send in your orders",
    topic=PLAN,
    who=all_agents,
    answer=Orders,
    read=read,
    check=check,
    publish=seal_actions,
    program=lambda me: orders(me.facts),
    shows=(stand,),
    form=Form(_choices, _preview),
    sealed=_binds,
    course=lambda config: {},
)
