"""Expressions and globs in a file of rules: matched in bounded time, or refused in one line."""

import re
import sys

import pytest

from shapley_coop.extensions.repository.git import RepositoryError
from shapley_coop.extensions.repository.patterns import pattern
from shapley_coop.extensions.repository.people import printable
from shapley_coop.extensions.repository.rules import Rules, matches, read_rules
from shapley_coop.extras import LibraryMissing
from tests.prompts.test_hidden_text import LEFT_OUT, REFUSED

EVIL = "(a|a)*b"
LETTERS = "a" * 48
UNBOUNDED = ["(", "(?=a)", r"(a)\1", "a" * 2000]


def test_an_expression_that_would_take_hours_is_matched_at_once() -> None:
    """Python's own engine takes about 2**48 steps for each of these."""
    assert not pattern(EVIL).search(LETTERS)


@pytest.mark.parametrize("expression", UNBOUNDED)
def test_an_expression_that_cannot_be_bounded_is_refused_in_one_line(expression: str) -> None:
    with pytest.raises(ValueError, match="expression") as refused:
        pattern(expression)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400


def test_texts_that_are_no_unicode_are_matched() -> None:
    assert pattern("É", any_case=True).search("é")


def test_so_is_one_in_a_file_of_rules() -> None:
    assert not Rules(bots=(EVIL,)).is_bot(LETTERS, "x")
    assert not Rules(fixes=(EVIL,)).is_fix(LETTERS)
    assert not matches("*a" * 30 + "b")(LETTERS * 20)


@pytest.mark.parametrize("expression", UNBOUNDED)
def test_so_is_one_that_cannot_be_bounded_in_a_file_of_rules(expression: str) -> None:
    with pytest.raises((ValueError, RepositoryError)) as refused:
        read_rules({"bots": [expression]})
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400


def test_paths_that_are_no_unicode_are_matched() -> None:
    assert matches("**/vendor/")("x/vendor/\udc80y")


@pytest.mark.parametrize("hidden", REFUSED + LEFT_OUT, ids=ascii)
def test_no_contributors_name_hides_anything(hidden: str) -> None:
    for name in (f"Bob{hidden}", f"B{hidden}ob", hidden):
        assert printable(f"{name} <b@x.org>").replace("Bob", "").strip() == "<b@x.org>"


def test_only_expressions_of_fixed_length_are_matched_without_re2(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They give the same with it and without it; every other one names what it needs."""
    monkeypatch.setitem(sys.modules, "re2", None)
    pattern.cache_clear()
    plain = pattern("Ran [1-9]")
    assert (plain.search("\nRan 3 tests"), plain.match("\nRan 3"), plain.search("Ran 0")) == (
        *(True, False, False),
    )
    for expression in ("(a|a)*b", "a+", "a?", "a{9}", "^a", "a$", ".", r"\d", "a|b", "[ab]"):
        line = f'the expression {expression!r} needs re2: pip install "shapley-coop[patterns]"'
        with pytest.raises(LibraryMissing, match=re.escape(line)):
            pattern(expression)
    with pytest.raises(LibraryMissing):
        pattern("ran", any_case=True)
    pattern.cache_clear()
