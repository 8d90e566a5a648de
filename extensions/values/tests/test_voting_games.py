"""Voting and airport games, against closed forms and tables of all coalitions."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extensions.values.tests.voting_bodies import COLLEGE_OF_1970, COLLEGE_OF_2000, of
from shapley_coop.credit.norms import norm
from shapley_coop.extensions.values import voting
from shapley_coop.extensions.values.airport import AirportGame
from shapley_coop.extensions.values.files import credit_report
from shapley_coop.extensions.values.nucleolus import nucleolus
from shapley_coop.extensions.values.voting import VotingGame, read_voting
from shapley_coop.extensions.values.voting_nucleolus import voting_nucleolus
from tests.brought import brought_by
from tests.console_pages import DOCS, played
from tests.coop_command import Coop, one_line

unhurried = settings(deadline=None, max_examples=60)

games = st.integers(2, 8).flatmap(
    lambda n: st.tuples(
        st.lists(st.tuples(st.integers(0, 9), st.integers(1, 40)), min_size=n, max_size=n),
        st.lists(st.tuples(st.integers(0, 30), st.integers(1, 90)), min_size=1, max_size=2),
    )
)


def game_of(drawn: tuple[list[tuple[int, int]], list[tuple[int, int]]]) -> VotingGame:
    weights, rules = drawn
    most = tuple(map(sum, zip(*weights, strict=True)))
    rules = [(min(a, most[0]), min(b, most[1])) for a, b in rules]
    return VotingGame([f"v{i}" for i in range(len(weights))], weights, rules)


def report(game: VotingGame, value: str) -> list[float]:
    kinds = ("a", "b")
    rules = [dict(zip(kinds, rule, strict=True)) for rule in game.rules]
    weights = [dict(zip(kinds, own, strict=True)) for own in game.weights]
    return list(credit_report(of(weights, rules), value)["values"].values())


@given(games)
@unhurried
def test_any_voting_game_has_the_values_of_its_table(
    drawn: tuple[list[tuple[int, int]], list[tuple[int, int]]],
) -> None:
    game = game_of(drawn)
    for value in ("shapley", "banzhaf", "banzhaf_normalised"):
        assert report(game, value) == [float(x) for x in norm(value)(game.table())]


@given(st.lists(st.integers(1, 60), min_size=2, max_size=11), st.integers(1, 99), st.booleans())
@unhurried
def test_halves_of_the_voters_give_the_counts_of_all(
    weights: list[int], part: int, by_size: bool
) -> None:
    """With weights too large for a table, and a quota of voters beside."""
    rows = [{"votes": w, "voters": 1} for w in weights]
    rule = {"votes": f"{part}%", "voters": 1 + by_size * len(weights) // 2}
    game = read_voting(of(rows, [rule, {"voters": len(weights)}]))
    by_weight = [game.swings(own) for own in game.weights]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(voting, "MOST_CELLS", 0)
        if len(set(weights)) > 1:
            assert [game.swings(own) for own in game.weights] == by_weight


@given(games)
@unhurried
def test_the_nucleolus_of_a_voting_game_is_that_of_its_table(
    drawn: tuple[list[tuple[int, int]], list[tuple[int, int]]],
) -> None:
    game = game_of(drawn)
    table = game.table()
    if sum(table[1 << i] for i in range(len(game.agents))) <= 1:
        found = [float(x) for x in voting_nucleolus(game)]
        assert found == pytest.approx(nucleolus(table), abs=1e-7)


def test_the_nucleolus_of_the_electoral_college_follows_the_electors() -> None:
    """Each state gets its part of the electors: many coalitions have exactly 270 electors, and no
    other division leaves the worst of them better off."""
    found = credit_report(of(COLLEGE_OF_1970, 270), "nucleolus")["values"]
    assert list(found.values()) == pytest.approx([w / 538 for w in COLLEGE_OF_1970], abs=1e-8)


costs = st.lists(st.integers(0, 12), min_size=1, max_size=7).filter(any)


@given(costs)
@unhurried
def test_an_airport_has_the_values_of_its_table(each: list[int]) -> None:
    content = {"airport": {f"a{i}": cost for i, cost in enumerate(each)}}
    table = AirportGame(list(content["airport"]), [Fraction(x) for x in each]).table()
    for value in ("shapley", "banzhaf", "leave_one_out"):
        found = list(credit_report(content, value)["values"].values())
        assert found == [-float(x) for x in norm(value)(table)]


def littlechild(costs: list[int]) -> list[Fraction]:
    """The nucleolus of an airport by its recursion (Littlechild 1974)."""
    left, paid, found = sorted(map(Fraction, costs)), Fraction(0), []
    while left:
        n = len(left)
        cuts = [((left[k] - paid) / (k + 2), k) for k in range(n - 1)]
        each, k = min([*cuts, ((left[-1] - paid) / n, n - 1)])
        found += [each] * (k + 1)
        paid, left = paid + each * (k + 1), left[k + 1 :]
    return found


@given(costs)
@unhurried
def test_the_nucleolus_of_an_airport_is_littlechilds(each: list[int]) -> None:
    content = {"airport": {f"a{i}": cost for i, cost in enumerate(sorted(each))}}
    found = credit_report(content, "nucleolus")["values"].values()
    assert list(found) == pytest.approx([float(x) for x in littlechild(each)], abs=1e-7)


def test_the_command_credits_51_voters(coop: Coop, tmp_path: Path) -> None:
    content = of(COLLEGE_OF_2000, 270)
    (tmp_path / "college.json").write_text(json.dumps(content), encoding="utf-8")
    assert coop("credit", "college.json", "--json").result == credit_report(content)
    assert "11.04%" in coop("credit", "college.json").out
    refused = one_line(coop("credit", "college.json", "--value", "leave_one_out"), code=2)
    assert "leave_one_out of 51 agents: give at most 20" in refused


@brought_by("equilibria")
def test_the_page_shows_what_its_commands_print(tmp_path: Path) -> None:
    text = (DOCS / "games-in-files.md").read_text(encoding="utf-8")
    assert played(text, tmp_path).splitlines() == text.splitlines()


@pytest.mark.parametrize(
    ("content", "value", "complaint"),
    [
        ({"weights": {"A": 1}}, "shapley", 'no "quota"'),
        ({"weights": {}, "quota": 1}, "shapley", "no agents"),
        ({"weights": {"A": 1, "B": -1}, "quota": 1}, "shapley", "a weight of B is negative"),
        ({"weights": {"A": 1, "B": {"x": 1}}, "quota": 1}, "shapley", "B has not the same kinds"),
        ({"weights": {"A": "1"}, "quota": 1}, "shapley", "the weight of A is"),
        ({"weights": {"A": {"x": 1}}, "quota": {"y": 1}}, "shapley", "'y' is unknown"),
        ({"weights": {"A": 1}, "quota": "half"}, "shapley", '"quota" is "half"'),
        ({"weights": {"A": 1}, "quota": "half%"}, "shapley", "\"quota\": 'half%' is not"),
        ({"weights": {"A": 1}, "quota": 2}, "shapley", "do not reach the quota"),
        ({"weights": {"A": 1}, "quota": 0}, "shapley", "a coalition of nobody"),
        ({"weights": {"A": 1}, "quota": 1, "worth": {}}, "shapley", "'worth' is unknown"),
        ({"weights": {"A": 1, "B": 1}, "quota": 1}, "nucleolus", "more than one voter wins alone"),
        ({"weights": {"A": 10**6, "B": 1}, "quota": 10**6}, "nucleolus", "round to a larger unit"),
        ({"airport": {"A": -1}}, "shapley", "the cost of A is negative"),
        ({"airport": {"A": 1}, "runs": []}, "shapley", "'runs' is unknown"),
    ],
)
def test_a_game_that_is_none_is_refused_in_one_line(
    content: dict[str, Any], value: str, complaint: str
) -> None:
    with pytest.raises(ValueError) as fault:  # noqa: PT011
        credit_report(content, value)
    assert complaint in str(fault.value)
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize("value", ["shapley", "banzhaf_normalised", "nucleolus"])
def test_one_voter_has_all_power_and_nobody_pays_for_nothing(value: str) -> None:
    assert credit_report(of([3], 2), value)["values"] == {"v0": 1}
    assert credit_report({"airport": {"A": 0, "B": 0}}, value)["values"] == {"A": 0, "B": 0}


def test_a_common_unit_of_weights_is_taken_out() -> None:
    assert read_voting(of([831_000, 310_000, 307_000], 724_001)).weights == [(831,), (310,), (307,)]
    assert read_voting(of([831_000, 310_000, 307_000], 724_001)).rules == [(725,)]


def test_weights_that_no_method_can_count_are_refused() -> None:
    content = of([10**6 + i for i in range(40)], 10**7)
    with pytest.raises(ValueError, match="round the weights in a larger unit"):
        credit_report(content)
