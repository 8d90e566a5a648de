"""The template variables of a letter about a bounty's split, such as the reader's amount."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from shapley_coop.prompts.computed import amount
from shapley_coop.prompts.render import compact_json
from shapley_coop.prompts.words import plain, table

Facts = Mapping[str, Any]


def bounty(view: Facts) -> dict[str, Any]:
    """Return template variables on the offer; a counter-offer is shown beside the counted split.

    Args:
        view: the letter's facts, with `divides`, the offer and its payoffs.
    """
    divides, offer, me = view["divides"], view["offer"], view["you"]
    unit, counted, payoffs = divides["currency"], view["as_signed"], offer["payoffs"]
    heads = ["who", "made", f"would get {f'({plain(unit)})' if unit else ''}".strip()]
    rows = [[who, made, amount(payoffs[who])] for who, made in divides["made"].items()]
    if not divides["counted"]:
        heads.insert(2, "counted")
        rows = [[who, made, amount(counted[who]), paid] for who, made, paid in rows]
    return {
        "bounty_sum": _money(divides["bounty"], unit),
        "bounty_counted": divides["counted"],
        "bounty_table": table(heads, rows),
        "bounty_mine": _money(payoffs[me], unit),
        "bounty_change": _change(Fraction(offer["change"][me]), unit),
        "bounty_order": ", ".join(map(plain, view.get("answer_order", []))),
        "bounty_example": _example(view),
    }


def _money(sum_: Any, unit: str) -> str:
    return f"{amount(sum_)} {plain(unit)}".strip()


def _change(by: Fraction, unit: str) -> str:
    """Return how much the offer changes the reader's amount, as in "2.00 EUR more than"."""
    return f"{_money(abs(by), unit)} {'more' if by > 0 else 'less'} than" if by else "as"


def _example(view: Facts) -> str:
    """Return an example counter-offer in which the best-paid other agent pays the reader N."""
    me, counted = view["you"], view["as_signed"]
    payer = max((who for who in counted if who != me), key=lambda who: Fraction(counted[who]))
    pay = {"kind": "pay", "payer": payer, "payee": me, "amount": "N"}
    return compact_json({"clauses": [pay]}).replace('"N"', "N")
