"""Expressions and globs in a file of rules: matched in bounded time, or refused in one line."""

import pytest

from shapley_coop.extensions.repository.git import RepositoryError
from shapley_coop.extensions.repository.people import printable
from shapley_coop.extensions.repository.rules import Rules, matches, read_rules
from tests.games.test_foreign_patterns import EVIL, LETTERS, UNBOUNDED
from tests.prompts.test_hidden_text import LEFT_OUT, REFUSED


def test_an_expression_that_would_take_hours_is_matched_at_once() -> None:
    assert not Rules(bots=(EVIL,)).is_bot(LETTERS, "x")
    assert not Rules(fixes=(EVIL,)).is_fix(LETTERS)
    assert not matches("*a" * 30 + "b")(LETTERS * 20)


@pytest.mark.parametrize("expression", UNBOUNDED)
def test_an_expression_that_cannot_be_bounded_is_refused_in_one_line(expression: str) -> None:
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
