"""A sweep as logs of Inspect (the UK AI Security Institute's framework), one log per condition.

`inspect view --log-dir DIR` shows them, and `inspect_ai.log.read_eval_log` reads them. A sample is
a run, named by its game and seed; its messages are what all agents could read.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from shapley_coop.evals.cell import Row
from shapley_coop.evals.measures.evaluators import scores
from shapley_coop.extensions.sweeps.store import Store
from shapley_coop.extensions.sweeps.stored import Kind, Stored
from shapley_coop.written_files import make_folder, replace_file

VERSION = 2
"""The version of Inspect's log format."""

_USED = ("input_tokens", "output_tokens")


def write_logs(store: Store, folder: Path, force: bool = False) -> list[Path]:
    """Write a log for each condition of a sweep, and return the files' paths.

    Raises:
        ValueError: a file exists, and `force` is False.
    """
    found = (_log(store, kind) for kind in store.rows().kinds)
    logs = {folder / _file_name(log): log for log in found}
    if not force and (known := next((path for path in logs if path.exists()), None)):
        raise ValueError(f"{known} exists: give another --out, or --force to replace it")
    make_folder(folder)
    for path, log in logs.items():
        replace_file(path, json.dumps(log, ensure_ascii=False, allow_nan=False))
    return list(logs)


def _log(store: Store, kind: Kind) -> dict[str, Any]:
    """Return the log of a condition's runs."""
    runs = list(Stored(store, [kind]).timed())
    rows, ended = [row for row, _ in runs], sorted(told["ended"] for _, told in runs)
    labels, seats = rows[0]["labels"], rows[0]["result"]["seats"]
    unique = sha256(f"{store.id} {kind.suite} {kind.labels}".encode()).hexdigest()[:22]
    task = " ".join([kind.suite, *(f"{axis}={label}" for axis, label in labels.items())])
    counted = {"total_samples": len(rows), "completed_samples": len(rows)}
    told = {
        "eval_id": unique,
        "run_id": store.id,
        "task_id": unique,
        "created": ended[0],
        "task": task,
        "task_args": labels,
        "dataset": {"name": kind.suite, "samples": len(rows)},
        "model": "+".join(dict.fromkeys(map(_model, seats.values()))),
        "model_roles": {agent: {"model": _model(seat)} for agent, seat in seats.items()},
        "config": {"epochs": max(row["repetition"] for row in rows) + 1},
    }
    used = _usage([call for row in rows for call in row["calls"]])
    return {
        "version": VERSION,
        "status": "success",
        "eval": told,
        "results": {**counted, "scores": list(_summary(rows))},
        "stats": {"started_at": ended[0], "completed_at": ended[-1], "model_usage": used},
        "samples": [_sample(row, told) for row, told in runs],
    }


def _file_name(log: Mapping[str, Any]) -> str:
    """Return a log's name, as Inspect forms it; `inspect view` shows no files with other names."""
    told = log["eval"]
    parts = (told["created"], told["task"], told["eval_id"])
    return "_".join(re.sub(r"[^\w.+-]+", "-", part) for part in parts) + ".json"


def _model(seat: str) -> str:
    """Return a seat's model as Inspect writes it: `openai/gpt-5-mini`."""
    return seat.replace(":", "/", 1)


def _sample(row: Row, told: Mapping[str, Any]) -> dict[str, Any]:
    """Return a run as a sample."""
    result = row["result"]
    opening = f"{result['game']}, seed {row['seed']}, {row['graph']}"
    payoffs = ", ".join(f"{agent} {amount:g}" for agent, amount in result["payoffs"].items())
    ending = f"{result['status']}; payoffs: {payoffs}"
    last = {"role": "assistant", "content": ending}
    return {
        "id": f"{result['game']} seed {row['seed']}",
        "epoch": row["repetition"] + 1,
        "input": opening,
        "target": "",
        "messages": [{"role": "user", "content": opening}, *_messages(row), last],
        "output": {"model": "", "choices": [{"message": last, "stop_reason": "stop"}]},
        "scores": {
            key: {"value": value} for key, value in scores(row).items() if value is not None
        },
        "metadata": {"cell": row["cell"], "run": told.get("run", ""), "result": result},
        "model_usage": _usage(row["calls"]),
        "completed_at": told["ended"],
        "total_time": told["seconds"],
    }


def _messages(row: Row) -> Iterator[dict[str, Any]]:
    """Yield what was said in public, then the actions of each turn."""
    for said in row["offers"]:
        words = filter(None, (said.get("text"), said.get("in_words")))
        lead = f"{said['by']} ({said['act']}): "
        yield {"role": "assistant", "content": lead + "\n".join(words)}
    for turn in row["record"]:
        done = ", ".join(f"{agent}: {action}" for agent, action in turn["actions"].items())
        yield {"role": "user", "content": f"Turn {turn['turn']}: {done}"}


def _usage(calls: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Return model → the sums of its calls' tokens."""
    found: dict[str, dict[str, int]] = {}
    for call in calls:
        sums = found.setdefault(_model(call["model"]), dict.fromkeys((*_USED, "total_tokens"), 0))
        for key in _USED:
            sums[key] += call[key]
            sums["total_tokens"] += call[key]
    return found


def _summary(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """Yield each measure with its mean and standard error over the runs."""
    each = list(map(scores, rows))
    for key in each[0]:
        values = [value for one in each if (value := one[key]) is not None]
        if values:
            error = stdev(values) / sqrt(len(values)) if len(values) > 1 else 0.0
            metrics = {"mean": fmean(values), "stderr": error}
            told = {name: {"name": name, "value": value} for name, value in metrics.items()}
            yield {"name": key, "scorer": key, "metrics": told, "scored_samples": len(values)}
