"""What a result says of the code that made it."""

import pytest

from shapley_coop.evals.provenance import provenance
from tests.root import ROOT


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")
def test_a_result_names_the_commit_of_its_checkout() -> None:
    assert provenance()["commit"] != "unknown"
