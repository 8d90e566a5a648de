"""An app's bounty is paid once, whatever is killed or given again."""

from pathlib import Path

import pytest

from extensions.attribute.tests.test_attribute_cli import APP, GIVEN
from tests.state.storage.test_paid_once import agreeing, check_paid_once

__all__ = ["agreeing"]  # a fixture


@pytest.mark.slow
def test_killed_at_any_write_given_again_and_resumed_it_is_paid_once(
    tmp_path: Path, agreeing: dict[str, str]
) -> None:
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    (tmp_path / "in.json").write_text('{"topic": "owls"}', encoding="utf-8")
    asked = (*GIVEN, "--input", "in.json", "--bounty", "500", "--bargain", "openai:agreeing")
    check_paid_once(asked, tmp_path, agreeing)
