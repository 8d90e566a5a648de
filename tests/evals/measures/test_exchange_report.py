"""What is measured of exchanges, and how it is shown."""

import xml.etree.ElementTree as ET
from collections import Counter

import pytest

from shapley_coop.evals.measures.exchange import measure
from shapley_coop.evals.reports.utility_plane import Proposal, picture, utility_plane
from shapley_coop.games.exchange import scenario
from shapley_coop.games.exchange.source import generated
from shapley_coop.state.storage.home import home
from tests.coop_command import Coop
from tests.games.exchange.exchanging import ACCEPT, OVERLAP, REJECT, TRADE, UNCHECKED, propose, run
from tests.scripted import Script

SVG = "{http://www.w3.org/2000/svg}"
SEATS = {"*": "embedded:rational"}


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


def titles(svg: str) -> list[str]:
    return [str(title.text) for title in ET.fromstring(svg).iter(f"{SVG}title")]


async def test_the_picture_shows_path_front_and_agreement(script: Script) -> None:
    script["Alice", "exchange"] = [propose(0b000001), ACCEPT]
    script["Bob", "exchange"] = REJECT + propose(TRADE)
    told = titles(picture(await run()))
    assert {"turn 3 by Bob: 1, 0.9", "agreed: 1, 0.9", "Pareto front"} <= {*told}
    kinds = Counter(title.partition(":")[0] for title in told)
    assert kinds["turn 2 by Alice"] == kinds["Nash point"] - 1 == kinds["initial"] - 1 == 1
    front = len(scenario("paper_cooperative").front.points)
    assert kinds["efficient"] == front + 1, "a mark each, and one in the legend"


def test_the_plane_is_well_formed_for_many_points_and_hostile_names() -> None:
    large = generated(['A<b>"', "Ben"], 13, 0.5, seed=1)
    assert "5000 partitions drawn" in titles(utility_plane(large))[0]
    three = generated(["Ann", "Ben", "Cat"], 6, 0.5, seed=1)
    start = Proposal(2, "Ann", three.tasks.initial)
    assert "turn 2 by Ann" in utility_plane(three, [start], pair=("Cat", "Ann"))
    with pytest.raises(ValueError, match="give two of Ann, Ben, Cat"):
        utility_plane(three, pair=("Ann", "Ann"))
