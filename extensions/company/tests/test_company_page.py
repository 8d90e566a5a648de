"""The page of a company's run."""

from pathlib import Path

import pytest

from shapley_coop.state.storage.home import home
from tests.serve.view.paged import made
from tests.serve.view.test_page import PANELS, shows_what_its_result_says

pytestmark = pytest.mark.slow


def test_the_page_of_a_company_says_what_its_result_says(boxed: None, tmp_path: Path) -> None:
    bundle = made("shapley_coop", private=True, game="software_company")
    result = home().runs.get(bundle["run"]).result or {}
    panels = set(PANELS) - {"Possible outcomes", "Escrow"}
    shows_what_its_result_says("software_company", bundle, result, panels, tmp_path)
