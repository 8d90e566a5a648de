"""Work that is delivered, and the workflow that divides anew what was paid for it."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from extensions.page.tests.paged import made
from extensions.page.tests.test_page import PANELS, shows_what_its_result_says
from shapley_coop.amounts import MICRO
from shapley_coop.credit import Characteristic, attribute_by
from shapley_coop.deals.language.faults import Fault
from shapley_coop.evals.verifying import verify_run
from shapley_coop.games import GameError, Turn, foresight_of, load
from shapley_coop.graphs import builder
from shapley_coop.graphs.running import play
from shapley_coop.questions import contract_propose, propose
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.credit.credit_plays import at_random, credited, ends
from tests.graphs.test_ability_to_pay import paying, proposing
from tests.graphs.test_workflow_config import offered
from tests.scripted import Script
from tests.state.test_tools import at


def test_the_papers_company_is_the_default_and_its_values_are_what_was_paid() -> None:
    game = load("delivered")
    step = game.step(game.start(), {})
    assert step.rewards == {
        "CEO": 14.12,
        "Counselor": 4.84,
        "CPO": 11.16,
        "CTO": 9.42,
        "Programmer": 44.06,
        "Reviewer": 16.4,
    }
    record: list[Turn] = [{"turn": 1, "actions": {}, "rewards": step.rewards}]
    found = attribute_by(Characteristic(game.agents, partial(game.analysis.worth, record)))
    assert {a: float(x) for a, x in found.values.items()} == step.rewards


def test_many_contributors_are_reckoned_without_error() -> None:
    artefacts = {f"Dev{n}": {"code": n + 1} for n in range(40)}
    game = load("delivered", {"artefacts": artefacts, "bounty": 1000})
    rewards = game.step(game.start(), {}).rewards
    record: list[Turn] = [{"turn": 1, "actions": {}, "rewards": rewards}]
    found = attribute_by(
        Characteristic(
            game.agents, partial(game.analysis.worth, record), game.analysis.batch_worth(record)
        )
    )
    assert np.allclose([float(x) for x in found.values.values()], list(rewards.values()))
    assert max((found.standard_error or {}).values()) < 1 / MICRO


@pytest.mark.parametrize(
    ("params", "complaint"),
    [
        ({"artefacts": {"A": {"code": 1}}}, "give 2 or more"),
        ({"artefacts": {"A": {"code": 1}, "B": {"cake": 1}}}, "have no weight"),
        ({"artefacts": {"A": {"code": -1}, "B": {}}}, "negative"),
        ({"agents": ["A", "B"]}, "name different people"),
        ({"bounty": 0.001}, "more than 2 decimals"),
        ({"weights": {"code": [40, 20]}, "artefacts": {"A": {}, "B": {}}}, "weight of code"),
        ({"artefacts": {"A": {"code": "x"}, "B": {}}}, "not a count"),
        ({"artefacts": {"A": {"code": "1/0"}, "B": {}}}, "not a count"),
    ],
)
def test_wrong_counts_are_refused_in_one_line(params: dict[str, Any], complaint: str) -> None:
    with pytest.raises(GameError, match=complaint) as caught:
        load("delivered", params)
    assert "\n" not in str(caught.value)


def test_parts_that_add_up_are_values_for_any_number_of_agents() -> None:
    game = load("delivered", {"artefacts": {f"P{i}": {"code": i} for i in range(1, 41)}})
    record = at_random(game, 0, passes=0)
    found = credited(game, record)
    assert found.method == "exact (additive)"
    assert list(found.values.values()) == list(ends(game, record))


def test_no_other_baseline_can_be_given() -> None:
    with pytest.raises(GameError, match="no other baseline can be chosen: leave out `absent`"):
        _ = load("delivered", {"absent": "away"}).baseline


def test_no_embedded_agent_looks_ahead_in_it() -> None:
    assert foresight_of(load("delivered").facts()) is None


@pytest.mark.parametrize("asking", [propose, contract_propose], ids=["bargaining", "contracts"])
def test_nobody_promises_more_than_the_bounty(asking: Any) -> None:
    turn = at("delivered", asking.QUESTION)
    assert not isinstance(proposing(turn, paying(turn, "100")), Fault)
    found = proposing(turn, paying(turn, "100.000001"))
    assert isinstance(found, Fault)
    assert found.label == "ABLE"
    assert "it can have at most 100." in found.feedback


# The workflow


def test_settlement_plays_finished_work_and_never_the_escape_room() -> None:
    assert offered("settlement") == ["delivered"]
    with pytest.raises(ValueError, match="plays delivered, not escape_room"):
        builder("settlement").compile().invoke({"room": {"game": "escape_room"}})


async def test_who_agrees_on_another_split_is_paid_by_it(script: Script) -> None:
    half = {"kind": "share", "fractions": {"Ann": "1/2", "Ben": "1/2"}}
    script["Ann", "propose_split"] = f"<PROPOSAL>{json.dumps({'clauses': [half]})}</PROPOSAL>"
    script["Ben", "answer_split"] = "<ACCEPT>"
    done = {"artefacts": {"Ann": {"code": 3}, "Ben": {"code": 1}}}
    outcome = await play("settlement", RunConfig(game="delivered", params=done))
    assert outcome["rewards"] == {"Ann": 75, "Ben": 25}
    assert outcome["payoffs"] == {"Ann": 50, "Ben": 50}
    assert all(check.sound for check in await verify_run(outcome["run"]))


@pytest.mark.slow
def test_its_page_says_what_its_result_says(tmp_path: Path) -> None:
    bundle = made("settlement", private=True, game="delivered")
    result = home().runs.get(bundle["run"]).result or {}
    panels = set(PANELS) - {"Planned and realised", "Possible outcomes", "Escrow"}
    shows_what_its_result_says("settlement", bundle, result, panels, tmp_path)
