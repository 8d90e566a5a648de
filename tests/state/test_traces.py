"""What a run is called wherever it is traced, what is told about it, and that nobody asks first."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tracers.context import collect_runs
from langchain_core.tracers.schemas import Run

from shapley_coop.deals.language.wire import PROTOCOL
from shapley_coop.evals.measures.evaluators import EVALUATORS
from shapley_coop.evals.provenance import provenance
from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import table_of
from shapley_coop.prompts import fingerprint
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.background import in_background
from tests.embedded_reply import reply
from tests.root import ROOT
from tests.seats.langsmith_capture import Capture
from tests.stub_openai import StubOpenAI

RUN = ("run", "escape_room", "--seed", "4", "--json")
KEYS = {"LANGSMITH_API_KEY": "lsv2-canary", "OPENAI_API_KEY": "sk-canary"}


@pytest.fixture(autouse=True)
def _as_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEYS["OPENAI_API_KEY"])
    for variable in ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"):
        monkeypatch.delenv(variable, raising=False)


async def traced(graph: str, room: RunConfig) -> tuple[dict[str, Any], Run, list[Run]]:
    """Play, and give the result, the run's own trace, and one trace per call of a model."""
    with collect_runs() as seen:
        outcome = await play(graph, room)
    roots = [run for run in seen.traced_runs if run.name.startswith(f"{graph}/")]
    assert len(roots) == 1
    return outcome, roots[0], [run for run in seen.traced_runs if run.run_type == "llm"]


# Names, tags, metadata


async def test_a_run_is_named_after_workflow_game_and_seed() -> None:
    outcome, root, _ = await traced("shapley_coop", RunConfig(seed=3))
    assert root.name == "shapley_coop/escape_room#3"
    assert set(root.tags or []) == {"shapley_coop", "escape_room", "simulated"}
    assert (
        root.metadata.items()
        >= {
            "run": outcome["run"],
            "graph": "shapley_coop",
            "game": "escape_room",
            "seed": 3,
            "simulated": True,
        }.items()
    )
    assert root.metadata["agents"] == ["Alice", "Bob"]
    assert root.error is None


async def test_a_game_of_ones_own_gives_the_run_its_name() -> None:
    game = {
        "name": "Doors",
        "agents": ["Ann", "Ben"],
        "actions": {"Ann": ["a", "b"], "Ben": ["a", "b"]},
        "payoffs": [{"play": [x, y], "pays": [0, 0]} for x in "ab" for y in "ab"],
    }
    _, root, _ = await traced("llm_only", RunConfig(game=game))
    assert root.name == "llm_only/Doors#0"


async def test_every_call_is_named_after_agent_act_and_round() -> None:
    outcome, _, calls = await traced("shapley_coop", RunConfig(seed=3))
    table = await table_of(home().runs.get(outcome["run"]))
    kept = list(home().journal.entries(table["episode"]))
    assert len(calls) == len(kept) == outcome["usage"]["calls"]
    named = Counter(call.name.rpartition(".r")[0] for call in calls)
    assert named == Counter(f"{entry.agent}.{entry.act}" for entry in kept)
    for call in calls:
        about = call.metadata
        assert call.name == f"{about['agent']}.{about['act']}.r{about['round']}"
        assert {about["act"], "shapley_coop", "escape_room", "simulated"} <= set(call.tags or [])
        assert about["episode"] == outcome["episode"]
        own = "impartial" if about["agent"] == "summariser" else "rational"
        assert about["model"] == f"embedded:{own}"
        assert about["phase"] in outcome["timing"]
        assert (about["ls_provider"], about["simulated"]) == ("embedded", True)


async def test_a_counter_offer_is_answered_in_the_next_round() -> None:
    room = RunConfig.model_validate({"seats": {"*": "embedded:stubborn"}, "seed": 1, "rounds": 3})
    outcome, _, calls = await traced("negotiation", room)
    rounds = {call.metadata["round"] for call in calls if call.metadata["act"] == "answer"}
    assert outcome["rounds_of_talk"] > 1
    assert rounds == set(range(1, outcome["rounds_of_talk"] + 1))


async def test_a_try_that_was_sent_back_can_be_told_from_the_next() -> None:
    room = RunConfig.model_validate({"seats": {"*": "embedded:sloppy"}, "seed": 2})
    _, _, calls = await traced("shapley_coop", room)
    attempts = Counter((call.name, call.metadata["attempt"]) for call in calls)
    assert max(attempts.values()) == 1
    assert max(attempt for _, attempt in attempts) > 1


async def test_who_is_simulated_is_said_call_by_call() -> None:
    with StubOpenAI(reply) as stub:
        alice = {"model": "openai:Alice", "base_url": stub.base_url}
        room = RunConfig.model_validate({"seats": {"Alice": alice, "*": "embedded:rational"}})
        _, root, calls = await traced("negotiation", room)
    assert root.metadata["simulated"]
    simulated = {call.metadata["agent"]: call.metadata["simulated"] for call in calls}
    assert simulated == {"Alice": False, "Bob": True}


# LangSmith, caught on the loopback interface


@contextmanager
def capturing() -> Iterator[Capture]:
    capture = Capture()
    with in_background(capture.server):
        yield capture


def coop(
    capture: Capture, folder: Path, *argv: str, program: str = "", **environment: str
) -> "subprocess.CompletedProcess[str]":
    """A command in a process of its own, in a folder where no .env is; a run unless given."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("LANG", "OPENAI_"))}
    ours = {"COOP_HOME": str(folder / "home"), "PYTHONPATH": str(ROOT), **KEYS}
    endpoint = {"LANGSMITH_ENDPOINT": capture.url, "COOP_TRACE_SECONDS": "60"}
    return subprocess.run(
        [sys.executable, *(["-c", program] if program else ["-m", "shapley_coop", *(argv or RUN)])],
        cwd=folder,
        env={**inherited, **ours, **endpoint, **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )


@pytest.mark.slow
def test_a_key_alone_traces_nothing(tmp_path: Path) -> None:
    with capturing() as capture:
        coop(capture, tmp_path)
    assert capture.bodies == []


def test_a_traced_run_arrives_whole_and_without_keys(tmp_path: Path) -> None:
    with capturing() as capture:
        ended = coop(capture, tmp_path, LANGSMITH_TRACING="true")
    outcome = json.loads(ended.stdout)
    (root,) = [t for t in capture.runs().values() if not t.get("parent_run_id")]
    assert root["name"] == "shapley_coop/escape_room#4"
    assert set(root["tags"]) == {"shapley_coop", "escape_room", "simulated"}
    calls = [trace for trace in capture.runs().values() if trace["run_type"] == "llm"]
    assert len(calls) == outcome["usage"]["calls"]
    assert all(trace["end_time"] for trace in capture.runs().values())
    assert {trace["trace_id"] for trace in capture.runs().values()} == {root["trace_id"]}
    metadata = root["extra"]["metadata"]
    assert {"protocol": PROTOCOL, "prompt_hash": fingerprint()}.items() <= metadata.items()
    assert metadata["git_sha"] == provenance()["commit"]
    for key in KEYS.values():
        assert key not in capture.text
    assert_told_the_measures(capture, root["id"])


def assert_told_the_measures(capture: Capture, root: str) -> None:
    """What a traced run came to stands beside its trace, as in a sweep."""
    feedback = capture.feedback()
    scored = {told["key"]: told["score"] for told in feedback}
    assert {told["trace_id"] for told in feedback} == {root}
    assert len(scored) == len(feedback)
    assert scored.keys() <= EVALUATORS.keys()
    assert {"agreement", "social_welfare", "tokens", "calls"} <= scored.keys()
    assert set(scored.values()) >= {0, 1}


@pytest.mark.slow
def test_a_cell_of_a_sweep_says_which_sweep_and_condition_it_belongs_to(tmp_path: Path) -> None:
    with capturing() as capture:
        argv = ["sweep", "escape_room", "--limit", "1", "-o", str(tmp_path / "sweep")]
        coop(capture, tmp_path, *argv, LANGSMITH_TRACING="true")
    (root,) = [t for t in capture.runs().values() if not t.get("parent_run_id")]
    metadata = root["extra"]["metadata"]
    assert metadata["run"].startswith(f"{metadata['sweep']}.")
    assert "seed 0" in metadata["condition"]
    assert_told_the_measures(capture, root["id"])


@pytest.mark.slow
def test_a_program_without_the_command_line_tells_no_secret_either(tmp_path: Path) -> None:
    (tmp_path / "home" / "secrets").mkdir(parents=True)
    secret = "my-reservation-value-is-7-and-a-half"
    (tmp_path / "home" / "secrets" / "s.yaml").write_text(f"Alice: {secret}\n")
    program = (
        "import asyncio; from shapley_coop.graphs.running import play; "
        "from shapley_coop.state.run_config import RunConfig; "
        "asyncio.run(play('negotiation', RunConfig(secrets='s')))"
    )
    with capturing() as capture:
        coop(capture, tmp_path, program=program, LANGSMITH_TRACING="true")
    assert len(capture.runs()) > 10
    assert secret not in capture.text
    assert "[redacted]" in capture.text
