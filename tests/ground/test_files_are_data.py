"""Suites, parameters and sweeps' folders that people send one another run no program of theirs."""

import json
from pathlib import Path

import pytest

from shapley_coop.permissions import NO_SANDBOX, PROGRAMS
from tests.brought import brought_by
from tests.coop_command import Coop, Ended, coop_in


@pytest.fixture
def coop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Coop:
    command = coop_in(tmp_path, monkeypatch, capsys)

    def run(*given: str) -> Ended:
        monkeypatch.setattr("shapley_coop.permissions._permitted", set())
        return command(*given)

    return run


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """What a hostile file would have a program leave."""
    return tmp_path / "was-run"


def written(folder: Path, name: str, content: object) -> str:
    path = folder / name
    path.write_text(json.dumps(content))  # JSON is YAML
    return str(path)


@pytest.mark.parametrize("options", [[], ["--dry-run"]])
@pytest.mark.parametrize("ends", ["", "/", "/."])
@pytest.mark.parametrize("axis", [False, True])
def test_a_suite_runs_no_python_file_that_it_names(
    coop: Coop, tmp_path: Path, mark: Path, options: list[str], axis: bool, ends: str
) -> None:
    program = tmp_path / "own.py"
    program.write_text(f"# shapley_coop\nopen({str(mark)!r}, 'w')\nGAME = None\n")
    game = f"{program}{ends}"
    named = {"vary": {"game": [game]}} if axis else {"base": {"game": game}}
    suite = written(tmp_path, "s.yaml", {"name": "s", **named})
    done = coop("sweep", suite, "-o", str(tmp_path / "out"), *options)
    assert (done.code, mark.exists()) == (2, False)
    assert "coop --trust-programs" in done.err
    assert coop("--trust-programs", "sweep", suite, "-o", str(tmp_path / "out")).code == 2
    assert mark.exists(), "what is permitted is done"


def test_a_suite_imports_nothing_that_it_names(coop: Coop, tmp_path: Path, mark: Path) -> None:
    base = {"game": "pettingzoo:os:mkdir", "params": {"path": str(mark)}}
    suite = written(tmp_path, "s.yaml", {"name": "s", "base": base})
    done = coop("sweep", suite, "-o", str(tmp_path / "out"), "--dry-run")
    assert (done.code, mark.exists()) == (2, False)
    assert "the game 'pettingzoo:os:mkdir' is a program" in done.err


@brought_by("reports")
@pytest.mark.parametrize(
    "command", ["status", pytest.param("report", marks=brought_by("page")), "export"]
)
def test_a_sweeps_folder_runs_no_program_that_its_manifest_or_its_rows_name(
    coop: Coop, tmp_path: Path, mark: Path, command: str
) -> None:
    from shapley_coop.extensions.sweeps.store import Store
    from shapley_coop.extensions.sweeps.suite import Suite
    from shapley_coop.extensions.sweeps.workers import Worker

    program = tmp_path / "own.py"
    program.write_text(f"# shapley_coop\nopen({str(mark)!r}, 'w')\nGAME = None\n")
    folder = tmp_path / "sent"
    row = {"cell": "c", "suite": "s", "labels": {}, "seed": 0, "repetition": 0}
    with Store(folder, new=True) as store, Worker(store) as worker:
        store.register([Suite(name="s", base={"game": str(program)})], {})
        done = coop(command, str(folder))
        assert (done.code, mark.exists()) == (2, False)
        assert "coop --trust-programs" in done.err
        store.register([Suite(name="s", base={"game": "escape_room"})], {})
        worker.finished({**row, "room": {"game": str(program)}}, {"cell": "c"})
    done = coop(command, str(folder))
    if command == "status":
        assert (done.code, mark.exists()) == (0, False), "it reads no row"
        return
    assert (done.code, mark.exists()) == (2, False)
    assert "coop --trust-programs" in done.err


def test_what_a_program_that_imports_us_permits_is_permitted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from shapley_coop.permissions import permit, permitted

    monkeypatch.setattr("shapley_coop.permissions._permitted", set())
    assert not permitted(PROGRAMS)
    permit(PROGRAMS)
    assert permitted(PROGRAMS)
    assert not permitted(NO_SANDBOX)
