"""A call market: orders stay sealed, one price clears each good, and what trades is executed."""

import json
import tracemalloc
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from shapley_coop.amounts import exact
from shapley_coop.deals import Fault, Give, Pay, in_force
from shapley_coop.deals.clearing import BUY, SELL, Order, clear
from shapley_coop.deals.orders import read_orders
from shapley_coop.deals.signing import (
    PrivateKey,
    as_bytes,
    element,
    sign_binding,
    sign_mandate,
)
from shapley_coop.evals.verifying import verify_run
from shapley_coop.evals.verifying_books import wrongly_cleared
from shapley_coop.graphs.call_market import BID
from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import table_of
from shapley_coop.seats.answers import tagged
from shapley_coop.serve.seats.form import form_of, message_of, preview
from shapley_coop.state import EvaluatedTable, Home, RunConfig, Table, game_of, home
from shapley_coop.state.signatures import order_to_sign
from shapley_coop.state.storage.keys import new_key
from shapley_coop.state.turn import TurnContext
from tests.proof_kills import at_every_write
from tests.scripted import Script
from tests.tampering import in_the_books
from tests.test_delegates import wrong_in_export
from tests.trials import Audit, Play, Trial
from tests.warm_coop import warm_coop

AGENTS = ["Ann", "Ben", "Cem"]
ROOM: dict[str, Any] = {"game": "trade", "params": {"agents": AGENTS}}


def order(side: str, good: str, quantity: int, price: float) -> dict[str, Any]:
    return {"side": side, "good": good, "quantity": quantity, "price": price}


def send(*orders: dict[str, Any]) -> str:
    return f"<PROPOSAL>{json.dumps({'orders': orders})}</PROPOSAL>"


async def ended(**room: Any) -> tuple[dict[str, Any], Table]:
    outcome = await play("call_market", RunConfig.model_validate({**ROOM, **room}))
    return outcome, await table_of(home().runs.get(outcome["run"]))


async def sound(outcome: dict[str, Any]) -> None:
    wrong = [check for check in await verify_run(outcome["run"]) if not check.sound]
    assert not wrong


def two_trade(script: Script) -> None:
    """Ann holds wood, Ben stone, Cem wool: Ben buys two wood of Ann; nobody else is served."""
    script["Ann", "order"] = send(order("sell", "wood", 2, 4))
    script["Ben", "order"] = send(order("buy", "wood", 2, 8))
    script["Cem", "order"] = "<REJECT>"


# What is sent in


def test_orders_are_read_strictly_and_all_faults_are_told_at_once() -> None:
    wrong = [order("lend", "wood", 1, 1), order("buy", "gold", 0, 1), {"side": "buy"}]
    found = read_orders({"orders": [*wrong, order("buy", "wood", 0, 1)]}, "Ann", ["wood"])
    assert isinstance(found, Fault)
    for said in (
        "order 1, `side`: it is 'lend'",
        "order 2, `good`: there is no 'gold': the goods are wood",
        "order 3, `price`: it is missing",
        "order 4, `quantity`: 0 is no number of units",
    ):
        assert said in found.feedback
    assert read_orders({"orders": []}, "Ann", ["wood"]) == []
    assert read_orders([order("Buy", "Wood", 1, 2)], "Ann", ["wood"]) == read_orders(
        {"orders": [order("buy", "wood", 1, "2")]},  # type: ignore[arg-type]
        "Ann",
        ["wood"],
    )


def test_nobody_can_trade_with_itself() -> None:
    both = [order("buy", "wood", 1, 5), order("sell", "wood", 1, 5)]
    found = read_orders(both, "Ann", ["wood"])
    assert isinstance(found, Fault)
    assert "buy wood at 5 and sell it at 5" in found.feedback
    assert not isinstance(
        read_orders([both[0], order("sell", "wood", 1, 6)], "Ann", ["wood"]), Fault
    )


async def test_what_could_not_be_carried_out_is_sent_back(script: Script) -> None:
    script["Ann", "order"] = [
        send(order("sell", "wood", 5, 1), order("sell", "wool", 1, 1)),
        "<REJECT>",
    ]
    await ended()
    told = script.shown_to("Ann", "order")[1]
    assert "You offer 5 wood and hold 4: offer fewer." in told
    assert "You offer 1 wool and hold 0: offer fewer." in told


async def test_nobody_orders_for_more_than_it_has_to_pay(script: Script) -> None:
    script["Bob", "order"] = [send(order("buy", "lamp", 1, 1000)), "<REJECT>"]
    await ended(params={"mode": "price", "agents": ["Alice", "Bob"]})
    assert (
        "All that you order could cost 1000, and you can pay" in script.shown_to("Bob", "order")[1]
    )


async def test_a_mandate_bounds_what_can_be_ordered(script: Script) -> None:
    mandate = sign_mandate(PrivateKey.new(), agent="Ben", max_pay=Fraction(10))
    script["Ben", "order"] = [send(order("buy", "wood", 2, 8)), "<REJECT>"]
    await ended(mandates={"Ben": as_bytes(mandate.envelope).decode()})
    assert "could cost 16, and you can pay 10" in script.shown_to("Ben", "order")[1]


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


async def test_orders_stay_sealed(script: Script) -> None:
    """A limit is in its author's letters and in the operator's journal, and nowhere else."""
    two_trade(script)
    script["Ann", "order"] = send(order("sell", "wood", 2, 4.0625))
    outcome, table = await ended()
    assert "4.0625" not in json.dumps(table) + json.dumps(outcome)
    for agent in ("Ben", "Cem"):
        assert not any("4.0625" in letter for letter in script.shown_to(agent))


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


def passed(table: Table) -> list[tuple[str, str]]:
    return [(s["by"], s.get("label", "")) for s in table["talk"] if s["act"] == "pass"]


async def test_whoever_orders_nothing_is_no_party_either(script: Script) -> None:
    two_trade(script)
    outcome, table = await ended()
    assert sorted(table["contract"]["signatures"]) == ["Ann", "Ben", "summariser"]
    assert passed(table) == [("Cem", "")]
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


async def test_orders_that_were_refused_to_the_last_trade_nothing_and_are_no_forgery(
    script: Script,
) -> None:
    two_trade(script)
    script["Cem", "order"] = send(order("sell", "wood", 100, 1))
    outcome, table = await ended()
    assert table["prices"] == {"wood": {"price": "6", "volume": 2}}
    await sound(outcome)
    script["Ben", "order"] = "<REJECT>"
    outcome, table = await ended()
    assert table["prices"] == {}
    await sound(outcome)


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


# Who signs what


def signs(key: PrivateKey, message: str) -> Any:
    """The same orders once more, with the signature that their refusal asked for."""

    def answer(facts: dict[str, Any]) -> str:
        told = facts["fault"]["feedback"]
        shown = json.loads(told[told.index("{") : told.index("}") + 1])
        return f"{message}{element(sign_binding(key, shown))}"

    return answer


async def test_a_party_elsewhere_signs_its_orders_and_a_key_of_this_home_what_they_come_to(
    script: Script,
) -> None:
    two_trade(script)
    ben, cem = PrivateKey.new("ES256"), PrivateKey.new()
    new_key("ann")
    bid = send(order("buy", "wood", 2, 8))
    script["Ben", "order"] = [bid, signs(ben, bid)]
    keys = {"Ann": "ann", "Ben": ben.public.pem, "Cem": cem.public.pem}
    outcome, table = await ended(keys=keys, require_signed=True)
    assert table["prices"] == {"wood": {"price": "6", "volume": 2}}
    assert table["spent"]["negotiation"]["agents"]["Ben"]["refused"] == 1
    signed = {said["by"]: said for said in table["talk"] if "signature" in said}
    assert signed.keys() == {"Ann"}, "by Ben's signature his sealed orders could be found"
    assert wrong_in_export(table, "call_market") == []
    await sound(outcome)
    # Whoever can write the books makes Ben buy dearer: his key did not sign that.
    dearer = bid.replace('"price": 8', '"price": 9')
    in_the_books("UPDATE answers SET text = replace(text, ?, ?)", bid, dearer)
    wrong = {c.what: c.found for c in await verify_run(outcome["run"]) if not c.sound}
    assert wrong["signatures"] == "the signature of Ben is not of its orders"
    assert {"market", "commitments"} <= wrong.keys()


@pytest.mark.parametrize("required", [True, False])
async def test_unsigned_orders_of_a_party_with_a_key_count_unless_it_has_to_sign(
    required: bool, script: Script
) -> None:
    two_trade(script)
    public = PrivateKey.new().public.pem
    outcome, table = await ended(keys={"Ben": public}, require_signed=required)
    assert passed(table) == [*([("Ben", "SIGN")] if required else []), ("Cem", "")]
    await sound(outcome)


async def test_orders_that_another_key_signed_are_sent_back_whatever_is_required(
    script: Script,
) -> None:
    two_trade(script)
    bid = send(order("buy", "wood", 2, 8))
    found = read_orders(json.loads(bid[10:-11]), "Ben", ["wood"])
    assert not isinstance(found, Fault)
    forged = element(sign_binding(PrivateKey.new(), order_to_sign("another", "Ben", found)))
    script["Ben", "order"] = bid + forged
    _, table = await ended(keys={"Ben": PrivateKey.new().public.pem})
    assert ("Ben", "SIGN") in passed(table)


@pytest.mark.parametrize("seed", range(3))
async def test_embedded_agents_reach_the_best_welfare_and_nobody_ends_below_its_own(
    seed: int,
) -> None:
    outcome, table = await ended(seed=seed)
    points = game_of(table["settings"]).reference_points()
    alone = points.alone or {}
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


def test_a_schema_and_the_wire_say_the_same() -> None:
    fields = {"orders": [order("buy", "wood", 2, 8)], "speech": None, "notes": None}
    assert tagged("order", fields) == send(order("buy", "wood", 2, 8))
    assert tagged("order", {"orders": None}) == "<REJECT>"


# At a person's seat


async def test_a_person_fills_in_orders_and_is_told_what_they_say() -> None:
    settings = RunConfig.model_validate(ROOM).resolve().model_dump(mode="json")
    table: Any = {"episode": "e", "settings": settings, "record": [], "round": 1}
    game = game_of(settings)
    table |= {"position": game.start(), "agents": list(game.agents)}
    turn = TurnContext(EvaluatedTable(table), BID, ("Ann",))
    form = form_of(turn, "Ann", {})
    assert form["fields"] == ["thoughts", "orders", "notes"]
    assert form["market"] == {
        "goods": ["wood", "stone", "wool"],
        "holds": {"wood": 4, "stone": 0, "wool": 0},
    }
    ordered = [order("sell", "wood", 2, 4.5), order("buy", "stone", 1, 3)]
    told = preview(turn, "Ann", {"orders": ordered})
    assert told["refused"] == ""
    assert told["words"] == [
        "You sell up to 2 wood, for 4.5 or more each.",
        "You buy up to 1 stone, for 3 or less each.",
    ]
    assert preview(turn, "Ann", {"orders": None})["words"] == []
    assert preview(turn, "Ann", {"orders": [order("sell", "wood", 9, 1)]})["refused"] == "ABLE"
    assert message_of("order", {"orders": ordered}) == send(*ordered)


@pytest.mark.slow
def test_killed_at_every_write_it_comes_to_the_same_and_is_paid_once(tmp_path: Path) -> None:
    coop = warm_coop(Home(tmp_path))
    agents = ("--set", "agents=[Ann, Ben, Cem]")
    play = Play.uninterrupted(coop, "whole", ("trade", "--graph", "call_market", *agents))
    trial = Trial(coop, "killed", play)
    at_every_write(trial, Random(0))
    assert trial.kills > play.whole["turns_played"]
    assert Audit.of(coop.home, [play], [trial]).clean
    assert coop.run("verify", "killed").code == 0
