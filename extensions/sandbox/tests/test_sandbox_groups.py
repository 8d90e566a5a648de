"""Where a control group can be made the kernel bounds a program; that is tried, not believed."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from shapley_coop.cli.inspecting.doctor import checkup
from shapley_coop.extensions.sandbox import groups
from shapley_coop.games.sandbox import PYTHON, Limits, run_checks

IN_GROUP = pytest.mark.skipif(not groups.managed_by(), reason="no control group can be made here")


@pytest.fixture
def untried() -> Iterator[None]:
    """Whether groups can be made is tried anew, and again afterwards."""
    groups.managed_by.cache_clear()
    yield
    groups.managed_by.cache_clear()


@pytest.mark.usefixtures("untried")
@pytest.mark.parametrize("says", ["max", str(1 << 30), "", "exit 1"])
def test_a_manager_that_bounds_nothing_is_not_believed(
    says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "systemd-run"
    program.write_text(f"#!/bin/sh\n{says if ' ' in says else f'echo {says}'}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert not groups._works("user")


@pytest.mark.usefixtures("untried")
def test_without_a_manager_a_command_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert groups.grouped(Limits()) == []
    assert groups.environment() == {}


def test_the_bounds_are_those_of_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "managed_by", lambda: "user")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1000")
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    said = groups.grouped(Limits(memory=100 << 20, disk=20 << 20, processes=4))
    assert said[:3] == ["systemd-run", "--user", "--scope"]
    assert {f"--property=MemoryMax={184 << 20}", "--property=TasksMax=12"} <= {*said}
    assert "--property=MemorySwapMax=0" in said
    assert "OPENAI_API_KEY" not in groups.environment()


@IN_GROUP
def test_memory_that_is_taken_at_once_by_many_is_refused_by_the_kernel(tmp_path: Path) -> None:
    (tmp_path / "grab.py").write_text(
        "import os\nfor _ in range(8):\n    if not os.fork():\n        x = bytearray(90 << 20)\n"
        "        x[:] = b'1' * len(x)\n        os._exit(0)\nos.wait()\n"
    )
    limits = Limits(seconds=60, memory=128 << 20)
    seen = run_checks(tmp_path, [PYTHON, "grab.py"], limits)
    assert seen.status in ("memory", "killed")


def test_the_doctor_says_which_bounds_are_in_force() -> None:
    said = {finding.what: finding.found for finding in checkup()}["sandbox"]
    assert "memory and files of all processes are watched" in said
    made = "by a control group" if groups.managed_by() else "no control group can be made here"
    assert made in said
