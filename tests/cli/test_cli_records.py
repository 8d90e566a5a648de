"""Records made by others go through the command line."""

import json

from tests.coop_command import one_line


def test_a_file_is_refused_where_the_extension_that_credits_it_was_removed(
    coop, tmp_path, monkeypatch
):
    (tmp_path / "game.json").write_text('{"agents": ["A"], "worth": {"A": 1}}', encoding="utf-8")
    monkeypatch.setattr("shapley_coop.extension.installed", dict)
    line = one_line(coop("credit", "game.json"), code=2)
    assert line.startswith("coop: game.json is a file: to credit its game, restore the extension")


def test_an_invalid_message_gets_its_label_and_feedback(coop, tmp_path):
    file = tmp_path / "message.txt"
    file.write_text('<PROPOSAL>{"Alice": ["x"], "Bob": ["y"]}</PROPOSAL>', encoding="utf-8")
    done = coop("validate", "paper_cooperative", "--message", str(file), "--as", "Alice", "--json")
    assert done.code == 1
    assert json.loads(done.out)["label"] == "UNK"


def test_a_scenario_shows_its_secrets_only_when_asked(coop):
    assert "utilities" not in json.loads(
        coop("scenario", "show", "paper_competitive", "--json").out
    )
    told = json.loads(coop("scenario", "show", "paper_competitive", "--secrets", "--json").out)
    assert max(told["utilities"]["Alice"].values()) == 1
