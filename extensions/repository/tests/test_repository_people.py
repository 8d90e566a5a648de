"""Who committed, and what a message says of others: everybody has a row, and nothing is silent."""

import os
from pathlib import Path

import pytest

from extensions.repository.tests.history_builder import ADA, LINES, Builder
from shapley_coop.extensions.repository.co_authors import co_authors
from shapley_coop.extensions.repository.git import RepositoryError
from shapley_coop.extensions.repository.history import read_history

BEN, KIM = "Ben <ben@example.org>", "Kim <kim@example.org>"


@pytest.fixture
def repo(tmp_path: Path) -> Builder:
    built = Builder(tmp_path / "repo")
    built.commit("Write", ADA, a_dot_py=LINES)
    return built


def notes(repo: Builder) -> str:
    return "\n".join(read_history(repo.folder).notes)


def test_who_enters_the_commits_of_others_has_a_row(repo: Builder) -> None:
    repo.write("b.py", "more = 1\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "Patch", f"--author={BEN}", who=KIM)
    found = read_history(repo.folder).contributions["Kim"]
    assert found.uncounted == {"commit by others that they entered": 1}


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("Ben <ben@example.org>", ["Ben"]),
        ("Fay fay@example.org", ["Fay"]),
        ("Hal <hal@example.org>, Ida <ida@example.org>", ["Hal", "Ida"]),
        ("Hal <hal@example.org> and Ida <ida@example.org>", ["Hal", "Ida"]),
        ("<Kim <kim@example.org>", ["Kim"]),
        ("Lou <<lou@example.org>>", ["Lou"]),
        ("Eve", []),
        ("@eve", []),
        ("Eve <eve@example.org>, Mia", []),
        ("Fay fay@example.org, Gus gus@example.org", []),
        ("x" * 5000, []),
    ],
)
def test_a_co_author_line_of_one_meaning_is_read_and_another_is_told(
    line: str, read: list[str]
) -> None:
    people, unread = co_authors(line, f"Co-authored-by: {line}")
    assert [one.name for one in people] == read
    assert bool(unread) != bool(read)


def test_a_co_author_line_that_is_not_read_is_told_with_its_commit(repo: Builder) -> None:
    above = repo.commit("One\n\nCo-authored-by: Lou <lou@x.org>\n\nSession: 1", ADA, b_dot_py="b=1")
    alone = repo.commit("Two\n\nCo-authored-by: Eve", ADA, c_dot_py="c=1")
    assert f"{above[:10]} is not read, and names nobody here: 'Lou <lou@x.org>'" in notes(repo)
    assert f"{alone[:10]} is not read, and names nobody here: 'Eve'" in notes(repo)


def test_a_coding_tool_is_no_person(repo: Builder) -> None:
    tools = (
        "Claude <noreply@anthropic.com>",
        "Claude <claude@anthropic.com>",
        "Qwen-Coder <qwen-coder@alibabacloud.com>",
        "Crush <crush@charm.land>",
        "opencode <noreply@opencode.ai>",
    )
    for n, who in enumerate(tools):
        repo.commit(f"Part\n\nCo-authored-by: {who}", BEN, b_dot_py=f"{LINES}part = {n}\n")
    history = read_history(repo.folder)
    assert list(history.contributions) == ["Ada", "Ben"]
    told = "\n".join(history.notes)
    assert [who for who in tools if f"{who} is a model and earns nothing" not in told] == []


def test_a_co_author_of_a_tools_name_is_asked_about(repo: Builder) -> None:
    tool, person = "Kite Coder <kite@kite.example>", "Bot Agentson <ba@example.org>"
    private = "Fay <1+fay@users.noreply.github.com>"
    repo.commit(f"Part\n\nCo-authored-by: {private}", BEN, e_dot_py="e = 1\n")
    repo.commit(f"Part\n\nCo-authored-by: {tool}", BEN, b_dot_py=LINES)
    repo.commit("Own", person, c_dot_py="c = 1\n")
    repo.commit(f"Part\n\nCo-authored-by: {person}", BEN, d_dot_py="d = 1\n")
    assert f"is {tool} a person?" in notes(repo)
    assert notes(repo).count("a person?") == 1, "neither who commits, nor a hidden address"


def test_a_person_of_the_vendor_is_a_person(repo: Builder) -> None:
    repo.commit("Own", "Mary Smith <mary@anthropic.com>", b_dot_py="b = 1\n")
    assert "Mary Smith" in read_history(repo.folder).artefacts()


def test_thousands_of_co_authors_are_asked_about_at_once(
    repo: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    from shapley_coop.extensions.repository.git import Repository

    asked, output = [], Repository.output

    def counted(self: Repository, *args: str, **how: object) -> bytes:
        asked.append(args[0])
        return output(self, *args, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(Repository, "output", counted)
    lines = "\n".join(f"Co-authored-by: Person {n} <p{n}@example.org>" for n in range(2000))
    repo.write(".mailmap", "Pat <p1@example.org>\n")
    repo.commit(f"Many\n\n{lines}", BEN, b_dot_py=LINES)
    assert len(read_history(repo.folder, mailmap=True).contributions) == 2002
    assert asked.count("check-mailmap") == 1


@pytest.mark.parametrize("where", ["HEAD", "config", "objects/pack/x.idx", "shallow", "link"])
def test_a_fifo_in_the_git_folder_is_refused_and_not_waited_for(repo: Builder, where: str) -> None:
    target = repo.folder / ".git" / where
    target.unlink(missing_ok=True)
    if where == "link":
        target.symlink_to("/dev/zero")
    else:
        os.mkfifo(target)
    with pytest.raises(RepositoryError, match=f"{where} is not a regular file, and git would wait"):
        read_history(repo.folder)


def test_a_fifo_that_a_linked_folder_or_an_alternate_names_is_found(
    repo: Builder, tmp_path: Path
) -> None:
    linked = tmp_path / "linked"
    repo.git("worktree", "add", "-q", "--detach", str(linked))
    far = tmp_path / "far" / "pack"
    far.mkdir(parents=True)
    (repo.folder / ".git/objects/info/alternates").write_text(f"{far.parent}\n")
    os.mkfifo(far / "y.pack")
    with pytest.raises(RepositoryError, match=r"y\.pack is not a regular file"):
        read_history(linked)
