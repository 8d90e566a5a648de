"""Several threads that write at once share a commit, and each its own fate."""

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from shapley_coop.state.storage import writer as module
from shapley_coop.state.storage.writer import Writer


class Counted(sqlite3.Connection):
    """A connection that counts its commits, and can fail at one."""

    commits = 0
    fails = False

    def execute(self, statement: str, *given: object) -> sqlite3.Cursor:
        if statement == "COMMIT":
            self.commits += 1
            if self.fails:
                raise sqlite3.OperationalError("disk I/O error")
        return super().execute(statement, *given)  # type: ignore[arg-type]


@pytest.fixture
def books(tmp_path: Path) -> Iterator[tuple[Writer, Counted]]:
    connection = sqlite3.connect(
        tmp_path / "a", isolation_level=None, check_same_thread=False, factory=Counted
    )
    connection.execute("CREATE TABLE said (what PRIMARY KEY)")
    yield Writer(lambda: connection), connection
    connection.close()


def said(connection: sqlite3.Connection) -> set[str]:
    return {what for (what,) in connection.execute("SELECT what FROM said")}


def wave(books: Writer, *words: str) -> list[BaseException | None]:
    """Each word by a thread of its own: the first waits until all others stand behind it."""
    first, others = words[0], words[1:]
    inside, go_on = Event(), Event()

    def write(word: str) -> None:
        with books.writing() as connection:
            connection.execute("INSERT INTO said VALUES (?)", [word])
            if word == first:
                inside.set()
                go_on.wait()

    with ThreadPoolExecutor(len(words)) as threads:
        going = [threads.submit(write, first)]
        inside.wait()
        going += [threads.submit(write, word) for word in others]
        while books._behind < len(others):  # they stand in line
            pass
        go_on.set()
        return [one.exception() for one in going]


def test_who_stands_behind_a_writer_is_committed_with_it(books: tuple[Writer, Counted]) -> None:
    writer, connection = books
    assert wave(writer, "one", "two", "three", "four") == [None] * 4
    assert said(connection) == {"one", "two", "three", "four"}
    assert connection.commits == 1
    with writer.writing() as alone:
        alone.execute("INSERT INTO said VALUES ('five')")
    assert connection.commits == 2


def test_what_one_takes_back_is_taken_back_alone(books: tuple[Writer, Counted]) -> None:
    writer, connection = books
    failed = wave(writer, "one", "one", "two")
    assert sorted(type(error).__name__ for error in failed) == [
        *("IntegrityError", "NoneType", "NoneType")
    ]
    assert said(connection) == {"one", "two"}


def test_who_runs_into_anothers_row_goes_on_when_that_is_committed(
    books: tuple[Writer, Counted],
) -> None:
    writer, connection = books
    committed: list[int] = []

    def again() -> None:
        try:
            with writer.writing() as mine:
                mine.execute("INSERT INTO said VALUES ('one')")
        except sqlite3.IntegrityError:
            committed.append(connection.commits)

    inside, go_on = Event(), Event()

    def first() -> None:
        with writer.writing() as mine:
            mine.execute("INSERT INTO said VALUES ('one')")
            inside.set()
            go_on.wait()

    with ThreadPoolExecutor(3) as threads:
        threads.submit(first)
        inside.wait()
        going = [threads.submit(again) for _ in range(2)]
        while writer._behind < len(going):
            pass
        go_on.set()
    assert committed == [1, 1]


def test_nobody_is_told_that_its_rows_are_kept_where_the_commit_fails(
    books: tuple[Writer, Counted],
) -> None:
    writer, connection = books
    connection.fails = True
    assert [type(error) for error in wave(writer, "one", "two")] == [sqlite3.OperationalError] * 2


def test_a_transaction_that_the_disk_ended_is_lost_for_all_in_it(
    books: tuple[Writer, Counted],
) -> None:
    writer, _ = books
    inside, go_on = Event(), Event()

    def first() -> None:
        with writer.writing() as mine:
            mine.execute("INSERT INTO said VALUES ('one')")
            inside.set()
            go_on.wait()

    def second() -> None:
        with writer.writing() as mine:
            mine.execute("ROLLBACK")  # as SQLite does by itself where the disk is full
            raise sqlite3.OperationalError("database or disk is full")

    with ThreadPoolExecutor(2) as threads:
        one = threads.submit(first)
        inside.wait()
        two = threads.submit(second)
        while not writer._behind:
            pass
        go_on.set()
        assert "full" in str(one.exception())
        assert "full" in str(two.exception())


def test_a_writer_commits_by_itself_where_the_one_behind_it_never_comes(
    books: tuple[Writer, Counted], monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, connection = books
    monkeypatch.setattr(module, "PATIENCE", 0.01)
    writer._behind = 1  # interrupted as it stood in line
    with writer.writing() as mine:
        mine.execute("INSERT INTO said VALUES ('one')")
    assert said(connection) == {"one"}
