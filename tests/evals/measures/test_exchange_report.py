"""What is measured of exchanges."""

import pytest

from shapley_coop.evals.measures.exchange import measure
from shapley_coop.state.storage.home import home
from tests.coop_command import Coop
from tests.games.exchange.exchanging import ACCEPT, OVERLAP, REJECT, TRADE, UNCHECKED, propose, run
from tests.scripted import Script


async def test_an_agreement_is_measured(script: Script) -> None:
    script["Alice", "exchange"] = [OVERLAP, propose(0b000001), ACCEPT]
    guess = '<CONSIDER>{"estimates": {"Alice": 0.8}}</CONSIDER>'
    counter = REJECT + propose(TRADE).replace("<CONSIDER>my secret plan</CONSIDER>", guess)
    script["Bob", "exchange"] = counter
    table = await run()
    told = measure(table, home().journal.entries(table["episode"]))
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
