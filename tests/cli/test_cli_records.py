"""Records made by others go through the command line."""

from tests.coop_command import one_line


def test_a_file_is_refused_where_the_extension_that_credits_it_was_removed(
    coop, tmp_path, monkeypatch
):
    (tmp_path / "game.json").write_text('{"agents": ["A"], "worth": {"A": 1}}', encoding="utf-8")
    monkeypatch.setattr("shapley_coop.extension.installed", dict)
    line = one_line(coop("credit", "game.json"), code=2)
    assert line.startswith("coop: game.json is a file: to credit its game, restore the extension")
