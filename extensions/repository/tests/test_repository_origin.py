"""Whose a line is: copying, restoring, laying out anew, converting make nobody an author."""

from fractions import Fraction
from pathlib import Path

import pytest

from extensions.repository.tests.history_builder import ADA, Builder
from shapley_coop.extensions.repository.history import read_history
from shapley_coop.extensions.repository.rules import Rules

BEN, CEM, EVE = "Ben <ben@example.org>", "Cem <cem@example.org>", "Eve <eve@example.org>"
WORDS = (
    *("anchor", "bridge", "candle", "desert", "ember"),
    *("forest", "garden", "hollow", "island", "kettle"),
)


def source(who: str) -> str:
    """Twenty lines that differ in more than numbers."""
    return "".join(
        f"def {who}_{one}({one}): return {who}_{one[::-1]}({one}.total)\n"
        f"{one}_of_{who} = {who}_{one}('{who}', {one})\n"
        for one in WORDS
    )


@pytest.fixture
def repo(tmp_path: Path) -> Builder:
    """Ada wrote a.py, and Ben b.py, of as many lines."""
    built = Builder(tmp_path / "repo")
    built.commit("Ada's", ADA, a_dot_py=source("ada"))
    built.commit("Ben's", BEN, b_dot_py=source("ben"))
    return built


def code(repo: Builder, span: str | None = None) -> dict[str, Fraction]:
    return {who: made["code"] for who, made in read_history(repo.folder, span).artefacts().items()}


def test_a_copy_beside_the_original_earns_nobody_anything_and_is_told(repo: Builder) -> None:
    copied = repo.commit("Copy", EVE, copy_dot_py=source("ada"))
    assert code(repo) == {"Ada": 20, "Ben": 20}
    told = " ".join(read_history(repo.folder).notes)
    assert (
        f"copies or parts of what is counted or older: 20 lines of {copied[:10]} by Eve in copy.py"
        in told
    )


@pytest.mark.parametrize("steps", [1, 2])
def test_who_copies_and_deletes_the_original_takes_nothing(repo: Builder, steps: int) -> None:
    if steps == 1:
        repo.commit("Move", EVE, a_dot_py=None, copy_dot_py=source("ada") + "own = of_eve\n")
    else:
        repo.commit("Delete", EVE, a_dot_py=None)
        repo.commit("Add", EVE, copy_dot_py=source("ada") + "own = of_eve\n")
    assert code(repo) == {"Ada": 20, "Ben": 20, "Eve": 1}


def test_the_copy_of_a_file_that_grew_line_by_line_earns_nobody_anything(repo: Builder) -> None:
    lines = source("ben").splitlines(keepends=True)
    repo.commit("Half of another", ADA, grown_dot_py="".join(lines[::2]).replace("ben", "ada_2"))
    grown = "".join(lines).replace("ben", "ada_2")
    repo.commit("The rest", BEN, grown_dot_py=grown)
    assert code(repo) == {"Ada": 30, "Ben": 30}
    repo.commit("Copy", EVE, copy_dot_py=grown)
    assert code(repo) == {"Ada": 30, "Ben": 30}
    repo.commit("Delete the original", EVE, grown_dot_py=None)
    assert code(repo) == {"Ada": 30, "Ben": 30}


def test_what_was_deleted_before_the_range_is_nobodys_when_it_comes_back(repo: Builder) -> None:
    gone = repo.commit("Delete", EVE, a_dot_py=None)
    repo.commit("Add", EVE, copy_dot_py=source("ada") + "own = of_eve\n")
    assert code(repo, f"{gone}..") == {"Eve": 1}


def test_vendored_code_that_is_copied_elsewhere_is_nobodys(repo: Builder) -> None:
    repo.commit("Vendor", EVE, vendor__lib_dot_py=source("lib"))
    repo.commit("Copy", EVE, ours_dot_py=source("lib"))
    assert code(repo) == {"Ada": 20, "Ben": 20}


@pytest.mark.parametrize("junk", ["# a long remark of the copier\n\n", "x = 1\n"])
def test_what_is_put_between_copied_lines_hides_no_copy(repo: Builder, junk: str) -> None:
    copy = "".join(f"    {line}\n{junk}" for line in source("ada").splitlines())
    repo.commit("Copy", EVE, copy_dot_py=copy)
    assert code(repo) == {"Ada": 20, "Ben": 20} | ({"Eve": 20} if "=" in junk else {})


def test_two_who_write_the_same_line_are_both_its_authors(repo: Builder) -> None:
    line = "from the_standard_library_of_everybody import everything_that_is_needed\n"
    repo.commit("Use", ADA, c_dot_py=line)
    repo.commit("Use", BEN, d_dot_py=line)
    assert code(repo) == {"Ada": 21, "Ben": 21}


MECHANICAL = {
    "spaces": lambda text: text.replace("(", "( ").replace(",", " ,"),
    "quotes": lambda text: text.replace("'", '"'),
    "rename": lambda text: text.replace("return", "give").replace("total", "whole"),
    "wrap": lambda text: text.replace("(", "(\n    ").replace(")", ",\n)"),
    "wrap and quotes": lambda text: (
        text.replace("(", "(\n    ").replace(")", ",\n)").replace("'", '"')
    ),
}


def test_a_commit_that_git_blame_leaves_out_makes_nobody_an_author(repo: Builder) -> None:
    laid_out = MECHANICAL["wrap and quotes"](source("ada"))
    style = repo.commit("style", CEM, a_dot_py=laid_out)
    listed = f"# The formatter\n{style}\nnonsense\n{'0' * 40}\n"
    repo.write(".git-blame-ignore-revs", listed)
    repo.commit("Leave it out of blame", CEM)
    assert code(repo) == {"Ada": 20, "Ben": 20}
    repo.commit("Copy", EVE, copy_dot_py=laid_out)
    assert code(repo) == {"Ada": 20, "Ben": 20}
    told = " ".join(read_history(repo.folder).notes)
    assert f".git-blame-ignore-revs lists {style[:10]} by Cem" in told


@pytest.mark.parametrize("kind", MECHANICAL)
def test_a_mechanical_edit_makes_nobody_an_author_without_a_list_either(
    repo: Builder, kind: str
) -> None:
    repo.commit("style", CEM, a_dot_py=MECHANICAL[kind](source("ada")))
    assert code(repo) == {"Ada": 20, "Ben": 20}


def in_german(text: str) -> str:
    return text.replace("anchor", "für_schöne_Käse").replace("garden", "Öl_und_Nüsse")


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1", "koi8-r", "nul"])
def test_who_converts_a_file_does_not_become_its_author(tmp_path: Path, encoding: str) -> None:
    repo = Builder(tmp_path / "repo")
    text = in_german(source("ada"))
    if encoding == "koi8-r":
        text = text.replace("für_schöne_Käse", "слово").replace("Öl_und_Nüsse", "другое")
    before = text.encode(encoding) if encoding != "nul" else b"\0" + text.encode()
    repo.commit("Write", ADA, a_dot_py=before)
    repo.commit("Ben's", BEN, b_dot_py=source("ben"))
    repo.commit("Convert", CEM, a_dot_py=text.encode())
    assert code(repo) == {"Ada": 20, "Ben": 20}


def test_who_copies_on_a_branch_from_before_and_merges_takes_nothing(tmp_path: Path) -> None:
    repo = Builder(tmp_path / "repo")
    repo.commit("Begin", BEN, b_dot_py=source("ben"))
    repo.git("branch", "eves")
    repo.commit("Ada's", ADA, a_dot_py=source("ada"))
    repo.git("checkout", "-q", "eves")
    repo.commit("Mine", EVE, a_dot_py=source("ada"))
    repo.git("merge", "-q", "--no-edit", "main", who=EVE)
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "--no-edit", "eves")
    assert code(repo) == {"Ada": 20, "Ben": 20}


def test_a_squash_gives_its_lines_to_those_who_brought_them(tmp_path: Path) -> None:
    repo = Builder(tmp_path / "repo")
    repo.commit("Begin", ADA, a_dot_py=source("ada"))
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit("Ben's", BEN, b_dot_py=source("ben"))
    repo.git("checkout", "-q", "main")
    repo.commit(f"Feature\n\nCo-authored-by: {BEN}", ADA, b_dot_py=source("ben"))
    assert code(repo) == {"Ada": 30, "Ben": 10}, "the original is not in the history"
    assert "by co-author lines alone" in " ".join(read_history(repo.folder).notes)
    repo.git("merge", "-q", "--no-ff", "-m", "The branch, too", "feature")
    assert code(repo) == {"Ada": 20, "Ben": 20}


def test_lines_that_a_merge_wrote_are_nobodys_and_told(repo: Builder) -> None:
    repo.git("checkout", "-q", "-b", "side", "HEAD~1")
    repo.commit("Side", ADA, c_dot_py="side = of_ada\n")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-commit", "--no-ff", "side")
    merge = repo.commit("Merge", EVE, evil_dot_py=source("eve"))
    history = read_history(repo.folder)
    assert code(repo) == {"Ada": 21, "Ben": 20}
    assert f"written in a merge: 20 lines of {merge[:10]} by Eve in evil.py" in " ".join(
        history.notes
    )
    assert history.contributions["Eve"].uncounted == {"merge": 1}


def test_the_source_lines_of_a_notebooks_code_cells_count(tmp_path: Path) -> None:
    repo = Builder(tmp_path / "repo")
    cell = '{\n "cell_type": "%s",\n "outputs": ["x = 1\\n"],\n "source": [\n%s\n ]\n}'
    code_cell = cell % ("code", '  "import math\\n",\n  "# no\\n",\n  "\\n",\n  "x = math.pi"')
    words = cell % ("markdown", '  "not = code"')
    repo.commit("Notebook", ADA, a_dot_ipynb=f'{{"cells": [\n{code_cell},\n{words}\n]}}\n')
    assert code(repo) == {"Ada": 2}


def test_configuration_counts_where_the_rules_say_so(repo: Builder) -> None:
    begun, safe = (
        "# why\n[project]\nneeds = ['pyjwt']\n",
        "# why\n[project]\nsecure = 'pyjwt>=2.12'\n",
    )
    repo.commit("Begin", EVE, pyproject_dot_toml=begun)
    repo.commit("fix: a vulnerable version", CEM, pyproject_dot_toml=safe)
    made = read_history(repo.folder, rules=Rules(configuration_counts=True)).artefacts()
    assert (made["Eve"]["code"], made["Cem"]["code"]) == (1, 1)
    assert made["Cem"]["fixes"] > 0
    assert code(repo) == {"Ada": 20, "Ben": 20}
