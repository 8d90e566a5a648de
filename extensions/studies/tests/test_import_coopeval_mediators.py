"""Mediators that models of a published study proposed, certified as the study judges them."""

from fractions import Fraction
from itertools import product

import pytest

from extensions.studies.tests.coopeval_study import (
    ANN,
    BEN,
    GAMES,
    MEDIATORS,
    study,
)
from shapley_coop.extensions.studies.coopeval import certified_mediator, import_study
from shapley_coop.extensions.studies.coopeval_games import study_game
from tests.chance import dice

PD, GOODS = "PrisonersDilemma", "PublicGoods"


def test_delegating_is_stable_where_who_stays_away_is_punished_and_dominant_where_all_are(tmp_path):
    study(tmp_path / "pd", PD, "Mediation", [], mediators=MEDIATORS)
    (found,) = import_study(tmp_path)
    told = {one.by: (one.stable, one.dominant) for one in found.proposed}
    assert told == {ANN: (True, True), BEN: (False, False)}
    assert found.summary()["designs"] == 2


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("seats", [2, 3])
def test_the_verdict_on_a_mediator_is_that_of_the_game_with_delegating_written_out(seed, seats):
    drawn = dice(f"mediator {seats} {seed}")
    acts = ("CONTRIBUTE", "FREE_RIDE")
    mediator = {n: drawn.choice(acts) for n in range(1, seats)} | {seats: "CONTRIBUTE"}
    world = study_game(GOODS, {"num_players": seats, "multiplier": 1.5}, "here")

    def first_gets(*chosen):
        count = chosen.count("DELEGATE")
        play = [mediator[count] if one == "DELEGATE" else one for one in chosen]
        return Fraction(3, 2) * play.count("CONTRIBUTE") / seats + (play[0] == "FREE_RIDE")

    others = list(product((*acts, "DELEGATE"), repeat=seats - 1))
    gains = {
        act: [first_gets("DELEGATE", *rest) - first_gets(act, *rest) for rest in others]
        for act in acts
    }
    found = certified_mediator("x#P1", mediator, world)
    assert found.stable == all(of_act[-1] >= 0 for of_act in gains.values())
    assert found.dominant == all(min(x) >= 0 and max(x) > 0 for x in gains.values())


def test_a_mediator_that_makes_all_defect_or_that_takes_too_many_plays_counts_as_what_it_is():
    world = study_game(PD, GAMES[PD], "here")
    found = certified_mediator("x#P1", {1: "DEFECT", 2: "DEFECT"}, world)
    assert (found.stable, found.dominant, found.unknown) == (False, False, "")
    world = study_game(GOODS, {"num_players": 12, "multiplier": 1.5}, "here")
    found = certified_mediator("x#P1", dict.fromkeys(range(1, 13), "CONTRIBUTE"), world)
    assert (found.stable, found.dominant) == (None, None)
    assert "531441 plays with delegating are too many" in found.unknown


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        '{"x#P1": {}}',
        '{"x#P1": {"mediator": [[1, "A.DEFECT"]]}}',
        '{"x#P1": {"mediator": [[1, "A.DEFECT"], [1, "A.DEFECT"], [2, "A.DEFECT"]]}}',
        '{"x#P1": {"mediator": [[1, "A.DEFECT"], [2, "A.RUN"]]}}',
        '{"x#P1": {"mediator": 7}}',
    ],
)
def test_a_mediator_that_cannot_be_read_is_refused_in_one_line(coop, tmp_path, text):
    study(tmp_path / "pd", PD, "Mediation", [])
    (tmp_path / "pd" / "mediator_design.json").write_text(text, encoding="utf-8")
    done = coop("import", "coopeval", str(tmp_path))
    assert done.code == 2
    assert "mediator_design.json" in done.err
    assert len(done.err.strip().splitlines()) == 1
