"""The conformance battery: what every game of the catalogue has to pass.

Each check takes a game's name, builds the game anew, and asserts one promise of `games.Game`.
"""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from shapley_coop.amounts import exact
from shapley_coop.games import Game, GameError, Position, Turn, load
from shapley_coop.games.turns import realised_total

SEEDS = (0, 1, 7)
MAX_TURNS = 30
"""Longer plays are cut off here, so that the battery stays quick."""


def play(game: Game, seed: int) -> Iterator[tuple[Position, dict[str, str], Turn]]:
    """One play in which everybody acts at random: position before, actions, turn."""
    dice, position = Random(seed), game.start()
    for number in range(1, game.turns + 1):
        if game.over(position):
            return
        legal = {agent: game.legal(position, agent) for agent in game.agents}
        actions = {agent: dice.choice(acts) for agent, acts in legal.items() if acts}
        after = game.step(position, actions)
        turn: Turn = {"turn": number, "actions": actions, "rewards": after.rewards}
        if after.pot:
            turn["pot"] = after.pot
        if after.effects:
            turn["effects"] = after.effects
        yield position, actions, turn
        position = after.position
    assert game.over(position), f"after {game.turns} turns, the most there are, it goes on"


def beginning(game: Game, seed: int) -> list[tuple[Position, dict[str, str], Turn]]:
    """The first turns of a play."""
    return [moment for moment, _ in zip(play(game, seed), range(MAX_TURNS), strict=False)]


def same(one: Any, other: Any) -> bool:
    """Equal as JSON, in which 1 and 1.0 differ."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def is_plain_json(value: Any) -> bool:
    """Whether JSON gives back exactly what it was given."""
    return json.loads(json.dumps(value, allow_nan=False)) == value


def it_says_who_plays_what(name: str) -> None:
    game = load(name)
    assert len(game.agents) >= 2
    assert len(set(game.agents)) == len(game.agents)
    assert set(game.actions) == set(game.agents)
    assert all(acts and len(set(acts)) == len(acts) for acts in game.actions.values())
    assert game.turns >= 1
    assert game.summary().strip()
    assert "\n" not in game.summary()


def its_rules_and_facts_never_change(name: str) -> None:
    game, again = load(name, seed=1), load(name, seed=1)
    before = game.rules(), deepcopy(game.facts())
    beginning(game, 3)
    assert (game.rules(), game.facts()) == before == (again.rules(), again.facts())
    assert is_plain_json(game.facts())


def every_position_is_plain_json(name: str) -> None:
    game = load(name)
    for position, actions, turn in beginning(game, 0):
        assert is_plain_json(position)
        assert is_plain_json(turn)
        assert all(is_plain_json(game.view(position, agent)) for agent in game.agents)
        assert actions.keys() <= turn["rewards"].keys() | set(game.agents)


def legal_moves_are_known_moves_and_somebody_has_one(name: str) -> None:
    game = load(name)
    for seed in SEEDS:
        for position, actions, _ in beginning(game, seed):
            assert actions, "the game is not over and nobody can do anything"
            for agent in game.agents:
                legal = game.legal(position, agent)
                assert set(legal) <= set(game.actions[agent])
                assert len(set(legal)) == len(legal)


def illegal_moves_are_refused_in_one_line(name: str) -> None:
    game = load(name)
    position, agent = game.start(), game.agents[0]
    for actions in ({agent: "no such action"}, {"Nobody": game.actions[agent][0]}):
        with pytest.raises(GameError) as refusal:
            game.step(position, actions)
        assert "\n" not in str(refusal.value)


def an_agent_that_does_nothing_holds_nobody_up(name: str) -> None:
    game = load(name)
    position = game.start()
    for _ in range(min(game.turns, MAX_TURNS)):
        if game.over(position):
            break
        after = game.step(position, {})
        assert is_plain_json(after.position)
        position = after.position
    else:
        assert game.turns > MAX_TURNS or game.over(position)


def nothing_passed_in_is_changed(name: str) -> None:
    game = load(name)
    for position, actions, _ in beginning(game, 1):
        kept = deepcopy((position, actions))
        for agent in game.agents:
            game.legal(position, agent)
            game.view(position, agent)["scribble"] = True
        game.over(position)
        game.step(position, actions)
        game.step(position, {})
        assert (position, actions) == kept


def the_same_seed_gives_the_same_play(name: str) -> None:
    for seed in SEEDS:
        plays = [beginning(load(name, seed=seed), 5) for _ in range(2)]
        assert same(*plays)


def a_record_replays_from_its_actions_alone(name: str) -> None:
    """Through JSON at every turn, in an object that has played something else in between."""
    game, other = load(name, seed=2), load(name, seed=2)
    beginning(other, 11)
    position = json.loads(json.dumps(other.start()))
    for before, actions, turn in beginning(game, 4):
        assert same(position, before)
        after = other.step(position, json.loads(json.dumps(actions)))
        assert same(after.rewards, turn["rewards"])
        assert same(after.pot or 0, turn.get("pot", 0))
        assert same(after.effects, turn.get("effects", []))
        position = json.loads(json.dumps(after.position))


def the_order_in_which_agents_are_named_does_not_matter(name: str) -> None:
    game = load(name, seed=3)
    for position, actions, _ in beginning(game, 6):
        backwards = dict(reversed(actions.items()))
        one, other = game.step(position, actions), game.step(position, backwards)
        assert same(one.position, other.position)
        assert same(one.rewards, other.rewards)


def nobody_is_worth_nothing_and_everybody_what_the_record_adds_to_the_baselines(name: str) -> None:
    game = load(name)
    for seed in SEEDS:
        record = [turn for _, _, turn in play(game, seed)]
        kept = deepcopy(record)
        worth = [game.analysis.worth(record, frozenset(c)) for c in ([], game.agents)]
        alone = game.analysis.replays(record).at_baseline()
        assert worth == [0, realised_total(record) - sum(alone.values())]
        assert all(
            isinstance(game.analysis.worth(record, frozenset([a])), Fraction) for a in game.agents
        )
        assert worth == [game.analysis.worth(record, frozenset(c)) for c in ([], game.agents)]
        assert record == kept


def no_play_beats_the_best_total_that_it_names(name: str) -> None:
    game = load(name)
    points = game.analysis.reference_points
    for seed in SEEDS:
        record = [turn for _, _, turn in play(game, seed)]
        assert points.best is None or realised_total(record) <= exact(points.best)
    assert all(len(point) == len(game.agents) for point in points.efficient)
    assert points.disagreement is None or set(points.disagreement) == set(game.agents)


def wrong_parameters_are_refused_in_one_line(name: str) -> None:
    for wrong in (
        {"no_such_parameter": 1},
        {"rounds": 0},
        {"agents": ["Ann", "Ann"]},
        {"agents": ["Ann"]},
        {"agents": ["world", "Ann"]},
        {"agents": [" ", "Ann"]},
    ):
        with pytest.raises(GameError) as refusal:
            load(name, wrong)
        called = getattr(load(name), "title", name)
        assert str(refusal.value).startswith((name, called))
        assert "\n" not in str(refusal.value)


BATTERY: list[Callable[[str], None]] = [
    it_says_who_plays_what,
    its_rules_and_facts_never_change,
    every_position_is_plain_json,
    legal_moves_are_known_moves_and_somebody_has_one,
    illegal_moves_are_refused_in_one_line,
    an_agent_that_does_nothing_holds_nobody_up,
    nothing_passed_in_is_changed,
    the_same_seed_gives_the_same_play,
    a_record_replays_from_its_actions_alone,
    the_order_in_which_agents_are_named_does_not_matter,
    nobody_is_worth_nothing_and_everybody_what_the_record_adds_to_the_baselines,
    no_play_beats_the_best_total_that_it_names,
    wrong_parameters_are_refused_in_one_line,
]
