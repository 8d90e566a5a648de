"""The upload of a suite as a LangSmith dataset, with an experiment for each condition.

Each example stands for a seed (and a repetition), so LangSmith shows conditions side by side. The
feedback of a run is all measures of `evaluators`; the feedback of an experiment is their means and
rates. The runs come from a sweep. No letters, answers or secrets are uploaded. An example has only
the run's configuration, and a run has only its result.
"""

import json
import re
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from langsmith import Client, LangsmithError
from langsmith.evaluation import EvaluationResult, EvaluationResults
from langsmith.schemas import Example
from langsmith.utils import LangSmithError

from shapley_coop.blocking import run_blocking
from shapley_coop.evals.cell import Cell, Row
from shapley_coop.evals.measures.evaluators import EVALUATORS, scores
from shapley_coop.evals.prices import NO_PRICES, Prices, with_cost
from shapley_coop.evals.provenance import provenance
from shapley_coop.evals.rows import row_of
from shapley_coop.extensions.experiments.runs import check_answers, told_by_phase
from shapley_coop.extensions.reports.stats import Comparison, Estimate
from shapley_coop.extensions.reports.summary import Condition, compare_rows, conditions, estimate
from shapley_coop.extensions.sweeps.folders import read_rows
from shapley_coop.extensions.sweeps.suite import Suite

PREFIX = "shapley-coop"
TIMEOUT_MS = (5_000, 30_000)
FLUSH_SECONDS = 60.0


@dataclass(frozen=True)
class Experiment:
    """A suite and its runs, grouped by condition."""

    suite: Suite
    groups: tuple[Condition, ...]

    @classmethod
    def of(cls, suite: Suite, rows: Sequence[Row], prices: Prices = NO_PRICES) -> "Experiment":
        """Group the runs of a suite by condition; with prices, add each run's cost as a measure.

        Raises:
            ValueError: there are no runs.
        """
        if not rows:
            raise ValueError(f"{suite.name}: no run has ended, so nothing can be scored")
        priced = [with_cost(row, prices) for row in rows]
        return cls(suite, tuple(conditions(priced, list(suite.axes))))

    def summary(self) -> dict[str, dict[str, Estimate]]:
        """Return condition → measure → its estimate; leave out measures that no run has."""
        return {
            group.name: {key: e for key in EVALUATORS if (e := estimate(group.rows, key)).n}
            for group in self.groups
        }


def feedback(row: Row) -> list[EvaluationResult]:
    """Return a run's measures as LangSmith's evaluation results."""
    found = scores(row).items()
    return [EvaluationResult(key=key, score=x) for key, x in found if x is not None]


def summary_feedback(rows: Sequence[Row]) -> list[EvaluationResult]:
    """Return an experiment's means and rates; comments give the interval and the number of runs."""
    found = [(key, e) for key in EVALUATORS if isfinite((e := estimate(rows, key)).value)]
    return [EvaluationResult(key=key, score=e.value, comment=e.shown(4)) for key, e in found]


def upload(experiment: Experiment, **connection: Any) -> list[str]:
    """Upload the dataset's missing examples, and one experiment per condition.

    Args:
        experiment: the suite's runs.
        connection: arguments of LangSmith's client, such as `api_url` and `api_key`; these take
            precedence over environment variables.

    Returns:
        The experiments' names.

    Raises:
        ValueError: LangSmith cannot be reached, refuses, or does not take all data in time.
    """
    check_answers(connection)
    failed: list[Exception] = []
    given = {"timeout_ms": TIMEOUT_MS, **connection}
    client = Client(tracing_error_callback=failed.append, **given)
    try:
        examples = _examples(client, experiment)
        # The client prints links to standard output, which is only for results.
        with redirect_stdout(sys.stderr):
            names = [_evaluate(client, experiment, group, examples) for group in experiment.groups]
    except LangSmithError as error:
        raise ValueError(f"LangSmith: {_line(error)}") from None
    until = time.monotonic() + FLUSH_SECONDS
    client.flush(timeout=FLUSH_SECONDS)
    if failed:
        raise ValueError(f"LangSmith: {len(failed)} requests failed, the first: {_line(failed[0])}")
    if time.monotonic() >= until:
        raise ValueError(f"LangSmith: the upload did not finish within {FLUSH_SECONDS:g} s")
    return names


def against(
    experiment: Experiment, baseline: str, **connection: Any
) -> dict[str, list[Comparison]]:
    """Compare each condition with a baseline on the same seeds.

    Args:
        experiment: the suite's runs.
        baseline: a sweep's folder, to compare conditions that have the same labels; or the name of
            an uploaded experiment, to compare all conditions with that experiment.
        connection: arguments of LangSmith's client, as in `upload`; unused for a folder.

    Raises:
        ValueError: there is no such folder or experiment, or no runs pair up.
    """
    axes = list(experiment.suite.axes)
    if Path(baseline).is_dir():
        rows = [r for r in read_rows(Path(baseline)) if r["suite"] == experiment.suite.name]
        before = {g.name: g.rows for g in conditions(rows, axes)}
    else:
        uploaded = _uploaded(baseline, connection)
        before = dict.fromkeys((group.name for group in experiment.groups), tuple(uploaded))
    return {
        group.name: compare_rows(before[group.name], group.rows, list(EVALUATORS), axes)
        for group in experiment.groups
        if group.name in before
    }


def _examples(client: Client, experiment: Experiment) -> dict[tuple[int, int], Example]:
    """Return the dataset's examples by seed and repetition; create the missing ones."""
    name = f"{PREFIX}/{experiment.suite.name}"
    if client.has_dataset(dataset_name=name):
        dataset = client.read_dataset(dataset_name=name)
        known = {example.id for example in client.list_examples(dataset_id=dataset.id)}
    else:
        dataset = client.create_dataset(name, description=experiment.suite.about)
        known = set[UUID]()
    given = _inputs(experiment)
    examples = {
        key: Example(
            # The id depends on the inputs, so a changed suite gets new examples.
            id=uuid5(NAMESPACE_URL, f"{dataset.id}/{json.dumps(inputs, sort_keys=True)}"),
            inputs=inputs,
            outputs={},
            dataset_id=dataset.id,
            created_at=datetime.now(UTC),
        )
        for key, inputs in given.items()
    }
    new: list[dict[str, Any]] = [
        {"id": e.id, "inputs": e.inputs, "reference_outputs": e.outputs}
        for e in examples.values()
        if e.id not in known
    ]
    if new:
        client.create_examples(dataset_id=dataset.id, examples=new)
    return examples


def _inputs(experiment: Experiment) -> dict[tuple[int, int], dict[str, Any]]:
    """Return (seed, repetition) → the workflow's input, which is the same for all conditions.

    The input has the settings that all conditions share; the other settings belong to the context.
    """
    rooms: dict[tuple[int, int], dict[str, Any]] = {}
    for row in (row for group in experiment.groups for row in group.rows):
        room = rooms.setdefault((row["seed"], row["repetition"]), dict(row["room"]))
        for field in [name for name in room if room[name] != row["room"].get(name)]:
            del room[field]
    return {
        (seed, repetition): {"room": room, **({"repetition": repetition} if repetition else {})}
        for (seed, repetition), room in sorted(rooms.items())
    }


def economic_keys(run: Any, example: Any) -> EvaluationResults:
    """Return all measures of a run, as an evaluator for `client.evaluate` over an uploaded dataset.

    Args:
        run: LangSmith's run, whose output comes from a workflow or from `upload`.
        example: the run's example; unused, because the run's output has all that is needed.
    """
    found = dict(run.outputs.get("scores") or {})
    if "settlement" in run.outputs:
        told = (run.extra or {}).get("metadata", {})
        graph = str(told.get("graph") or told.get("graph_id") or "")
        table: Any = run.outputs
        cell = Cell.alone(graph, table["settings"])
        found = scores(row_of(cell, table))
    given = [EvaluationResult(key=key, score=x) for key, x in found.items() if x is not None]
    return {"results": given}


def _evaluate(
    client: Client,
    experiment: Experiment,
    group: Condition,
    examples: Mapping[tuple[int, int], Example],
) -> str:
    rows = {(row["seed"], row["repetition"]): row for row in group.rows}
    name = f"{experiment.suite.name}-{group.name}"

    def row_for(inputs: Mapping[str, Any]) -> Row:
        return rows[inputs["room"]["seed"], inputs.get("repetition", 0)]

    results = client.evaluate(
        lambda inputs: told_by_phase(row_for(inputs)),
        data=[examples[key] for key in rows],
        evaluators=[economic_keys],
        summary_evaluators=[lambda runs, examples: {"results": summary_feedback(group.rows)}],
        experiment_prefix=re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-").lower(),
        description=experiment.suite.about,
        metadata=_metadata(experiment, group),
        disable_evaluator_tracing=True,
        max_concurrency=0,
    )
    return str(results.experiment_name)


def _metadata(experiment: Experiment, group: Condition) -> dict[str, Any]:
    models = {model for row in group.rows for model in row["result"]["seats"].values()}
    return {
        **{f"axis_{axis}": label for axis, label in group.labels.items()},
        "suite": experiment.suite.name,
        "graph": group.rows[0]["graph"],
        "models": sorted(models),
        "simulated": any(row["result"]["simulated"] for row in group.rows),
        **provenance(),
    }


def _uploaded(name: str, connection: Mapping[str, Any]) -> list[Row]:
    """Return the rows (one per run) of an uploaded experiment, with their uploaded scores."""

    async def outputs_of(client: Client) -> list[Any]:
        project = client.read_project(project_name=name)
        asked = client.runs.query(
            project_ids=[str(project.id)],
            min_start_time=project.start_time,
            is_root=True,
            selects=["OUTPUTS"],
        )
        return [run.outputs async for run in asked]

    try:
        outputs = run_blocking(outputs_of(Client(**{"timeout_ms": TIMEOUT_MS, **connection})))
    except (LangSmithError, LangsmithError) as error:
        reason = f"no folder and no LangSmith experiment {name!r}: {_line(error)}"
        raise ValueError(reason) from None
    return [
        {
            "suite": found["suite"],
            "labels": {},
            "seed": found["seed"],
            "repetition": found["repetition"],
            "result": {"measures": {**dict.fromkeys(EVALUATORS), **found["scores"]}},
        }
        for found in outputs
        if found and "scores" in found
    ]


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
