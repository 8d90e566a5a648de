"""Unequal conduct in a raid shows in its values: healer, taunter, caster, idler."""

import pytest

from shapley_coop.credit import attribute_by
from shapley_coop.extensions.papers.raid_characters import (
    CHARACTERS,
    LEVELS,
    credited,
    main,
    played,
)
from shapley_coop.games import load
from shapley_coop.games.turns import realised_total
from shapley_coop.state.characteristic import characteristic
from tests.brought import brought_by

MARGINAL = (
    "shapley",
    "leave_one_out",
    *(pytest.param(x, marks=brought_by("values")) for x in ("banzhaf", "banzhaf_normalised")),
)
BUSY = [hero for hero in CHARACTERS if hero != "idler"]


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_healer_taunter_and_caster_differ_in_each_of_twenty_raids(level: int) -> None:
    for seed in range(20):
        raid = credited(level, seed)
        assert len({raid.values[hero] for hero in BUSY}) == len(BUSY), seed


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("norm", MARGINAL)
def test_a_hero_that_idles_ends_with_exactly_its_baseline(level: int, norm: str) -> None:
    for seed in range(20):
        raid = credited(level, seed, norm)
        assert raid.values["idler"] == 0
        assert raid.ends["idler"] == raid.baseline["idler"]


def test_the_table_names_every_level_and_hero(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--seeds", "0-1"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + len(LEVELS) * 5 + 1 + 2 + len(LEVELS) * 3
    assert sum("idler | 0.0 [0.0, 0.0]" in line for line in lines) == len(LEVELS)
    with pytest.raises(SystemExit) as refusal:
        main(["--seeds", "many"])
    assert refusal.value.code == 2


def test_by_contribution_the_total_is_split_by_hit_points() -> None:
    """As the paper's tables do: damage, healing and damage drawn, whoever else was there."""
    game = load("raid_battle", {"agents": list(CHARACTERS), "worth": "contribution"}, seed=2)
    record = played(game)
    found = attribute_by(characteristic(game, record))
    made = dict.fromkeys(game.agents, 0)
    for turn in record:
        for effect in turn["effects"]:
            if effect["effect"] in ("damage", "healing", "redirection"):
                hero = effect.get("agent") or effect["target"]
                made[hero] += effect["amount"]
    assert found.values == made
    total = realised_total(record)
    due = {hero: total * amount / sum(made.values()) for hero, amount in made.items()}
    assert found.payoffs(total) == pytest.approx(due)
