"""The small dilemmas: their payoffs are the printed ones, and their dilemmas are real."""

from itertools import product

import nashpy
import numpy as np
import pytest

from shapley_coop.deals.language.effects import Duty
from shapley_coop.games import GameError, load
from shapley_coop.games.enumeration import Enumeration
from shapley_coop.games.matrix import MatrixGame
from tests.brought import brought_by


def play_all(game, plan):
    """Play a game to its end by a plan from turn to joint action; everybody's total."""
    position, total, turn = game.start(), dict.fromkeys(game.agents, 0), 1
    while not game.over(position):
        after = game.step(position, plan(turn))
        total = {agent: total[agent] + after.rewards[agent] for agent in game.agents}
        position, turn = after.position, turn + 1
    return total


def bimatrix(game):
    """The two payoff matrices of a two-agent game, in the order of its actions."""
    row, column = game.agents
    shape = len(game.actions[row]), len(game.actions[column])
    cells = list(product(game.actions[row], game.actions[column]))
    paid = [game.step(game.start(), {row: x, column: y}).rewards for x, y in cells]
    return (np.array([r[agent] for r in paid]).reshape(shape) for agent in game.agents)


def test_the_prisoners_dilemma_pays_what_the_paper_prints():
    game = load("prisoners_dilemma")
    printed = {"dd": (0, 0), "dc": (2, -1), "cd": (-1, 2), "cc": (1, 1)}
    for (first, second), pays in printed.items():
        names = {"d": "defect", "c": "cooperate"}
        after = game.step(game.start(), {"Alice": names[first], "Bob": names[second]})
        assert tuple(after.rewards.values()) == pays


def test_ten_rounds_of_cooperation_are_worth_twenty_and_defection_is_the_only_equilibrium():
    game = load("prisoners_dilemma")
    total = play_all(game, lambda _: dict.fromkeys(game.agents, "cooperate"))
    assert sum(total.values()) == 20
    (equilibrium,) = nashpy.Game(*bimatrix(game)).support_enumeration()
    assert [list(mixed) for mixed in equilibrium] == [[1, 0], [1, 0]]
    assert game.actions["Alice"] == ["defect", "cooperate"]


def test_cash_grab_pays_what_the_paper_prints():
    game = load("cash_grab")
    for play in product(["wait", "take"], repeat=3):
        takers = play.count("take")
        each = {1: 3, 2: 2}.get(takers, 0)
        rewards = game.step(game.start(), dict(zip(game.agents, play, strict=True))).rewards
        assert list(rewards.values()) == [each if action == "take" else 0 for action in play]


def test_taking_cash_in_pairs_is_worth_forty_and_taking_turns_alone_thirty():
    game = load("cash_grab")

    def pairs(turn):
        return {a: "wait" if n == turn % 3 else "take" for n, a in enumerate(game.agents)}

    def alone(turn):
        return {a: "take" if n == turn % 3 else "wait" for n, a in enumerate(game.agents)}

    assert sum(play_all(game, pairs).values()) == 40
    assert sum(play_all(game, alone).values()) == 30


def test_a_stag_hunt_has_a_safe_and_a_better_equilibrium():
    game = load("stag_hunt")
    rows, columns = bimatrix(game)
    pure = [
        (i, j)
        for i, j in product(range(2), repeat=2)
        if rows[i, j] == rows[:, j].max() and columns[i, j] == columns[i, :].max()
    ]
    assert pure == [(0, 0), (1, 1)]
    assert rows[1].min() > rows[0].min()


@pytest.mark.parametrize("n", [2, 4, 7])
def test_giving_to_the_fund_costs_the_giver_and_pays_everybody_together(n):
    names = [f"Agent {k}" for k in range(n)]
    game = load("public_goods", {"agents": names, "multiplier": 1.6})
    nobody = dict.fromkeys(names, "keep")
    one = {**nobody, names[0]: "give"}
    pays_nothing = game.step(game.start(), nobody).rewards
    pays_one = game.step(game.start(), one).rewards
    assert pays_one[names[0]] < pays_nothing[names[0]]
    assert sum(pays_one.values()) > sum(pays_nothing.values())
    assert game.analysis.worth([], frozenset(names[:1])) == 0


def test_a_fund_can_be_given_to_in_parts():
    game = load("public_goods", {"levels": 4})
    assert game.actions["Alice"] == ["keep", "give 1/4", "give 2/4", "give 3/4", "give"]
    half = game.step(game.start(), dict.fromkeys(game.agents, "give 2/4"))
    assert set(half.rewards.values()) == {10 + 1.6 * 10}


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"multiplier": 5}, "makes no dilemma"),
        pytest.param({"levels": 100, "agents": 1000}, "too many", marks=brought_by("many")),
        ({"stakes": 3}, "stakes"),
    ],
)
def test_a_fund_that_is_no_dilemma_is_refused_in_one_line(params, reason):
    with pytest.raises(GameError, match=reason) as refusal:
        load("public_goods", params)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("name", ["prisoners_dilemma", "cash_grab", "stag_hunt", "public_goods"])
@pytest.mark.parametrize("rounds", [1, 3])
def test_every_dilemma_is_repeated_for_as_many_rounds_as_asked(name, rounds):
    game = load(name, {"rounds": rounds})
    first = {agent: actions[0] for agent, actions in game.actions.items()}
    turns = []
    play_all(game, lambda turn: turns.append(turn) or first)
    assert turns == list(range(1, rounds + 1))
    assert game.turns == game.facts()["turns"] == rounds


def valued(agent):
    """An agent that values c at 1, b at 2 and a at 3, beside one that has no choice."""
    pays = [{"play": [x, "-"], "pays": [worth, 0]} for worth, x in enumerate("cba", start=1)]
    actions = {agent: [*"abc"], "Ben": ["-"]}
    return MatrixGame({"agents": [agent, "Ben"], "actions": actions, "payoffs": pays})


def test_a_second_ban_does_not_lift_the_first():
    facts = {**valued("Ann").facts(), "you": "Ann", "turn": 1}
    bans = [Duty("Ann", action, True) for action in "ab"]
    assert Enumeration(facts, [], lambda *_: bans).play(bans) == {"Ann": "c", "Ben": "-"}


def test_any_name_of_an_agent_can_be_foreseen():
    assert valued("self").payoffs.unasked == {"self": "a", "Ben": "-"}
