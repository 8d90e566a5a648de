"""Orders of a call market: what can be sent in, who signs it, and what a person fills in."""

import json
from fractions import Fraction
from typing import Any

import pytest

from extensions.markets.tests.calling import ROOM, ended, order, passed, send, sound, two_trade
from shapley_coop.deals.language.faults import Fault
from shapley_coop.evals.verifying import verify_run
from shapley_coop.extensions.markets.order import QUESTION as BID
from shapley_coop.extensions.markets.orders import orders_hash, read_orders
from shapley_coop.extensions.people.form import form_of, message_of
from shapley_coop.extensions.people.preview import preview
from shapley_coop.extensions.proof.acceptance import binding, element, sign_binding
from shapley_coop.extensions.proof.envelope import as_bytes
from shapley_coop.extensions.proof.home_keys import new_key
from shapley_coop.extensions.proof.keys import PrivateKey
from shapley_coop.extensions.proof.mandate import sign_mandate
from shapley_coop.seats.answers import tag_fields
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.settings import game_of
from shapley_coop.state.turn import TurnContext
from tests.books import change_answers, reworded
from tests.exported import wrong_in_export
from tests.scripted import Script

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
    signed = {said["by"]: said for said in table["talk"] if "more" in said}
    assert signed.keys() == {"Ann"}, "by Ben's signature his sealed orders could be found"
    assert wrong_in_export(table, "call_market") == []
    await sound(outcome)
    # Whoever can write the books makes Ben buy dearer: his key did not sign that.
    dearer = bid.replace('"price": 8', '"price": 9')
    change_answers(reworded(lambda text: text.replace(bid, dearer)))
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
    bound = binding(
        agent="Ben",
        episode="another",
        settings="5f",
        topic="plan",
        turn=1,
        revision=1,
        accepts=orders_hash(found),
    )
    script["Ben", "order"] = bid + element(sign_binding(PrivateKey.new(), bound))
    _, table = await ended(keys={"Ben": PrivateKey.new().public.pem})
    assert ("Ben", "SIGN") in passed(table)


def test_a_schema_and_the_wire_say_the_same() -> None:
    fields = {"orders": [order("buy", "wood", 2, 8)], "speech": None, "notes": None}
    assert tag_fields("order", fields) == send(order("buy", "wood", 2, 8))
    assert tag_fields("order", {"orders": None}) == "<REJECT>"


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
