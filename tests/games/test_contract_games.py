"""A game is one small file, and contracts play it as every other."""

import pytest

from shapley_coop.deals.analysis.certificate import certify
from shapley_coop.deals.language.clauses import Do
from shapley_coop.deals.language.deal import Deal
from shapley_coop.games import GameError, load
from shapley_coop.graphs.running import play
from shapley_coop.state.run_config import RunConfig
from tests.root import ROOT

FILE = ROOT / "games" / "volunteers.py"


def test_a_game_of_agents_who_are_all_alike_is_shorter_than_sixty_lines():
    assert len(FILE.read_text(encoding="utf-8").splitlines()) < 60


def test_one_volunteer_is_enough_for_all_and_pays_for_it():
    game = load("volunteers", {"benefit": 5, "cost": 2})
    waiting = dict.fromkeys(game.agents, "wait")
    assert set(game.step(game.start(), waiting).rewards.values()) == {0}
    helped = game.step(game.start(), {**waiting, "Bob": "volunteer"})
    assert helped.rewards == {"Alice": 5, "Bob": 3, "Carol": 5}
    both = game.step(game.start(), {**waiting, "Bob": "volunteer", "Carol": "volunteer"})
    assert both.rewards == {"Alice": 5, "Bob": 3, "Carol": 3}


def test_whose_turn_it_is_to_volunteer_is_a_strict_equilibrium_that_a_contract_can_choose():
    game = load("volunteers")
    alone = {"Alice": "volunteer", "Bob": "wait", "Carol": "wait"}
    deal = Deal(clauses=[Do(agent=agent, action=action) for agent, action in alone.items()])
    parties = certify(deal, game.facts()).parties
    assert all(party.deviation is None for party in parties.values())


def test_its_numbers_can_be_set_and_wrong_ones_are_refused():
    assert len(load("volunteers", {"agents": ["A", "B"], "cost": 4}).facts()["payoffs"]) == 4
    with pytest.raises(GameError, match="agents"):
        load("volunteers", {"agents": 1001})


async def test_it_is_played_through_contracts_as_every_other_game():
    outcome = await play("contracts", RunConfig(game="volunteers", params={"rounds": 3}, seed=1))
    assert outcome["status"] == "agreed"
    assert sum(outcome["payoffs"].values()) == 39
    assert outcome["audit"]["duties"] == {"kept": 9, "owed": 9}
