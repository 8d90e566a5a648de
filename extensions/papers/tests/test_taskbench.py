"""Scenarios from TaskBench's records, and its tools: checked, simulated, one's own."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shapley_coop.extensions.exchange.domain.tools import read_tools, simulate
from shapley_coop.extensions.papers.taskbench import from_taskbench, read_records
from shapley_coop.games import GameError
from tests.root import DATA


def _record(id_: str, *calls: tuple[str, dict[str, str]]) -> dict[str, Any]:
    nodes = [
        {"task": tool, "arguments": [{"name": k, "value": v} for k, v in given_.items()]}
        for tool, given_ in calls
    ]
    return {"id": id_, "type": "chain", "user_request": f"Please do {id_}", "task_nodes": nodes}


RECORDS = [
    _record("11", ("apply_for_job", {"job": "Cook"}), ("set_alarm", {"time": "10:00 <AM>"})),
    _record("12", ("book_flight", {"date": "1 May"}), ("set_alarm", {"time": "10:00 <AM>"})),
    _record("13", ("take_note", {"content": "alone"})),
]


@pytest.fixture(params=["first release", "later release", "array"])
def records(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The same records in the forms in which they were published."""
    raw = RECORDS
    if request.param == "later release":
        raw = [
            {
                "id": int(r["id"]),
                "instruction": r["user_request"],
                "tool_nodes": json.dumps(r["task_nodes"]),
                "sampled_nodes": "[]",
            }
            for r in RECORDS
        ]
    path = tmp_path / "data.json"
    text = json.dumps(raw) if request.param == "array" else "\n".join(map(json.dumps, raw))
    path.write_text(text)
    return str(path)


def test_two_records_make_a_scenario(records: str) -> None:
    made = from_taskbench(records, ["Ann", "Ben"], ids=["11", "12"], atoms=6, competition=0, seed=1)
    tasks = made.tasks
    assert {a: tasks.bits(m) for a, m in tasks.initial.items()} == {"Ann": "1100", "Ben": "0011"}
    assert tasks.names[0] == "apply_for_job(job=Cook)"
    assert tasks.names[1] == "set_alarm(time=10:00 (AM))"
    assert tasks.names[3] != tasks.names[1], "the same call twice is two atoms"
    assert read_records(records)["12"].request == "Please do 12"


def test_records_are_drawn_by_seed_among_those_of_several_atoms(records: str) -> None:
    options = {"ids": [], "atoms": 4, "competition": 0.5, "seed": 5}
    one, other = (from_taskbench(records, ["Ann", "Ben"], **options) for _ in range(2))
    assert one.show() == other.show()
    assert set(one.name.split()) == {"taskbench", "11", "12"}
    with pytest.raises(GameError, match="2 records have 2 to 2 atoms, and 3 are needed"):
        from_taskbench(records, ["Ann", "Ben", "Cat"], **{**options, "atoms": 6})
    with pytest.raises(GameError, match="no record '99'"):
        from_taskbench(records, ["Ann", "Ben"], **{**options, "ids": ["11", "99"]})


def test_a_line_that_is_no_record_is_named(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    path.write_text(json.dumps(RECORDS[0]) + "\n" + json.dumps({"id": 1, "user_request": "x"}))
    with pytest.raises(GameError, match=r"data\.json:2 is not a TaskBench record"):
        read_records(path)


# Tools


@pytest.mark.skipif(not (DATA / "taskbench-tools.json").exists(), reason="no catalogue at hand")
def test_the_published_catalogue_checks_simulated_calls() -> None:
    tools = read_tools(DATA / "taskbench-tools.json")
    assert len(tools) == 40
    flight = {"date": "1 May", "from": "SFO", "to": "JFK"}
    assert simulate(tools, "book_flight", flight, seed=0)["ok"]
    assert "needs to" in simulate(tools, "book_flight", {"date": "", "from": ""}, seed=0)["result"]
    assert "no parameter" in simulate(tools, "take_note", {"text": "x"}, seed=0)["result"]
    assert "no tool" in simulate(tools, "fly", {}, seed=0)["result"]


def test_simulated_failures_come_as_often_as_asked_and_are_reproducible() -> None:
    results = [simulate({}, "t", {"n": str(k)}, seed=1, failures=0.3)["ok"] for k in range(400)]
    assert 0.6 < np.mean(results) < 0.8
    assert results == [
        simulate({}, "t", {"n": str(k)}, seed=1, failures=0.3)["ok"] for k in range(400)
    ]
