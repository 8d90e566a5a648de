"""What a fix is worth: what it changed of others' lines, and never what it says of itself."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from extensions.repository.tests.history_builder import ADA, BOB, CLEO, Builder, code
from shapley_coop.extensions.repository.edits import extent, replacements
from shapley_coop.extensions.repository.history import read_history
from shapley_coop.extensions.repository.rules import Rules

CLAUDE = "Claude Opus 4.5 <noreply@anthropic.com>"


@pytest.fixture
def repo(tmp_path: Path) -> Builder:
    return Builder(tmp_path / "repo")


def made(repo: Builder, **how: Any) -> dict[str, dict[str, Fraction]]:
    found = read_history(repo.folder, rules=Rules(**how)).artefacts()
    return {who: {kind: n for kind, n in each.items() if n} for who, each in found.items()}


def test_the_part_of_a_line_that_changed_lies_between_what_both_begin_and_end_with() -> None:
    assert extent("total = a + b", "total = a - b") == Fraction(1, 13)
    assert extent("same", "same") == 0
    assert extent("one", "two words") == 1
    assert extent("aaa", "aaaa") == Fraction(1, 4)
    assert extent("x" * 500, "x" * 499 + "y") == 1  # too long to be compared


def test_in_one_place_each_line_is_the_change_of_the_line_that_it_is_most_like() -> None:
    gone, come = ["keep = a + b"], ["guard = 1", "keep = a - b"]
    found = list(replacements([(gone, come)]))
    assert found == [("keep = a + b", "keep = a - b", Fraction(1, 12))]


def test_a_typo_is_the_part_of_a_line_that_it_changed_and_the_line_stays_its_authors(
    repo: Builder,
) -> None:
    repo.commit("Write", ADA, a_dot_py=code(10) + "wrod = 'a message of some length'\n")
    repo.commit("fix: typo", BOB, a_dot_py=code(10) + "word = 'a message of some length'\n")
    assert made(repo) == {"Ada": {"code": 11}, "Bob": {"fixes": Fraction(2, 33)}}


def test_padding_that_calls_itself_a_fix_mends_nothing(repo: Builder) -> None:
    repo.commit("Write", ADA, a_dot_py=code(10))
    repo.commit("Fix", BOB, a_dot_py=code(10) + code(200, "pad"), b_dot_py=code(9, "more"))
    # Twenty lines that differ in numbers alone are enough of them.
    assert made(repo)["Bob"] == {"code": 29}
    assert made(repo, most_alike=1000)["Bob"] == {"code": 209}


def test_a_fix_is_the_lines_of_others_that_it_wrote_anew_and_that_stand(repo: Builder) -> None:
    repo.commit("Write", ADA, a_dot_py=code(10))
    repo.commit("fix: the sum", BOB, a_dot_py=code(8) + "right = one\nfully = other\n")
    assert made(repo) == {"Ada": {"code": 8}, "Bob": {"code": 2, "fixes": 2}}
    repo.commit("Move it", CLEO, a_dot_py=None, z_dot_py=code(8) + "right = one\nfully = other\n")
    assert made(repo)["Bob"] == {"code": 2, "fixes": 2}
    repo.commit("Anew", CLEO, z_dot_py=code(8) + "right = one\n# nothing\n")
    assert made(repo)["Bob"] == {"code": 1, "fixes": 1}


def test_nobody_is_paid_for_mending_what_is_their_own(repo: Builder) -> None:
    repo.commit("Write", ADA, a_dot_py=code(10))
    repo.commit("fix: mine", ADA, a_dot_py=code(8) + "right = one\nfully = other\n")
    repo.commit(f"fix: ours\n\nCo-authored-by: {ADA}", BOB, a_dot_py=code(7) + "all = new\n")
    assert all("fixes" not in each for each in made(repo).values())


def test_a_line_that_is_older_than_the_range_can_be_mended(repo: Builder) -> None:
    old = repo.commit("Write", ADA, a_dot_py=code(10))
    repo.commit("fix: the sum", ADA, a_dot_py=code(9) + "right = one\n")
    found = read_history(repo.folder, f"{old}..").artefacts()["Ada"]
    assert (found["code"], found["fixes"]) == (1, 1)


def test_one_commit_is_paid_for_no_more_than_the_largest_fix(repo: Builder) -> None:
    repo.commit("Write", ADA, a_dot_py=code(60))
    anew = "".join(f"entirely_other_{k}()\n" for k in range(60))
    repo.commit("fix: all", BOB, a_dot_py=anew)
    assert made(repo, most_alike=60)["Bob"] == {"code": 60, "fixes": 20}
    assert made(repo, most_alike=60, largest_fix=5)["Bob"] == {"code": 60, "fixes": 5}
    assert made(repo, weighed=False)["Bob"] == {"code": 60, "fixes": 1}


def test_a_document_counts_whole_from_ten_lines(repo: Builder) -> None:
    words = "".join(f"Line {letter} of it.\n" for letter in "abcdefghijklmnopqrst")
    repo.commit("Tell", ADA, a_dot_md=words)
    repo.commit("Claim", BOB, b_dot_md="One line.\n", docs__adr__x_dot_md="# Use it\n")
    tenth, fifth = Fraction(1, 10), Fraction(1, 5)
    assert made(repo) == {"Ada": {"documents": 1}, "Bob": {"documents": tenth, "decisions": fifth}}


def test_a_models_part_goes_to_whoever_committed_or_to_nobody(repo: Builder) -> None:
    by_both = f"Write\n\nCo-authored-by: {CLAUDE}"
    repo.commit(by_both, ADA, a_dot_py=code(10))
    assert made(repo) == {"Ada": {"code": 10}}
    assert made(repo, ai_part="nobody") == {"Ada": {"code": 5}}
    notes = read_history(repo.folder).notes
    assert any("is a model and earns nothing; its part of 1 commit goes to" in n for n in notes)


def test_what_a_bot_wrote_and_a_person_entered_is_paid_only_where_the_rules_say_so(
    repo: Builder,
) -> None:
    repo.commit("Write", ADA, a_dot_py=code(2))
    bot = "renovate[bot] <bot@example.org>"
    repo.write("b.py", code(7, "b"))
    repo.commits += 1
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "Bump", f"--author={bot}", who=BOB)
    assert made(repo) == {"Ada": {"code": 2}}
    assert made(repo, bots_part="committer") == {"Ada": {"code": 2}, "Bob": {"code": 7}}
    assert made(repo, bots=[]) == {"Ada": {"code": 2}, "renovate[bot]": {"code": 7}}


def test_a_person_of_a_models_name_is_a_person(repo: Builder) -> None:
    repo.commit("Write", "Claude Monet <claude@example.org>", a_dot_py=code(2))
    assert made(repo) == {"Claude Monet": {"code": 2}}


def test_a_mailmap_of_ones_own_says_who_is_who(repo: Builder) -> None:
    repo.commit("One", ADA, a_dot_py=code(2))
    repo.commit("Two", "ada l. <ada@home.example>", b_dot_py=code(3, "b"))
    own = "Ada <ada@example.org> <ada@home.example>\n"
    found = read_history(repo.folder, mailmap=own)
    assert found.artefacts()["Ada"]["code"] == 5
    assert any("gives the work of ada@home.example" in note for note in found.notes)
