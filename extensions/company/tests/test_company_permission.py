"""No file switches the sandbox off: the command line alone permits it."""

import json
from pathlib import Path

import pytest

from shapley_coop.extensions.company.checks import without_sandbox
from shapley_coop.extensions.company.task import Check, Task, read_task
from shapley_coop.games.params import GameError
from shapley_coop.permissions import NO_SANDBOX
from tests.brought import brought_by
from tests.coop_command import Coop
from tests.ground.test_files_are_data import written

REFUSED = "give --unsafe-no-sandbox on the command line"
COMPANY = {
    "task": {
        **read_task("bmi"),
        "checks": [{"command": ["sh", "-c", "echo > {mark}"]}],
    },
    "phases": {"design": 1, "coding": 1, "testing": 1, "documentation": 1},
    "unsafe_no_sandbox": True,
}


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """What a hostile file would have a program leave."""
    return tmp_path / "was-run"


@pytest.fixture(autouse=True)
def unpermitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing has been permitted yet."""
    monkeypatch.setattr("shapley_coop.permissions._permitted", set())


def company(mark: Path) -> dict[str, object]:
    return json.loads(json.dumps(COMPANY).replace("{mark}", str(mark)))


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


@brought_by("sandbox")
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


@brought_by("sandbox")
def test_the_guard_is_at_the_runner_too(monkeypatch: pytest.MonkeyPatch, mark: Path) -> None:
    task = Task(title="x", checks=[Check(command=["sh", "-c", f"echo > {mark}"])])
    with pytest.raises(GameError, match=REFUSED):
        without_sandbox({}, task)
    assert not mark.exists()
    monkeypatch.setattr("shapley_coop.permissions._permitted", {NO_SANDBOX})
    without_sandbox({}, task)
    assert mark.exists()
