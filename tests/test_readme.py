"""Every command of the README works as written."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from shapley_coop.state import Home
from tests.warm_coop import users_coop

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [
    line.removeprefix("$ ")
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("$ ")
]
COOP = [shlex.split(c)[1:] for c in COMMANDS if c.startswith("coop ")]
TARGETS = [shlex.split(c)[1] for c in COMMANDS if c.startswith("make ")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the README's game files in it."""
    here = tmp_path_factory.mktemp("readme")
    files = re.findall(r"```(?:yaml|python)\n# (\w+\.\w+)\n(.*?)```", README, re.DOTALL)
    assert [name for name, _ in files] == ["tug.yaml"]
    for name, content in files:
        assert len(content.splitlines()) < 60
        (here / name).write_text(content, encoding="utf-8")
    return here


def test_the_first_screen_says_for_whom_what_goes_away_and_how_to_install():
    first = README.splitlines()[:35]
    told = "\n".join(first)
    assert "For whoever" in told
    assert "pip install shapley-coop" in told
    assert "uvx --from shapley-coop coop" in told
    assert "](docs/pictures/first.svg)" in told
    stories = {f"docs/stories/{path.name}" for path in (ROOT / "docs/stories").glob("*.md")}
    assert {story for story in stories if f"]({story})" in told} == stories


def test_the_readme_names_commands():
    assert len(COOP) >= 6
    assert len(COOP) + len(TARGETS) == len(COMMANDS)


PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_of_a_page_leads_somewhere(page):
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.slow
@pytest.mark.xdist_group("readme")
@pytest.mark.parametrize("arguments", COOP, ids=" ".join)
def test_a_command_of_the_readme_works(arguments, folder):
    done = users_coop(Home(folder / ".coop"), folder).run(*arguments)
    assert done.code == 0, done.err
    assert done.out.strip()


@pytest.mark.parametrize("target", TARGETS)
def test_a_make_target_of_the_readme_exists(target):
    listed = subprocess.run(
        ["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert listed.returncode == 0, listed.stderr


@pytest.mark.slow
def test_the_readme_shows_what_the_demo_prints(tmp_path):
    """The table in the README is the one that `make demo` prints, to the last digit."""
    done = users_coop(Home(tmp_path), tmp_path).run("demo")
    assert done.code == 0, done.err
    rows = [" ".join(row.split()) for row in done.out.splitlines() if row.startswith("│")]
    shown = [" ".join(row.split()) for row in README.splitlines() if row.startswith("│")]
    assert rows == shown
