"""The commands that show a scenario and label a message."""

import json
from pathlib import Path

from tests.brought import brought_by
from tests.coop_command import Coop


@brought_by("signing")
def test_an_invalid_message_gets_its_label_and_feedback(coop: Coop, tmp_path: Path) -> None:
    file = tmp_path / "message.txt"
    file.write_text('<PROPOSAL>{"Alice": ["x"], "Bob": ["y"]}</PROPOSAL>', encoding="utf-8")
    done = coop("validate", "paper_cooperative", "--message", str(file), "--as", "Alice", "--json")
    assert done.code == 1
    assert json.loads(done.out)["label"] == "UNK"


def test_a_scenario_shows_its_secrets_only_when_asked(coop: Coop) -> None:
    assert "utilities" not in json.loads(
        coop("scenario", "show", "paper_competitive", "--json").out
    )
    told = json.loads(coop("scenario", "show", "paper_competitive", "--secrets", "--json").out)
    assert max(told["utilities"]["Alice"].values()) == 1
