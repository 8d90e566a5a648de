"""For tests of `coop verify`: what it finds unsound in the run `r`, and changes of its rows."""

import json
import sqlite3
from contextlib import closing
from typing import Any

from shapley_coop.state import home
from tests.coop_command import Coop


def failed_checks(coop: Coop) -> set[str]:
    """What `verify` finds unsound; its exit code says the same."""
    told = coop("verify", "r")
    as_json = coop("verify", "r", "--json")
    found = json.loads(as_json.out)
    unsound = {check["what"] for check in found["checks"] if not check["sound"]}
    assert told.code == as_json.code == (1 if unsound else 0)
    assert found["sound"] is not bool(unsound)
    assert told.out.count("FAIL") == len(unsound)
    return unsound


def in_the_books(statement: str, *values: Any) -> None:
    """Change the database directly."""
    with closing(sqlite3.connect(home().folder / "books.sqlite")) as books, books:
        assert books.execute(statement, values).rowcount > 0
