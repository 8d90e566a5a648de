"""Answers in a market as models write them: each way of writing one has its verdict."""

from pathlib import Path

import pytest

from extensions.markets.tests.market_answers import GIFTS, ORDERS
from shapley_coop.amounts import plain
from shapley_coop.deals.language.acceptance import in_a_word
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import scan
from shapley_coop.extensions.markets.orders import read_orders
from shapley_coop.seats.records import Answer
from shapley_coop.state.judging import take
from shapley_coop.state.run_config import RunConfig
from tests.deals.language.sloppy_answers import Written
from tests.deals.language.test_answers import as_written_in_the_table, on_a_page, turn, verdict

WHOLE = Path(__file__).parent / "snapshots" / "answers.md"
MARKET = RunConfig(game="trade", params={"protect": False})


def of_a_gift(one: Written) -> tuple[str, str]:
    return verdict(one, MARKET)


def of_orders(one: Written) -> tuple[str, str]:
    """The orders, which the table is not told yet, or the label and the words of a refusal."""
    said = take(turn("order", MARKET), "Bob", Answer(one.text))
    if isinstance(said, Fault):
        return said.label, said.feedback
    orders = read_orders(in_a_word(scan(one.text)).proposal or [], "Bob", ["wood", "stone"])
    placed = (f"{o.side} {o.quantity} {good} at {plain(o.limit)}" for good, o in orders)
    return ", ".join(placed) or "none", ""


@pytest.mark.parametrize("one", GIFTS, ids=lambda one: one.what)
def test_each_way_of_writing_a_gift_has_its_verdict(one: Written) -> None:
    as_written_in_the_table(one, *of_a_gift(one))


@pytest.mark.parametrize("one", ORDERS, ids=lambda one: one.what)
def test_each_way_of_writing_orders_has_its_verdict(one: Written) -> None:
    as_written_in_the_table(one, *of_orders(one))


def test_the_page_shows_every_verdict_on_gifts_and_orders() -> None:
    on_a_page(WHOLE, "gifts", GIFTS, of_a_gift)
    on_a_page(WHOLE, "orders", ORDERS, of_orders)
