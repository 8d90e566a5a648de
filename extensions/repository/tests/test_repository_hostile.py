"""A hostile repository: nothing in it runs, and nothing in it rewrites who wrote what."""

import os
import subprocess
from pathlib import Path

import pytest

from extensions.repository.tests.history_builder import ADA, ENV, EVE, LINES, Builder, repo
from shapley_coop.extensions.repository.git import RepositoryError
from shapley_coop.extensions.repository.history import read_history

__all__ = ["repo"]


def honest(repo: Builder) -> None:
    """Ada's ten lines are found, whatever was done to the repository."""
    assert read_history(repo.folder).artefacts()["Ada"]["code"] == 10


def test_no_program_that_the_repository_configures_is_run(repo: Builder, tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    script = tmp_path / "run.sh"
    script.write_text(f"#!/bin/sh\ntouch {witness}\ncat\n")
    script.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "core.pager",
        "pager.log",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "gpg.program",
        "core.sshCommand",
        "core.alternateRefsCommand",
        "filter.evil.smudge",
        "filter.evil.clean",
        "alias.log",
    ):
        repo.git("config", key, f"!{script}" if key.startswith("alias") else str(script))
    repo.git("config", "log.showSignature", "true")
    repo.write(".gitattributes", "*.py diff=evil filter=evil\n")
    (repo.folder / ".git/info").mkdir(exist_ok=True)
    (repo.folder / ".git/info/attributes").write_text("*.py diff=evil\n")
    for hook in ("post-checkout", "reference-transaction", "post-index-change"):
        target = repo.folder / ".git/hooks" / hook
        target.parent.mkdir(exist_ok=True)
        target.symlink_to(script)
    honest(repo)
    assert not witness.exists()


def test_missing_objects_are_not_fetched(repo: Builder, tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    blob = repo.git("rev-parse", "HEAD:a.py")
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", "extensions.partialClone", "origin")
    repo.git("config", "remote.origin.promisor", "true")
    repo.git("config", "remote.origin.url", str(tmp_path))
    repo.git("config", "remote.origin.uploadpack", f"touch {witness};")
    repo.git("config", "protocol.file.allow", "always")
    (repo.folder / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(RepositoryError, match="git pack-objects failed"):
        read_history(repo.folder)
    assert not witness.exists()


def test_content_cannot_pass_for_a_commit(repo: Builder) -> None:
    """Git takes a file for text that has its first NUL byte behind 8,000 others."""
    forged = "\0".join(["f" * 40, "Eve", "eve@example.org", "1", "Forged", "", ""])
    record = f"{forged}\n:000000 100644 {'0' * 40} {'1' * 40} A\0b.py\0\0diff --git a/b.py b/b.py\n"
    patch = "--- /dev/null\n+++ b/b.py\n@@ -0,0 +1 @@\n+stolen = 1\n"
    repo.commit("Forge", ADA, forged_dot_txt="x" * 9000 + f"\n\0{record}{patch}\0")
    history = read_history(repo.folder)
    assert list(history.contributions) == ["Ada"]
    assert history.commits == 2


def test_replaced_and_grafted_commits_change_no_credit(repo: Builder) -> None:
    mine = repo.commit("More", ADA, b_dot_py="more = 1\n")
    repo.git("checkout", "-q", "--orphan", "evil")
    stolen = repo.commit("Stolen", EVE)
    repo.git("checkout", "-q", "main")
    repo.git("replace", mine, stolen)
    (repo.folder / ".git/info/grafts").write_text(f"{mine}\n")
    history = read_history(repo.folder)
    assert list(history.contributions) == ["Ada"]
    assert history.commits == 2


def test_configuration_that_hides_commits_or_lines_changes_nothing(repo: Builder) -> None:
    for key, value in {
        "log.showRoot": "false",
        "diff.renames": "false",
        "diff.noprefix": "true",
        "diff.context": "100",
        "diff.interHunkContext": "100",
        "diff.orderFile": "/nowhere",
        "diff.relative": "true",
        "diff.ignoreSubmodules": "all",
        "color.ui": "always",
        "color.diff": "always",
        "log.mailmap": "false",
        "log.diffMerges": "off",
        "mailmap.file": "/etc/passwd",
        "i18n.logOutputEncoding": "UTF-16",
        "core.worktree": "/nowhere",
        "core.quotePath": "false",
        "format.pretty": "%s",
    }.items():
        (repo.folder / ".git/config").open("a").write(
            f'[{key.partition(".")[0]}]\n\t{key.partition(".")[2]} = "{value}"\n'
        )
    (repo.folder / ".mailmap").write_text("Eve <eve@example.org> <ada@example.org>\n")
    honest(repo)


def test_odd_names_and_changes_of_type_are_read(repo: Builder) -> None:
    repo.write('dir é/b "q"\ttab\nline.py', "odd = 1\n")
    repo.commit("Odd", ADA)
    (repo.folder / "a.py").unlink()
    (repo.folder / "a.py").symlink_to("/etc/passwd")
    repo.commit("Link", EVE)
    (repo.folder / "a.py").unlink()
    repo.commit("File again", EVE, a_dot_py=LINES)
    assert {who: made["code"] for who, made in read_history(repo.folder).artefacts().items()} == {
        "Ada": 11
    }


def test_names_are_shown_without_characters_that_hide_or_reorder(repo: Builder) -> None:
    repo.commit("Hide", "Ev\u202ee\u200b\x1b[31m <eve@example.org>", b_dot_py="b = 1\n")
    assert "Eve[31m" in read_history(repo.folder).artefacts()


@pytest.mark.parametrize(
    ("span", "complaint"),
    [
        ("--output=/tmp/x", "is not a commit here"),
        ("-p..HEAD", "is not a commit here"),
        ("HEAD..nowhere", "'nowhere' is not a commit here"),
        ("HEAD:a.py", "is not a commit here"),
        ("main...HEAD", "write A..B"),
        ("$(touch x)", "is not a commit here"),
    ],
)
def test_a_range_that_is_none_is_refused_in_one_line(
    repo: Builder, span: str, complaint: str
) -> None:
    with pytest.raises(RepositoryError) as caught:
        read_history(repo.folder, span)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_repository_or_holds_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RepositoryError, match="no such folder"):
        read_history(tmp_path / "nowhere")
    with pytest.raises(RepositoryError, match="is not a git repository"):
        read_history(tmp_path)
    with pytest.raises(RepositoryError, match="has no commit yet"):
        read_history(Builder(tmp_path / "empty").folder)


def test_a_shallow_clone_is_refused_where_its_end_is_in_the_range(
    repo: Builder, tmp_path: Path
) -> None:
    repo.commit("Two", ADA, b_dot_py="b = 1\n")
    repo.commit("Three", ADA, c_dot_py="c = 1\n")
    clone = tmp_path / "clone"
    origin = f"file://{repo.folder}"
    subprocess.run(["git", "clone", "-q", "--depth=2", origin, str(clone)], env=ENV, check=True)
    with pytest.raises(RepositoryError, match="fetch --unshallow"):
        read_history(clone)
    assert read_history(clone, "HEAD~1..HEAD").artefacts()["Ada"]["code"] == 1


def test_bare_repositories_worktrees_and_subfolders_are_read(repo: Builder, tmp_path: Path) -> None:
    repo.commit("Deep", ADA, deep__b_dot_py="b = 1\n")
    bare, linked = tmp_path / "bare.git", tmp_path / "linked"
    subprocess.run(
        ["git", "clone", "-q", "--bare", str(repo.folder), str(bare)], env=ENV, check=True
    )
    repo.git("worktree", "add", "-q", "--detach", str(linked))
    for place in (bare, linked, repo.folder / "deep"):
        assert read_history(place).artefacts()["Ada"]["code"] == 11


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a repository away")
def test_another_owners_repository_is_refused_with_the_mend(repo: Builder) -> None:
    for path in [repo.folder, *repo.folder.rglob("*")]:
        os.chown(path, 12345, 12345, follow_symlinks=False)
    with pytest.raises(RepositoryError, match=r"safe\.directory"):
        read_history(repo.folder)


def test_the_environment_cannot_redirect_git(
    repo: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Builder(tmp_path / "other")
    other.commit("Other", EVE, a_dot_py="x = 1\n")
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Eve")
    honest(repo)
