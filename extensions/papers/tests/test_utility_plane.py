"""The utility plane of an exchange, as a picture."""

import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest

from extensions.exchange.tests.exchanging import ACCEPT, REJECT, TRADE, propose, run
from shapley_coop.extensions.exchange.domain import scenario
from shapley_coop.extensions.exchange.domain.source import generate_scenario
from shapley_coop.extensions.papers.utility_plane import Proposal, picture, utility_plane
from tests.coop_command import Coop
from tests.scripted import Script

SVG = "{http://www.w3.org/2000/svg}"


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
    large = generate_scenario(['A<b>"', "Ben"], 13, 0.5, seed=1)
    assert "5000 partitions drawn" in titles(utility_plane(large))[0]
    three = generate_scenario(["Ann", "Ben", "Cat"], 6, 0.5, seed=1)
    start = Proposal(2, "Ann", three.tasks.initial)
    assert "turn 2 by Ann" in utility_plane(three, [start], pair=("Cat", "Ann"))
    with pytest.raises(ValueError, match="choose two of Ann, Ben, Cat"):
        utility_plane(three, pair=("Ann", "Ann"))


def test_a_run_has_the_picture_of_its_game_or_is_told_of_which_there_are(
    coop: Coop, tmp_path: Path
) -> None:
    path = tmp_path / "plane.svg"
    coop("run", "task_exchange", "-g", "task_exchange", "--name", "a", "--json")
    assert coop("show", "a", "--figure", str(path)).code == 0
    assert "Pareto front" in titles(path.read_text(encoding="utf-8"))
    coop("run", "escape_room", "--name", "b", "--json")
    refused = coop("show", "b", "--figure", str(path))
    assert refused.code == 2
    assert "there is no picture of escape_room; pictures exist for task_exchange" in refused.err
