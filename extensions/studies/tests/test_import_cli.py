"""Records of a study go through the command line."""

import json

import pytest

from extensions.raid.tests.raid_plays import as_log, raid, rotation
from extensions.studies.tests.test_company_log import TALK
from tests.root import DATA

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the folder of others' records is absent")


@needs_data
@pytest.mark.parametrize("name", ["no_nego", "no_cot", "with_cot"])
def test_a_published_raid_log_replays_without_a_mismatch(coop, name):
    done = coop("import", "raid-log", str(DATA / f"raid-level1-{name}.json"), "--json")
    assert json.loads(done.out)["mismatches"] == []
    assert done.code == 0


def test_a_raid_that_differs_from_its_log_has_no_shares_and_exit_code_1(coop, tmp_path):
    file = tmp_path / "raid.json"
    game = raid(seed=5, agents=["Agent1", "Agent2", "Agent3"], cooldown=2)
    file.write_text(json.dumps(as_log(game, rotation(3))), encoding="utf-8")
    done = coop("import", "raid-log", str(file))
    assert done.code == 1
    assert "%" not in done.out
    assert "no shares: our rules play another raid" in done.out
    set_right = coop("import", "raid-log", str(file), "--set", "cooldown=2")
    assert set_right.code == 0
    assert set_right.out.count("%") == 3
    assert "0 mismatches" in set_right.out


@needs_data
def test_a_published_company_log_has_earned_values_and_says_what_it_lacks(coop):
    done = coop("import", "company-log", str(DATA / "company-bmi-log.json"), "--json")
    found = json.loads(done.out)
    assert found["roles"]["Programmer"]["interval"][0] > 30
    assert found["missing"]


def test_a_negotiation_of_a_company_is_read_alone_or_beside_a_log_of_any_name(coop, tmp_path):
    talk, log = tmp_path / "Results.json", tmp_path / "made.json"
    talk.write_text(json.dumps(TALK), encoding="utf-8")
    log.write_text('{"Programmer": "wrote, completed: 10 lines of code"}', encoding="utf-8")
    alone = coop("import", "company-log", str(talk))
    assert alone.code == 0
    told = {line.split("│")[1].strip(): line for line in alone.out.splitlines() if "│" in line}
    assert [part.strip() for part in told["CEO"].split("│")[2:5]] == ["70", "40", "55"]
    assert "no log of the work is given" in alone.out
    both = coop("import", "company-log", str(log), "--negotiation", str(talk), "--json")
    found = json.loads(both.out)
    assert found["roles"]["Programmer"]["reward"] == 45
    assert found["rewards"] == {"CEO": 55, "Programmer": 45}
    assert found["negotiation"][0]["split"] == {"CEO": 40, "Programmer": 60}
