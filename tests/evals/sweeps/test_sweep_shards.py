"""A sweep in parts on several machines, as Kubernetes and Slurm start them, and what it keeps."""

import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from shapley_coop.evals.sweeps.local import FAILURES, Local
from shapley_coop.evals.sweeps.shards import shard_from
from shapley_coop.evals.sweeps.store import read, read_rows, register
from shapley_coop.evals.sweeps.suite import expand
from shapley_coop.state import home
from tests.coop_command import USAGE, Coop, coop_in, one_line
from tests.evals.swept import run, suite
from tests.root import ROOT

DEPLOY = ROOT / "docs" / "deploy"
SUITE = (
    "name: mini\nbase: {game: escape_room}\nvary: {graph: [llm_only, negotiation]}\nseeds: 0-3\n"
)


@pytest.fixture
def coop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Coop:
    monkeypatch.setenv("COOP_HOME", str(tmp_path / "home"))
    (tmp_path / "suite.yaml").write_text(SUITE)
    return coop_in(tmp_path, monkeypatch, capsys)


def kubernetes() -> tuple[list[str], dict[str, str], list[dict[str, str]]]:
    """The manifest's command, its environment, and what Kubernetes adds for each index."""
    job = yaml.safe_load((DEPLOY / "sweep-job.yaml").read_text())["spec"]
    (container,) = job["template"]["spec"]["containers"]
    assert job["completionMode"] == "Indexed"
    given = {one["name"]: one["value"] for one in container["env"]}
    assert int(given["JOB_COMPLETIONS"]) == job["completions"]
    added = [{"JOB_COMPLETION_INDEX": str(index)} for index in range(job["completions"])]
    return [*container["command"], *container["args"]], given, added


def slurm() -> tuple[list[str], dict[str, str], list[dict[str, str]]]:
    """The same of the script for Slurm."""
    script = (DEPLOY / "sweep.slurm").read_text()
    low, high = map(int, re.findall(r"^#SBATCH --array=(\d+)-(\d+)$", script, re.MULTILINE)[0])
    command = shlex.split(script.splitlines()[-1].removeprefix("exec "))
    (kept,) = re.findall(r'^export COOP_HOME="(.*?)"', script, re.MULTILINE)
    added = [{"SLURM_ARRAY_TASK_ID": str(index)} for index in range(low, high + 1)]
    return command, {"COOP_HOME": kept}, added


@pytest.mark.parametrize("where", [kubernetes, slurm])
def test_two_tasks_of_a_documented_job_run_their_shards_in_homes_of_their_own(
    where, coop, tmp_path, monkeypatch
):
    (program, *words), given, tasks = where()
    assert program == "coop"
    shared = tmp_path / "home"
    in_place = {"/suite/suite.yaml": "suite.yaml", "/sweep/out": "out"}
    words = [in_place.get(word, word) for word in words]
    for number in (0, len(tasks) - 1):
        for name, value in {**given, **tasks[number], "COOP_HOME": str(shared)}.items():
            monkeypatch.setenv(name, value)
        assert coop(*words).code == 0
    parts = [f"{number + 1}of{len(tasks)}" for number in (0, len(tasks) - 1)]
    assert sorted(p.name for p in Path("out").glob("rows.*")) == [f"rows.{p}.jsonl" for p in parts]
    assert sorted(path.name for path in (shared / "shards").iterdir()) == parts
    cells = {cell.id for cell in expand(suite(vary={"graph": ["llm_only", "negotiation"]}))}
    assert 0 < len({row["cell"] for row in read_rows(Path("out"))} & cells) < len(cells)


LIMITS = [("--cost-limit", "1"), ("--rpm", "60"), ("--tpm", "openai=9000")]


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("shard", ["2/8", "auto/8"])
def test_a_limit_that_each_shard_would_spend_again_is_refused(coop, monkeypatch, limit, shard):
    monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "1")
    said = one_line(coop("sweep", "suite.yaml", "-o", "out", "--shard", shard, *limit), USAGE)
    assert f"{limit[0]}: each of 8 shards would spend all of it" in said
    assert "leave out --shard, or limit the key at its provider" in said
    assert not Path("out").exists()
    assert coop("sweep", "suite.yaml", "-o", "out", "--shard", "1/1", *limit).code == 0


@pytest.mark.parametrize("limit", LIMITS[1:])
def test_a_pace_that_a_server_would_not_keep_is_refused(coop, limit):
    asked = ("sweep", "suite.yaml", "-o", "out", "--remote", "http://127.0.0.1:9", *limit)
    assert f"{limit[0]}: a server asks its seats itself" in one_line(coop(*asked), USAGE)


@pytest.mark.parametrize(
    ("given", "environ", "found"),
    [
        ("", {"JOB_COMPLETION_INDEX": "0"}, None),
        ("3/4", {}, (3, 4)),
        ("auto/4", {"JOB_COMPLETION_INDEX": "3"}, (4, 4)),
        (
            "auto",
            {
                "SLURM_ARRAY_TASK_ID": "5",
                "SLURM_ARRAY_TASK_COUNT": "4",
                "SLURM_ARRAY_TASK_MIN": "3",
                "SLURM_ARRAY_TASK_MAX": "6",
            },
            (3, 4),
        ),
    ],
)
def test_a_shard_is_told_or_read_from_the_environment(given, environ, found):
    assert shard_from(given, environ) == found


@pytest.mark.parametrize(
    ("given", "environ", "why"),
    [
        ("2", {}, "give i/n, as in 1/2, or auto"),
        ("1/0", {}, "give i/n"),
        ("auto", {}, "neither JOB_COMPLETION_INDEX"),
        ("auto", {"JOB_COMPLETION_INDEX": "0"}, "JOB_COMPLETIONS is '': set it to the Job's"),
        ("auto/2", {"JOB_COMPLETION_INDEX": "2"}, "task 2 of 2"),
        ("auto/2", {"SLURM_ARRAY_TASK_ID": "x"}, "SLURM_ARRAY_TASK_ID is 'x'"),
        (
            "auto",
            {
                "SLURM_ARRAY_TASK_ID": "5",
                "SLURM_ARRAY_TASK_COUNT": "2",
                "SLURM_ARRAY_TASK_MIN": "3",
                "SLURM_ARRAY_TASK_MAX": "5",
            },
            "have gaps",
        ),
    ],
)
def test_an_environment_that_does_not_say_which_shard_is_refused(given, environ, why):
    with pytest.raises(ValueError, match=why):
        shard_from(given, environ)


def test_a_shard_that_cannot_be_told_is_one_line_and_leaves_nothing(coop):
    assert "--shard auto" in one_line(
        coop("sweep", "suite.yaml", "-o", "out", "--shard", "auto"), 2
    )
    assert not Path("out").exists()


def letters() -> int:
    """How many answers the home keeps of all runs."""
    return sum(len(list(home().journal.entries(e))) for e in episodes())


def episodes() -> list[str]:
    return [run.result["episode"] for run in home().runs.list() if run.result]


@pytest.mark.parametrize(("keep", "kept"), [("all", 4), ("failures", 0), ("none", 0)])
def test_letters_and_checkpoints_stay_of_the_runs_that_are_to_be_kept(tmp_path, keep, kept):
    made = suite(vary={"graph": ["llm_only", "negotiation"]}, seeds="0-1")
    tally = run(made, tmp_path, player=Local(register(tmp_path, [made], {}), keep))
    assert tally.done == 4
    assert len(home().runs.list()) == len(episodes()) == kept
    assert (letters() > 0) == bool(kept)
    assert run(made, tmp_path, player=Local("another", keep)).before == 4


@pytest.mark.parametrize(("keep", "kept"), [("failures", True), ("none", False)])
@pytest.mark.parametrize("status", FAILURES)
def test_a_run_that_went_wrong_is_a_failure_to_be_kept(keep, kept, status):
    assert Local("sweep", keep)._removes(status) != kept
    assert Local("sweep", keep)._removes("no_deal")


def test_a_cell_that_did_not_end_is_kept_and_goes_on(tmp_path, script):
    made = suite(vary={"graph": ["llm_only"]}, seeds=[0])
    script["Bob", "act"] = [RuntimeError("broken"), "<ACTION>lever</ACTION>"]
    player = Local(register(tmp_path, [made], {}), "none")
    assert run(made, tmp_path, player=player).failed == 1
    assert len(home().runs.list()) == 1
    assert run(made, tmp_path, player=player).done == 1
    assert len(script.shown_to("Alice", "act")) == 1
    assert home().runs.list() == []


def test_what_a_killed_sweep_had_not_removed_is_removed_by_the_next(tmp_path, monkeypatch):
    made = suite(vary={"graph": ["llm_only"]}, seeds="0-1")
    sweep = register(tmp_path, [made], {})

    async def killed(*_: Any) -> None:
        """As if the process had died after the row was written."""

    with monkeypatch.context() as patch:
        patch.setattr("shapley_coop.evals.sweeps.local.remove", killed)
        run(made, tmp_path, player=Local(sweep, "none"))
    assert len(home().runs.list()) == 2
    assert run(made, tmp_path, player=Local(sweep, "none")).done == 0
    assert home().runs.list() == []


def test_neither_a_pipe_nor_a_device_that_came_with_a_folder_is_read(tmp_path):
    register(tmp_path, [], {})
    os.mkfifo(tmp_path / "rows.pipe.jsonl")
    (tmp_path / "rows.endless.jsonl").symlink_to("/dev/zero")
    (tmp_path / "rows.jsonl").write_text("{}\n")
    assert read(tmp_path) == [{}]


def test_runs_are_listed_without_the_cells_of_sweeps(coop):
    assert coop("run", "escape_room", "--name", "mine").code == 0
    assert coop("sweep", "suite.yaml", "-o", "out", "--limit", "2").code == 0
    listed = coop("runs", "--json")
    assert [one["run"] for one in listed.result] == ["mine"]
    assert "2 cells of sweeps are left out: coop runs --sweeps" in listed.err
    assert len(coop("runs", "--sweeps", "--json").result) == 3


def test_an_export_replaces_no_file_unless_it_is_told(coop):
    assert coop("sweep", "suite.yaml", "-o", "out", "--limit", "1").code == 0
    assert coop("export", "out", "-o", "tables").code == 0
    Path("tables/runs.csv").write_text("mine")
    assert "tables/runs.csv exists" in one_line(coop("export", "out", "-o", "tables"), 2)
    assert Path("tables/runs.csv").read_text() == "mine"
    assert coop("export", "out", "-o", "tables", "--force").code == 0
    assert Path("tables/runs.csv").read_text() != "mine"
    assert json.loads(coop("status", "out", "--json").out)["suites"]["mini"]["done"] == 1
