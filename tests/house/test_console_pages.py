"""The tutorial and the stories: every command is run, and shows what the page shows."""

from pathlib import Path

import pytest

from tests.console_pages import DOCS, PLAYED, commands, played

READERS = {"researcher", "platform", "maintainer", "evaluator", "person"}


def test_every_kind_of_reader_has_a_story() -> None:
    stories = {path.stem: path for path in PLAYED if path.parent == DOCS / "stories"}
    assert set(stories) == READERS
    for path in stories.values():
        assert len(commands(path.read_text(encoding="utf-8"))) >= 4


@pytest.mark.slow
@pytest.mark.parametrize("page", PLAYED, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_a_page_shows_what_its_commands_print(page: Path, tmp_path: Path) -> None:
    """If it does not, look at the difference, then: make pages."""
    text = page.read_text(encoding="utf-8")
    assert played(text, tmp_path).splitlines() == text.splitlines()
    assert "Traceback" not in text


def test_a_page_that_shows_something_else_is_found(tmp_path: Path) -> None:
    page = "Once:\n\n```console\n$ echo one | tr o a\none\n```\n"
    assert played(page, tmp_path) == page.replace("\none\n", "\nane\n")


def test_files_are_written_and_exit_codes_are_shown(tmp_path: Path) -> None:
    page = '```yaml title="a/b.yaml"\nx: 1\n```\n\n```console\n$ cat a/b.yaml\n$ false\n```\n'
    assert played(page, tmp_path).endswith("$ cat a/b.yaml\nx: 1\n$ false\n[exit code 1]\n```\n")
