"""The page of evidence: each figure is computed from a record that is given."""

import json

import pytest

from extensions.raid.tests.raid_plays import as_log, raid, rotation
from extensions.studies.tests.coopeval_study import (
    PRINTED,
    moves,
    study,
    under_contract,
)
from extensions.studies.tests.test_company_log import TALK
from shapley_coop.extensions.studies.evidence import main, of_company, of_raid
from tests.root import DATA, ROOT

PAGE = ROOT / "docs" / "evidence.md"
PD, ANN, BEN = "PrisonersDilemma", "acme/solar-1(CoT)#P1", "acme/solar-1(IO)#P2"


@pytest.fixture
def written(tmp_path):
    """Writes the page from made records; a function from options to its lines."""
    page = tmp_path / "evidence.md"

    def write(*options):
        main([*map(str, options), "--page", str(page)])
        return page.read_text(encoding="utf-8").splitlines()

    return write


def line_about(lines, what):
    (found,) = (line for line in lines if what in line)
    return found


def test_a_raid_that_is_played_as_told_and_one_that_is_not_have_their_figures(written, tmp_path):
    names = {"same.json": 3, "other.json": 2}
    for name, cooldown in names.items():
        game = raid(seed=5, agents=["Agent1", "Agent2", "Agent3"], cooldown=cooldown)
        (tmp_path / name).write_text(json.dumps(as_log(game, rotation(3))), encoding="utf-8")
    lines = written("--raids", *(tmp_path / name for name in names))
    assert "| 0 mismatches in " in line_about(lines, "`coop import raid-log same.json`")
    assert "3 of 3 heroes" in line_about(lines, "same.json`")
    assert "| 0 mismatches in " not in line_about(lines, "`coop import raid-log other.json`")


def test_a_study_has_its_rounds_its_contracts_and_its_printed_table(written, tmp_path):
    lines = [
        under_contract(moves(PD, (ANN, "COOPERATE", 2.0), (BEN, "DEFECT", 1.0)), ANN, True),
        under_contract(moves(PD, (ANN, "DEFECT", 9), (BEN, "DEFECT", 1)), ANN, False),
    ]
    designs = {ANN: {"COOPERATE": 2, "DEFECT": 0}, BEN: {"COOPERATE": 1, "DEFECT": 0}}
    study(tmp_path / "study" / "one", PD, "Contracting", lines, designs)
    mediators = {ANN: ["DEFECT", "COOPERATE"], BEN: ["COOPERATE", "COOPERATE"]}
    study(tmp_path / "study" / "two", PD, "Mediation", [], mediators=mediators)
    table = tmp_path / "table.tex"
    table.write_text(PRINTED.replace("60}{0.0}", "60}{50.0}"), encoding="utf-8")
    told = written("--coopeval", tmp_path / "study", "--printed", table)
    settled = "| 1 of 2 rounds, 1 of them under a signed contract; 0 more folders had no records"
    assert settled in line_about(told, "recorded it")
    assert "of 2: cooperation is stable in 2, dominant in 1" in line_about(told, "Contracts")
    assert "of 2: delegating is stable in 1, dominant in 1" in line_about(told, "Mediators")
    assert "| 6 of 8 percentages |" in line_about(told, "--printed table.tex")


def test_another_record_has_another_digest(tmp_path):
    digests = set()
    for share in ("45%", "44%"):
        file = tmp_path / "talk.json"
        file.write_text(json.dumps(TALK).replace("45%", share), encoding="utf-8")
        digests.add(of_company(file).record)
    assert len(digests) == 2


def test_nothing_is_written_without_a_record_or_of_one_that_cannot_be_read(written, capsys):
    for options, told in (
        ((), "no record is given"),
        (("--raids", "nowhere.json"), "nowhere.json"),
    ):
        with pytest.raises(SystemExit) as left:
            written(*options)
        assert left.value.code == 2
        assert told in capsys.readouterr().err


@pytest.mark.parametrize("name", ["no_cot", "no_nego", "with_cot"])
def test_the_page_says_of_a_published_raid_what_its_log_shows_now(name):
    file = DATA / f"raid-level1-{name}.json"
    if not file.is_file():
        pytest.skip(
            f"the published log {file.name} is not at hand: COOP_SHARED_DATA names its folder"
        )
    assert of_raid(file).row() in PAGE.read_text(encoding="utf-8").splitlines()


def test_the_page_says_of_the_published_company_what_its_log_shows_now():
    file = DATA / "company-bmi-log.json"
    if not file.is_file():
        pytest.skip("the published log is not at hand: COOP_SHARED_DATA names its folder")
    assert of_company(file).row() in PAGE.read_text(encoding="utf-8").splitlines()
