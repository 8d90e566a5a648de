"""Reading a history: who made what, with evidence, where the right answer is known."""

import subprocess
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from extensions.repository.tests.history_builder import (
    ADA,
    BOB,
    CLEO,
    ENV,
    Builder,
    build_large,
    code,
)
from shapley_coop.extensions.repository.contributions import History
from shapley_coop.extensions.repository.git import RepositoryError
from shapley_coop.extensions.repository.history import read_history
from shapley_coop.extensions.repository.lines import effective_lines
from shapley_coop.extensions.repository.rules import KINDS, Rules, read_rules
from tests.root import ROOT

EACH = Rules(weighed=False)
"""Each fix, document and decision counts one: what is told here is what counts at all."""
BOT = "dependabot[bot] <support@bots.example>"


@pytest.fixture
def repo(tmp_path: Path) -> Builder:
    return Builder(tmp_path / "repo")


def counts(history: History) -> dict[str, dict[str, Fraction]]:
    """What was made, without the kinds that nobody made anything of."""
    return {
        who: {kind: n for kind, n in made.items() if n} for who, made in history.artefacts().items()
    }


def test_every_kind_of_commit_is_counted_as_it_should_be(repo: Builder) -> None:
    repo.write(".mailmap", "Ada <ada@example.org> <ada@home.example>\n")
    repo.commit("Start", ADA, src__core_dot_py=code(10), README_dot_md="# Core\n\nWhat it does.\n")
    repo.commit("More", "ada l. <ada@home.example>", src__extra_dot_py=code(5, "extra"))
    repo.git("mv", "src/core.py", "src/engine.py")
    repo.commit("Rename and add two", BOB, src__engine_dot_py=code(10) + code(2, "new"))
    repo.commit(
        "Pair\n\nCo-authored-by: Cleo <cleo@example.org>\n"
        "Co-authored-by: dependabot[bot] <support@bots.example>",
        BOB,
        src__pair_dot_py=code(3, "pair"),
    )
    repo.commit("Bump", BOT, src__versions_dot_py=code(50, "version"))
    repo.commit("Vendor", BOB, vendor__lib_dot_py=code(400, "lib"), logo_dot_py=b"\0\1" * 50)
    repo.commit("Lock", CLEO, yarn_dot_lock=code(900), api_pb2_dot_py=code(300))
    repo.commit(
        "Decide",
        CLEO,
        docs__decisions__one_dot_md="# Use git\n\nStatus: accepted\n",
        docs__decisions__two_dot_md="# Use svn\n\nStatus: rejected\n",
    )
    fix = repo.commit("fix: count from one", CLEO, src__pair_dot_py=code(3, "pair") + "off = 1\n")
    repo.git("checkout", "-q", "-b", "side", "HEAD~1")
    repo.commit("Side", ADA, src__side_dot_py=code(4, "side"))
    repo.git("checkout", "-q", "main")
    repo.commits += 1
    repo.git("merge", "-q", "--no-ff", "-m", "fix: merge side", "side", who=BOB)

    history = read_history(repo.folder, mailmap=True, rules=EACH)

    # A third of the pair's three lines is the bot's, and nobody's.
    assert counts(history) == {
        "Ada": {"code": 10 + 5 + 4, "documents": 1},
        "Bob": {"code": 2 + 1},
        "Cleo": {"code": 1 + 1, "decisions": 1, "fixes": 1},
    }
    assert (history.merges, history.by_bots, history.commits) == (1, 1, 9)
    assert history.excluded == {"vendored": 1, "generated": 2, "binary": 1}
    assert [one.commit for one in history.contributions["Cleo"].evidence["fixes"]] == [fix]


def test_every_count_is_the_sum_of_its_evidence_and_names_real_commits(repo: Builder) -> None:
    first = repo.commit("One\n\nCo-authored-by: Bob <bob@example.org>", ADA, a_dot_py=code(3))
    second = repo.commit("Two", BOB, a_dot_py=code(7), notes_dot_md="Words\n")
    history = read_history(repo.folder)
    for one in history.contributions.values():
        for kind in KINDS:
            assert one.counts[kind] == sum(shown.amount for shown in one.evidence[kind])
            assert {shown.commit for shown in one.evidence[kind]} <= {first, second}
    shown = history.contributions["Bob"].evidence["code"]
    assert [(e.commit, e.path, e.amount) for e in shown] == [
        (first, "a.py", Fraction(3, 2)),
        (second, "a.py", 4),
    ]


def test_who_moves_indents_copies_or_restores_a_line_does_not_become_its_author(
    repo: Builder,
) -> None:
    lines = code(12).splitlines()
    body = "\n".join(lines) + "\n"
    repo.commit("Write", ADA, a_dot_py=body)
    repo.commit("Reverse", BOB, a_dot_py="\n".join(reversed(lines)) + "\n")
    repo.commit("Indent", BOB, a_dot_py="if ready:\n" + "".join(f"    {x}\n" for x in lines))
    repo.commit("Delete", BOB, a_dot_py="if ready:\n    pass\n")
    repo.commit("Restore", BOB, a_dot_py="if ready:\n" + "".join(f"    {x}\n" for x in lines))
    # In one commit, from one file into another.
    half = "".join(f"    {x}\n" for x in lines[:6])
    rest = "".join(f"    {x}\n" for x in lines[6:])
    repo.commit("Split", BOB, a_dot_py="if ready:\n" + half, b_dot_py="if ready:\n" + rest)
    # Bob wrote the condition twice, once for each file.
    assert counts(read_history(repo.folder)) == {"Ada": {"code": 12}, "Bob": {"code": 2}}


def test_a_short_line_that_is_written_anew_is_new(repo: Builder) -> None:
    repo.commit("Write", ADA, a_dot_py="keep = 1\nelse:\n" + code(1, "long_enough"))
    repo.commit("Delete", ADA, a_dot_py="keep = 1\n")
    repo.commit("Again", BOB, a_dot_py="keep = 1\nelse:\n" + code(1, "long_enough"))
    assert counts(read_history(repo.folder)) == {"Ada": {"code": 2}, "Bob": {"code": 1}}


def test_a_copied_file_earns_its_maker_only_what_was_written_into_it(repo: Builder) -> None:
    repo.commit("Write", ADA, a_dot_py=code(20))
    repo.commit("Copy", BOB, a_dot_py=code(20) + "touched = 1\n", b_dot_py=code(20) + "own = 1\n")
    assert counts(read_history(repo.folder)) == {"Ada": {"code": 20}, "Bob": {"code": 2}}


def test_what_does_not_stand_at_the_end_earns_nothing(repo: Builder) -> None:
    repo.commit("Write", ADA, a_dot_py=code(30))
    repo.commit("Replace", BOB, a_dot_py=code(10, "better"))
    repo.commit("Pad", CLEO, pad_dot_py=code(500, "pad"))
    repo.commit("Remove the padding", CLEO, pad_dot_py=None)
    assert counts(read_history(repo.folder)) == {"Bob": {"code": 10}}


def test_a_range_credits_only_what_was_added_in_it(repo: Builder) -> None:
    old = repo.commit("Write", ADA, a_dot_py=code(10), doc_dot_md="one\ntwo\nthree\n")
    repo.commit("Add", BOB, a_dot_py=code(13), doc_dot_md="one\ntwo\nthree\nfour\n")
    repo.commit("Move the old", BOB, a_dot_py=None, c_dot_py=code(13))
    history = read_history(repo.folder, f"{old}..HEAD", rules=EACH)
    assert counts(history) == {"Bob": {"code": 3, "documents": Fraction(1, 4)}}
    assert counts(read_history(repo.folder, f"{old}..", rules=EACH)) == counts(history)
    before = counts(read_history(repo.folder, old, rules=EACH))
    assert before == {"Ada": {"code": 10, "documents": 1}}


def test_a_file_renamed_on_one_branch_and_edited_on_another_keeps_both_authors(
    repo: Builder,
) -> None:
    repo.commit("Write", ADA, a_dot_py=code(20))
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("Edit under the old name", BOB, a_dot_py="early = 1\n" + code(20))
    repo.git("checkout", "-q", "main")
    repo.git("mv", "a.py", "z.py")
    repo.commit("Rename", CLEO, z_dot_py=code(20) + "late = 1\n")
    repo.commits += 1
    repo.git("merge", "-q", "-m", "Merge", "side")
    expected = {"Ada": {"code": 20}, "Bob": {"code": 1}, "Cleo": {"code": 1}}
    assert counts(read_history(repo.folder)) == expected


def test_a_commit_picked_to_two_branches_is_paid_once(repo: Builder) -> None:
    repo.commit("Write", ADA, a_dot_py=code(3))
    repo.git("checkout", "-q", "-b", "side")
    picked = repo.commit("fix: the sum", BOB, b_dot_py=code(5, "b"))
    repo.git("checkout", "-q", "main")
    repo.commit("Other", ADA, c_dot_py=code(2, "c"))
    repo.git("cherry-pick", picked)
    repo.git("merge", "-q", "-m", "Merge", "side")
    assert counts(read_history(repo.folder, rules=EACH))["Bob"] == {"code": 5, "fixes": 1}


def test_a_reverted_fix_does_not_count_until_its_revert_is_reverted(repo: Builder) -> None:
    repo.commit("Write", ADA, a_dot_py=code(3))
    fix = repo.commit("Fixed the sum", BOB, a_dot_py=code(4))
    undone = repo.commit(f'Revert "x"\n\nThis reverts commit {fix}.', ADA, a_dot_py=code(3))
    assert "fixes" not in counts(read_history(repo.folder, rules=EACH)).get("Bob", {})
    repo.commit(f"Reapply\n\nThis reverts commit {undone}.", ADA, a_dot_py=code(4))
    assert counts(read_history(repo.folder, rules=EACH))["Bob"] == {"code": 1, "fixes": 1}


@pytest.mark.parametrize(
    ("message", "path", "counted"),
    [
        ("fix(core)!: sum", "a.py", 1),
        ("Hotfix for the sum", "a.py", 1),
        ("Sum again\n\nFixes #12", "a.py", 1),
        ("Sum again\n\nfixes nothing at all", "a.py", 0),
        ("Fixture for the sum", "a.py", 0),
        ("Fixed-size buffers", "a.py", 0),
        ("Prefix the sum", "a.py", 0),
        ("fix: typo", "README.md", 0),
    ],
)
def test_a_fix_says_so_and_changes_code(
    repo: Builder, message: str, path: str, counted: int
) -> None:
    repo.write(path, "total = 1\n")
    repo.commit(message, ADA)
    assert read_history(repo.folder, rules=EACH).artefacts()["Ada"]["fixes"] == counted


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("# A\n\nStatus: Accepted\n", True),
        ("# A\n\n* **Status**: accepted\n", True),
        ("# A\n\n## Status\n\nAccepted, 2024\n", True),
        ("| Status | approved |\n", True),
        ("# A\n\nNo state is named.\n", True),
        ("# A\n\nStatus quo is bad.\n", True),
        ("# A\n\nstatus: proposed\n", False),
        ("# A\n\n## Status\n\nSuperseded by 7\n", False),
    ],
)
def test_a_decision_counts_where_it_is_accepted(repo: Builder, text: str, stands: bool) -> None:
    repo.commit("Decide", ADA, docs__adr__one_dot_md=text, docs__adr__README_dot_md="Index\n")
    made = counts(read_history(repo.folder, rules=EACH))["Ada"]
    assert made == ({"decisions": 1, "documents": 1} if stands else {"documents": 1})


def test_without_a_mailmap_addresses_are_counted_apart_and_the_reader_is_told(
    repo: Builder,
) -> None:
    repo.write(".mailmap", "Ada <ada@example.org> <ada@home.example>\n")
    repo.commit("One", ADA, a_dot_py=code(2))
    repo.commit("Two", "Ada <ada@home.example>", b_dot_py=code(3, "b"))
    two = "Two more\n\nCo-authored-by: Ada <ada@home.example>"
    repo.commit(two, BOB, c_dot_py=code(4, "c"))
    together = read_history(repo.folder, mailmap=True)
    assert counts(together) == {"Ada": {"code": 7}, "Bob": {"code": 2}}
    gives = "gives the work of ada@home.example in 2 commits to Ada <ada@example.org>"
    assert gives in str(together.notes)
    apart = read_history(repo.folder)
    assert counts(apart) == {
        "Ada <ada@example.org>": {"code": 2},
        "Ada <ada@home.example>": {"code": 5},
        "Bob": {"code": 2},
    }
    assert "Ada commits from 2 addresses" in apart.notes[0]
    assert "would give the work of ada@home.example" in apart.notes[1]


def test_a_rule_file_replaces_rules(repo: Builder, tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(
        "decisions: ['choices/*.md']\nvendored: ['src/theirs/']\nbots: ['^Bob ']\n"
        "whole_decision: 1\n"
    )
    repo.commit("One", ADA, choices__a_dot_md="Choose\n", src__theirs__x_dot_py=code(9))
    repo.commit("Two", BOB, vendor__x_dot_py=code(9))
    repo.commit("Three", ADA, vendor__y_dot_py=code(4, "y"))
    history = read_history(repo.folder, rules=read_rules(file))
    assert counts(history) == {"Ada": {"decisions": 1, "code": 4}}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("bots: ['(']", "regular expression"), ("bot: []", "'bot'"), ("- a", "contains no rules")],
)
def test_a_wrong_rule_file_is_refused_in_one_line(
    tmp_path: Path, text: str, complaint: str
) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(text)
    with pytest.raises(ValueError, match=complaint) as caught:
        read_rules(file)
    assert "\n" not in str(caught.value)


def test_what_the_repository_declares_vendored_or_generated_is_left_out(repo: Builder) -> None:
    repo.write(".gitattributes", "theirs/** linguist-vendored\nmade.py linguist-generated=true\n")
    repo.commit("All", ADA, theirs__a_dot_py=code(9), made_dot_py=code(9, "m"))
    repo.commit("Marked", ADA, b_dot_py="# DO NOT EDIT\n" + code(9, "b"), own_dot_py=code(2, "o"))
    history = read_history(repo.folder)
    assert counts(history) == {"Ada": {"code": 2}}
    assert history.excluded == {"generated": 2, "vendored": 1}


def test_effective_lines_are_neither_blank_nor_comment_nor_layout() -> None:
    python = '"""Doc.\n\nMore.\n"""\nx = 1  # why\n\n# no\ntext = """\nkept\n# kept\n"""\n)\n'
    assert list(effective_lines("a.py", python)) == [
        (5, "x = 1  # why"),
        (8, 'text = """'),
        (9, "kept"),
        (10, "# kept"),
    ]
    c = "/* one\n two */\n// three\nint x; /* four */\n{\n}\n"
    assert list(effective_lines("a.c", c)) == [(4, "int x; /* four */")]
    assert list(effective_lines("a.sql", "-- no\nselect 1\n")) == [(2, "select 1")]
    assert list(effective_lines("Makefile", "# no\nall:\n")) == [(2, "all:")]
    assert list(effective_lines("a.f90", "! unknown\n")) == [(1, "! unknown")]


def test_globs_are_matched_like_those_of_gitignore() -> None:
    rules = Rules(vendored=("theirs/", "*.ext", "a/*/b.py", "/top.py"))
    vendored = ["theirs/x/y.py", "deep/x.ext", "a/x/b.py", "top.py", "deep/theirs/z.py"]
    assert {path: rules.place(path) for path in vendored} == dict.fromkeys(vendored, "vendored")
    kept = ["a/x/y/b.py", "sub/top.py"]
    assert {path: rules.place(path) for path in kept} == dict.fromkeys(kept, "code")


def test_on_a_plain_history_the_count_agrees_with_git_blame(tmp_path: Path) -> None:
    folder = tmp_path / "large"
    build_large(folder, 120, files=8)
    ours = {who: made["code"] for who, made in read_history(folder).artefacts().items()}
    blamed: Counter[str] = Counter()
    listing = subprocess.check_output(["git", "ls-tree", "-r", "--name-only", "main"], cwd=folder)
    for path in listing.decode().split():
        if path.endswith(".py"):
            command = ["git", "blame", "--line-porcelain", "main", "--", path]
            for line in subprocess.check_output(command, cwd=folder, env=ENV).decode().split("\n"):
                if line.startswith("author "):
                    blamed[line.removeprefix("author ")] += 1
    assert ours == blamed


def test_git_is_run_once_for_each_file_and_not_for_each_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_large(tmp_path / "large", 400, files=4)
    started, popen = [], subprocess.Popen
    monkeypatch.setattr(
        "shapley_coop.extensions.repository.git.subprocess.Popen",
        lambda command, **options: (started.append(command), popen(command, **options))[1],
    )
    history = read_history(tmp_path / "large", rules=EACH)
    assert 0 < len(started) < 30
    assert history.commits == 400
    assert sum(made["fixes"] for made in history.artefacts().values()) == 40


@pytest.mark.slow
def test_this_repository_can_be_read() -> None:
    try:
        history = read_history(ROOT)
    except RepositoryError as error:
        pytest.skip(f"not the whole repository is here: {error}")
    assert sum(made["code"] for made in history.artefacts().values()) > 1000
    assert sum(made["documents"] for made in history.artefacts().values()) > 1
