"""No more to read than there was: each number of `tests/budgets.toml` may only fall."""

import tomllib

from tests.brought import with_all_extensions
from tests.budgets import TABLE, budgets


def test_nothing_grows_beyond_its_bound() -> None:
    assert [row for row in budgets() if row.counted > row.bound] == []


@with_all_extensions
def test_the_table_names_what_is_counted_and_nothing_else() -> None:
    assert {*tomllib.loads(TABLE.read_text(encoding="utf-8"))} == {row.name for row in budgets()}
