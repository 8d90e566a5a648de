"""The workflow of task exchange with the paper's validator."""

import json

import pytest

from extensions.exchange.tests.exchanging import (
    ACCEPT,
    BASELINE,
    BOTH,
    MASKS,
    UNCHECKED,
    counted,
    propose,
    run,
    turns,
)
from tests.coop_command import Coop
from tests.scripted import Script

PAPER = "task_exchange_paper"


async def test_what_the_default_takes_is_sent_back(script: Script) -> None:
    script["Alice", "exchange"] = [MASKS, propose(0b010001)]
    script["Bob", "exchange"] = ["<accept/>", ACCEPT]
    table = await run(preset=PAPER)
    assert turns(table) == [(2, "Alice", "propose"), (3, "Bob", "accept")]
    assert (counted(table, "Alice"), counted(table, "Bob")) == ({"UNK": 1}, {"MPT": 1})
    assert "'010001' is not in the registry" in script.shown_to("Alice", "exchange")[1]
    script["Alice", "exchange"], script["Bob", "exchange"] = MASKS, "<accept/>"
    default = await run()
    assert counted(default, "Alice") == counted(default, "Bob") == {}
    assert default["position"] == table["position"]


async def test_the_fifth_message_without_exact_descriptions_is_an_error(script: Script) -> None:
    script["Alice", "exchange"] = MASKS
    table = await run(preset=PAPER)
    assert table["status"] == "error"
    assert counted(table, "Alice") == {"UNK": 5}


@pytest.mark.parametrize("graph", [UNCHECKED, BASELINE])
async def test_the_final_check_is_the_papers_as_well(script: Script, graph: str) -> None:
    script["Bob", "exchange"] = ACCEPT
    for wrong, label in ((MASKS, "UNK"), (propose(0b010001).replace("]}", "],}"), "JSON")):
        script["Alice", "exchange"] = wrong
        table = await run(graph, preset=PAPER)
        assert (table["status"], counted(table, "Alice")) == ("error", {label: 1})
        assert table["talk"][0]["text"] in wrong, "it is delivered as it was written"
        assert (await run(graph))["status"] == "agreed"


async def test_the_first_letter_is_the_same_with_either_validator(script: Script) -> None:
    script["Alice", "exchange"], script["Bob", "exchange"] = propose(0b010001), ACCEPT
    plain = {"certificates": False, "duties": False, "outlook": False, "tools": False}
    shown = []
    for room in (plain, {"preset": PAPER}):
        script.letters.clear()
        await run(BOTH, **room)
        shown.append([script.shown_to(agent, "exchange") for agent in ("Alice", "Bob")])
    assert shown[0] == shown[1]


def test_what_is_delivered_unrepaired_can_be_verified(script: Script, coop: Coop) -> None:
    said = propose(0b010001).replace("]}", "],}")
    script["Alice", "exchange"] = f"<s>I offer</s> words that are private {said}"
    script["Bob", "exchange"] = ACCEPT
    run_it = ("run", "task_exchange", "-g", UNCHECKED, "--preset", PAPER, "--name", "a", "--json")
    ended = json.loads(coop(*run_it).out)
    assert (ended["status"], ended["talk"][0]["text"][:23]) == ("error", "<s>I offer</s>\n<PROPOSA")
    verified = coop("verify", "a")
    assert verified.code == 0, verified.out
