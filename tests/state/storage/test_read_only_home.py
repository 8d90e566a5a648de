"""A home that cannot be written is read, and what would write to it says so in one line."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.coop_command import FAILED
from tests.root import ROOT

pytestmark = pytest.mark.slow

POWERS = "-dac_override,-dac_read_search"
"""By which root may write what nobody may."""

BOUND = ["setpriv", f"--bounding-set={POWERS}", f"--inh-caps={POWERS}"] if os.geteuid() == 0 else []


def bound(*command: str, home: Path) -> "subprocess.CompletedProcess[str]":
    """Run a command as somebody whom the modes of files bind."""
    environment = {**os.environ, "COOP_HOME": str(home), "PYTHONPATH": str(ROOT)}
    environment.pop("COOP_DATABASE_URL", None)
    return subprocess.run(
        [*BOUND, *command],
        cwd=home.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def coop(*words: str, home: Path) -> "subprocess.CompletedProcess[str]":
    return bound(sys.executable, "-m", "shapley_coop", *words, home=home)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a run that has ended, as its process left it."""
    if BOUND and (shutil.which("setpriv") is None or bound("true", home=tmp_path).returncode):
        pytest.skip("root writes everywhere here: setpriv cannot take its powers away")
    kept = tmp_path / "home"
    assert coop("run", "escape_room", "--name", "r", home=kept).returncode == 0
    return kept


def close(home: Path) -> None:
    """Have nobody write to it."""
    for path in (*home.rglob("*"), home):
        path.chmod(0o500 if path.is_dir() else 0o400)


def as_left(home: Path) -> None:
    """Its books are partly in SQLite's log, as a process that was killed leaves them."""
    killed = (
        "import os, sqlite3, sys; books = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "(version,) = books.execute('PRAGMA user_version').fetchone();"
        "books.execute(f'PRAGMA user_version = {version}'); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", killed, str(home / "books.sqlite")], check=True)
    assert (home / "books.sqlite-wal").stat().st_size


def without_a_log(home: Path) -> None:
    """It was copied by somebody who had its log written into it before."""
    for file in home.glob("*.sqlite"):
        with closing(sqlite3.connect(file)) as connection:
            written = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        assert written == (0, 0, 0)
        for other in ("wal", "shm"):
            file.with_name(f"{file.name}-{other}").unlink(missing_ok=True)


@pytest.mark.parametrize("state", [as_left, without_a_log])
def test_what_has_ended_is_read_where_nothing_can_be_written(
    state: Callable[[Path], None], home: Path
) -> None:
    state(home)
    close(home)
    before = sorted((path, path.stat().st_mtime_ns) for path in home.rglob("*"))
    for words, said in (
        (("runs",), "escape_room"),
        (("show", "r"), "A simulation"),
        (("verify", "r"), "ok    seals"),
        (("letters", "r"), "<ACCEPT>"),
        (("credit", "r"), "compared with the baseline"),
    ):
        ended = coop(*words, home=home)
        assert (ended.returncode, ended.stderr) == (0, ""), words
        assert said in ended.stdout
    assert sorted((path, path.stat().st_mtime_ns) for path in home.rglob("*")) == before


def one_line(ended: "subprocess.CompletedProcess[str]") -> str:
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (FAILED, "", 1)
    return ended.stderr


def test_what_would_write_says_in_one_line_that_it_cannot(home: Path) -> None:
    close(home)
    for words in (("run", "escape_room"), ("resume", "r"), ("rm", "r"), ("keys", "new", "me")):
        assert "make it writable, or set COOP_HOME" in one_line(coop(*words, home=home)), words


def test_a_log_that_cannot_be_read_is_not_passed_over(home: Path) -> None:
    as_left(home)
    (home / "books.sqlite-shm").unlink()
    close(home)
    assert "unable to open database file" in one_line(coop("runs", home=home))
