"""Equilibria of games from Gambit's files, against textbooks and by definition."""

import json
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shapley_coop.deals.analysis.stage import StageGame
from shapley_coop.extensions.equilibria.listing import Equilibrium, equilibria, is_degenerate
from shapley_coop.extensions.equilibria.nfg import parse_nfg
from tests.coop_command import Coop, one_line

BATTLE = """NFG 1 R "Battle of the \\"sexes\\"" { "Ann" "Ben" }
{ { "ballet" "boxing" } { "ballet" "boxing" } }
"Luce and Raiffa 1957"

3 2 0 0 0 0 2 3
"""
BY_OUTCOME = """NFG 1 D "Battle" { "Ann" "Ben" } { { "ballet" "boxing" } { "ballet" "boxing" } }
{
{ "both see ballet" 3, 2 }
{ "both see boxing" 2, 3 }
}
1 0 0 2
"""
PENNIES = 'NFG 1 R "Matching pennies" { "Ann" "Ben" } { 2 2 } 1 -1 -1 1 -1 1 1 -1'
THREE = 'NFG 1 R "A vote" { "A" "B" "C" } { 2 2 2 } 1 1 1 ' + "0 " * 18 + "2 2 1/2"


def shown(found: list[Equilibrium]) -> list[str]:
    return [
        " / ".join(
            " ".join(f"{action}={chance}" for action, chance in each.items())
            for each in one.play.values()
        )
        for one in found
    ]


@pytest.mark.parametrize("text", [BATTLE, BY_OUTCOME])
def test_the_battle_of_the_sexes_has_its_three_equilibria(text: str) -> None:
    found = equilibria(parse_nfg(text))
    assert shown(found) == [
        "ballet=1 / ballet=1",
        "boxing=1 / boxing=1",
        "ballet=3/5 boxing=2/5 / ballet=2/5 boxing=3/5",
    ]
    assert found[2].pays == [Fraction(6, 5)] * 2


def test_games_without_names_and_with_three_players_are_read() -> None:
    assert shown(equilibria(parse_nfg(PENNIES))) == ["1=1/2 2=1/2 / 1=1/2 2=1/2"]
    _, second = equilibria(parse_nfg(THREE))
    assert second.pays == [2, 2, Fraction(1, 2)]


@pytest.mark.parametrize(
    ("size", "pays", "many"),
    [("1 1", "1 2", 1), ("1 3", "1 2 3 4 5 6", 1), ("3 1", "0 0 0 0 0 0", 3), ("2 2", "0 " * 8, 4)],
)
def test_games_with_one_action_or_without_differences(size: str, pays: str, many: int) -> None:
    found = equilibria(parse_nfg(f'NFG 1 R "" {{ "A" "B" }} {{ {size} }} {pays}'))
    assert len(found) == many
    assert all(one.exact for one in found)


def test_the_first_players_strategy_changes_fastest() -> None:
    game = parse_nfg('NFG 1 R "" { "A" "B" } { 3 2 } 1 2 3 4 5 6 7 8 9 10 11 12')
    assert game.pays["2", "1"] == (3, 4)
    assert game.pays["1", "2"] == (7, 8)


@pytest.mark.parametrize("seed", range(40))
def test_no_player_gains_by_leaving_a_listed_equilibrium(seed: int) -> None:
    pays = Random(seed).sample(range(-99, 100), 18)
    game = parse_nfg('NFG 1 R "" { "A" "B" } { 3 3 } ' + " ".join(map(str, pays)))
    found = equilibria(game)
    for one in found:
        a, b = one.play.values()
        for i, other in enumerate((b, a)):
            for action in game.actions[game.agents[i]]:
                plays = [((action, o) if i == 0 else (o, action), p) for o, p in other.items()]
                assert sum(game.pays[play][i] * p for play, p in plays) <= one.pays[i]
    assert all(one.exact for one in found)
    assert len(found) % 2 == 1, "almost every game has an odd number (Wilson 1971)"


def test_chances_that_no_short_fraction_gives_are_told_in_decimals(
    coop: Coop, tmp_path: Path
) -> None:
    pays = Random(1).sample(range(10**9), 8)
    text = 'NFG 1 R "" { "A" "B" } { 2 2 } 0 X 9 0 7 0 0 Y'
    text = text.replace("X", str(max(pays))).replace("Y", str(min(pays)))
    (tmp_path / "long.nfg").write_text(text, encoding="utf-8")
    told = coop("equilibria", "long.nfg", "--json").result["equilibria"]
    assert [one["exact"] for one in told] == [False]
    assert sum(map(float, told[0]["play"]["A"].values())) == pytest.approx(1)


def test_the_command_lists_equilibria_and_writes_a_playable_game(
    coop: Coop, tmp_path: Path
) -> None:
    (tmp_path / "battle.nfg").write_text(BATTLE, encoding="utf-8")
    told = coop("equilibria", "battle.nfg").out
    assert "ballet: 3/5, boxing: 2/5" in told
    found = coop("equilibria", "battle.nfg", "--out", "battle.yaml", "--json").result
    assert found["agents"] == ["Ann", "Ben"]
    assert found["equilibria"][2]["pays"] == ["6/5", "6/5"]
    again = coop("equilibria", "battle.yaml", "--json").result
    assert json.dumps(again) == json.dumps(found)


def test_thirds_stay_exact_in_a_unit_of_the_written_game(coop: Coop, tmp_path: Path) -> None:
    """Ann's 1/3 and 2/3 are no whole millionths, and so no payoffs of a run."""
    text = 'NFG 1 R "" { "Ann" "Ben" } { 2 2 } 1/3 1/3 1 0 0 1 2/3 1/2'
    (tmp_path / "thirds.nfg").write_text(text, encoding="utf-8")
    listed = coop("equilibria", "thirds.nfg", "--out", "thirds.yaml", "--json")
    told = "The payoffs are those of the game times 3: a run counts in whole millionths."
    assert listed.err.splitlines() == [told]
    assert (tmp_path / "thirds.yaml").read_text(encoding="utf-8").startswith(f"# {told}\n")
    again = coop("equilibria", "thirds.yaml", "--json").result["equilibria"]
    for one, scaled in zip(listed.result["equilibria"], again, strict=True):
        assert [3 * Fraction(x) for x in one["pays"]] == list(map(Fraction, scaled["pays"]))
        assert one["play"] == scaled["play"]
    assert coop("run", "thirds.yaml", "--json").result["status"] == "agreed"


@pytest.mark.parametrize(
    ("pays", "more"),
    [
        ("1 1 1 0 0 1 1 1", True),  # Ann's actions pay the same against Ben's second one
        ("1 1 1 1 0 0 0 0", True),  # Ben's second action changes nothing
        ("0 " * 8, True),
        ("1 1 3 0 0 3 2 2", False),
        ("1 -1 -1 1 -1 1 1 -1", False),
    ],
)
def test_a_degenerate_game_may_have_more_equilibria(
    coop: Coop, tmp_path: Path, pays: str, more: bool
) -> None:
    text = f'NFG 1 R "" {{ "A" "B" }} {{ 2 2 }} {pays}'
    (tmp_path / "game.nfg").write_text(text, encoding="utf-8")
    assert coop("equilibria", "game.nfg", "--json").result["degenerate"] == more
    assert ("degenerate: there may be more" in coop("equilibria", "game.nfg").out) == more


@given(st.lists(st.integers(0, 2), min_size=12, max_size=12))
@example([1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1])  # the midpoint is the mixed equilibrium
@settings(deadline=None, max_examples=60)
def test_a_midpoint_is_a_listed_equilibrium_or_none_unless_the_game_is_degenerate(
    pays: list[int],
) -> None:
    game = parse_nfg(f'NFG 1 R "" {{ "A" "B" }} {{ 2 3 }} {" ".join(map(str, pays))}')
    found = equilibria(game)
    for one, other in combinations([x for x in found if x.exact], 2):
        half = [
            {x: (p.get(x, Fraction(0)) + q.get(x, Fraction(0))) / 2 for x in {*p, *q}}
            for p, q in zip(one.play.values(), other.play.values(), strict=True)
        ]
        best = [max(pay(game, half, i, x) for x in game.actions[a]) for i, a in enumerate("AB")]
        listed = half in [[*each.play.values()] for each in found]
        if not listed and all(pay(game, half, i, x) == best[i] for i in (0, 1) for x in half[i]):
            assert is_degenerate(game, found)


def pay(game: StageGame, play: list[dict[str, Fraction]], i: int, action: str) -> Fraction:
    other = play[1 - i].items()
    joint = [((action, x) if i == 0 else (x, action), p) for x, p in other]
    return sum((p * game.pays[both][i] for both, p in joint), Fraction(0))


def test_a_game_by_name_and_one_of_three_players(coop: Coop, tmp_path: Path) -> None:
    assert "stag: 3/4, hare: 1/4" in coop("equilibria", "stag_hunt").out
    (tmp_path / "vote.nfg").write_text(THREE, encoding="utf-8")
    assert "only pure ones" in coop("equilibria", "vote.nfg").out


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("hello", "must begin with NFG 1"),
        ('NFG 1 R "x"', "give the players"),
        ('NFG 1 R "x" { "A" "B" { 2 2 } 1', "a { without its }"),
        ('NFG 1 R "x" } { "A" "B" }', "a } without its {"),
        ('NFG 1 R "x" { "A" "A" } { 1 1 } 1 1', "the same name"),
        ('NFG 1 R "x" { "A" "B" } { 2 } 1 2', "2 players, but strategies of 1"),
        ('NFG 1 R "x" { "A" "B" } { 2 x } 1 2', "x is no number of strategies"),
        ('NFG 1 R "x" { "A" "B" } { 2 0 } 1 2', "no strategies"),
        ('NFG 1 R "x" { "A" "B" } { 999 999 } 1 2', "at most 100000"),
        ('NFG 1 R "x" { "A" "B" } { 1 1 } 1', "1 payoffs, but 1 plays of 2 players"),
        ('NFG 1 R "x" { "A" "B" } { 1 1 } 1 b', "b"),
        ('NFG 1 R "x" { "A" "B" } { 1 1 } { { "" 1 2 } } 2', "one of 0 to 1 for each play"),
        ('NFG 1 R "x" { "A" "B" } { 1 1 } 1 { 2 }', "where a payoff is needed"),
    ],
)
def test_a_file_that_is_no_game_is_refused_in_one_line(
    coop: Coop, tmp_path: Path, text: str, complaint: str
) -> None:
    (tmp_path / "game.nfg").write_text(text, encoding="utf-8")
    assert complaint in one_line(coop("equilibria", "game.nfg"), code=2)
