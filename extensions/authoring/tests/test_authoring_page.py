"""docs/authoring.md: its file loads, and its commands work."""

import re
import shlex
from pathlib import Path

from shapley_coop.extensions.authoring.commission import read_commission
from tests.coop_command import Coop
from tests.root import ROOT

TEXT = (ROOT / "docs" / "authoring.md").read_text(encoding="utf-8")


def test_a_scenario_is_written_and_played_as_the_page_says(coop: Coop, tmp_path: Path) -> None:
    (page,) = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    file = tmp_path / "preferences.yaml"
    file.write_text(page)
    asked = read_commission(file)
    assert (len(asked.descriptions), len(asked.scores)) == (1, 2)
    commands = re.findall(r"^\$ coop (.*)$", TEXT, re.MULTILINE)
    assert len(commands) == 2
    for command in commands:
        assert coop(*shlex.split(command)).code == 0, command
