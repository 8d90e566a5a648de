"""A published study's records: settled by our rules, certified, and compared with what they say."""

import json
import os
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from extensions.studies.tests.coopeval_study import (
    ANN,
    BEN,
    GAMES,
    MEDIATORS,
    PRINTED,
    moves,
    study,
    under_contract,
)
from shapley_coop.extensions.studies.coopeval import certified, import_study, payments_of
from shapley_coop.extensions.studies.coopeval_games import study_game
from shapley_coop.extensions.studies.coopeval_printed import rates
from tests.chance import dice

PD, GOODS = "PrisonersDilemma", "PublicGoods"
STRICT, WEAK = {"COOPERATE": 2, "DEFECT": 0}, {"COOPERATE": 1, "DEFECT": 0}


@pytest.fixture
def dilemma(tmp_path):
    """A folder with two proposed contracts; one signed match, and one that was not signed."""
    lines = [
        under_contract(moves(PD, (ANN, "COOPERATE", 2.0), (BEN, "DEFECT", 1.0)), ANN, True),
        under_contract(moves(PD, (ANN, "COOPERATE", 0), (BEN, "DEFECT", 3)), BEN, False),
    ]
    designs = {ANN: STRICT, BEN: WEAK}
    study(tmp_path / "study" / "contracting", PD, "Contracting", lines, designs)
    return tmp_path / "study"


def test_a_signed_contract_is_paid_and_one_that_was_not_signed_is_not(dilemma):
    (found,) = import_study(dilemma)
    signed, unsigned = found.settled
    assert found.differing == []
    assert [(x.payer, x.payee, x.amount) for x in signed.played.monitor.payments] == [
        ("P2", "P1", 2)
    ]
    assert signed.played.points[0] == {"P1": 2, "P2": 1}
    assert set(signed.played.monitor.verdicts(turns=1).values()) == {"satisfied"}
    assert unsigned.played.monitor.payments == []
    assert unsigned.played.points[0] == {"P1": 0, "P2": 3}


def test_a_contract_that_only_makes_indifferent_is_stable_and_not_dominant(dilemma):
    (found,) = import_study(dilemma)
    told = {one.by: (one.stable, one.dominant) for one in found.proposed}
    assert told == {ANN: (True, True), BEN: (True, False)}
    assert not any(one.refused for one in found.proposed)


def test_points_that_our_rules_do_not_give_are_told_with_their_place(tmp_path):
    lines = [moves(PD, (ANN, "DEFECT", 1), (BEN, "DEFECT", 4))]
    folder = study(tmp_path / "plain", PD, "NoMechanism", lines)
    (found,) = import_study(folder)
    assert found.summary()["differing"] == [
        {
            "where": f"{folder / 'records.jsonl'}:1 round 1",
            "actions": ["DEFECT", "DEFECT"],
            "recorded": ["1", "4"],
            "ours": ["1", "1"],
        }
    ]


def test_every_round_of_a_match_is_read_however_deep_it_lies(tmp_path):
    both = moves(PD, (ANN, "COOPERATE", 2), (BEN, "COOPERATE", 2))
    study(tmp_path / "a" / "repetition", PD, "Repetition", [[both, both], [[both]]])
    lines = [[{"votes": [], "moves": both}]]
    study(tmp_path / "a" / "mediation", PD, "Mediation", lines, mediators=MEDIATORS)
    found = import_study(tmp_path / "a")
    assert {one.experiment.mechanism: len(one.settled) for one in found} == {
        "Repetition": 3,
        "Mediation": 1,
    }


@pytest.mark.parametrize("seed", range(30))
def test_what_three_end_with_is_the_studys_rule_and_the_verdicts_are_the_matrix(seed):
    drawn = dice(f"coopeval {seed}")
    design = {
        "CONTRIBUTE": Fraction(drawn.randint(-2, 3)),
        "FREE_RIDE": Fraction(drawn.randint(-2, 3)),
    }
    world = study_game(GOODS, GAMES[GOODS], "here")

    def after(play):
        own = [Fraction(3, 2) * play.count("CONTRIBUTE") / 3 + (x == "FREE_RIDE") for x in play]
        drawn_of = sum(design[x] for x in play)
        return [a + design[x] - (drawn_of - design[x]) / 2 for a, x in zip(own, play, strict=True)]

    gains = [
        after(("CONTRIBUTE", *others))[0] - after(("FREE_RIDE", *others))[0]
        for others in product(design, repeat=2)
    ]
    found = certified("x#P1", design, world)
    together = after(("CONTRIBUTE",) * 3)[0] - after(("FREE_RIDE", "CONTRIBUTE", "CONTRIBUTE"))[0]
    assert found.stable == (together >= 0)
    assert found.dominant == (min(gains) >= 0 and max(gains) > 0)
    assert len(payments_of(design, world.seats)) == 3 * sum(bool(c) for c in design.values())


@pytest.mark.parametrize("seats", [7, pytest.param(9, marks=pytest.mark.slow)])
def test_contracts_of_many_have_verdicts_and_fit_in_a_letter(seats):
    world = study_game(GOODS, {"num_players": seats, "multiplier": 1.5}, "here")
    for paid, holds in ((1, True), (0, False)):
        found = certified("x#P1", {"CONTRIBUTE": Fraction(paid), "FREE_RIDE": Fraction(0)}, world)
        assert (found.stable, found.dominant, found.unknown) == (holds, holds, "")
    longer = {"CONTRIBUTE": Fraction(1), "FREE_RIDE": Fraction(-1)}
    assert certified("x#P1", longer, world).refused == ""


def test_what_cannot_be_enumerated_has_no_verdict_and_counts_in_no_rate(tmp_path):
    study(tmp_path / "many", GOODS, "Contracting", [], {ANN: {"CONTRIBUTE": 1}})
    (found,) = import_study(tmp_path)
    unknown = replace(found.proposed[0], stable=None, dominant=None, unknown="too many plays")
    lacking = replace(found, proposed=(unknown,))
    assert rates([lacking]) == {}
    assert lacking.summary()["without_verdict"] == [{"by": ANN, "why": "too many plays"}]
    assert (lacking.summary()["designs"], lacking.summary()["stable"]) == (1, 0)


def test_the_lower_claim_is_paid_to_both_and_the_bonus_goes_to_who_made_it():
    world = study_game("TravellersDilemma", GAMES["TravellersDilemma"], "here")
    rewards = world.game.step(world.game.start(), {"P1": "CLAIM_2", "P2": "CLAIM_0"}).rewards
    assert rewards == {"P1": 0, "P2": 4}
    assert world.target == "CLAIM_2"


def test_rates_are_means_over_games_of_all_that_a_model_proposed(dilemma):
    designs = {ANN: {"CONTRIBUTE": 0, "FREE_RIDE": 0}}
    study(dilemma / "goods", GOODS, "Contracting", [], designs)
    found = rates(import_study(dilemma))
    assert (found[ANN[:-3]].designs, found[ANN[:-3]].stable) == (2, Fraction(1, 2))
    assert found[BEN[:-3]].dominant == 0
    assert rates(import_study(dilemma), [PD])[ANN[:-3]].stable == 1


@pytest.fixture
def whole(dilemma):
    """The contracts, and mediators for two games."""
    study(dilemma / "mediation", PD, "Mediation", [], mediators=MEDIATORS)
    trust = {ANN: ["KEEP", "GIVE"]}
    study(dilemma / "mediated trust", "TrustGame", "Mediation", [], mediators=trust)
    return dilemma


def test_the_command_prints_the_studys_table_beside_ours_and_writes_all(coop, whole, tmp_path):
    printed = tmp_path / "table.tex"
    printed.write_text(PRINTED, encoding="utf-8")
    out = tmp_path / "out"
    done = coop("import", "coopeval", str(whole), "--printed", str(printed), "-o", str(out))
    assert done.code == 0
    assert "8 of 8 printed percentages are ours" in done.out
    assert "0 of 2 rounds end otherwise than the study recorded" in done.out
    written = json.loads((out / "contracting.json").read_text(encoding="utf-8"))
    assert written["params"]["agents"] == ["P1", "P2"]
    assert written["proposed"][1]["certificate"]["parties"]["P1"]["dominant"] is False
    assert written["settlements"][0]["payments"] == [{"payer": "P2", "payee": "P1", "amount": "2"}]
    written = json.loads((out / "mediation.json").read_text(encoding="utf-8"))
    assert written["mediators"][0]["mediator"] == {"1": "DEFECT", "2": "COOPERATE"}
    assert written["mediators"][0]["dominant"] is True


@pytest.mark.parametrize(
    ("of_theirs", "altered", "told"),
    [
        (
            "black!60}{0.0}",
            "black!60}{50.0}",
            "Contracting: acme/solar-1(IO) WD: printed 50.0, ours 0.0",
        ),
        ("WD & 50.0", "WD & 51.0", "Mediation: acme/solar-1(CoT) WD: printed 51.0, ours 50.0"),
        ("WD & 50.0", "XY & 50.0", "Mediation: acme/solar-1(CoT) XY: printed 50.0, ours —"),
        ("{Mediation}", "{Arbitration}", "Arbitration: Solar-R NS: printed 100.0, ours —"),
        ("Solar-R &", "Luna-R &", "Mediation: Luna-R NS: printed 100.0, ours —"),
    ],
)
def test_each_printed_percentage_that_is_not_ours_is_named_with_exit_code_1(
    coop, whole, tmp_path, of_theirs, altered, told
):
    printed = tmp_path / "table.tex"
    assert of_theirs in PRINTED
    printed.write_text(PRINTED.replace(of_theirs, altered), encoding="utf-8")
    done = coop("import", "coopeval", str(whole), "--printed", str(printed))
    assert done.code == 1
    assert told in done.out
    assert " of 8 printed percentages are ours" in done.out


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("no table", "no table with Mechanism, Metric"),
        (PRINTED.replace("WD & 50.0 &", "WD &"), "a row of Mediation has more or fewer cells"),
        (PRINTED * 2, "Mediation has two rows NS"),
    ],
)
def test_a_printed_table_that_cannot_be_read_is_refused_in_one_line(
    coop, whole, tmp_path, text, told
):
    printed = tmp_path / "table.tex"
    printed.write_text(text, encoding="utf-8")
    done = coop("import", "coopeval", str(whole), "--printed", str(printed))
    assert done.code == 2
    assert told in " ".join(done.err.split())


def test_a_difference_is_exit_code_1_and_a_folder_without_records_is_named(coop, dilemma):
    lines = [moves(PD, (ANN, "DEFECT", 1), (BEN, "DEFECT", 4))]
    study(dilemma / "plain", PD, "NoMechanism", lines)
    (study(dilemma / "lost", PD, "NoMechanism", []) / "records.jsonl").unlink()
    done = coop("import", "coopeval", str(dilemma))
    assert done.code == 1
    assert "DEFECT, DEFECT: recorded 1, 4, ours 1, 1" in done.out
    assert "lost: has settings and no records, and is left out" in done.err


HOSTILE_GAMES = [
    (
        f'{{"type": "PublicGoods", "kwargs": {{"num_players": {n}, "multiplier": "{m}"}}}}',
        f"config.json: {why}",
    )
    for n, m, why in [
        (40, 2, "num_players is 40: give 2 to 12"),
        (0, 2, "num_players is 0"),
        (2, "1e400", "the numbers of PublicGoods are missing or wrong"),
    ]
]
"""Whose joint actions would fill the memory, or whose numbers are none."""


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("records.jsonl", "{", "records.jsonl:1: is not JSON"),
        (
            "records.jsonl",
            '[{"player": "x", "action": "y", "points": 1}]',
            "1 moves, but the game has 2 seats",
        ),
        ("records.jsonl", '{"votes": []}', "records.jsonl:1: has no round"),
        (
            "records.jsonl",
            '[{"player": "x", "action": "y"}, {"player": "z", "action": "y", "points": 1}]',
            "records.jsonl:1 round 1: a move lacks one of player, action, points",
        ),
        ("config.json", "[]", "contains no settings of the study: give game and mechanism"),
        ("config.json", '{"game": {"type": "Chess"}, "mechanism": {"type": "x"}}', "'Chess'"),
        (
            "config.json",
            '{"game": {"type": "PublicGoods"}, "mechanism": {"type": "x"}}',
            "are missing or wrong",
        ),
        ("contract_design.json", '{"x#P1": {}}', "x#P1 has no contract"),
        ("contract_design.json", '{"x#P1": {"contract": {"A.RUN": 1}}}', "'RUN' is not an action"),
        ("contract_design.json", "{}", "who made none"),
        (
            "contract_design.json",
            '{"x#P1": {"contract": {"A.COOPERATE": "1e400"}}}',
            "x#P1's A.COOPERATE: 1e400 is out of range",
        ),
        *(
            ("config.json", f'{{"game": {game}, "mechanism": {{"type": "x"}}}}', told)
            for game, told in HOSTILE_GAMES
        ),
    ],
)
def test_what_is_not_of_the_format_is_refused_in_one_line(coop, dilemma, file, text, told):
    (dilemma / "contracting" / file).write_text(text, encoding="utf-8")
    done = coop("import", "coopeval", str(dilemma))
    assert done.code == 2
    assert told in done.err
    assert len(done.err.strip().splitlines()) == 1


def test_a_pipe_with_the_name_of_a_record_is_not_read(coop, tmp_path):
    os.mkfifo(tmp_path / "records.jsonl")
    done = coop("import", "coopeval", str(tmp_path))
    assert done.code == 2
    assert "no records.jsonl in it" in done.err


def test_a_folder_without_any_record_is_refused(coop, tmp_path):
    done = coop("import", "coopeval", str(tmp_path))
    assert done.code == 2
    assert "give a folder of the study" in done.err
