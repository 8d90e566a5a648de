"""Outlooks by plays: on dice of their own, and trades in which payoffs are private."""

from fractions import Fraction

import pytest

from shapley_coop import games
from shapley_coop.deals.analysis.outlook import Prospect, outlook
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.deals.language.clauses import Do, Share
from shapley_coop.deals.language.deal import Deal
from shapley_coop.games import load
from shapley_coop.games.ahead import FEWEST_PLAYS, MOST_PLAYS
from shapley_coop.games.dice import dice as throw
from shapley_coop.games.game import Game
from shapley_coop.games.turns import Step
from shapley_coop.state.outlook import norm_payoffs
from tests.brought import brought_by
from tests.deals.analysis.test_outlook import before_play

ENVIRONMENT = "pettingzoo:pettingzoo.classic.rps_v2:parallel_env"


@pytest.mark.parametrize(
    "name", [*games.names(), pytest.param(ENVIRONMENT, marks=brought_by("pettingzoo"))]
)
def test_an_offer_has_an_outlook_in_every_game_or_a_reason_why_not(name):
    game = load(name)
    agent = game.agents[0]
    promise = Do(agent=agent, action=game.actions[agent][0])
    found = before_play(game, Deal(clauses=[promise]), viewer=agent)
    assert bool(found.rows) != bool(found.why_not)
    for row in found.rows:
        assert agent in row.payoffs


@pytest.mark.parametrize("deposit", [None, Fraction(2)])
@pytest.mark.parametrize(
    "promised",
    [pytest.param(0, marks=brought_by("exchange")), pytest.param(1, marks=brought_by("raid"))],
)
def test_in_escrow_an_outlook_by_plays_needs_no_promise_of_everybody(deposit, promised):
    game = load("raid_battle" if promised else "task_exchange")
    agent = game.agents[0]
    promise = Do(agent=agent, action=game.actions[agent][0])
    terms = Enforcement("escrow", deposit)
    deal = Deal(clauses=[promise][:promised])
    assert before_play(game, deal, viewer=agent, enforcement=terms).rows


class Coins(Game):
    """Whoever tosses has 0 to 9; whoever keeps has 4."""

    name = "coins"

    def __init__(self, params=None, seed=0):
        super().__init__(params, seed)
        self.actions = {agent: ["toss", "keep"] for agent in self.agents}

    def start(self):
        return {"turn": 1}

    def legal(self, position, agent):
        return [] if self.over(position) else list(self.actions[agent])

    def step(self, position, actions):
        turn = position["turn"]
        tossed = {a: int(throw(self.seed, turn, a).integers(10)) for a in self.agents}
        kept = {"toss": tossed, "keep": dict.fromkeys(self.agents, 4)}
        paid = {a: kept[actions[a]][a] if a in actions else 0 for a in self.agents}
        return Step({"turn": turn + 1}, paid)

    def over(self, position):
        return position["turn"] > 2

    def rules(self):
        return "Toss or keep."

    def facts(self):
        return {"agents": list(self.agents), "actions": self.actions, "turns": 2}


class Hidden(Coins):
    """The same, and nobody sees the turn."""

    def view(self, position, agent):
        return {}


def test_a_game_of_ones_own_is_played_on_dice_that_it_will_not_roll():
    deal = Deal(clauses=[Do(agent="Alice", action="toss"), Do(agent="Bob", action="keep")])
    found = before_play(Coins({"rounds": 2}, seed=7), deal)
    assert FEWEST_PLAYS <= found.plays <= MOST_PLAYS
    kept = found.rows[0].payoffs
    assert kept["Bob"].record() == {"mean": "8", "low": "8", "high": "8"}
    assert kept["Alice"].mean == pytest.approx(9, abs=1)
    low, high = kept["Alice"].ends
    assert low < 5
    assert high > 13
    broken = {row.who: row for row in found.rows if row.who}
    assert broken["Alice"].by == "keep at every turn"
    assert broken["Alice"].payoffs["Alice"].mean == 8
    assert broken["Bob"].by == "toss at every turn"
    assert before_play(Coins({"rounds": 2}, seed=7), deal).record() == found.record()


def test_a_game_that_hides_something_is_not_pictured():
    deal = Deal(clauses=[Do(agent="Alice", action="toss")])
    assert before_play(Hidden({"rounds": 2}), deal).rows == ()


TOSS = Do(agent="Alice", action="toss")


def test_an_outlook_never_rolls_the_dice_that_the_game_will_roll():
    game = Coins({"rounds": 2}, seed=1)
    worlds = game.analysis.ahead._worlds(20, 0)
    assert all(world.seed != game.seed for world in worlds)
    assert len({world.seed for world in worlds}) == 20


def test_a_split_by_a_norm_is_valued_on_the_dice_of_each_play():
    deal = Deal(clauses=[TOSS, Share(norm="shapley")])
    found = before_play(Coins({"rounds": 2}, seed=3), deal, norm_payoffs=norm_payoffs)
    kept = {agent: x.mean for agent, x in found.rows[0].payoffs.items()}
    assert kept == {agent: x.mean for agent, x in found.by_norm.items()}, "no payment on top"
    assert kept["Alice"] > 0


def test_values_are_not_foretold_from_turns_on_the_games_own_dice():
    game = Coins({"rounds": 2}, seed=3)
    actions = dict.fromkeys(game.agents, "keep")
    after = game.step(game.start(), actions)
    record = [{"turn": 1, "actions": actions, "rewards": after.rewards}]
    deal = Deal(clauses=[TOSS, Share(norm="shapley")])
    found = outlook(Prospect(game, after.position, record, None, deal, norm_payoffs=norm_payoffs))
    assert found.rows == ()
    assert "after the play" in found.why_not
    without = outlook(Prospect(game, after.position, record, None, Deal(clauses=[TOSS])))
    assert all(row.payoffs.keys() == set(game.agents) for row in without.rows)
