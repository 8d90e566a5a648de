"""A dead or frozen Postgres is told in one line, and the run can go on."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from shapley_coop.extensions.postgres.connections import SECONDS_VARIABLE
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.databases import driver
from shapley_coop.state.storage.faults import storage_fault
from shapley_coop.state.storage.home import home
from tests.coop_command import FAILED, USAGE, Coop, one_line
from tests.postgres import own_database
from tests.trials import transfers_of


def test_rows_are_in_no_error() -> None:
    driver("postgresql://")  # its library's errors are known from now on
    quoted = psycopg.errors.UniqueViolation("Key (text)=(my secret) already exists.")
    assert "secret" not in storage_fault(quoted)


def test_a_database_of_another_kind_is_refused_with_the_form_of_ours(
    coop: Coop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COOP_DATABASE_URL", "mysql://db/coop")
    assert "no address of a database: give postgresql://user@" in one_line(coop("runs"), USAGE)


def test_a_bound_that_is_no_number_is_refused(
    coop: Coop, monkeypatch: pytest.MonkeyPatch, postgres_url: str
) -> None:
    monkeypatch.setenv("COOP_DATABASE_URL", postgres_url.replace("/postgres?", "/none?"))
    monkeypatch.setenv(SECONDS_VARIABLE, "soon")
    assert "give a whole number of seconds" in one_line(coop("runs"), USAGE)


def test_a_dead_database_is_told_in_one_line(
    coop: Coop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COOP_DATABASE_URL", f"postgresql://a@/b?host={tmp_path}")
    for command in (("runs",), ("run", "escape_room", "--json")):
        assert "check that COOP_DATABASE_URL's server runs" in one_line(coop(*command), FAILED)


@pytest.fixture
def frozen(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Signals all processes of the Postgres that this home is in."""
    with psycopg.connect(postgres_url) as admin:
        server = _parent(admin.info.backend_pid)
    monkeypatch.setenv("COOP_DATABASE_URL", own_database(postgres_url))
    monkeypatch.setenv(SECONDS_VARIABLE, "1")

    def tell(by: int) -> None:
        os.kill(server, by)
        for process in _children(server):
            with suppress(ProcessLookupError):  # a backend may end between the two
                os.kill(process, by)

    yield tell
    tell(signal.SIGCONT)


@pytest.mark.slow
async def test_a_run_ends_when_its_database_freezes_and_goes_on_later(
    frozen: Callable[[int], None],
) -> None:
    run = prepare("negotiation", RunConfig(game="escape_room"), "r")
    with pytest.raises(Exception) as stopped:  # noqa: PT011 - whichever call meets it first
        await follow(run, lambda *_: frozen(signal.SIGSTOP))
    assert storage_fault(stopped.value).startswith("the database: ")
    frozen(signal.SIGCONT)
    outcome = await follow(run)
    assert list(transfers_of(home())) == [outcome["episode"]]


@pytest.mark.slow
def test_a_frozen_database_is_told_in_one_line(coop: Coop, frozen: Callable[[int], None]) -> None:
    assert coop("run", "escape_room", "--name", "r", "--json").code == 0
    frozen(signal.SIGSTOP)
    for command in (("runs",), ("resume", "r", "--json"), ("run", "escape_room", "--json")):
        assert "COOP_DATABASE_URL's server" in one_line(coop(*command), FAILED)
    frozen(signal.SIGCONT)
    assert coop("verify", "r").code == 0


def _parent(process: int) -> int:
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("PPid:")[2].split()[0])


def _children(process: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if _parent(int(path.name)) == process:
                found.append(int(path.name))
        except (OSError, ValueError):
            continue
    return found
