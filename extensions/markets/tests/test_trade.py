"""Trade: what is held is public, what it is worth is each agent's own, and what deals come to."""

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from extensions.markets.tests.trading import JOB, LAMP, MODES
from shapley_coop.extensions.markets.points import welfare
from shapley_coop.games import GameError, load


@pytest.mark.parametrize("mode", MODES)
def test_the_best_welfare_is_what_brute_force_finds(mode: str) -> None:
    for seed in range(6):
        market = load("trade", {"mode": mode}, seed=seed).market
        points = [[market.alone(agent) for agent in market.agents]]
        for division in product(*(range(total + 1) for total in market.totals.values())):
            parts = [
                dict(zip(market.goods, division, strict=True)),
                {g: market.totals[g] - n for g, n in zip(market.goods, division, strict=True)},
            ]
            points.append([market.worth(a, x) for a, x in zip(market.agents, parts, strict=True)])
        assert welfare(market) == max(sum(point) for point in points)


@pytest.mark.parametrize("mode", MODES)
def test_a_coalition_is_worth_what_its_members_gave_one_another(mode: str) -> None:
    game = load("trade", {"mode": mode, "rounds": 2}, seed=1)
    position, record, dice = game.start(), [], Random(mode)
    while not game.over(position):
        legal = {a: game.legal(position, a) for a in game.agents}
        actions = {a: dice.choice(acts[-2:]) for a, acts in legal.items() if acts}
        after = game.step(position, actions)
        record.append({"turn": len(record) + 1, "actions": actions, "rewards": after.rewards})
        position = after.position
    alone = {agent: game.market.alone(agent) for agent in game.agents}
    for agent in game.agents:
        assert game.analysis.replays(record).at_baseline()[agent] == alone[agent]
        assert game.analysis.worth(record, frozenset([agent])) == 0


def test_worth_is_a_sum_over_agents_each_by_its_partners_unless_goods_are_passed_on() -> None:
    agents, summed = ["Ann", "Ben", "Cem", "Dan", "Eve"], set()
    coalitions = np.array([*product((False, True), repeat=len(agents))])
    for seed in range(12):
        game = load("trade", {"agents": agents, "rounds": 2}, seed=seed)
        position, record, dice = game.start(), [], Random(seed)
        while not game.over(position):
            actions = {a: dice.choice(game.legal(position, a)) for a in agents}
            after = game.step(position, actions)
            record.append({"turn": len(record) + 1, "actions": actions, "rewards": after.rewards})
            position = after.position
        replays = game.analysis.replays(record)
        summed.add(replays.classes is not None)
        whole = replays.totals(coalitions)
        for row, worth in zip(coalitions, whole, strict=True) if replays.classes else ():
            parts = Fraction(0)
            for one in replays.classes or ():
                inside = tuple(
                    int(row[int(np.argmax(one.of == c))]) for c in range(one.worths.ndim)
                )
                nobody = (0,) * one.worths.ndim
                parts += Fraction(one.worths[inside] - one.worths[nobody], one.unit)
            assert parts == worth - whole[0]
    assert summed == {True, False}


def test_a_pool_is_lost_unless_all_others_accept() -> None:
    game = load("trade", {"mode": "ultimatum"}, seed=1)
    least = game.market.alone("Bob")
    given = game.step(game.start(), {"Alice": "give 4 coin to Bob"})
    assert game.legal(given.position, "Alice") == []
    ends = [game.step(given.position, acts).rewards for acts in ({"Bob": "accept"}, {})]
    assert ends == [{"Alice": 6, "Bob": 4}, {"Alice": 0, "Bob": least}]


@pytest.mark.parametrize("mode", ["issues", "exchange"])
def test_the_rules_say_at_which_turns_one_gives_and_leave_clauses_to_what_an_offer_can_say(
    mode: str,
) -> None:
    once, thrice = (load("trade", {"mode": mode, "rounds": n}).rules() for n in (1, 3))
    assert "Once, in turn 1, an agent gives some of one good" in once
    assert "In each of the turns 1 to 3 an agent gives some of one good" in thrice
    assert ("In turn 4, the last, nobody gives by hand" in thrice) is (mode == "issues")
    assert "deal may" not in once


def test_of_each_issue_one_option_is_agreed_on_and_worth_to_each_what_it_says(
    tmp_path: Path,
) -> None:
    file = tmp_path / "job.json"
    file.write_text(json.dumps(JOB))
    game = load("trade", {"market": str(file), "rounds": 2})
    told = "How much of salary Ben holds in the end is what is agreed on it: 0 is low, 1 is fair"
    assert told in game.rules()
    assert "31" not in game.rules() + json.dumps(game.facts())
    assert game.private("Ann")["worth_to_you"]["salary"] == {"0": 0, "1": 20, "2": 50}
    position = game.start()
    for gift in ("give 1 salary to Ben", "give 1 start to Ben"):  # a fair salary, from June on
        position = game.step(position, {"Ann": gift}).position
    assert game.step(position, {"Ben": "accept"}).rewards == {"Ann": 29, "Ben": 34}
    assert game.step(position, {"Ben": "refuse"}).rewards == {"Ann": 0, "Ben": 12}
    assert game.analysis.reference_points.best == 29 + 34


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ({}, "agents: it is missing"),
        ({**LAMP, "colour": 777.25}, "no setting 'colour': there are name, about, pool, issues"),
        ({"agents": {"A": {"holds": {"x": 1}}}}, "agents: it has 1: give 2 or more"),
        *(
            ({"agents": {"A": told, "B": {}}}, why)
            for told, why in (
                ({"purs": 777.25}, "no setting 'agents.A.purs': did you mean 'purse'?"),
                ({"holds": {"x": 777.25}}, "agents.A.holds.x: it has to be a whole number"),
                ({"holds": ["x"]}, "agents.A.holds: it has to be a mapping, as in {key: value}"),
                ({"worth": {"x": None}}, "agents.A.worth.x: it has to be a number"),
                (777.25, "agents.A: it has to be a mapping, as in {key: value}"),
            )
        ),
        ({"agents": {"A": {}, "B": {}}}, "0 goods: give 1 to 12"),
        ({"agents": {"A": {"holds": {"x": -1}}, "B": {}}}, "A holds -1 x: give 0 to 1000000000"),
        (
            {"agents": {"A": {"holds": {"x": 1}, "worth": {"y": 777.25}}, "B": {}}},
            "A values y, but nobody holds it",
        ),
        (
            {"agents": {"A": {"holds": {"x": 1}, "worth": {"x": "s777.25"}}, "B": {}}},
            "the worth of x to A is not a number",
        ),
        *(
            ({"agents": {"A": {"holds": {"x": 1}, **told}, "B": {}}}, why)
            for told, why in (
                ({"purse": "s777.25"}, "the purse of A is not a number of 0 or more"),
                ({"purse": -777.25}, "the purse of A is not a number of 0 or more"),
                (
                    {"otherwise": "s777.25"},
                    "the value of A without a deal (otherwise) is not a number",
                ),
                ({"worth": {"x": ["1e400", "777.25"]}}, "the worth of x to A is not a number"),
            )
        ),
        ({"agents": {"world": {"holds": {"x": 1}}, "B": {}}}, "choose other names"),
        ({**JOB, "issues": {"salary": ["low"]}}, "salary: give 2 to 13 different options"),
        (
            {
                "issues": {"pay": ["a", "b"]},
                "agents": {"A": {"worth": {"pay": {"a": 777.25}}}, "B": {}},
            },
            "A values options of pay that do not exist",
        ),
        (
            {"issues": {"pay": ["a", "b"]}, "agents": {"A": {"worth": {"pay": 777.25}}, "B": {}}},
            "A values pay: give what each option is worth",
        ),
        ([], "contains no market"),
    ],
)
def test_a_wrong_market_is_refused_in_one_line_that_tells_no_worth(
    tmp_path: Path, content: Any, why: str
) -> None:
    file = tmp_path / "market.json"
    file.write_text(json.dumps(content))
    with pytest.raises(GameError) as refusal:
        load("trade", {"market": str(file)})
    assert why in str(refusal.value)
    assert "777.25" not in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_the_rules_say_when_a_pool_is_accepted_and_whether_payments_are_limited() -> None:
    divided = load("trade", {"mode": "issues"}).rules()
    assert "Bob can `accept` or `refuse`." in divided
    assert "You can pay any amount." in divided
    bought = load("trade", {"mode": "price"})
    assert "you_can_pay_at_most" in bought.private(bought.agents[-1])
    assert "You can pay any amount." not in bought.rules()
