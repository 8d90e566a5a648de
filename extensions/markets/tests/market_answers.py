"""Gifts and orders in a market, as models write them; `snapshots/answers.md` has their verdicts."""

from typing import Any

from tests.deals.language.sloppy_answers import PAY, Written, clauses, proposal, sent

GIFT = {"kind": "give", "giver": "Alice", "receiver": "Bob", "good": "wood", "quantity": 2}
GIVES = "Alice gives Bob 2 wood, once."


def giving(**more: object) -> str:
    return proposal(clauses({**GIFT, **more}))


GIFTS = [
    Written("a gift", "propose", giving(), GIVES),
    Written("the good in capitals", "propose", giving(good="WOOD"), GIVES),
    Written("a number in words of digits", "propose", giving(quantity="2"), GIVES),
    Written(
        "from and to for giver and receiver",
        "propose",
        proposal(
            clauses({"kind": "give", "from": "Alice", "to": "Bob", "good": "wood", "quantity": 2})
        ),
        GIVES,
    ),
    Written(
        "if something is done",
        "propose",
        giving(when={"last": {"agent": "Bob", "action": "keep"}}),
        "Alice gives Bob 2 wood, once, if Bob does keep.",
    ),
    Written("2.0 of it, once", "propose", giving(quantity=2.0, per="once"), GIVES),
    Written(
        "item and amount for good and quantity",
        "propose",
        proposal(
            clauses({"kind": "give", "from": "Alice", "to": "Bob", "item": "wood", "amount": 2})
        ),
        GIVES,
    ),
    Written("at every turn", "propose", giving(per="turn"), "CLAUSE"),
    Written("more than it holds", "propose", giving(quantity=5), "ABLE"),
    Written("half of one", "propose", giving(quantity=1.5), "CLAUSE"),
    Written("a good that there is not", "propose", giving(good="gold"), "GIVE"),
    Written("to oneself", "propose", giving(receiver="Alice"), "GIVE"),
    Written("by what is earned", "propose", giving(when={"earned": "Bob", "at_least": 1}), "GIVE"),
]

ORDER = {"side": "buy", "good": "wood", "quantity": 2, "price": 3}
BUYS = "buy 2 wood at 3"


def ordering(**more: Any) -> str:
    return sent({"orders": [{**ORDER, **more}]})


ORDERS = [
    Written("a number in quotation marks", "order", ordering(quantity="2"), BUYS),
    Written("2.0 units", "order", ordering(quantity=2.0), BUYS),
    Written("2 units, in capitals", "order", ordering(side="BUY", quantity="2 units"), BUYS),
    Written("a price in dollars", "order", ordering(price="$3"), BUYS),
    Written("3 points", "order", ordering(price="3 points"), BUYS),
    Written("a reason", "order", ordering(reason="I have none"), BUYS),
    Written("one order alone", "order", sent(ORDER), BUYS),
    Written("the price of each unit", "order", sent({"buy": {"wood": [3, 3]}}), BUYS),
    Written("no price of any unit", "order", sent({"sell": {"wood": []}, "buy": {}}), "none"),
    Written("a number of units for prices", "order", sent({"buy": {"wood": 2}}), "JSON"),
    Written("an empty list", "order", sent({"orders": []}), "none"),
    Written("REJECT as a word", "order", "Nothing is cheap enough.\n\nREJECT", "none"),
    Written("a limit beside the price", "order", ordering(limit=4), "JSON"),
    Written("a sum for all orders", "order", sent({"orders": [ORDER], "spend": 5}), "JSON"),
    Written("a price in per cent", "order", ordering(price="50%"), "JSON"),
    Written("no units", "order", ordering(quantity=0), "JSON"),
    Written("orders in words", "order", "I buy 2 wood at 3.", "MPT"),
    Written("clauses in place of orders", "order", sent({"clauses": [PAY]}), "JSON"),
]
