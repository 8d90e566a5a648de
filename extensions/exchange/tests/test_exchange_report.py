"""What is measured of exchanges."""

from dataclasses import replace
from typing import Any

import pytest

from extensions.exchange.tests.exchanging import (
    ACCEPT,
    MASKS,
    OVERLAP,
    REJECT,
    TRADE,
    UNCHECKED,
    propose,
    run,
)
from shapley_coop.extensions.exchange.measures import measure
from shapley_coop.state.storage.home import home
from tests.coop_command import Coop
from tests.scripted import Script


async def test_an_agreement_is_measured(script: Script) -> None:
    script["Alice", "exchange"] = [OVERLAP, propose(0b000001), ACCEPT]
    guess = '<CONSIDER>{"estimates": {"Alice": 0.8}}</CONSIDER>'
    counter = REJECT + propose(TRADE).replace("<CONSIDER>my secret plan</CONSIDER>", guess)
    script["Bob", "exchange"] = counter
    table = await run()
    told = measure(table, [*home().journal.entries(table["episode"])])
    assert (told["agreement"], told["error"], told["turns"]) == (1, 0, 3)
    assert (told["payoff:Alice"], told["payoff:Bob"]) == (1.0, 0.9)
    assert told["social_welfare"] == pytest.approx(1.9)
    assert told["pareto_distance"] == 0
    assert told["individual_rationality"] == 1
    assert told["guess_error"] == told["guess_error:Bob"] == pytest.approx(0.2)
    assert "guess_error:Alice" not in told, "Alice guessed nothing"
    assert {key: n for key, n in told.items() if key.startswith("refused:")} == {"refused:OVL": 1}
    assert told["attempts"] == 4
    assert told["distance:nash"] == told["nash_distance"]
    assert {"distance:kalai_smorodinsky", "distance:egalitarian", "distance:utilitarian"} < {*told}


async def test_an_error_has_no_utilities(script: Script) -> None:
    script["Alice", "exchange"] = OVERLAP
    script["Bob", "exchange"] = ACCEPT
    told = measure(await run(UNCHECKED))
    assert (told["error"], told["refused:OVL"]) == (1, 1)
    for missing in ("agreement", "turns", "payoff:Alice", "social_welfare", "pareto_distance"):
        assert told[missing] is None, "an outcome is over the runs without error"


async def counts(**room: Any) -> dict[str, float | None]:
    table = await run(**room)
    told = measure(table, [*home().journal.entries(table["episode"])])
    labels = {key: n for key, n in told.items() if key.startswith(("refused:", "strict:"))}
    return {"first": told["first_messages"], "attempts": told["attempts"], **labels}


async def test_first_messages_are_also_counted_by_the_papers_validator(script: Script) -> None:
    script["Alice", "exchange"] = [MASKS, REJECT + OVERLAP, REJECT + OVERLAP, "<ACCEPT>"]
    script["Bob", "exchange"] = REJECT + propose(TRADE)
    assert await counts() == {
        "first": 3,
        "attempts": 5,
        "refused:OVL": 2,
        "strict:UNK": 1,
        "strict:OVL": 1,
    }


async def test_well_formed_messages_have_the_same_labels_in_both_counts(script: Script) -> None:
    script["Alice", "exchange"] = [OVERLAP, propose(0b000001), ACCEPT]
    script["Bob", "exchange"] = ["no tags", REJECT + propose(TRADE)]
    labels = {"refused:OVL": 1, "refused:MPT": 1, "strict:OVL": 1, "strict:MPT": 1}
    assert await counts() == {"first": 3, "attempts": 5, **labels}


async def test_with_the_preset_the_run_refuses_what_the_papers_validator_refuses(
    script: Script,
) -> None:
    script["Alice", "exchange"] = [MASKS, propose(TRADE)]
    script["Bob", "exchange"] = ["<accept/>", ACCEPT]
    labels = {"refused:UNK": 1, "refused:MPT": 1, "strict:UNK": 1, "strict:MPT": 1}
    told = await counts(preset="task_exchange_paper")
    assert told == {"first": 2, "attempts": 4, **labels}


async def test_a_cut_answer_and_a_pairs_talk_are_no_matter_of_the_papers_validator() -> None:
    table = await run()
    entries = [e for e in home().journal.entries(table["episode"]) if e.act == "exchange"]
    cut = replace(entries[0], answer=replace(entries[0].answer, cut=True))
    pair = replace(entries[0], facts={**entries[0].facts, "agents": ["Alice", "Cat"]})
    told = measure(table, [cut, pair])
    assert told["first_messages"] == told["strict:CUT"] == 1


def test_a_talk_with_counter_proposals_can_be_verified(script: Script, coop: Coop) -> None:
    script["Alice", "exchange"] = [propose(0b000001), ACCEPT]
    script["Bob", "exchange"] = REJECT + propose(TRADE)
    played = coop("run", "task_exchange", "-g", "task_exchange", "--name", "a", "--json").result
    assert [said["text"].count("</REJECT>\n<PROPOSAL>") for said in played["talk"]] == [0, 1, 0]
    verified = coop("verify", "a")
    assert verified.code == 0, verified.out


def test_the_failure_of_a_tool_is_told(coop: Coop) -> None:
    told = coop("run", "task_exchange", "-g", "task_exchange_baseline", "--set", "failures=1")
    assert told.out.count("failed: ") == 6
