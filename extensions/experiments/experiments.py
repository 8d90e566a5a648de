"""A suite as a LangSmith dataset, each of its conditions as an experiment over it.

An example is a seed (and a repetition), so that LangSmith lays the conditions of a suite side by
side; feedback is every measure of `evaluators`, and a whole experiment has their means and rates.
Runs are not made here: a sweep has made them. No letter, answer or secret is uploaded: an example
says what is played, a run what the result was.
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
from shapley_coop.evals.measures.evaluators import EVALUATORS, scores
from shapley_coop.evals.measures.stats import Comparison, Estimate
from shapley_coop.evals.measures.summary import Condition, compare_rows, conditions, estimate
from shapley_coop.evals.sweeps.cells import Cell
from shapley_coop.evals.sweeps.folders import read_rows
from shapley_coop.evals.sweeps.prices import NO_PRICES, Prices, with_cost
from shapley_coop.evals.sweeps.provenance import provenance
from shapley_coop.evals.sweeps.rows import row_of
from shapley_coop.evals.sweeps.stored import Row
from shapley_coop.evals.sweeps.suite import Suite
from shapley_coop.extensions.experiments.runs import check_answers, told_by_phase

PREFIX = "shapley-coop"
TIMEOUT_MS = (5_000, 30_000)
FLUSH_SECONDS = 60.0


@dataclass(frozen=True)
class Experiment:
    """A suite's runs, condition by condition."""

    suite: Suite
    groups: tuple[Condition, ...]

    @classmethod
    def of(cls, suite: Suite, rows: Sequence[Row], prices: Prices = NO_PRICES) -> "Experiment":
        """Put the runs of a suite in order; with prices, what each cost is one of its measures.

        Raises:
            ValueError: there is none.
        """
        if not rows:
            raise ValueError(f"{suite.name}: no run has ended, so that there is nothing to score")
        priced = [with_cost(row, prices) for row in rows]
        return cls(suite, tuple(conditions(priced, list(suite.axes))))

    def summary(self) -> dict[str, dict[str, Estimate]]:
        """Condition → measure → estimate; measures that no run of it has are left out."""
        return {
            group.name: {key: e for key in EVALUATORS if (e := estimate(group.rows, key)).n}
            for group in self.groups
        }


def feedback(row: Row) -> list[EvaluationResult]:
    """Return the measures that a run has, as LangSmith's evaluation results."""
    found = scores(row).items()
    return [EvaluationResult(key=key, score=x) for key, x in found if x is not None]


def summary_feedback(rows: Sequence[Row]) -> list[EvaluationResult]:
    """The measures of an experiment: means and rates, each with its interval and n."""
    found = [(key, e) for key in EVALUATORS if isfinite((e := estimate(rows, key)).value)]
    return [EvaluationResult(key=key, score=e.value, comment=e.shown(4)) for key, e in found]


def upload(experiment: Experiment, **connection: Any) -> list[str]:
    """Upload a dataset, once, and one experiment a condition.

    Args:
        experiment: the runs.
        connection: `api_url`, `api_key` and the like of LangSmith's client, in place of its
            environment variables.

    Returns:
        The experiments' names.

    Raises:
        ValueError: LangSmith cannot be reached, refuses, or has not taken everything in time.
    """
    check_answers(connection)
    failed: list[Exception] = []
    given = {"timeout_ms": TIMEOUT_MS, **connection}
    client = Client(tracing_error_callback=failed.append, **given)
    try:
        examples = _examples(client, experiment)
        # The client tells where to look on standard output, which is for results.
        with redirect_stdout(sys.stderr):
            names = [_evaluate(client, experiment, group, examples) for group in experiment.groups]
    except LangSmithError as error:
        raise ValueError(f"LangSmith: {_line(error)}") from None
    until = time.monotonic() + FLUSH_SECONDS
    client.flush(timeout=FLUSH_SECONDS)
    if failed:
        raise ValueError(f"LangSmith: {len(failed)} requests failed, the first: {_line(failed[0])}")
    if time.monotonic() >= until:
        raise ValueError(f"LangSmith: not everything was taken within {FLUSH_SECONDS:g} s")
    return names


def against(
    experiment: Experiment, baseline: str, **connection: Any
) -> dict[str, list[Comparison]]:
    """Compare each condition with a baseline on the same seeds.

    Args:
        experiment: the runs.
        baseline: a sweep's folder, whose conditions of the same labels are compared with; or the
            name of an uploaded experiment, with which all are.
        connection: to LangSmith, for the latter; see `upload`.

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
    """Return the dataset's examples by seed and repetition; those that are missing are made."""
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
            # What is played is in it, so that a suite that has changed gets examples of its own.
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
    """Seed and repetition → the input of a graph that plays it, in any of the conditions.

    It holds what all conditions have in common; a condition's own settings are its context.
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
    """An evaluator for `client.evaluate` over an uploaded dataset: every measure that a run has.

    Args:
        run: LangSmith's, with a workflow's output, or with one that `upload` made.
        example: what was played; the output says it, too.
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
    """Return the runs of an uploaded experiment, with the scores that they were uploaded with."""

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
