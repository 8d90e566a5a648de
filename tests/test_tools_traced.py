"""Tools in a trace on LangSmith's side: what arrives there of a run whose model calls some."""

import json
from pathlib import Path

from tests.stub_openai import StubOpenAI
from tests.test_traces import capturing, coop
from tests.tool_calls import asks_first

PLAYED = """
import sys
from shapley_coop.cli import main
from shapley_coop.state import tool_runs
from tests.tool_calls import public_tools

tool_runs.tools_of = public_tools
sys.argv = ["coop", *{argv!r}]
main()
"""


def test_tools_arrive_as_runs_of_their_own_and_verify_computes_them_again(tmp_path: Path) -> None:
    asked = asks_first(("history", {"agent": "Bob"}))
    with StubOpenAI(asked) as stub, capturing() as capture:
        model = f"openai:Alice,answers=tools,base_url={stub.base_url}"
        argv = ["run", "escape_room", "--agent", f"Alice={model}", "--tools", "--name", "one"]
        played = PLAYED.format(argv=[*argv, "--json"])
        ended = coop(capture, tmp_path, program=played, LANGSMITH_TRACING="true")
        checked = coop(capture, tmp_path, program=PLAYED.format(argv=["verify", "one"]))
    runs = capture.traces.values()
    (root,) = [run for run in runs if not run.get("parent_run_id")]
    tools = [run for run in runs if run["run_type"] == "tool"]
    assert {run["name"] for run in tools} == {"Alice.history"}
    assert {run["trace_id"] for run in tools} == {root["trace_id"]}
    assert all("Bob said" in json.dumps(run["outputs"]) for run in tools)
    assert json.loads(ended.stdout)["usage"]["calls"] > len(tools) > 1
    assert f"ok    tools: {len(tools)} results recomputed" in checked.stdout
