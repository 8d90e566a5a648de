"""Suites, parameters and sweeps' folders that people send one another run no program of theirs."""

import json
from pathlib import Path

import pytest

from shapley_coop.games.params import GameError
from shapley_coop.games.software_company.checks import without_sandbox
from shapley_coop.games.software_company.task import Check, Task, read_task
from shapley_coop.permissions import NO_SANDBOX, PROGRAMS
from tests.coop_command import Coop, Ended, coop_in

COMPANY = {
    "task": {
        **read_task("bmi"),
        "checks": [{"command": ["sh", "-c", "echo > {mark}"]}],
    },
    "phases": {"design": 1, "coding": 1, "testing": 1, "documentation": 1},
    "unsafe_no_sandbox": True,
}
REFUSED = "give --unsafe-no-sandbox on the command line"


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


def company(mark: Path) -> dict[str, object]:
    return json.loads(json.dumps(COMPANY).replace("{mark}", str(mark)))


def written(folder: Path, name: str, content: object) -> str:
    path = folder / name
    path.write_text(json.dumps(content))  # JSON is YAML
    return str(path)


@pytest.mark.parametrize("options", [[], ["--dry-run"]])
def test_a_suite_cannot_switch_the_sandbox_off(
    coop: Coop, tmp_path: Path, mark: Path, options: list[str]
) -> None:
    base = {"game": "software_company", "graph": "llm_only", "params": company(mark)}
    suite = written(tmp_path, "s.yaml", {"name": "s", "base": base})
    done = coop("sweep", suite, "-o", str(tmp_path / "out"), *options)
    assert done.code != 0
    assert not mark.exists()
    told = done.err + coop("status", str(tmp_path / "out")).out
    assert REFUSED in told


def test_parameters_of_a_file_cannot_switch_the_sandbox_off_and_the_command_line_can(
    coop: Coop, tmp_path: Path, mark: Path
) -> None:
    params = written(tmp_path, "p.yaml", company(mark))
    command = ("run", "software_company", "-g", "llm_only", "--params", params)
    done = coop(*command)
    assert (done.code, done.out, mark.exists()) == (2, "", False)
    assert REFUSED in done.err
    assert coop("run", "software_company", "--set", "unsafe_no_sandbox=true").code == 2
    played = coop(*command, "--unsafe-no-sandbox")
    assert played.code in (0, 1), played.err
    assert mark.exists(), "what is permitted is done"


def test_the_guard_is_at_the_runner_too(monkeypatch: pytest.MonkeyPatch, mark: Path) -> None:
    task = Task(title="x", checks=[Check(command=["sh", "-c", f"echo > {mark}"])])
    with pytest.raises(GameError, match=REFUSED):
        without_sandbox({}, task)
    assert not mark.exists()
    monkeypatch.setattr("shapley_coop.permissions._permitted", {NO_SANDBOX})
    without_sandbox({}, task)
    assert mark.exists()


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
    assert "names 'pettingzoo:os:mkdir', which is a program" in done.err


@pytest.mark.parametrize("command", ["status", "report", "export"])
def test_a_sweeps_folder_runs_no_program_that_its_manifest_or_its_rows_name(
    coop: Coop, tmp_path: Path, mark: Path, command: str
) -> None:
    from shapley_coop.evals.sweeps.store import Store
    from shapley_coop.evals.sweeps.suite import Suite
    from shapley_coop.evals.sweeps.workers import Worker

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
