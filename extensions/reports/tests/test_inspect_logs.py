"""A sweep as Inspect's logs: what they hold, and that Inspect itself reads them."""

import json
import subprocess
from pathlib import Path

import pytest

from shapley_coop.evals.measures.evaluators import scores
from shapley_coop.extensions.reports.inspect_logs import write_logs
from shapley_coop.extensions.sweeps.folders import read_rows
from shapley_coop.extensions.sweeps.store import Store
from tests.engines import engines_python
from tests.evals.swept import CONDITIONS, ablation

REQUIRED = {
    "eval": {"created", "task", "dataset", "model", "config"},
    "samples": {"id", "epoch", "input", "target"},
    "results": {"total_samples", "completed_samples", "scores"},
}
"""The fields that Inspect's format of version 2 requires, or that its viewer shows first."""

READ = """
import json, sys
from inspect_ai.log import list_eval_logs, read_eval_log
found = [read_eval_log(one) for one in list_eval_logs(sys.argv[1])]
print(json.dumps([[log.eval.task_args["graph"], log.samples[1].id] for log in found]))
print(json.dumps([log.samples[0].scores["social_welfare"].value for log in found]))
"""


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    with Store(ablation(tmp_path_factory)) as store:
        return write_logs(store, tmp_path_factory.mktemp("logs"))


def test_each_condition_is_a_log_and_each_run_a_sample_with_its_measures(logs, tmp_path_factory):
    told = [json.loads(path.read_text(encoding="utf-8")) for path in logs]
    assert [log["eval"]["task_args"]["graph"] for log in told] == CONDITIONS
    rows = read_rows(ablation(tmp_path_factory))
    samples = [sample for log in told for sample in log["samples"]]
    assert len(samples) == len(rows)
    for row, sample in zip(rows, samples, strict=True):
        assert sample["id"] == f"escape_room seed {row['seed']}"
        measured = {key: {"value": x} for key, x in scores(row).items() if x is not None}
        assert sample["scores"] == measured
    for log in told:
        assert REQUIRED["eval"] <= log["eval"].keys()
        assert REQUIRED["results"] <= log["results"].keys()
        assert all(REQUIRED["samples"] <= sample.keys() for sample in log["samples"])


def test_logs_that_exist_are_not_replaced_unasked(logs, tmp_path_factory):
    with Store(ablation(tmp_path_factory)) as store:
        with pytest.raises(ValueError, match="exists: give another --out, or --force"):
            write_logs(store, logs[0].parent)
        assert write_logs(store, logs[0].parent, force=True) == logs


@pytest.mark.slow
def test_inspect_reads_them(logs):
    command = [engines_python(), "-c", READ, str(logs[0].parent)]
    read = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    named, welfare = map(json.loads, read.splitlines())
    assert sorted(named) == [[graph, "escape_room seed 1"] for graph in sorted(CONDITIONS)]
    assert all(isinstance(value, float) for value in welfare)
