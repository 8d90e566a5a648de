"""The program's own tools, called by a model over HTTP: in the trace, in the journal, verified."""

import json
from pathlib import Path

import pytest

from tests.seats.tool_calls import asks_first
from tests.state.test_traces import capturing, coop
from tests.stub_openai import StubOpenAI

DRAFT = {
    "clauses": [
        {"kind": "do", "agent": "Alice", "action": "door"},
        {"kind": "do", "agent": "Bob", "action": "lever"},
        {"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": 5},
    ]
}


@pytest.mark.slow
@pytest.mark.usefixtures("careful")
def test_tools_arrive_as_runs_of_their_own_and_verify_computes_them_again(tmp_path: Path) -> None:
    asked = asks_first(("evaluate_deal", DRAFT), ("history", {"agent": "Bob"}))
    with StubOpenAI(asked) as stub, capturing() as capture:
        model = f"openai:stub,base_url={stub.base_url}"
        argv = ["run", "escape_room", "--model", model, "--tools", "--name", "one", "--json"]
        ended = coop(capture, tmp_path, *argv, LANGSMITH_TRACING="true")
        checked = coop(capture, tmp_path, "verify", "one")
    runs = capture.traces.values()
    (root,) = [run for run in runs if not run.get("parent_run_id")]
    tools = [run for run in runs if run["run_type"] == "tool"]
    agents, called = ("Alice", "Bob"), ("evaluate_deal", "history")
    assert {run["name"] for run in tools} == {f"{a}.{tool}" for a in agents for tool in called}
    assert {run["trace_id"] for run in tools} == {root["trace_id"]}
    told = [json.dumps(run["outputs"]) for run in tools if run["name"] == "Alice.evaluate_deal"]
    assert any("All keep it: you 5, Bob 4" in words for words in told)
    assert json.loads(ended.stdout)["usage"]["calls"] > len(told) > 1
    assert f"ok    tools: {len(tools)} results recomputed" in checked.stdout
