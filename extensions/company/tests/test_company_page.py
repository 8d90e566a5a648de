"""The page of a company's run."""

from pathlib import Path

import pytest

from extensions.page.tests.paged import made
from extensions.page.tests.test_page import PANELS, shows_what_its_result_says
from shapley_coop.state.storage.home import home

pytestmark = pytest.mark.slow


def test_the_page_of_a_company_says_what_its_result_says(boxed: None, tmp_path: Path) -> None:
    bundle = made("shapley_coop", private=True, game="software_company")
    result = home().runs.get(bundle["run"]).result or {}
    panels = set(PANELS) - {"Possible outcomes", "Escrow"}
    shows_what_its_result_says("software_company", bundle, result, panels, tmp_path)
