"""A tournament is played as a sweep, ranks like against like, and its ranking can be verified."""

import json
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shapley_coop.evals.cell import Row
from shapley_coop.evals.measures.evaluators import score
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.folders import read_rows
from shapley_coop.extensions.trials.tournament.entry import load_tournament, shipped, suites
from shapley_coop.extensions.trials.tournament.kept import enter, played_in
from shapley_coop.extensions.trials.tournament.page import matrix
from shapley_coop.extensions.trials.tournament.ranking import rank, shares, strengths, wins
from tests.brought import with_all_extensions
from tests.browser import PHONE, picture, tab
from tests.coop_command import FAILED, USAGE, Coop, one_line

STRATEGY = "python:shapley_coop.extensions.opponents.classical:"
FILE = {
    "name": "small",
    "seats": {
        "mirror": f"{STRATEGY}tit_for_tat",
        "hawk": f"{STRATEGY}defector",
        "dove": f"{STRATEGY}cooperator",
    },
    "games": {"dilemma": {"game": "prisoners_dilemma", "graph": "llm_only"}},
    "seeds": "0-1",
}
MATCHES = 3 * 3 * 2


@pytest.fixture
def coop(coop: Coop, monkeypatch: pytest.MonkeyPatch) -> Coop:
    monkeypatch.setattr("shapley_coop.permissions._permitted", set())
    return coop


def written(folder: Path, **more: object) -> str:
    path = folder / "small.yaml"
    path.write_text(json.dumps({**FILE, **more}))  # JSON is YAML
    return str(path)


def test_strengths_are_the_known_ones_of_two() -> None:
    won = np.array([[0.0, 3.0], [1.0, 0.0]])
    first, second = strengths(won)
    assert first - second == pytest.approx(log(3.5 / 1.5), abs=1e-4), "with one tie added"
    assert first + second == pytest.approx(0)


def test_a_role_that_pays_more_makes_nobody_stronger() -> None:
    dice = np.random.default_rng(0)
    payoffs = dice.integers(5, size=(1, 2, 3, 1, 40)) + np.zeros((1, 2, 3, 3, 40))
    other = payoffs.copy()
    other[:, 0] += 1_000
    assert np.array_equal(wins(payoffs), wins(other))
    assert np.array_equal(wins(payoffs), wins(payoffs * 7)), "and so does no unit"


@pytest.mark.slow
def test_more_in_every_place_ranks_first_with_an_interval_that_holds_it() -> None:
    dice = np.random.default_rng(1)
    payoffs = dice.normal(size=(2, 2, 3, 3, 30))
    payoffs[:, :, 2] += 1.0
    best, *others = rank(["a", "b", "c"], payoffs)
    assert best.seat == "c"
    assert best.strength.low < best.strength.value < best.strength.high
    assert best.strength.low > max(one.strength.high for one in others)
    assert best.compared == 2 * 2 * 3 * 30 * 2
    swapped = rank(["b", "a", "c"], payoffs[:, :, [1, 0, 2]])
    assert swapped[0].strength.value == pytest.approx(best.strength.value, abs=1e-4)


def test_who_lives_on_the_gullible_shrinks_with_them() -> None:
    """A dilemma of many turns: mirror and dove outlive the hawk."""
    cross = np.array([[1.0, 50.0, 1.4], [0.0, 30.0, 30.0], [0.9, 30.0, 30.0]])
    hawk, dove, mirror = shares(cross[None, None, :, :, None])
    assert hawk < 0.001
    assert mirror > dove
    assert hawk + dove + mirror == pytest.approx(1)
    assert shares(7 * cross[None, None, :, :, None]) == pytest.approx([hawk, dove, mirror])
    alone = shares(cross[None, None, :2, :2, None])
    assert alone[0] == pytest.approx(1), "where nobody mirrors, the hawk is all that is left"


@pytest.mark.parametrize(
    ("agreed", "bluff"), [(2.0, 1.0), (2.5, 0.0)], ids=["to no more", "to more"]
)
def test_who_turns_down_what_it_then_takes_has_bluffed(agreed: float, bluff: float) -> None:
    def said(by: str, act: str, worth: float | None = None, **more: int) -> dict[str, Any]:
        pays = {} if worth is None else {"would_pay": {"Ann": 4 - worth, "Ben": worth}}
        return {"topic": "plan", "turn": 1, "by": by, "act": act, **more, **pays}

    talk = [
        said("Ann", "propose", 2.0, puts=1),
        said("Ben", "reject", 3.0, about=1, puts=2),
        said("Ann", "reject", agreed, about=2, puts=3),
        said("Ben", "accept", about=3),
    ]
    row: Row = {"offers": talk, "result": {}}
    assert score(row, "bluff:Ben") == bluff
    assert score(row, "bluff:Ann") == 0, "she turned down 1 and offered herself more"
    assert score(row, "bluff") == bluff / 2
    assert score({**row, "offers": talk[:1]}, "bluff") is None


@pytest.mark.slow
def test_a_tournament_is_played_once_verified_and_written_as_a_page(
    coop: Coop, tmp_path: Path
) -> None:
    file, folder = written(tmp_path), tmp_path / "out"
    first = coop("tournament", file, "-o", str(folder), "--json").result
    assert [one["compared"] for one in first] == [2 * 3 * 2 * 2] * 3
    rows = read_rows(folder)
    assert len(rows) == MATCHES
    # Without talk: the mirror loses one point to the hawk; the dove loses ten.
    crossed = {
        (row["labels"]["first"], row["labels"]["second"]): row["result"]["payoffs"]["Alice"]
        for row in rows
    }
    assert crossed["mirror", "hawk"] == -1
    assert crossed["hawk", "mirror"] == 2
    assert crossed["dove", "hawk"] == -10
    # Against mirror, hawk and dove the mirror has 10, -1, 10, the hawk 2, 0, 20, the dove
    # 10, -10, 10: of each six comparisons the mirror wins 1 and .5 + 1 + .5, the hawk 2 and 2.
    assert {one["seat"]: one["won"] for one in first} == pytest.approx(
        {"mirror": 3 / 6, "hawk": 4 / 6, "dove": 2 / 6}
    )
    again = coop("tournament", file, "-o", str(folder))
    assert f"0 matches played, {MATCHES} there before" in again.out
    assert read_rows(folder) == rows
    assert coop("tournament", "verify", str(folder), "--json").result["ranking"] == first
    played = played_in(folder)
    # Against the mirror the best reply earns 10, the hawk 2; against the hawk 0; the dove 20.
    assert played.regret("dilemma", "hawk").value == pytest.approx((8 + 0 + 0) / 3)
    assert played.regret("dilemma", "dove").value == pytest.approx((0 + 10 + 10) / 3)
    page = (folder / "leaderboard.html").read_text()
    assert "default-src 'none'" in page
    assert page.count("<script>") == 1, "it filters the list of matches"
    assert "mirror against hawk: -1" in page


@with_all_extensions
def test_parts_are_played_into_one_folder_and_the_last_writes_the_page(
    coop: Coop, tmp_path: Path
) -> None:
    file, folder = written(tmp_path, seeds=[0]), tmp_path / "out"
    whole = coop("tournament", file, "-o", str(tmp_path / "whole"), "--json").result
    first = coop("tournament", file, "-o", str(folder), "--shard", "2/2")
    assert "this part is played; 5 matches of other parts are left" in first.err
    assert not (folder / "leaderboard.html").exists()
    last = coop("tournament", file, "-o", str(folder), "--shard", "1/2", "--json")
    assert last.result == whole
    assert (folder / "leaderboard.html").exists()
    assert "give i/n with" in one_line(coop("tournament", file, "--shard", "2"), USAGE)


@with_all_extensions
def test_a_folder_of_another_tournament_is_refused(coop: Coop, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    enter(folder, load_tournament(written(tmp_path)))
    other = coop("tournament", written(tmp_path, seeds=[5]), "-o", str(folder))
    assert "contains another tournament" in one_line(other, USAGE)


@with_all_extensions
def test_a_seat_that_raises_fails_its_matches_alone_and_they_are_tried_again(
    coop: Coop, tmp_path: Path
) -> None:
    (tmp_path / "moody_bots.py").write_text(
        "from pathlib import Path\n"
        "def factory(agent, seed):\n"
        "    def answer(facts, words):\n"
        "        if Path('moody').exists():\n"
        "            raise ValueError('not in the mood')\n"
        "        return {'action': 'defect'}\n"
        "    return answer\n"
    )
    (tmp_path / "moody").touch()
    seats = {"moody": "python:moody_bots:factory", "dove": f"{STRATEGY}cooperator"}
    command = ("--trust-programs", "tournament", written(tmp_path, seats=seats, seeds=[0]))
    failed = coop(*command, "-o", "out")
    assert failed.code == FAILED
    assert failed.err.splitlines()[-1] == (
        "3 of 4 matches failed: coop status out says why; the same command tries them again"
    )
    status = coop("--trust-programs", "status", "out")
    assert [part.strip() for part in status.out.splitlines()[4].split("│")[1:5]] == [
        *("small_dilemma", "1", "3", "0"),
    ], "done, failed, left"
    assert "failed small_dilemma (first dove, second moody) seed 0: Bob's seat" in status.out
    assert "it raised ValueError in moody_bots.py, line 5, when" in status.out
    assert "ValueError: not in the mood" in status.out
    (tmp_path / "moody").unlink()
    again = coop(*command, "-o", "out")
    assert "3 matches played, 1 there before" in again.out


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"games": {"three": {"game": "public_goods"}}}, "not two"),
        ({"games": {"own": {"game": "own.py"}}}, "coop --trust-programs"),
        ({"games": {"a": {"game": "escape_room", "seed": 3}}}, "without seats and seed"),
        ({"games": {"A b": {"game": "escape_room"}}}, "use lower-case letters"),
        (
            {"games": {"a": {"game": "escape_room", "grph": "llm_only"}}},
            "small.yaml: games: a: there is no setting 'grph': did you mean 'graph'?",
        ),
        ({"games": {"a": {"game": 7}}}, "games: a: game: it has to be text"),
        ({"gams": {}}, "there is no setting 'gams': did you mean 'games'?"),
        ({"seats": {"a": "embedded:greedy", "b": {"modl": 1}}}, "seats: b: there is no setting"),
        ({"seats": {"a": "embedded:greedy", "b": 7}}, "seats: b: give a model, as provider:name"),
        ({"seeds": 1.5}, "seeds: '1.5' is not a list of seeds: give 0-29, or 0-4,10,20-24"),
        ({"seeds": [1, 1]}, "seeds: a name is given twice"),
        ({"seats": {"alone": "embedded:rational"}}, "seats"),
        ({"seats": {"a": "embedded:rational", "b": "python:bots:f"}}, "this seat runs"),
        (
            {"games": {"hunt": {"game": "stag_hunt", "graph": "contracts"}}},
            "with the actions cooperate and defect, and this game has stag, hare",
        ),
    ],
)
@with_all_extensions
def test_what_is_no_tournament_is_refused_in_one_line(
    coop: Coop, tmp_path: Path, more: dict[str, object], told: str
) -> None:
    refused = coop("tournament", written(tmp_path, **more), "-o", str(tmp_path / "out"))
    assert told in one_line(refused, USAGE)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", shipped())
@with_all_extensions
def test_a_shipped_tournament_expands_to_all_its_matches(name: str) -> None:
    found = load_tournament(name)
    cells = [cell for suite in suites(found) for cell in expand(suite)]
    assert len({cell.id for cell in cells}) == len(cells)
    assert len(cells) == len(found.games) * len(found.seats) ** 2 * len(found.seeds)


def test_names_in_a_picture_are_text() -> None:
    seats = ["<b>", "c"]
    drawn = matrix(seats, {(a, b): float(len(a)) for a in seats for b in seats})
    assert "<b>" not in drawn
    assert "&lt;b&gt; against c: 3" in drawn


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_leaderboard_can_be_read_in_a_browser(coop: Coop, tmp_path: Path, scheme: str) -> None:
    assert coop("tournament", written(tmp_path, seeds=[0]), "-o", str(tmp_path / "out")).code == 0
    with tab(size=PHONE, scheme=scheme) as opened:
        opened.page.goto((tmp_path / "out" / "leaderboard.html").as_uri())
        opened.page.get_by_role("heading", name="Ranking").wait_for()
        ranking = opened.page.get_by_role("region", name="Ranking")
        assert ranking.get_by_role("row").count() == 1 + 3
        crossed = opened.page.get_by_role("region", name="dilemma: cross-play")
        assert not crossed.is_visible()
        opened.page.get_by_text("The same as a table").click()
        assert crossed.get_by_role("rowheader", name="mirror").is_visible()
        assert crossed.get_by_role("cell", name="10.00", exact=True).count() == 4
        assert "Regret" in opened.text()
        assert not opened.overflows()
        assert "ranks first of 3 seats" in opened.text()
        assert "] n=1" not in opened.text(), "one seed has no interval"
        picture(opened, tmp_path, f"leaderboard-{scheme}")
        ranking.get_by_role("link").first.click()
        listed = opened.page.locator("table.runs tbody tr:visible")
        first = ranking.get_by_role("rowheader").first.inner_text()
        assert {first in row for row in listed.all_inner_texts()} == {True}
        crossed.get_by_role("link").first.click()
        opened.page.locator("#bundle").wait_for(state="attached")
        assert opened.complaints == []
