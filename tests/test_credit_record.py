"""Credit by the record: known answers, and six properties that hold in every game."""

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapley_coop.credit import attribute_by
from shapley_coop.credit.attribution import Attribution
from shapley_coop.games import Game, GameError, Turn, load, names
from shapley_coop.games.game import realised_total
from shapley_coop.games.replay import step_by_step
from shapley_coop.games.software_company.game import SoftwareCompany
from shapley_coop.state import EvaluatedTable, RunConfig, game_of
from shapley_coop.state.characteristic import characteristic
from tests.test_own_game import ORCHARD

D, C = "defect", "cooperate"
MARGINAL = ("shapley", "banzhaf", "banzhaf_normalised", "leave_one_out")
TUG = {
    "name": "tug",
    "agents": ["Ann", "Ben"],
    "actions": {"Ann": ["pull", "wait"], "Ben": ["pull", "wait"]},
    "payoffs": [
        {"play": ["pull", "pull"], "pays": [0, 0]},
        {"play": ["pull", "wait"], "pays": [3, -1]},
        {"play": ["wait", "pull"], "pays": [-1, 3]},
        {"play": ["wait", "wait"], "pays": [1, 1]},
    ],
}
PLAYED = [name for name in names() if name != "software_company"]


def recorded(game: Game, plays: Sequence[Mapping[str, str]]) -> list[Turn]:
    """A record of these joint actions."""
    position, record = game.start(), list[Turn]()
    for number, actions in enumerate(plays, start=1):
        after = game.step(position, actions)
        position = after.position
        turn: Turn = {"turn": number, "actions": dict(actions), "rewards": after.rewards}
        if after.pot:
            turn["pot"] = after.pot
        record.append(turn)
    return record


def at_random(game: Game, seed: int, passes: float = 0.1, stop: int = 30) -> list[Turn]:
    """A play in which everybody acts at random, and passes now and then."""
    dice, position, plays = random.Random(seed), game.start(), []
    while not game.over(position) and len(plays) < stop:
        legal = {a: acts for a in game.agents if (acts := game.legal(position, a))}
        actions = {a: dice.choice(acts) for a, acts in legal.items() if dice.random() >= passes}
        plays.append(actions)
        position = game.step(position, actions).position
    return recorded(game, plays)


def credited(game: Game, record: Sequence[Turn], norm: str = "shapley") -> Attribution:
    """The values of a record."""
    return attribute_by(characteristic(game, record), norm)


def ends(game: Game, record: Sequence[Turn], norm: str = "shapley") -> list[Fraction]:
    """What each agent ends with under a norm."""
    return list(credited(game, record, norm).payoffs(realised_total(record)).values())


def joint(game: Game, *actions: str, times: int = 1) -> list[Turn]:
    """A record in which the same is done again and again."""
    return recorded(game, [dict(zip(game.agents, actions, strict=True))] * times)


@pytest.mark.parametrize(
    ("name", "params", "actions", "times", "values", "payoffs"),
    [
        ("escape_room", {}, ("door", "lever"), 1, [4.5, 4.5], [4.5, 4.5]),
        (
            "escape_room",
            {"agents": ["A", "B", "C"]},
            ("door", "door", "lever"),
            1,
            [4.5, 4.5, 10],
            [4.5, 4.5, 10],
        ),
        ("prisoners_dilemma", {}, (D, C), 10, [0, 10], [0, 10]),
        ("prisoners_dilemma", {}, (C, C), 10, [10, 10], [10, 10]),
        ("prisoners_dilemma", {}, (C, C), 6, [6, 6], [6, 6]),
        (
            "public_goods",
            {},
            ("keep", "give", "give", "give"),
            10,
            [0, 120, 120, 120],
            [200, 320, 320, 320],
        ),
        ("cash_grab", {"rounds": 1}, ("take", "wait", "wait"), 1, [3, 0, 0], [3, 0, 0]),
        (
            "cash_grab",
            {"rounds": 1, "absent": "take"},
            ("take", "wait", "wait"),
            1,
            [0, 1.5, 1.5],
            [0, 1.5, 1.5],
        ),
        ("stag_hunt", {"rounds": 1}, ("stag", "hare"), 1, [-3, 0], [0, 3]),
        ("volunteers", {}, ("wait", "volunteer", "wait"), 1, [0, 13, 0], [0, 13, 0]),
        ("volunteers", {}, ("wait", "volunteer", "volunteer"), 1, [0, 5.5, 5.5], [0, 5.5, 5.5]),
    ],
)
def test_the_known_answers(
    name: str, params: dict, actions: tuple, times: int, values: list, payoffs: list
) -> None:
    game = load(name, params)
    record = joint(game, *actions, times=times)
    assert list(credited(game, record).values.values()) == values
    assert ends(game, record) == payoffs


def test_alone_in_the_escape_room_either_loses_one() -> None:
    game = load("escape_room")
    record = joint(game, "door", "lever")
    worths = [game.worth(record, frozenset(c)) for c in ([], ["Alice"], ["Bob"], game.agents)]
    assert worths == [0, -1, -1, 9]


# One battery for every game


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("own") / "orchard.py"
    path.write_text(ORCHARD, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("game", [*PLAYED, "tug", "own"])
def test_everybodys_replay_is_the_record_and_values_sum_to_what_it_improved(
    game: str, own: str
) -> None:
    source: Any = {"tug": TUG, "own": own}.get(game, game)
    for seed in range(6):
        played = load(source, {"rounds": 3} if game == "tug" else {}, seed)
        for stop in (30, 2):
            record = at_random(played, seed, stop=stop)
            replays = played.replays(record)
            everybody = replays.of(np.ones(len(played.agents), dtype=bool))
            assert sum(everybody.values()) == realised_total(record)
            found = credited(played, record)
            assert sum(found.values.values()) == found.total
            assert found.total == realised_total(record) - sum(replays.alone().values())
            for norm in (*MARGINAL, "equal", "proportional", "nucleolus"):
                assert sum(ends(played, record, norm)) == realised_total(record)


@pytest.mark.parametrize("game", [*PLAYED, "tug", "own"])
def test_whoever_did_what_its_baseline_does_ends_with_its_baseline(game: str, own: str) -> None:
    source: Any = {"tug": TUG, "own": own}.get(game, game)
    for seed in range(6):
        played = load(source, {"rounds": 3} if game == "tug" else {}, seed)
        if played.baseline.kind not in ("actions", "idle"):
            pytest.skip("nobody's conduct equals this baseline")
        null, dice, position, plays = (
            played.agents[seed % 2],
            random.Random(seed),
            played.start(),
            [],
        )
        while not played.over(position) and len(plays) < 30:
            actions = {}
            for agent in played.agents:
                if legal := played.legal(position, agent):
                    actions[agent] = dice.choice(legal)
            if null in actions:
                done = played.absent_action(played.baseline, position, null)
                actions.pop(null)
                actions |= {null: done} if done else {}
            plays.append(actions)
            position = played.step(position, actions).position
        record = recorded(played, plays)
        at = played.agents.index(null)
        for norm in MARGINAL:
            found = credited(played, record, norm)
            assert found.values[null] == 0
            if found.total == sum(found.values.values()) or any(found.values.values()):
                assert ends(played, record, norm)[at] == found.alone[null]


@pytest.mark.parametrize(
    "name", ["prisoners_dilemma", "public_goods", "raid_battle", "volunteers", "escape_room"]
)
def test_renaming_agents_renames_values(name: str) -> None:
    for seed in range(5):
        game = load(name, {}, seed)
        renamed = dict(zip(game.agents, reversed([f"Z{a}" for a in game.agents]), strict=True))
        params = {"agents": list(renamed.values())}
        if name == "prisoners_dilemma":
            acts = [D, C]
            pays = {(D, D): [0, 0], (D, C): [2, -1], (C, D): [-1, 2], (C, C): [1, 1]}
            other = load(
                {
                    "agents": params["agents"],
                    "actions": dict.fromkeys(params["agents"], acts),
                    "payoffs": [{"play": list(k), "pays": v} for k, v in pays.items()],
                    "rounds": 10,
                    "absent": D,
                }
            )
        else:
            other = load(name, params, seed)
        record = at_random(game, seed)
        again = recorded(
            other, [{renamed[a]: x for a, x in turn["actions"].items()} for turn in record]
        )
        values = credited(game, record).values
        assert credited(other, again).values == {renamed[a]: x for a, x in values.items()}


def test_agents_of_equal_conduct_have_equal_values() -> None:
    game = load("public_goods", {"rounds": 3})
    record = at_random(game, 5, passes=0)
    for turn in record:
        turn["actions"]["Carol"] = turn["actions"]["Bob"]
    record = recorded(game, [turn["actions"] for turn in record])
    for norm in (*MARGINAL, "nucleolus"):
        values = credited(game, record, norm).values
        assert values["Bob"] == values["Carol"]


@pytest.mark.parametrize(
    ("name", "selfish", "kind"), [("prisoners_dilemma", D, C), ("public_goods", "keep", "give")]
)
@given(data=st.data())
@settings(max_examples=40)
def test_one_more_cooperation_never_lowers_its_authors_value(
    name: str, selfish: str, kind: str, data: Any
) -> None:
    game = load(name, {"rounds": 3})
    acts = st.fixed_dictionaries({a: st.sampled_from([selfish, kind]) for a in game.agents})
    plays = data.draw(st.lists(acts, min_size=3, max_size=3))
    turn, agent = data.draw(st.integers(0, 2)), data.draw(st.sampled_from(game.agents))
    plays[turn][agent] = selfish
    before = credited(game, recorded(game, plays)).values[agent]
    plays[turn][agent] = kind
    assert credited(game, recorded(game, plays)).values[agent] >= before


# Replays


@given(st.integers(0, 10**6))
@settings(max_examples=30)
def test_raids_side_by_side_are_what_each_is_step_by_step(seed: int) -> None:
    dice = random.Random(seed)
    heroes = dice.choice([2, 3, 4])
    params = {"heroes": heroes, "boss_hp": dice.choice([400, 900, 1500]), "heal_reward": 0.35}
    game = load("raid_battle", params, seed)
    record = at_random(game, seed, stop=dice.choice([30, 3]))
    fast, slow = game.replays(record), step_by_step(game, record, game.baseline)
    for inside in product([False, True], repeat=heroes):
        row = np.array(inside)
        assert fast.of(row) == slow.of(row)


@given(st.integers(0, 10**6), st.sampled_from(["away", "idle", "wait", "volunteer"]))
@settings(max_examples=40)
def test_tables_by_indexing_are_what_each_play_is_step_by_step(seed: int, absent: str) -> None:
    game = load("volunteers", {"rounds": 3, "absent": absent})
    record = at_random(game, seed, passes=0.2)
    fast, slow = game.replays(record), step_by_step(game, record, game.baseline)
    for inside in product([False, True], repeat=3):
        assert fast.of(np.array(inside)) == slow.of(np.array(inside))


def test_a_replay_goes_on_past_the_records_end_with_the_members_own_turns() -> None:
    """Two kill in two turns what one alone kills in four, by casting on."""
    params = {"heroes": 2, "boss_hp": 400, "damage": [100, 100], "strike": 0, "taunted_strike": 0}
    game = load("raid_battle", params)
    record = joint(game, "Fireball", "Fireball", times=2)
    alone = game.replays(record).of(np.array([True, False]))
    assert alone == {"Hero1": 8 + 35, "Hero2": 35}


def test_a_hero_that_idles_ends_with_its_baseline_and_others_do_not() -> None:
    game = load("raid_battle", {"hero_hp": 4000}, seed=3)
    cast = [dict.fromkeys(game.agents[1:], "Fireball")] * 10
    position, plays = game.start(), []
    for actions in cast:
        if game.over(position):
            break
        plays.append(actions)
        position = game.step(position, actions).position
    record = recorded(game, plays)
    payoffs = ends(game, record)
    assert payoffs[0] == game.replays(record).alone()["Hero1"] == -25
    assert min(payoffs[1:]) > 0


def test_a_task_moves_only_if_all_who_handed_it_on_are_members() -> None:
    game = load("task_exchange")
    swap = dict(zip(game.agents, game.tasks.initial.values(), strict=True))
    first, second = game.agents
    masks = {first: swap[second], second: swap[first]}
    plays = game.hands(masks)
    position = game.start()
    for actions in plays:
        position = game.step(position, actions).position
    while not game.over(position):
        actions = {
            a: next(x for x in legal if x in game.tasks.names)
            for a in game.agents
            if (legal := game.legal(position, a))
        }
        plays.append(actions)
        position = game.step(position, actions).position
    record = recorded(game, plays)
    replays = game.replays(record)
    kept = {a: Fraction(str(game.scenario.utility(a, swap[a]))) for a in game.agents}
    assert replays.alone() == kept
    assert replays.of(np.array([True, False])) == kept
    traded = {a: Fraction(str(game.scenario.utility(a, masks[a]))) for a in game.agents}
    assert replays.of(np.array([True, True])) == traded


# Baselines


def test_an_undeclared_table_compares_with_what_survives_strict_dominance() -> None:
    game = load(TUG)
    assert dict(game.baseline.actions) == {"Ann": "pull", "Ben": "pull"}
    assert not game.baseline.warning


def test_an_undeclared_table_without_one_compares_with_away_and_warns() -> None:
    pays = [[2, 2], [0, 0], [0, 0], [1, 1]]
    table = {
        **TUG,
        "payoffs": [{**c, "pays": p} for c, p in zip(TUG["payoffs"], pays, strict=True)],
    }
    game = load(table)
    assert game.baseline.kind == "away"
    assert "--absent" in game.baseline.warning
    assert not load({**table, "absent": "wait"}).baseline.warning


@pytest.mark.parametrize(
    "wrong", ["fly", {"Ann": "pull"}, {"Ann": "fly", "Ben": "pull"}, "policy"], ids=str
)
def test_a_baseline_that_the_game_does_not_have_is_refused_in_one_line(wrong: Any) -> None:
    with pytest.raises(GameError) as refusal:
        _ = load(TUG, {"absent": wrong}).baseline
    assert "\n" not in str(refusal.value)


def test_who_is_absent_can_act_at_random_on_seeded_dice() -> None:
    game = load("public_goods", {"rounds": 2, "absent": "random"}, seed=4)
    record = joint(game, "give", "give", "give", "give", times=2)
    assert credited(game, record).values == credited(game, record).values
    assert sum(ends(game, record)) == realised_total(record)
    assert credited(load("public_goods", {"rounds": 2, "absent": "random"}, seed=5), record) != (
        credited(game, record)
    )


def test_parts_that_add_up_are_values_for_any_number_of_agents() -> None:
    game = load("delivered", {"artefacts": {f"P{i}": {"code": i} for i in range(1, 41)}})
    record = at_random(game, 0, passes=0)
    found = credited(game, record)
    assert found.method == "exact (additive)"
    assert list(found.values.values()) == list(ends(game, record))
    assert issubclass(SoftwareCompany, Game)


# Sampling


@pytest.mark.parametrize("norm", ["shapley", "banzhaf", "banzhaf_normalised"])
def test_beyond_sixteen_agents_values_have_errors_within_the_target(norm: str) -> None:
    game = load("raid_battle", {"heroes": 20, "boss_hp": 8000}, seed=1)
    record = at_random(game, 1, passes=0.2)
    found = credited(game, record, norm)
    assert found.method.startswith("sampled")
    assert found.standard_error is not None
    assert sum(found.payoffs(realised_total(record)).values()) == realised_total(record)


def test_sampled_banzhaf_values_agree_with_exact_ones() -> None:
    game = load("raid_battle", {"heroes": 8, "boss_hp": 3000}, seed=2)
    record = at_random(game, 2)
    of = characteristic(game, record)
    exact = attribute_by(of, "banzhaf")
    few = type(of)(of.agents, of.worth, of.batch, alone=of.alone, exact_agents=2)
    found = attribute_by(few, "banzhaf")
    assert found.standard_error is not None
    for agent, value in found.values.items():
        assert abs(value - exact.values[agent]) <= 5 * found.standard_error[agent] + 1e-6


# Runs of earlier versions


@pytest.mark.parametrize(
    ("name", "rule"),
    [("public_goods", "potential"), ("raid_battle", "replay"), ("delivered", "record")],
)
def test_a_run_configured_before_there_were_baselines_keeps_its_rule(name: str, rule: str) -> None:
    configured = RunConfig(game=name).resolve().model_dump(mode="json")
    assert game_of(configured).credit_rule == "record"
    del configured["absent"]
    assert game_of(configured).credit_rule == rule


def test_by_the_earlier_rule_a_defector_had_as_much_as_everybody() -> None:
    settled = RunConfig(game="public_goods").resolve().model_dump(mode="json")
    record = joint(game_of(settled), "keep", "give", "give", "give", times=10)
    by_record = EvaluatedTable({"episode": "new", "settings": settled, "record": record})
    assert list(by_record.payoffs_by("shapley").values()) == [200, 320, 320, 320]
    earlier = {key: value for key, value in settled.items() if key != "absent"}
    before = EvaluatedTable({"episode": "old", "settings": earlier, "record": record})
    assert list(before.payoffs_by("shapley").values()) == [290] * 4


def test_heroes_of_earlier_runs_roll_by_their_names() -> None:
    configured = RunConfig(game="raid_battle", params={"agents": ["Ann", "Ben"]}).resolve()
    settled = configured.model_dump(mode="json")
    earlier = {key: value for key, value in settled.items() if key != "absent"}
    assert game_of(settled).params.dice_key("Ben") == "Hero2"
    assert game_of(earlier).params.dice_key("Ben") == "Ben"
