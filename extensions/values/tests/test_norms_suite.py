"""The suite that compares norms."""

from extensions.sweeps.tests.test_evals_suite import names_known_columns
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.checks import check_cells
from shapley_coop.extensions.sweeps.suite import load_suite


def test_it_can_be_played_and_names_known_columns() -> None:
    suite = load_suite("norms")
    assert suite.name == "norms"
    names_known_columns(suite)
    check_cells(expand(suite))
