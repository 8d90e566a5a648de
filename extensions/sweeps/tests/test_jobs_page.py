"""The recipes of `docs/jobs.md`, each with its worker killed in the middle of a run."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from shapley_coop.extensions.sweeps.folders import read_rows
from shapley_coop.extensions.sweeps.tests.held import HANGS, Held, seats_at
from shapley_coop.state.storage.home import Home
from tests.engines import engines_python
from tests.root import ROOT
from tests.stub_openai import StubOpenAI

PAGE = (ROOT / "docs" / "jobs.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r'^```\w+ title="([\w.]+)"\n(.*?)^```$', PAGE, re.DOTALL | re.MULTILINE))
CALLS, MIDDLE = 6, 2
"""The calls of one run, and the one in which the worker is killed."""

TEMPORAL = """
import asyncio, json, sys
from temporalio.testing import ActivityEnvironment
from temporal_job import negotiate
env, beats = ActivityEnvironment(), []
env.on_heartbeat = lambda *details: beats.append(details)
payoffs = asyncio.run(env.run(negotiate, json.loads(sys.argv[1])))
assert beats
print(json.dumps(payoffs))
"""
DBOS = """
import json, sys
from dbos import SetWorkflowID
from dbos_job import DBOS, negotiate
with SetWorkflowID("one"):
    handle = DBOS.enqueue_workflow("negotiations", negotiate, json.loads(sys.argv[1]))
print(json.dumps(handle.get_result()))
"""
CELERY = """
broker_url, result_backend = "filesystem://", "file://results"
broker_transport_options = {"data_folder_in": "q", "data_folder_out": "q"}
"""
ASK = """
import json, sys
from celery_job import negotiate
task = negotiate.apply_async((json.loads(sys.argv[1]),), task_id="one")
print(json.dumps(task.get(timeout=60)))
"""


@contextmanager
def begun(folder: Path, *command: str, **more: str) -> Iterator["subprocess.Popen[str]"]:
    told = {k: v for k, v in os.environ.items() if not k.startswith("COOP_")}
    told |= {
        "COOP_HOME": "home",
        "OPENAI_API_KEY": "test",
        "COOP_SEND_FACTS": "1",
        "PYTHONPATH": ".",
        **more,
    }
    told["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{told['PATH']}"
    given = {"cwd": folder, "env": told, "text": True, "start_new_session": True}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, **given) as process:  # type: ignore[call-overload]
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def ended(folder: Path, *command: str, **more: str) -> str:
    with begun(folder, *command, **more) as process:
        out, err = process.communicate(timeout=2 * HANGS)
    assert process.returncode == 0, err
    return str(out)


def laid(folder: Path, **files: str) -> None:
    for name, text in {**RECIPES, **{f"{n}.py": text for n, text in files.items()}}.items():
        (folder / name).write_text(text, encoding="utf-8")


def config(stub: StubOpenAI) -> str:
    return json.dumps({"game": "escape_room", "seed": 3, "seats": seats_at(stub)})


def check_once(folder: Path, stub: StubOpenAI, payoffs: str) -> None:
    """One run, one call repeated, and the payoffs of the register."""
    (run,) = Home(folder / "home").runs.list()
    assert run.result
    assert json.loads(payoffs) == run.result["payoffs"]
    assert stub.calls == CALLS + 1


def test_every_recipe_has_at_most_twenty_lines():
    assert len(RECIPES) == 5
    assert max(text.count("\n") for text in RECIPES.values()) <= 20


@pytest.mark.slow
@pytest.mark.parametrize("driver", [TEMPORAL, DBOS], ids=["temporal", "dbos"])
def test_a_job_whose_worker_was_killed_goes_on_in_the_next(tmp_path, driver):
    python, held = engines_python(), Held(MIDDLE)
    laid(tmp_path, driver=driver)
    with StubOpenAI(held) as stub:
        with begun(tmp_path, python, "driver.py", config(stub)) as process:
            assert held.reached.wait(HANGS)
            process.kill()
        held.let_go.set()
        payoffs = ended(tmp_path, python, "driver.py", config(stub))
        check_once(tmp_path, stub, payoffs.splitlines()[-1])


@pytest.mark.slow
def test_a_celery_task_is_delivered_again_when_its_process_was_killed(tmp_path):
    python, held = engines_python(), Held(MIDDLE)
    laid(tmp_path, ask=ASK, celeryconfig=CELERY)
    for folder in ("q", "results", "control"):
        (tmp_path / folder).mkdir()
    worker = [python, "-m", "celery", "-A", "celery_job", "worker", "-c", "1"]
    with (
        StubOpenAI(held) as stub,
        begun(tmp_path, *worker) as process,
        begun(tmp_path, python, "ask.py", config(stub)) as asking,
    ):
        assert held.reached.wait(HANGS)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        for child in children:
            os.kill(int(child), signal.SIGKILL)
        held.let_go.set()
        out, err = asking.communicate(timeout=2 * HANGS)
        assert asking.returncode == 0, err
        check_once(tmp_path, stub, out)


def at_most_lost(by: signal.Signals) -> int:
    """The calls in flight when one of two cells' processes is killed."""
    return 0 if by == signal.SIGTERM else 2


def in_kubernetes(part: int) -> tuple[list[str], dict[str, str]]:
    (container,) = yaml.safe_load(RECIPES["job.yaml"])["spec"]["template"]["spec"]["containers"]
    return container["command"], {"PARTS": "2", "JOB_COMPLETION_INDEX": str(part)}


def in_slurm(part: int) -> tuple[list[str], dict[str, str]]:
    told = {"SLURM_ARRAY_TASK_ID": str(part + 1), "SLURM_ARRAY_TASK_COUNT": "2"}
    return ["sh", "sweep.sbatch"], told


@pytest.mark.slow
@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("engine", [in_kubernetes, in_slurm])
def test_an_array_of_jobs_plays_each_cell_once_although_a_job_is_ended(tmp_path, engine, by):
    laid(tmp_path)
    held = Held(MIDDLE)
    with StubOpenAI(held) as stub:
        base = {**json.loads(config(stub)), "graph": "negotiation"}
        del base["seed"]
        suite = {"name": "big", "base": base, "seeds": "0-3"}
        (tmp_path / "big.yaml").write_text(json.dumps(suite))
        command, told = engine(0)
        with begun(tmp_path, *command, **told) as process:
            assert held.reached.wait(HANGS)
            process.send_signal(by)
            if by == signal.SIGTERM:
                assert process.stderr
                process.stderr.readline()
            held.let_go.set()
            assert process.wait(HANGS) == (143 if by == signal.SIGTERM else -9)
        for part in (0, 1):
            command, told = engine(part)
            ended(tmp_path, *command, **told)
        parts = sorted(str(path) for path in (tmp_path / "out").iterdir())
        ended(tmp_path, "coop", "merge", *parts, "-o", "all")
        done = stub.calls
    rows = read_rows(tmp_path / "all")
    assert sorted(row["seed"] for row in rows) == [0, 1, 2, 3]
    assert {row["result"]["status"] for row in rows} <= {"agreed", "no_deal"}
    paid = sum(call["calls"] for row in rows for call in row["calls"])
    assert done - paid <= at_most_lost(by)
