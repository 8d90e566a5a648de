"""Runs, suites and pages of raids."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from extensions.page.tests.paged import made
from extensions.page.tests.test_page import PANELS, shows_what_its_result_says
from extensions.sweeps.tests.test_evals_suite import names_known_columns
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.checks import check_cells
from shapley_coop.extensions.sweeps.suite import load_suite
from shapley_coop.state.storage.home import home
from tests.brought import brought_by
from tests.coop_command import Coop
from tests.games.test_parameters import listed

SUITES = ("raid_ablation", "raid_norms", "raid_rounds", "raid_scale")


@cache
def bundle() -> tuple[dict[str, Any], dict[str, Any]]:
    """The bundle and the result of a raid by shapley_coop, played once for all tests."""
    shown = made("shapley_coop", private=True, game="raid_battle")
    return shown, home().runs.get(shown["run"]).result or {}


def test_its_numbers_are_listed_with_their_bounds(coop: Coop) -> None:
    raid = listed(coop, "raid_battle")
    assert raid["strike"] == {
        "name": "strike",
        "type": "integer",
        "default": 200,
        "bounds": "0 to 1,000,000,000",
        "meaning": "The strike's damage to a target.",
    }
    assert raid["level"]["bounds"] == "one of 1, 2, 3"
    assert raid["damage"]["bounds"] == "2 entries"


# Suites


@pytest.mark.parametrize(
    "name",
    [pytest.param(x, marks=brought_by("values")) if x == "raid_norms" else x for x in SUITES],
)
def test_a_suite_can_be_played_and_names_known_columns(name: str) -> None:
    suite = load_suite(name)
    assert suite.name == name
    names_known_columns(suite)
    check_cells(expand(suite))


def test_the_papers_suites_name_their_preset() -> None:
    for name in set(SUITES) - {"raid_norms"}:
        suite = load_suite(name)
        assert suite.base["preset"] == "shapley_coop_paper"
        assert "Preset: shapley_coop_paper" in suite.about
        assert suite.base["renegotiate"] == "every 1"


# The page


@pytest.mark.slow
def test_the_page_of_a_raid_says_what_its_result_says(tmp_path: Path) -> None:
    panels = set(PANELS) - {"Possible outcomes", "Escrow"}
    shows_what_its_result_says("raid_battle", *bundle(), panels, tmp_path)


def test_a_split_by_the_norm_goes_through_pot_baseline_and_improvement() -> None:
    shown, result = bundle()
    steps = {step["step"]: step["amounts"] for step in shown["credit"]["waterfall"]}
    assert list(steps) == ["own", "pot", "pooled", "baseline", "improvement"]
    # A raid in which all stand idle is lost: −100, a quarter each.
    assert steps["baseline"] == dict.fromkeys(shown["agents"], -25)
    for agent, x in steps["improvement"].items():
        assert x == pytest.approx(result["credit"]["shapley"][agent], abs=1e-6)
        own = steps["own"][agent] + steps["pot"][agent]
        assert own == pytest.approx(result["rewards"][agent], abs=1e-6)
