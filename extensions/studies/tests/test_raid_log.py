"""Others' raids: published logs are played again by our rules, and differences are told."""

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extensions.raid.tests.raid_plays import as_log, at_random, played, raid, rotation
from shapley_coop.extensions.raid.rules import contributions
from shapley_coop.extensions.studies.raid_log import import_raid_log
from shapley_coop.games import GameError
from tests.root import DATA

AGENTS = ["Agent1", "Agent2", "Agent3", "Agent4"]
PUBLISHED = {
    # Read by hand: turns, and each hero's damage, healing and redirected damage.
    "with_cot": (6, [(462, 0, 600), (530, 0, 300), (595, 0, 300), (428, 184, 300)]),
    "no_cot": (6, [(462, 0, 600), (530, 0, 300), (595, 0, 300), (428, 184, 300)]),
    "no_nego": (7, [(137, 194, 0), (237, 186, 0), (339, 346, 300), (608, 0, 300)]),
}


def published(name):
    path = DATA / f"raid-level1-{name}.json"
    if not path.is_file():
        pytest.skip(f"the published log {path.name} is not at hand: name its folder")
    return path


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_log_goes_by_our_rules_without_a_mismatch(name):
    turns, expected = PUBLISHED[name]
    found = import_raid_log(published(name))
    assert found.mismatches == []
    assert [turn["matches"] for turn in found.turns] == [True] * turns
    assert found.params == {"agents": AGENTS, "boss_hp": 2000, "hero_hp": 400, "rounds": 10}
    assert [tuple(kinds.values()) for kinds in found.contributions.values()] == expected
    assert sum(found.shares.values()) == pytest.approx(1)


def test_a_published_log_shows_its_status_beside_ours():
    found = import_raid_log(str(published("no_nego")))
    second = found.turns[1]
    assert second["boss_hp"] == {"log": 1152, "ours": 1152}
    assert second["hero_hp"]["Agent1"] == {"log": 0, "ours": 0}
    assert found.turns[3]["cooldowns"]["Agent3"] == {"log": 2, "ours": 2}
    assert found.turns[-1]["boss_hp"] == {"log": None, "ours": 679}
    assert found.record[-1]["pot"] == -100


def test_what_was_chosen_too_late_is_taken_from_the_speech():
    last = import_raid_log(published("with_cot")).record[-1]
    assert last["actions"]["Agent4"] == "Fireball"
    assert {"effect": "too_late", "agent": "Agent4", "action": "Fireball"} in last["effects"]
    assert last["pot"] == 50


@settings(max_examples=40)
@given(
    st.integers(0, 999),
    st.sampled_from([0.0, 0.3]),
    st.integers(3, 6),
    st.sampled_from([300, 2000, 3000]),
)
def test_our_own_plays_written_as_a_log_come_back_the_same(seed, idle, heroes, boss_hp):
    game = raid(seed, agents=[f"Agent{i}" for i in range(1, heroes + 1)], boss_hp=boss_hp)
    log, record = (tell(game, at_random(seed, idle)) for tell in (as_log, played))
    if len(record) == 1:
        with pytest.raises(GameError, match="states the hit points of boss and heroes"):
            import_raid_log(log)
        return
    found = import_raid_log(json.loads(json.dumps(log)))
    assert found.mismatches == []
    assert found.record == record
    assert found.contributions == contributions(game.agents, record)


@pytest.fixture
def log():
    """A play of level 1 by rotation, won at turn 6."""
    return as_log(raid(seed=3, agents=AGENTS), rotation(4))


def turn_of(log, number):
    """The lines of a turn, from 1."""
    start = f"--------The game log of turn {number - 1}-"
    return next(entry[0] for entry in log if entry[0][0].startswith(start))


def replaced(log, number, old, new):
    lines = turn_of(log, number)
    assert old in json.dumps(lines)
    lines[:] = json.loads(json.dumps(lines).replace(old, new))
    return log


def test_a_wrong_boss_status_is_told_and_not_repaired(log):
    right = import_raid_log(copy.deepcopy(log))
    hp = right.turns[1]["boss_hp"]["ours"]
    found = import_raid_log(replaced(log, 2, f"HP: {hp}/2000", f"HP: {hp + 7}/2000"))
    assert found.mismatches == [{"turn": 2, "what": "boss HP", "log": hp + 7, "ours": hp}]
    assert [turn["matches"] for turn in found.turns] == [True, False, True, True, True, True]
    assert found.record == right.record


def test_an_attack_that_went_elsewhere_is_told_with_all_that_follows(log):
    replaced(log, 1, "focuses Agent1 for 100", "focuses Agent2 for 100")
    found = import_raid_log(replaced(log, 1, "Taunt(2)", "Taunt(3)"))
    assert [(m["turn"], m["what"]) for m in found.mismatches] == [
        (1, "the boss's attack"),
        (1, "Agent1's cooldown"),
    ]
    assert found.mismatches[0]["log"] == [["Agent2", 100]]
    assert found.mismatches[0]["ours"] == [["Agent1", 100]]


def test_a_deed_that_our_rules_forbid_is_told_and_left_out(log):
    fireball = "Agent1 uses Fireball Agent1 uses Fireball and attacks on Boss for"
    lines = turn_of(log, 2)
    at = next(i for i, line in enumerate(lines) if isinstance(line, str) and fireball in line)
    lines[at] = "Agent1 uses Taunt Agent1 use Taunt\n"
    found = import_raid_log(log)
    assert {
        "turn": 2,
        "what": "Agent1's Taunt",
        "log": "done",
        "ours": "not possible",
    } in found.mismatches
    assert "Agent1" not in found.record[1]["actions"]


def test_a_taunt_on_cooldown_is_nothing_in_the_log_and_nothing_in_ours(log):
    fireball = "Agent1 uses Fireball Agent1 uses Fireball and attacks on Boss for"
    lines = turn_of(log, 2)
    at = next(i for i, line in enumerate(lines) if isinstance(line, str) and fireball in line)
    lines[at] = " Agent1 use Taunt, but this action is in cooltime, so it doesn't work !!!\n"
    whats = {m["what"] for m in import_raid_log(log).mismatches}
    assert "Agent1's Taunt" not in whats
    assert "boss HP" in whats  # whose status still counts the Fireball


def test_a_line_that_nobody_understands_is_told(log):
    turn_of(log, 4).insert(1, "Agent2 sings a song\n")
    assert import_raid_log(log).mismatches == [
        {"turn": 4, "what": "a line", "log": "Agent2 sings a song", "ours": "not known"}
    ]


def test_a_missing_turn_is_told(log):
    del log[next(i for i, entry in enumerate(log) if entry[0] is turn_of(log, 3))]
    first = import_raid_log(log).mismatches[0]
    assert first == {"turn": 4, "what": "the number of the turn", "log": 4, "ours": 3}


def test_texts_may_stand_alone_or_in_lists_of_any_depth(log):
    flat = [entry[0] for entry in log]
    assert import_raid_log(flat).record == import_raid_log(log).record


@pytest.fixture
def won_early():
    """A play whose last turn has actions that come after the killing blow, and how many."""
    game = raid(seed=3, agents=AGENTS, boss_hp=1900)
    late = sum(e["effect"] == "too_late" for e in played(game, rotation(4))[-1]["effects"])
    assert late > 0
    return as_log(game, rotation(4)), late


def test_without_speech_what_came_too_late_is_noted_and_is_no_mismatch(won_early):
    log, late = won_early
    found = import_raid_log([entry for entry in log if not isinstance(entry[0], str)])
    assert found.mismatches == []
    assert len(found.notes) == 1
    assert found.notes[0].startswith(f"turn 6: who chose what in {late} of {late} actions")
    assert sum(found.shares.values()) == pytest.approx(1)


def test_more_actions_after_the_end_than_silent_heroes_are_a_mismatch(won_early):
    log, late = won_early
    late_line = " Boss is dead, don't need to execute this action !!!\n"
    turn_of(log, 6)[1:1] = [late_line] * 5
    assert import_raid_log(log).mismatches == [
        {"turn": 6, "what": "actions after the end", "log": late + 5, "ours": late}
    ]


def test_a_raid_that_differs_has_no_shares_and_keeps_the_logs_own_tally(log):
    right = import_raid_log(copy.deepcopy(log))
    assert right.tally == right.contributions
    assert sum(right.shares.values()) == pytest.approx(1)
    replaced(log, 1, "focuses Agent1 for 100", "focuses Agent1 for 160")
    found = import_raid_log(log)
    assert found.shares == {}
    assert found.contributions == right.contributions
    assert found.tally["Agent1"]["taunt"] == right.tally["Agent1"]["taunt"] - 60


def test_a_raid_of_other_numbers_is_played_by_the_numbers_that_are_given():
    played_by = {"cooldown": 2, "strike": 150, "taunted_strike": 90}
    log = as_log(raid(seed=5, agents=AGENTS, **played_by), rotation(4))
    whats = {m["what"] for m in import_raid_log(log).mismatches}
    assert {"the boss's attack", "Agent1's cooldown"} <= whats
    found = import_raid_log(log, played_by)
    assert found.mismatches == []
    assert found.tally == found.contributions
    assert found.params["cooldown"] == 2
    with pytest.raises(GameError, match="no parameter 'cooldwn'"):
        import_raid_log(log, {"cooldwn": 2})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{not JSON", "cannot be read as a raid log"),
        ('"text"', "is not a list"),
        ("{}", "is not a list"),
        ('["hello"]', "has no turn"),
        (
            '[["--------The game log of turn 0--------"]]',
            "states the hit points of boss and heroes",
        ),
    ],
)
def test_what_is_no_log_is_refused_in_one_line(tmp_path, text, told):
    path = tmp_path / "log.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(GameError, match=told) as refusal:
        import_raid_log(path)
    assert "\n" not in str(refusal.value)
    assert str(path) in str(refusal.value)


def test_a_missing_file_is_named():
    with pytest.raises(
        GameError, match=r"nowhere\.json: cannot be read as a raid log: No such file"
    ):
        import_raid_log("nowhere.json")


def test_the_report_is_plain_json(log):
    report = import_raid_log(log).report()
    assert json.loads(json.dumps(report)) == report
    assert set(report) == {
        "params",
        "record",
        "turns",
        "mismatches",
        "contributions",
        "tally",
        "notes",
        "shares",
    }
