"""`--score CMD`: the repository without a contributor's commits, scored in the sandbox."""

from pathlib import Path
from typing import Any

import pytest

from extensions.repository.tests.history_builder import Builder
from shapley_coop.extensions.bounty.counterfactual import counterfactual, scored
from shapley_coop.extensions.bounty.without import Conflict, without
from shapley_coop.extensions.repository.history import read_history
from shapley_coop.games.sandbox import (
    CheckResult,
    SandboxMissing,
    require_sandbox,
)
from tests.coop_command import coop_in, one_line

pytestmark = pytest.mark.slow

ADA, BOB, DORA = "Ada <ada@example.org>", "Bob <bob@example.org>", "Dora <dora@example.org>"
MAIN = """import importlib.util

points = 0
for name, worth in (("one", 3), ("two", 4)):
    points += worth * (importlib.util.find_spec(name) is not None)
print(points)
"""


def boxed() -> bool:
    try:
        require_sandbox()
    except SandboxMissing:
        return False
    return True


needs_sandbox = pytest.mark.skipif(not boxed(), reason="there is no sandbox here")


@pytest.fixture
def repo(tmp_path: Path) -> Builder:
    built = Builder(tmp_path / "repo")
    built.commit("Main", "setup[bot] <bot@example.org>", main_dot_py=MAIN)
    built.commit("One", ADA, one_dot_py="first = 1\n")
    built.commit("Two", BOB, two_dot_py="second = 2\n")
    return built


def tree(repo: Builder, *members: str) -> set[str]:
    history = read_history(repo.folder)
    with without(history) as trees, trees.files(trees.tree(frozenset(members))) as folder:
        return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_the_files_are_those_of_the_commits_that_are_left(repo: Builder) -> None:
    assert tree(repo, "Ada", "Bob") == {"main.py", "one.py", "two.py"}
    assert tree(repo, "Bob") == {"main.py", "two.py"}
    assert tree(repo) == {"main.py"}  # the bot's commit is always there


def test_a_commit_of_two_needs_both(repo: Builder) -> None:
    repo.commit(f"Pair\n\nCo-authored-by: {BOB}", ADA, pair_dot_py="both = 1\n")
    assert "pair.py" in tree(repo, "Ada", "Bob")
    assert "pair.py" not in tree(repo, "Ada")


def test_branches_are_picked_and_their_merge_is_no_commit_of_anybodys(repo: Builder) -> None:
    repo.git("checkout", "-q", "-b", "side", "HEAD~1")
    repo.commit("Side", DORA, three_dot_py="third = 3\n")
    repo.git("checkout", "-q", "main")
    repo.commits += 1
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    assert tree(repo, "Dora") == {"main.py", "three.py"}


def test_what_conflicts_has_no_outcome(repo: Builder) -> None:
    last = repo.commit("Change it", DORA, one_dot_py="first = 2\n")
    history = read_history(repo.folder)
    with without(history) as trees, pytest.raises(Conflict, match=f"{last[:10]} .* one.py"):
        trees.tree(frozenset({"Bob", "Dora"}))


@needs_sandbox
def test_what_is_missing_without_each_and_the_values_of_all(repo: Builder) -> None:
    found = counterfactual(read_history(repo.folder), ["Ada", "Bob"], "python main.py")
    assert found["score"] == 7
    assert found["contributors"] == {
        "Ada": {"score": 4, "missing": 3, "value": 3, "why": ""},
        "Bob": {"score": 3, "missing": 4, "value": 4, "why": ""},
    }


@needs_sandbox
def test_a_conflict_is_told_as_not_played_and_no_value_is_made_up(repo: Builder) -> None:
    last = repo.commit("Change it", DORA, one_dot_py="first = 2\n")
    names = ["Ada", "Bob", "Dora"]
    found = counterfactual(read_history(repo.folder), names, "python main.py")["contributors"]
    assert found["Ada"] == {
        "score": None,
        "missing": None,
        "value": None,
        "why": f"not played: {last[:10]} conflicts in one.py",
    }
    assert (found["Bob"]["missing"], found["Bob"]["value"]) == (4, None)


@needs_sandbox
def test_the_command_can_change_nothing_here(repo: Builder, tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    repo.commit("Evil", ADA, one_dot_py=f"open({str(witness)!r}, 'w')\n")
    found = counterfactual(read_history(repo.folder), ["Ada", "Bob"], "python one.py")
    assert found["score"] == 0
    assert not witness.exists()


@pytest.mark.parametrize(
    ("seen", "score"),
    [
        (("ended", 0, "words\n2.5\n"), 2.5),
        (("ended", 0, "all is well\n"), 1.0),
        (("ended", 0, ""), 1.0),
        (("ended", 1, "9\n"), 0.0),
        (("timeout", None, "9\n"), "no score: it was ended (timeout)"),
        (("ended", 0, "nan\n"), "no score: it printed nan"),
    ],
)
def test_a_score_is_the_last_number_or_whether_it_ended_well(
    seen: tuple[Any, Any, str], score: Any
) -> None:
    status, code, stdout = seen
    assert scored(CheckResult(status, code, stdout, "", sandboxed=True)) == score


def test_without_a_sandbox_nothing_runs_unless_the_command_line_says_so(
    repo: Builder, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    def missing() -> None:
        raise SandboxMissing("no sandbox: install the package bubblewrap")

    monkeypatch.setattr("shapley_coop.extensions.bounty.counterfactual.require_sandbox", missing)
    coop = coop_in(tmp_path, monkeypatch, capsys)
    asked = ("settle-git", "repo", "--dry-run", "--score", "python main.py")
    assert "no sandbox" in one_line(coop(*asked), 2)
    free = coop(*asked, "--unsafe-no-sandbox", "--json").result["without"]
    assert free["score"] == 7
