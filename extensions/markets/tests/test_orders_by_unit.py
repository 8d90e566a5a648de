"""Orders as models of a server of one's own send them: a price for each unit that can trade."""

from typing import Any

from jsonschema import Draft202012Validator

from extensions.markets.tests.calling import ended, order, sound
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import scan
from shapley_coop.extensions.markets.clearing import SELL
from shapley_coop.extensions.markets.orders import beyond, orders_in, read_orders
from shapley_coop.seats.answers import tag_fields
from shapley_coop.seats.bounds import schema_for
from shapley_coop.seats.returned import fields_of
from shapley_coop.seats.schema import in_fields
from shapley_coop.seats.seat import Seat
from tests.scripted import Script

OWN = Seat(model="openai:small", base_url="http://127.0.0.1:8080/v1")
PROVIDER = Seat(model="openai:large")
HOLDS = {"Ann": {"wood": 2, "wool": 1}, "Ben": {"wood": 3, "wool": 0}}
FACTS: dict[str, Any] = {
    "ask": "order",
    "you": "Ann",
    "agents": ["Ann", "Ben"],
    "goods": ["wood", "wool"],
    "pool": False,
    "position": {"turn": 1, "holds": HOLDS},
}
SAID = {"thoughts": "", "notes": None}
SCHEDULE = {"sell": {"wood": [8, "9.5"], "wool": []}, "buy": {"wood": [5, 5, 4]}}


def fits(facts: dict[str, Any], **said: Any) -> bool:
    form = schema_for(OWN, facts, carries=False)
    return Draft202012Validator(form or {}).is_valid({**SAID, **said})


def test_no_list_of_prices_has_more_units_than_can_trade() -> None:
    assert fits(FACTS, **SCHEDULE)
    assert not fits(FACTS, sell={"wood": [8, 9, 10], "wool": []}, buy=SCHEDULE["buy"])
    assert not fits(FACTS, sell=SCHEDULE["sell"], buy={"wood": [5] * 4})
    assert not fits(FACTS, sell=SCHEDULE["sell"], buy={"wood": [5], "wool": [1]}), "all are hers"
    most = orders_in(
        tag_fields("order", {"sell": {"wood": [8, 9], "wool": [1]}}), "Ann", ["wood", "wool"]
    )
    assert sum(one.quantity for _, one in most if one.side == SELL) == 3
    assert beyond(most, HOLDS["Ann"], None) is None


def test_many_units_and_providers_are_asked_for_orders_with_quantities() -> None:
    many = {"Ann": {"wood": 2, "wool": 1}, "Ben": {"wood": 3_000, "wool": 0}}
    for seat, holds in ((OWN, many), (PROVIDER, HOLDS)):
        facts = {**FACTS, "position": {"turn": 1, "holds": holds}}
        form = schema_for(seat, facts, carries=False)
        assert form
        assert "orders" in form["properties"]
        assert not {"sell", "buy"} & form["properties"].keys()


def test_the_letter_says_what_the_lists_hold_and_a_refusal_shows_them_again() -> None:
    form = schema_for(OWN, FACTS, carries=False)
    assert form
    told = in_fields("order", form["properties"], called=False)
    assert "`sell` is the least price of each unit that you sell, good by good" in told
    assert "`orders`" not in told
    assert fields_of("order", tag_fields("order", SCHEDULE)) == SCHEDULE


def test_equal_prices_in_a_row_are_one_order() -> None:
    sent = scan(tag_fields("order", SCHEDULE)).proposal
    found = read_orders(sent, "Ann", ["wood", "wool"])
    assert not isinstance(found, Fault)
    rows = [(good, one.side, one.quantity, float(one.limit)) for good, one in found]
    assert rows == [
        ("wood", "sell", 1, 8),
        ("wood", "sell", 1, 9.5),
        ("wood", "buy", 2, 5),
        ("wood", "buy", 1, 4),
    ]
    assert read_orders({"sell": {"wood": []}, "buy": {}}, "Ann", ["wood"]) == []
    assert isinstance(read_orders({"sell": {"wood": 2}}, "Ann", ["wood"]), Fault)
    assert isinstance(read_orders({"sell": {}, "limit": 2}, "Ann", ["wood"]), Fault)
    both = tag_fields("order", {**SCHEDULE, "orders": [order("buy", "wood", 1, 2)]})
    assert isinstance(read_orders(scan(both).proposal, "Ann", ["wood", "wool"]), Fault)


async def test_a_schedule_trades_as_its_orders_would(script: Script) -> None:
    script["Ann", "order"] = tag_fields("order", {"sell": {"wood": [4, 4, 9]}})
    script["Ben", "order"] = tag_fields("order", {"buy": {"wood": [8, 8]}})
    script["Cem", "order"] = tag_fields("order", {"sell": {"wool": []}, "buy": {"wood": []}})
    outcome, table = await ended()
    assert table["prices"] == {"wood": {"price": "6", "volume": 2}}
    await sound(outcome)
