"""`coop settle-git`: everybody who committed has a row, and all of the bounty is divided."""

import json
from pathlib import Path

import pytest

from tests.coop_command import Coop
from tests.games.repository.history_builder import ADA, LINES, Builder, build_large

BEN, JO, KIM = "Ben <ben@example.org>", "Jo <jo@example.org>", "Kim <kim@example.org>"


@pytest.fixture
def repo(tmp_path: Path) -> Builder:
    built = Builder(tmp_path / "repo")
    built.commit("Write", ADA, a_dot_py=LINES)
    return built


def test_everybody_who_committed_has_a_row_with_the_reason(coop: Coop, repo: Builder) -> None:
    repo.commit("fix: constrain pyjwt", JO, pyproject_dot_toml="[project]\n")
    repo.commit("ci: less", JO, _dot_github__workflows__x_dot_yml="on: push\n")
    repo.commit("Picture", BEN, logo_dot_png=b"\0\1")
    repo.git("checkout", "-q", "-b", "side", "HEAD~1")
    repo.commit("Side", ADA, b_dot_py="side = of_ada\n")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", "side", who=KIM)
    report = coop("settle-git", "repo", "--dry-run", "--json").result
    assert report["uncounted"] == {
        "Jo": ["2 commits to configuration, which these rules do not count"],
        "Ben": ["1 commit to files of other kinds, which these rules do not count"],
        "Kim": ["1 merge"],
    }
    shown = coop("settle-git", "repo", "--dry-run").out
    assert "Kim: nothing for 1 merge" in shown
    assert "│ Jo " in shown
    coop("settle-git", "repo", "--markdown", "comment.md")
    assert "- Kim: nothing for 1 merge" in (repo.folder.parent / "comment.md").read_text()


def test_where_nobody_made_anything_the_refusal_says_why(coop: Coop, tmp_path: Path) -> None:
    built = Builder(tmp_path / "other")
    built.commit("Safe", JO, pyproject_dot_toml="[project]\n")
    told = coop("settle-git", "other", "--dry-run").err
    assert "; Jo: 1 commit to configuration, which these rules do not count" in told


def test_settle_git_splits_a_bounty_to_the_last_cent(coop: Coop, tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    build_large(repo, commits=40)
    comment = tmp_path / "comment.md"
    done = coop(
        *("settle-git", str(repo), "--bounty", "500", "--currency", "EUR"),
        *("--markdown", str(comment), "--json"),
    )
    amounts = [float(one["amount"]) for one in json.loads(done.out)["contributors"].values()]
    assert len(amounts) > 1
    assert round(sum(amounts) * 100) == 50_000
    assert "500" in comment.read_text(encoding="utf-8")
