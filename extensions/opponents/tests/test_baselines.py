"""Baselines at our table: each comes to what its rule says, by messages, contract and ledger."""

from functools import cache
from typing import Any

import pytest

from shapley_coop.deals.analysis.stage import StageGame, facts_of
from shapley_coop.evals.cell import Cell
from shapley_coop.evals.verifying import verify_run
from shapley_coop.extensions.opponents import arbiters, baselines
from shapley_coop.extensions.opponents.baselines import awarded, bids_at_cost
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.suite import load_suite
from shapley_coop.games import load
from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.coop_command import USAGE, Coop, one_line

JOB = "do the job"


@cache
def cells() -> list[Cell]:
    """The suite's cells; reading every game again takes seconds."""
    return list(expand(load_suite("baselines")))


def cell(game: str, deal: str) -> Cell:
    """The suite's cell for the first seed."""
    wanted = {"game": game, "deal": deal}
    return next(one for one in cells() if wanted.items() <= one.labels.items())


def procurement() -> StageGame:
    return StageGame.of(facts_of(load(cell("Procurement", "nash").room["game"])))


@pytest.mark.parametrize(
    ("game", "deal", "payoffs"),
    [
        # Of nine in all, one has ten and the other loses one: no product of gains is above zero.
        ("Escape Room", "nash", (10, -1)),
        # Without a deal both lose one: eleven are shared.
        ("Escape Room", "fixed_split", (4.5, 4.5)),
        # To pull costs no more than not to; it is worth eleven, and nobody else bids: Alice pays
        # what she has.
        ("Escape Room", "contract_net", (10, -1)),
        ("Escape Room", "second_price", (0, 9)),
        ("Prisoner's Dilemma", "kalai_smorodinsky", (1, 1)),
        # Alice hires Bob to cooperate, and defects: 2 for her, at a cost of 1 for him.
        ("Prisoner's Dilemma", "contract_net", (1, 0)),
        ("Stag Hunt", "nash", (4, 4)),
        # A job of 10 costs Bob 3 and Carol 5: Bob has it, for 3, or for 5 where the second counts.
        ("Procurement", "contract_net", (7, 0, 0)),
        ("Procurement", "second_price", (5, 2, 0)),
        ("Procurement", "nash", (0, 0, 0)),
        ("Procurement", "fixed_split", (2.34, 2.33, 2.33)),
    ],
)
async def test_a_baseline_comes_to_what_its_rule_says(
    game: str, deal: str, payoffs: tuple[float, ...]
) -> None:
    one = cell(game, deal)
    outcome = await play(one.graph, RunConfig.model_validate(one.room))
    assert tuple(outcome["payoffs"].values()) == pytest.approx(payoffs)
    assert outcome["breaches"] == []
    assert all(check.sound for check in await verify_run(outcome["run"]))


async def test_over_several_turns_the_winner_is_paid_in_the_end() -> None:
    seats = {"*": "python:shapley_coop.extensions.opponents.baselines:contract_net"}
    room = {"game": "prisoners_dilemma", "params": {"rounds": 3}, "rounds": 6, "seats": seats}
    outcome = await play("negotiation_priced", RunConfig.model_validate(room))
    assert outcome["payoffs"] == {"Alice": 3, "Bob": 0}
    assert "once, (at turn 3 and if Bob does cooperate)" in outcome["contract"]["text"]


@pytest.mark.parametrize(("game", "status"), [("stag_hunt", "agreed"), ("escape_room", "no_deal")])
async def test_at_one_seat_it_takes_its_rules_deal_and_no_other(game: str, status: str) -> None:
    """Both want the stag; that Alice has ten and Bob minus one is what Bob does not sign."""
    seats = {
        "*": "embedded:contract_keeper",
        "Alice": "python:shapley_coop.extensions.opponents.baselines:nash",
    }
    room = {"game": game, "params": {"rounds": 1}, "seats": seats}
    outcome = await play("negotiation_priced", RunConfig.model_validate(room))
    assert outcome["status"] == status
    talk = (await table_of(home().runs.get(outcome["run"])))["talk"]
    offers = [said["deal"] for said in talk if said["by"] == "Alice" and "deal" in said]
    assert offers
    assert all(offer == offers[0] for offer in offers)


def test_the_price_of_who_wins_depends_on_the_others_bids_alone() -> None:
    """So that bidding one's cost is the best reply; a contract net pays what was bid."""
    stage, awards = procurement(), {}
    bob, carol = (bids_at_cost(stage, agent)[JOB] for agent in ("Bob", "Carol"))
    for bid in ("3", "4.5", "5.5"):
        asked = f"c1. Bob does {JOB} at every turn.\nc2. Alice pays Bob {bid}, once."
        said = [("Bob", asked), ("Carol", carol.deal(stage).text())]
        history = [{"by": by, "does": "propose", "offers": words} for by, words in said]
        letter = {**_letter(), "ask": "propose", "you": "Alice", "history": history}
        for name in ("second_price", "contract_net"):
            answer = baselines.SHIPPED[name](agent="Alice", seed=0)(letter, "")
            awards[name, bid] = answer.partition("<PROPOSAL>")[2]
    assert awards["second_price", "3"] == awards["second_price", "4.5"]
    assert '"amount": 5' in awards["second_price", "3"]
    assert '"amount": 4.5' in awards["contract_net", "4.5"]
    assert '"agent": "Carol"' in awards["second_price", "5.5"], "who asks for more loses the job"
    assert bob.price == 3


def _letter() -> dict[str, Any]:
    return facts_of(load(cell("Procurement", "nash").room["game"]))


def test_where_a_rule_leaves_things_as_they_are_nothing_is_proposed() -> None:
    assert awarded(procurement(), arbiters.nash) is None
    split = awarded(procurement(), arbiters.fixed_split)
    assert split is not None
    assert {clause.kind for clause in split.clauses} == {"do", "pay"}


def test_a_librarys_name_for_a_provider_is_answered_with_the_seat_that_it_is(coop: Coop) -> None:
    refused = coop("run", "escape_room", "--agent", "Alice=negmas:boulware")
    told = "An installed extension has it as python:shapley_coop.extensions.opponents.negmas_seat:"
    assert f"{told}boulware" in one_line(refused, USAGE)
