"""A market asks a signature back that would leave its author short, and tells nobody else why."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from extensions.markets.tests.trading import LAMP, asked, said, sale
from shapley_coop import RunConfig
from shapley_coop.deals.language.deal import Deal, put
from shapley_coop.deals.language.faults import Fault
from shapley_coop.graphs import builder
from shapley_coop.seats.letters import as_text
from shapley_coop.state.result import result
from shapley_coop.state.storage.checkpoints.serializer import StrictSerializer
from tests.graphs.test_ability_to_pay import ANSWER, OFFER
from tests.graphs.test_privacy import every_word
from tests.scripted import Script


@pytest.fixture
def lamp(tmp_path: Path) -> Path:
    file = tmp_path / "lamp.json"
    file.write_text(json.dumps(LAMP))
    return file


def test_a_run_finds_its_market_from_any_folder(
    lamp: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(lamp.parent)
    settings = RunConfig(game="trade", params={"market": "lamp.json"}).resolve()
    monkeypatch.chdir("/")
    assert settings.params == {"market": str(lamp)}
    assert settings.resolve() == settings


def offered(file: Path, price: float, by: str = "Sam") -> dict[str, Any]:
    found = said(asked(file, OFFER, params={"protect": False}), by, sale(price))
    assert not isinstance(found, Fault)
    return {"offer": put(Deal.model_validate(found["deal"]), by, 1)}


@pytest.mark.parametrize(("price", "sound"), [(39, False), (40, True), (50, True), (60, True)])
def test_a_sale_below_its_own_cost_goes_back_to_its_author(
    lamp: Path, price: int, sound: bool
) -> None:
    found = said(asked(lamp, OFFER), "Sam", sale(price))
    assert isinstance(found, Fault) is not sound
    if isinstance(found, Fault):
        assert found.label == "RESERVE"
        told = (
            r"This leaves you 70\.415926, less than \S+, what you end with without a deal: do not"
        )
        assert re.match(told, found.feedback)


@pytest.mark.parametrize(("price", "label"), [(55, ""), (56, "ABLE"), (61, "ABLE")])
def test_what_a_buyer_could_not_pay_goes_back_to_it_when_it_signs(
    lamp: Path, price: int, label: str
) -> None:
    found = said(asked(lamp, ANSWER, **offered(lamp, price)), "Bea", [])
    assert (found.label if isinstance(found, Fault) else "") == label
    if label:
        assert found.feedback == (
            f"This could make you pay {price} in all, and you can pay at most 55: pay less."
        )


def test_a_purchase_above_its_worth_goes_back_to_the_buyer(tmp_path: Path) -> None:
    rich = json.loads(json.dumps(LAMP))
    rich["agents"]["Bea"]["purse"] = 500
    file = tmp_path / "rich.json"
    file.write_text(json.dumps(rich))
    for price, sound in ((60, True), (61, False)):
        found = said(asked(file, ANSWER, **offered(file, price)), "Bea", [])
        assert isinstance(found, Fault) is not sound
    found = said(asked(file, OFFER), "Sam", sale(400))
    assert not isinstance(found, Fault), "what another cannot gain is no fault of one's own offer"


def test_who_asks_for_no_protection_signs_what_it_likes(lamp: Path) -> None:
    turn = asked(lamp, OFFER, params={"protect": False})
    assert not isinstance(said(turn, "Sam", sale(1)), Fault)


OWN = {"Sam": ["40.161803"], "Bea": ["27.182818", "55.112358"]}
"""Worths of what they do not have at the end, and a purse."""

AT_THE_END = "71.577729"
"""What Sam would have had without a deal: credit compares with it once the play is over."""

PROOFS = {
    "Sam": {"holds": {"lamp": 1, "rug": 1}, "worth": {"lamp": "40.161803", "rug": "31.415926"}},
    "Bea": {"worth": {"lamp": 60, "rug": "27.182818"}, "purse": "55.112358"},
}


async def test_worths_and_purses_and_what_they_refuse_stay_with_their_owner(
    script: Script, tmp_path: Path
) -> None:
    """Each signs first what leaves it short, and is asked back with its own numbers."""
    file = tmp_path / "secret.json"
    file.write_text(json.dumps({"agents": PROOFS}))
    offers = [
        f"<PROPOSAL>{json.dumps({'clauses': sale(price)})}</PROPOSAL>" for price in (9, 56, 50)
    ]
    script["Sam", "propose"] = offers
    script["Bea", "answer"] = ["<ACCEPT>", "<REJECT>", "<ACCEPT>"]
    script["Bea", "propose"] = "<REJECT>"
    room = RunConfig(game="trade", params={"market": str(file)}, rounds=4)
    app = builder("negotiation_priced").compile(
        checkpointer=InMemorySaver(serde=StrictSerializer())
    )
    given, config = {"room": room.model_dump(mode="json")}, {"configurable": {"thread_id": "t"}}
    modes = ["values", "updates", "custom", "messages", "tasks", "checkpoints", "debug"]
    came = [
        part
        async for part in app.astream(
            given, config, context=RunConfig(), stream_mode=modes, durability="sync"
        )
    ]
    history = [list(snapshot) async for snapshot in app.aget_state_history(config)]
    table = (await app.aget_state(config)).values
    assert table["record"][0]["effects"][0]["quantity"] == 1
    assert {a: float(x) / 1e6 for a, x in table["settlement"]["payoffs"].items()} == {
        "Sam": 81.415926,
        "Bea": 10,
    }
    playing = [one for one in history if not one[0].get("settlement")]
    assert len(playing) > 8
    assert AT_THE_END not in every_word([one for one in playing if not one[0].get("record")])
    everywhere = every_word([came, history, result("r", "negotiation_priced", table)])
    for owner, numbers in OWN.items():
        for number in numbers:
            assert number not in everywhere, f"{owner}'s {number} travels"
            for agent, _, messages in script.letters:
                assert (number in as_text(messages)) <= (agent == owner)
    refusals = [as_text(m) for a, _, m in script.letters]
    assert any("This leaves you 40.415926, less than " in r for r in refusals)
    assert any("you can pay at most 55.112358: pay less." in r for r in refusals)
