"""What is measured of exchanges, and how it is shown."""

import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest

from shapley_coop.evals.measures.exchange import VARIANTS, measure
from shapley_coop.evals.measures.stats import mean_interval, rate_interval
from shapley_coop.evals.papers.exchange_tables import (
    PAPER_LABELS,
    exchange_suite,
    played_as,
    plus_minus,
)
from shapley_coop.evals.reports.utility_plane import Proposal, picture, utility_plane
from shapley_coop.evals.sweeps.folders import read_rows
from shapley_coop.evals.sweeps.suite import expand, load_suite
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


def test_rates_have_a_binomial_error_and_means_a_sample_deviation() -> None:
    # As in the paper's Table 1.
    assert plus_minus("agreement", rate_interval([1] * 5 + [0])) == "83.3 ± 15.2 %"
    assert plus_minus("payoff:Alice", mean_interval([1.0, 2.0, 4.0])) == "2.33 ± 1.53"
    assert plus_minus("payoff:Alice", mean_interval([0.25])) == "0.25"
    assert plus_minus("error", rate_interval([])) == "—"


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")[1:-1]]


def test_one_command_prints_both_tables_of_the_paper_and_goes_on_where_it_was(coop: Coop) -> None:
    ended = coop("scenario", "table", "--seeds", "1")
    assert ended.code == 0, ended.err
    lines = [cells(line) for line in ended.out.splitlines() if line.startswith("|")]
    assert len(lines) == 2 * (2 + 8 + 4)
    head, _, *outcomes = lines[:14]
    assert head[:5] == ["Scenario", "Setting", "n", "Agreement", "Error"]
    assert head[5:10] == ["Turns", "Alice", "Bob", "SW", "L2"]
    assert Counter(line[1] for line in outcomes) == dict.fromkeys(
        [*VARIANTS.values(), "utility-aware, printed", "baseline, printed"], 2
    )
    shown = {(line[0], line[1]): line[3:10] for line in outcomes}
    assert shown["paper_competitive", "baseline, printed"] == [
        *("60.0 ± 21.9 %", "50 ± 16 %", "6.8 ± 4.0", "0.58 ± 0.00", "0.25 ± 0.00"),
        *("0.83 ± 0.00", "0.028 ± 0.0"),
    ]
    labels, _, *refused = lines[14:]
    assert labels[3:10] == list(PAPER_LABELS)
    found = {(line[0], line[1]): line[3:10] for line in refused}
    assert found["paper_competitive", "utility-aware, printed"] == [
        f"{n} in 10" for n in (5, 12, 3, 3, 1, 0, 0)
    ]
    assert "simulation" in ended.out
    (folder,) = (home().folder / "sweeps").iterdir()
    assert len(read_rows(folder)) == 8
    again = coop("scenario", "table", "--seeds", "1")
    assert again.out == ended.out
    assert len(read_rows(folder)) == 8


def test_the_shipped_suite_has_the_four_variants_and_the_priced_game() -> None:
    suite = load_suite("task_exchange_table")
    assert list(suite.axes["graph"]) == ["shapley_coop", *reversed(VARIANTS)]
    assert list(suite.axes["scenario"]) == ["paper_cooperative", "paper_competitive"]
    printed = {(p.row["scenario"], p.row["graph"]) for p in suite.tables[0].printed}
    assert printed == {
        (name, graph)
        for name in suite.axes["scenario"]
        for graph in ("task_exchange", "task_exchange_baseline")
    }


def test_the_tables_take_any_scenarios_and_seats(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text("{atoms: [A, B], initial: {Ann: '10', Ben: '01'}, competition: 0.5}")
    suite = exchange_suite([str(path)], {"*": "embedded:linear"}, range(3))
    found = expand(suite)
    assert len(found) == 4 * 3
    assert {cell.graph for cell in found} == set(VARIANTS)
    models = {seat["model"] for cell in found for seat in cell.room["seats"].values()}
    assert models == {"embedded:linear"}
    name = played_as(suite)
    assert played_as(exchange_suite([str(path)], {"*": "embedded:linear"}, [7])) == name
    assert played_as(exchange_suite([str(path)], SEATS, [7])) != name
    path.write_text(path.read_text().replace("0.5", "0.6"))
    assert played_as(suite) != name, "what was played with the file before is something else"


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
