"""Tests of the core that use what an extension brings: skipped with a reason where it is gone."""

import pytest

from shapley_coop.extension import installed
from tests.root import ROOT

ALL = {page.stem for page in (ROOT / "docs/reference/extensions").glob("*.md")}
"""The extensions that come with the project; each has a page."""

with_all_extensions = pytest.mark.skipif(
    bool(ALL - installed().keys()), reason="an extension was removed"
)


def brought_by(extension: str) -> pytest.MarkDecorator:
    """Skip a test, or one of its cases, where an extension was removed."""
    gone = extension not in installed()
    return pytest.mark.skipif(gone, reason=f"the extension {extension} was removed")
