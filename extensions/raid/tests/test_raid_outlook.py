"""What an offer would pay in a raid: by plays side by side, or one by one where it has to be."""

from fractions import Fraction
from functools import partial
from random import Random

from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.deals.language.clauses import Do
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.when import Event, Every, Last, Turns
from shapley_coop.deals.monitor import duties
from shapley_coop.games import load
from shapley_coop.games.ahead import MOST_PLAYS, Plan
from tests.chance import dice
from tests.deals.analysis.test_outlook import before_play


def rotation(game, *more):
    """The first three heroes take turns to Taunt."""
    taunts = [
        Do(agent=hero, action="Taunt", when=Every(every=3, start=turn))
        for turn, hero in enumerate(game.agents[:3], start=1)
    ]
    return Deal(clauses=[*taunts, *more])


def test_a_raid_is_played_many_times_and_the_same_each_time():
    game = load("raid_battle", seed=3)
    found = before_play(game, rotation(game))
    assert not found.exact
    assert found.plays == MOST_PLAYS
    kept, *rest = found.rows
    assert all(low <= high for low, high in (amount.ends for amount in kept.payoffs.values()))
    idle = next(row for row in rest if row.condition == "no deal" and "idle" in row.by)
    assert {x.mean for x in idle.payoffs.values()} == {-25}, "lost: the team bears 100"
    assert [row.who for row in rest if row.who] == list(game.agents[:3])
    for row in rest:
        if row.who:
            assert row.payoffs[row.who].mean < kept.payoffs[row.who].mean, "a lost Taunt costs all"
    assert before_play(load("raid_battle", seed=3), rotation(game)).record() == found.record()


def test_raids_side_by_side_go_as_raids_one_by_one():
    """With dice that always show the same number: plans that heal, idle, and Taunt in vain."""
    rng: Random = dice("raids side by side")
    for n in range(12):
        even = {"damage": [125, 125], "healing": [160, 160], "boss_hp": rng.choice([900, 2500])}
        game = load("raid_battle", even, n)
        deal = Deal(
            clauses=[
                Do(
                    agent=hero,
                    action=rng.choice(game.actions[hero]),
                    when=Turns(turns=(turn, turn)),
                )
                for turn in range(1, 11)
                for hero in game.agents
                if rng.random() < 0.6
            ]
        )
        breaker, instead = rng.choice(game.agents), rng.choice(["Heal", "Taunt", None])
        plan = Plan(partial(duties, deal), True, breaker, instead)
        many = game.analysis.ahead.plays(game.start(), [], plan, MOST_PLAYS)
        one = game.analysis.ahead.plays(game.start(), [], plan, 1)[0]
        assert [play.times for play in many] == [MOST_PLAYS]
        assert many[0].record == one.record


def test_a_plan_that_reads_the_record_is_played_one_by_one():
    """Hero2 taunts in the turn after Hero1 did: what it owes depends on what was done."""
    game = load("raid_battle", seed=3)
    follows = Last(last=Event(agent="Hero1", action="Taunt"))
    deal = Deal(
        clauses=[
            Do(agent="Hero1", action="Taunt", when=Every(every=3)),
            Do(agent="Hero2", action="Taunt", when=follows),
        ]
    )
    found = before_play(game, deal)
    assert 0 < found.plays < MOST_PLAYS
    assert [row.who for row in found.rows if row.who] == ["Hero1", "Hero2"]


def test_what_is_forfeited_in_a_raid_goes_to_the_others():
    game = load("raid_battle", seed=3)
    terms = Enforcement("escrow", Fraction(6))
    at_stake = before_play(game, rotation(game), enforcement=terms)
    bare = before_play(game, rotation(game))
    pairs = zip(at_stake.rows, bare.rows, strict=True)
    with_, without = next((a, b) for a, b in pairs if a.who == "Hero1" and a.by == b.by)
    assert with_.payoffs["Hero1"].mean == without.payoffs["Hero1"].mean - 6
    sums = [sum(x.mean for x in row.payoffs.values()) for row in (with_, without)]
    assert abs(sums[0] - sums[1]) < Fraction(1, 10)
