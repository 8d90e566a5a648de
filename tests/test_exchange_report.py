"""What is measured of exchanges, and how it is shown."""

import xml.etree.ElementTree as ET
from math import isnan, sqrt

import pytest

from evals.exchange import VARIANTS, mean, measure, picture, rate, run_variants, table_1, table_2
from evals.utility_plane import Proposal, utility_plane
from games.exchange import generated, scenario
from graphs.task_exchange import build
from state import Room, home
from tests.scripted import Script
from tests.test_exchange_workflow import ACCEPT, OVERLAP, REJECT, TRADE, propose

SVG = "{http://www.w3.org/2000/svg}"


async def finished(validator: bool = True) -> dict:  # type: ignore[type-arg]
    room = Room(game="task_exchange", seed=1)
    return (
        await build(validator)
        .compile()
        .ainvoke(  # type: ignore[call-overload, no-any-return]
            {"room": room}, context=Room(), config={"recursion_limit": 500}
        )
    )


async def test_an_agreement_is_measured(script: Script) -> None:
    script["Alice", "exchange"] = [OVERLAP, propose(0b000001), ACCEPT]
    guess = '<CONSIDER>{"estimates": {"Alice": 0.8}}</CONSIDER>'
    counter = REJECT + propose(TRADE).replace("<CONSIDER>my secret plan</CONSIDER>", guess)
    script["Bob", "exchange"] = counter
    table = await finished()
    found = measure(table, home().journal.entries(table["episode"]))  # type: ignore[arg-type]
    assert (found.outcome, found.turns) == ("agreed", 3)
    assert found.utilities == {"Alice": 1.0, "Bob": 0.9}
    assert found.welfare == pytest.approx(1.9)
    assert found.distance == 0
    assert found.rational
    assert found.guess_error == pytest.approx(0.2)
    assert found.labels == {"OVL": 1}
    assert found.attempts == 4
    assert found.tokens > 0


async def test_an_error_has_no_utilities(script: Script) -> None:
    script["Alice", "exchange"] = OVERLAP
    script["Bob", "exchange"] = ACCEPT
    found = measure(await finished(validator=False))  # type: ignore[arg-type]
    assert (found.outcome, found.utilities, found.labels) == ("error", {}, {"OVL": 1})
    assert isnan(found.welfare)


def test_rates_have_a_binomial_error_and_means_a_sample_deviation() -> None:
    assert rate(5, 6).shown(percent=True) == "83.3 ± 15.2 %"  # as in the paper's Table 1
    assert rate(4, 10).spread == pytest.approx(sqrt(0.4 * 0.6 / 10))
    assert mean([1.0, 2.0, 4.0]).spread == pytest.approx(1.5275, abs=1e-4)
    assert rate(0, 0).shown() == mean([]).shown() == "—"


async def test_both_tables_of_the_paper_come_from_one_call() -> None:
    names = ["paper_cooperative", "paper_competitive"]
    runs = await run_variants(Room(), names, seeds=[4])
    assert set(runs) == {(name, variant) for name in names for variant in VARIANTS}
    outcomes, labels = table_1(runs).splitlines(), table_2(runs).splitlines()
    assert len(outcomes) == len(labels) == 2 + 8
    assert "Agreement" in outcomes[0]
    assert [c.strip() for c in labels[0].split("|")[4:11]] == [
        "UNK", "MAT", "OVL", "MPT", "MET", "MDA", "EMP",
    ]  # fmt: skip
    guided, baseline = (runs["paper_competitive", v] for v in ("utility-aware", "baseline"))
    assert all(r.welfare >= 0.83 - 1e-9 for r in [*guided, *baseline] if r.outcome != "error")


async def test_the_picture_shows_path_front_and_agreement(script: Script) -> None:
    script["Alice", "exchange"] = [propose(0b000001), ACCEPT]
    script["Bob", "exchange"] = REJECT + propose(TRADE)
    root = ET.fromstring(picture(await finished()))  # type: ignore[arg-type]
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert {"turn 2 by Alice", "turn 3 by Bob", "agreed", "Nash point", "initial"} <= {*titles}
    kinds = [node.get("class") for node in root.iter()]
    assert kinds.count("path") == 1
    assert kinds.count("efficient") == len(scenario("paper_cooperative").front.points)
    places = {
        (node.get("class"), node.get("cx"), node.get("cy"))
        for node in root.iter(f"{SVG}circle")
        if node.get("class") in ("turn", "agreed")
    }
    [agreed] = [place[1:] for place in places if place[0] == "agreed"]
    assert ("turn", *agreed) in places


def test_the_plane_is_well_formed_for_many_points_and_hostile_names() -> None:
    large = generated(['A<b>"', "Ben"], 13, 0.5, seed=1)
    root = ET.fromstring(utility_plane(large))
    assert "5000 partitions drawn" in (root.find(f"{SVG}title").text or "")  # type: ignore[union-attr]
    three = generated(["Ann", "Ben", "Cat"], 6, 0.5, seed=1)
    start = Proposal(2, "Ann", three.tasks.initial)
    assert "turn 2 by Ann" in utility_plane(three, [start], pair=("Cat", "Ann"))
    with pytest.raises(ValueError, match="give two of Ann, Ben, Cat"):
        utility_plane(three, pair=("Ann", "Ann"))
