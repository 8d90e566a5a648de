"""A call market: orders stay sealed, one price clears each good, and what trades is executed."""

import json
import tracemalloc
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from extensions.markets.tests.calling import AGENTS, ended, order, passed, send, sound, two_trade
from shapley_coop.amounts import exact
from shapley_coop.deals.contract import in_force
from shapley_coop.deals.language.clauses import Give, Pay
from shapley_coop.extensions.markets.clearing import BUY, SELL, Order, clear
from shapley_coop.extensions.markets.verifying import wrongly_cleared
from shapley_coop.state.settings import game_of
from shapley_coop.state.table import Table
from tests.exported import wrong_in_export
from tests.proofs.proof_kills import comes_to_the_same
from tests.scripted import Script

# What comes of it


async def test_trades_are_executed_and_paid_at_one_price(script: Script) -> None:
    two_trade(script)
    outcome, table = await ended()
    assert table["prices"] == {"wood": {"price": "6", "volume": 2}}
    give, pay = in_force(table["contract"]).values()
    assert give == Give(giver="Ann", receiver="Ben", good="wood", quantity=2)
    assert pay == Pay(payer="Ben", payee="Ann", amount=Fraction(12))
    assert table["position"]["holds"]["Ben"]["wood"] == 2
    assert wrong_in_export(table, "call_market") == []
    (paid,) = outcome["transfers"]
    assert (paid["payer"], paid["payee"], paid["amount"]) == ("Ben", "Ann", 12)
    assert sum(outcome["payoffs"].values()) == pytest.approx(sum(outcome["rewards"].values()))
    await sound(outcome)


async def test_orders_alone_in_a_block_of_json_need_no_tag(script: Script) -> None:
    two_trade(script)
    orders = json.dumps({"orders": [order("sell", "wood", 2, 5)]})
    script["Ann", "order"] = f"Wood is worth less to me.\n```json\n{orders}\n```"
    script["Cem", "order"] = [f"I will not send these:\n```json\n{orders}\n```", "<REJECT>"]
    outcome, _ = await ended()
    assert outcome["usage"]["calls"]
    assert len(script.shown_to("Ann", "order")) == 1
    assert len(script.shown_to("Cem", "order")) == 2


async def test_orders_stay_sealed(script: Script) -> None:
    """A limit is in its author's letters and in the operator's journal, and nowhere else."""
    two_trade(script)
    script["Ann", "order"] = send(order("sell", "wood", 2, 4.0625))
    outcome, table = await ended()
    assert "4.0625" not in json.dumps(table) + json.dumps(outcome)
    for agent in ("Ben", "Cem"):
        assert not any("4.0625" in letter for letter in script.shown_to(agent))


async def test_letters_of_the_play_tell_each_goods_price_and_what_traded_nothing(
    script: Script,
) -> None:
    two_trade(script)
    await ended()
    letter = script.shown_to("Cem", "act")[0]
    assert "- wood: 2 traded, at 6 each\n- stone: none traded\n" in letter
    assert "to sell above it, traded nothing." in letter


async def test_where_no_limits_cross_nothing_binds(script: Script) -> None:
    for agent in AGENTS:
        script[agent, "order"] = "<REJECT>"
    outcome, table = await ended()
    assert (table["contract"], table["prices"], outcome["status"]) == (None, {}, "no_deal")
    assert passed(table) == [(agent, "") for agent in AGENTS]
    await sound(outcome)


async def test_whoever_sends_nothing_that_can_be_read_is_no_party(script: Script) -> None:
    two_trade(script)
    script["Cem", "order"] = "What is it all for?"
    outcome, table = await ended()
    assert sorted(table["contract"]["signatures"]) == ["Ann", "Ben", "summariser"]
    assert passed(table) == [("Cem", "MPT")]
    await sound(outcome)


async def test_orders_that_were_refused_to_the_last_are_cleared_by_nobody(script: Script) -> None:
    two_trade(script)
    script["Cem", "order"] = send(order("sell", "wool", 9, 1), order("buy", "stone", 1, 9))
    script["Ben", "order"] = send(order("buy", "wood", 2, 8), order("sell", "stone", 1, 1))
    outcome, table = await ended()
    assert passed(table) == [("Cem", "ABLE")]
    assert set(table["prices"]) == {"wood"}
    assert wrongly_cleared(table) == []
    await sound(outcome)


async def test_what_was_sold_is_handed_over_by_the_program_as_letters_say(script: Script) -> None:
    two_trade(script)
    await ended()
    letter = script.shown_to("Ann", "act")[0]
    assert "c1. Ann gives Ben 2 wood" in letter
    assert "The program hands these goods over" in letter
    assert "You play once, everybody at the same time." in script.shown_to("Ann", "order")[0]


@pytest.mark.parametrize(
    ("ask", "bid", "price"),
    [(1, 1e9, "1"), (1, 10**8, "100000001/2"), ("1/999999937", "1/999999929", "1/999999937")],
    ids=["dearer than a deal can say", "dear", "finer than an amount can be"],
)
async def test_no_order_breaks_the_market_off(
    ask: Any, bid: Any, price: str, script: Script
) -> None:
    script["Ann", "order"] = send(order("sell", "wood", 4, ask))
    script["Ben", "order"] = [send(order("buy", "wood", 4, bid)), send(order("buy", "wood", 4, 1))]
    script["Cem", "order"] = "<REJECT>"
    outcome, table = await ended()
    assert exact(table["prices"]["wood"]["price"]) == exact(price)
    paid = sum(transfer["amount"] for transfer in outcome["transfers"])
    assert paid == pytest.approx(float(4 * exact(price)), abs=1e-6)
    await sound(outcome)


def test_whoever_orders_what_there_is_not_costs_no_memory() -> None:
    """Two million units are ordered, and two can trade."""
    tracemalloc.start()
    bids = [Order("Ann", BUY, 9_999, Fraction(9)) for _ in range(200)]
    assert clear([*bids, Order("Ben", SELL, 2, Fraction(1))]).bought == {"Ann": 2}
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10**6


async def test_a_forged_price_or_trade_is_found(script: Script) -> None:
    two_trade(script)
    _, table = await ended()
    assert wrongly_cleared(table) == []
    forged: Table = {**table, "prices": {"wood": {"price": "5", "volume": 2}}}
    assert wrongly_cleared(forged) == ["wood.price is '5', and should be '6'"]
    assert wrongly_cleared({**table, "contract": None})[0] == "the trades"


@pytest.mark.parametrize("seed", range(3))
async def test_embedded_agents_reach_the_best_welfare_and_nobody_ends_below_its_own(
    seed: int,
) -> None:
    outcome, table = await ended(seed=seed)
    points = game_of(table["settings"]).analysis.reference_points
    alone = points.disagreement or {}
    assert sum(outcome["rewards"].values()) == pytest.approx(points.best)
    told = f"is worth {points.best:g} to them together, of {points.best:g} in the best allocation"
    assert told in outcome["happened"]["words"][-1]
    assert all(outcome["payoffs"][agent] >= alone[agent] for agent in AGENTS)
    assert sum(alone.values()) < exact(points.best or 0)
    await sound(outcome)


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({"mode": "issues", "agents": ["Alice", "Bob"]}, "trades what agents own"),
        ({"mode": "ultimatum", "agents": ["Alice", "Bob"]}, "trades what agents own"),
    ],
)
async def test_what_prices_cannot_clear_is_refused(params: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        await ended(params=params)


@pytest.mark.slow
def test_killed_at_every_write_it_comes_to_the_same_and_is_paid_once(tmp_path: Path) -> None:
    comes_to_the_same(
        tmp_path, "trade", "--graph", "call_market", "--set", "agents=[Ann, Ben, Cem]"
    )
