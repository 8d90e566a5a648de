"""Every command of the README works as written."""

import re
import shlex
import subprocess

import pytest

from shapley_coop.state.storage.home import Home
from tests.brought import with_all_extensions
from tests.root import ROOT
from tests.warm_coop import users_coop

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [
    line.removeprefix("$ ")
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("$ ")
]
COOP = [shlex.split(c)[1:] for c in COMMANDS if c.startswith("coop ")]
TARGETS = [shlex.split(c)[1] for c in COMMANDS if c.startswith("make ")]


def test_the_first_screen_says_what_for_and_shows_why():
    first = "\n".join(README.splitlines()[:15])
    assert "Which of your agents earns its tokens" in first
    assert "](docs/pictures/first.svg)" in first


def test_the_readme_is_short_and_leads_to_every_story():
    assert len(README.splitlines()) <= 120
    assert len(README.split()) <= 700
    stories = {f"docs/stories/{path.name}" for path in (ROOT / "docs/stories").glob("*.md")}
    assert {story for story in stories if f"]({story})" in README} == stories


def test_the_readme_names_the_home_and_the_papers():
    assert "`COOP_HOME`" in README
    titles = ("Shapley-Coop: Credit", "Utility-Aware Task Decomp", "Use Your Words: Structured")
    assert all(title in README for title in titles)


def test_the_picture_shows_three_rules_that_differ():
    """Of three unequal agents one breaks the contract, and no two rules come to the same."""
    picture = (ROOT / "docs/pictures/first.svg").read_text(encoding="utf-8")
    words = re.findall(r"<text[^>]*>([^<]*)</text>", picture)
    columns = [words.index(rule) for rule in ("equal", "proportional", "Shapley")]
    assert columns == sorted(columns)
    agents = [words[words.index(agent, columns[-1]) :] for agent in ("Ada", "Ben", "Cem")]
    rules = zip(*([float(n) for n in own[5:8]] for own in agents), strict=True)
    assert [list(rule) for rule in rules] == [[60, 60, 60], [135, 45, 0], [120, 60, 0]]
    assert any(word.startswith("✗") for word in words)
    assert "Ada 120 = 90 alone + half of 60 more with Ben" in words


def test_the_readme_names_commands():
    assert len(COOP) >= 5
    assert len(COOP) + len(TARGETS) == len(COMMANDS)


PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
@with_all_extensions
def test_every_link_of_a_page_leads_somewhere(page):
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An empty folder with a home of its own."""
    return tmp_path_factory.mktemp("readme")


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
def test_the_page_of_workflows_shows_what_the_demo_prints(tmp_path):
    """The table is the one that `make demo` prints, to the last digit."""
    done = users_coop(Home(tmp_path), tmp_path).run("demo")
    assert done.code == 0, done.err
    rows = [" ".join(row.split()) for row in done.out.splitlines() if row.startswith("│")]
    page = (ROOT / "docs/workflows.md").read_text(encoding="utf-8")
    shown = [" ".join(row.split()) for row in page.splitlines() if row.startswith("│")]
    assert rows == shown
