"""Recorded runs: what a LangSmith export holds is not asked again, and what it lacks is said."""

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tracers.base import BaseTracer
from langgraph.graph import START, StateGraph
from langsmith._internal._serde import dumps_json

from extensions.attribute.tests.attributed_apps import (
    SHAPES,
    KnownApp,
    Parts,
    handing_over,
    pipeline,
    side_by_side,
    supervisor,
)
from shapley_coop.extensions.attribute import attribute


class Exporting(BaseTracer):
    """Collects runs, and writes them as LangSmith's own client does."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def _persist_run(self, run: Any) -> None:
        for child in run.child_runs:
            self._persist_run(child)
        fields = ("id", "parent_run_id", "name", "run_type", "inputs", "outputs", "error", "extra")
        row = {name: getattr(run, name) for name in (*fields, "start_time", "dotted_order")}
        self.lines.append(dumps_json(row).decode())


def exported(app: KnownApp, folder: Path) -> Path:
    tracer, file = Exporting(), folder / "runs.jsonl"
    app.graph.invoke(app.given, {"callbacks": [tracer]})
    file.write_text("\n".join(tracer.lines), encoding="utf-8")
    return file


def test_agents_side_by_side_are_attributed_from_a_trace_without_a_call(tmp_path: Path) -> None:
    app = side_by_side()
    file = exported(app, tmp_path)
    credit = attribute(app.graph, app.agents, app.score, None, trace=file)
    assert credit.values == app.values
    assert (credit.calls["made"], credit.calls["other"]) == (0, 0)


def test_what_a_trace_does_not_hold_is_said_and_can_be_asked(tmp_path: Path) -> None:
    app = pipeline()
    file = exported(app, tmp_path)
    alone = attribute(app.graph, app.agents, app.score, None, trace=file)
    assert alone.calls["made"] == 0
    assert alone.values is None
    assert alone.worth == {"": 0.0, "research": 0.0, "research,write,review": 3.0}
    unplayed = {f.coalition: f.reason for f in alone.failures}
    assert (
        unplayed["write,review"] == "write would be called again: what it is given was not recorded"
    )
    asked = attribute(app.graph, app.agents, app.score, None, trace=file, fresh="toolless")
    assert asked.values == pytest.approx(app.values)
    without = attribute(app.graph, app.agents, app.score, {}, version="no trace")
    assert 0 < asked.calls["made"] < without.calls["made"]


def test_two_recorded_runs_of_one_input_are_two_observations(tmp_path: Path) -> None:
    """The model answered differently: each run has its own answers, and the mean an error."""
    answers = iter((1, 5))
    page = StateGraph(Parts)
    page.add_node("a", lambda state: {"parts": ["a"], "total": next(answers)})
    page.add_edge(START, "a")
    app = KnownApp(page.compile(), ["a"], lambda s: s.get("total", 0), {"task": "x"}, {"a": 3.0})
    first = exported(app, tmp_path).read_text()
    file = exported(app, tmp_path)
    file.write_text(f"{first}\n{file.read_text()}")
    credit = attribute(app.graph, app.agents, app.score, None, trace=file)
    assert (credit.inputs, credit.values, credit.calls["made"]) == (2, app.values, 0)
    assert credit.standard_error == {"a": 2.0}
    with pytest.raises(ValueError, match="a trace has one run per input"):
        attribute(app.graph, app.agents, app.score, None, trace=file, samples=2)


def test_commands_that_are_data_are_replayed(tmp_path: Path) -> None:
    app = supervisor()
    credit = attribute(app.graph, app.agents, app.score, None, trace=exported(app, tmp_path))
    assert credit.worth["search,write,check"] == 2.0
    assert credit.calls["made"] == 0


def test_commands_that_are_text_are_named(tmp_path: Path) -> None:
    app = supervisor()
    file = exported(app, tmp_path)
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    for row in rows:
        if "goto" in str(row["outputs"].get("output")):
            row["outputs"] = {"output": "Command(goto='search')"}
    file.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(ValueError, match=r"lead would be called again: .* a Command"):
        attribute(app.graph, app.agents, app.score, None, trace=file)
    credit = attribute(app.graph, app.agents, app.score, None, trace=file, fresh="all")
    assert credit.values == pytest.approx(app.values)
    assert any(note.startswith("in the trace, search: ") for note in credit.notes)


def test_a_subgraph_that_handed_over_is_named(tmp_path: Path) -> None:
    app = handing_over()
    with pytest.raises(ValueError, match="alice would be called again: it ended in ParentCommand"):
        attribute(app.graph, app.agents, app.score, None, trace=exported(app, tmp_path))


@pytest.mark.parametrize("shape", ["Send", "team as a subgraph"])
def test_the_recorded_run_itself_needs_no_call(shape: str, tmp_path: Path) -> None:
    app = SHAPES[shape]()
    credit = attribute(app.graph, app.agents, app.score, None, trace=exported(app, tmp_path))
    assert credit.calls["made"] == 0
    assert credit.worth[",".join(app.agents)] == pytest.approx(sum(app.values.values()))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1: is not JSON"),
        ('{"a": 1}', "line 1: is not a run: id and inputs are needed"),
        ('{"id": "1", "inputs": {}, "parent_run_id": "2"}', "no root run"),
    ],
)
def test_a_file_that_is_no_trace_is_refused_in_words(
    text: str, message: str, tmp_path: Path
) -> None:
    app, file = pipeline(), tmp_path / "runs.jsonl"
    file.write_text(text)
    with pytest.raises(ValueError, match=message):
        attribute(app.graph, app.agents, app.score, None, trace=file)
