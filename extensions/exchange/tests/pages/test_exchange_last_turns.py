"""The last turns of a talk over tasks, in which no proposal could be accepted any more."""

from typing import Any

import pytest

from extensions.exchange.tests.exchanging import (
    ACCEPT,
    BASELINE,
    BOTH,
    REJECT,
    counted,
    propose,
    run,
    turns,
)
from shapley_coop.evals.verifying import verify_run
from shapley_coop.graphs.running import play
from shapley_coop.seats.answers import tag_fields
from shapley_coop.seats.schema import schema_of
from shapley_coop.state.run_config import RunConfig
from tests.scripted import Script

SHORT: dict[str, Any] = {"talk": 3}
NO = tag_fields("exchange", {"decision": "reject", "allocation": None})


@pytest.mark.parametrize("no", [NO, REJECT, "I want more.\n<reject/>"])
@pytest.mark.parametrize("graph", [BOTH, BASELINE])
async def test_in_the_last_turn_a_rejection_needs_no_proposal(
    script: Script, graph: str, no: str
) -> None:
    script["Alice", "exchange"], script["Bob", "exchange"] = propose(0b010001), no
    table = await run(graph, params=SHORT)
    assert turns(table)[-1] == (3, "Bob", "reject")
    assert (table["status"], counted(table, "Bob")) == ("no_deal", {})
    letter = script.shown_to("Bob", "exchange")[0]
    assert "`<REJECT>` alone: no proposal of yours could be accepted any more." in letter
    assert "This is the last turn: without an acceptance now, everybody keeps" in letter
    assert schema_of(letter.facts)["properties"].keys() == {  # type: ignore[index]
        "thoughts",
        "speech",
        "decision",
        "notes",
    }


async def test_in_the_last_turn_words_alone_are_asked_back_without_a_proposal(
    script: Script,
) -> None:
    script["Alice", "exchange"] = propose(0b010001)
    script["Bob", "exchange"] = ["I accept.", f"{ACCEPT}{REJECT}", REJECT + propose(0b000001)]
    table = await run(params=SHORT)
    assert counted(table, "Bob") == {"ACK": 2}
    assert turns(table)[-1] == (3, "Bob", "reject"), "a proposal that lapses harms nobody"
    asked = "Answer <ACCEPT> alone, or <REJECT>."
    assert all(asked in letter for letter in script.shown_to("Bob", "exchange")[1:])


async def test_the_papers_rules_demand_a_proposal_in_the_last_turn_as_well(script: Script) -> None:
    script["Alice", "exchange"] = propose(0b010001)
    script["Bob", "exchange"] = [REJECT, REJECT + propose(0b000001)]
    table = await run(preset="task_exchange_paper", params={**SHORT, "exact": True})
    assert counted(table, "Bob") == {"MPT": 1}
    letter = script.shown_to("Bob", "exchange")[0]
    assert "or with\n`<REJECT>` and `<PROPOSAL>` of your own." in letter
    assert "allocation" in str(schema_of(letter.facts))


async def test_of_three_nobody_is_asked_when_not_all_could_accept_any_more(script: Script) -> None:
    names = ["Ann", "Ben", "Cem"]
    script["Ben", "exchange"] = NO
    drawn = {"scenario": "generated", "agents": names, "additive": True, "talk": 4}
    table = await run(params=drawn)
    assert turns(table)[1:] == [(3, "Ben", "reject")], "Cem's answer would change nothing"
    assert table["status"] == "no_deal"
    letter = script.shown_to("Ben", "exchange")[0]
    assert "Without an acceptance now, everybody keeps its initial tasks." in letter
    assert "This is the last turn" not in letter


async def test_of_two_who_meet_one_can_reject_in_the_last_turn_and_the_run_verifies(
    script: Script,
) -> None:
    names = ["Ann", "Ben"]
    for name in names:
        script[name, "exchange"] = lambda told: NO if told.get("final") else propose_own(told)
    params = {"scenario": "generated", "agents": names, "additive": True, "talk": 2}
    outcome = await play("pairwise_exchange", RunConfig(game="task_exchange", params=params))
    assert outcome["status"] == "no_deal"
    assert all(check.sound for check in await verify_run(outcome["run"]))


def propose_own(told: dict[str, Any]) -> str:
    held = {agent: [told["registry"][mask]] for agent, mask in told["initial"].items()}
    return tag_fields("exchange", {"decision": "propose", "allocation": held})
