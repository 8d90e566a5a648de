"""What LangSmith would receive, captured on this machine: the scheme, and none of the secrets."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from shapley_coop.seats.tracing import REDACTED, SCHEME, keep_out, redacted_in
from tests.background import in_background
from tests.root import ROOT
from tests.seats.langsmith_capture import Capture, langsmith

__all__ = ["langsmith"]

COOP = [sys.executable, "-m", "shapley_coop"]
CANARIES = [f"canary-{n:02d}-{'whispered' if n % 2 else 'said'}" for n in range(50)]
KEY = "sk-proj-canarycanarycanarycanary00"


class Traced(NamedTuple):
    """A run that was traced: what LangSmith was sent, and what `coop run` printed."""

    langsmith: Capture
    outcome: dict[str, Any]


def play(home: Path, endpoint: str, *options: str, **environment: str) -> dict[str, Any]:
    """Play a run in a process of its own, traced to an endpoint."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("LANGSMITH", "LANGCHAIN"))}
    tracing = {
        "LANGSMITH_TRACING": "true",
        "LANGSMITH_ENDPOINT": endpoint,
        "LANGSMITH_API_KEY": "lsv2_pt_" + "0" * 32 + "_canary",
    }
    done = subprocess.run(
        [*COOP, "run", "escape_room", "--seed", "3", "--json", *options],
        cwd=ROOT,
        env={**kept, **tracing, "COOP_HOME": str(home), **environment},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    outcome: dict[str, Any] = json.loads(done.stdout)
    return outcome


def whisper(home: Path) -> None:
    """Tell Alice all the canaries, on lines, and Bob none."""
    (home / "secrets").mkdir(parents=True)
    lines = "\n".join(f"  My {canary} is {n}." for n, canary in enumerate(CANARIES))
    (home / "secrets" / "whisper.yaml").write_text(f"Alice: |\n{lines}\nBob: Nothing.\n")


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Traced:
    """One traced run for all tests that only read: Alice was told the canaries."""
    home, capture = tmp_path_factory.mktemp("traced"), Capture()
    whisper(home)
    with in_background(capture.server):
        given = ["--secrets", "whisper", "--set", "door=the way out"]
        return Traced(capture, play(home, capture.url, *given, OPENAI_API_KEY=KEY))


@pytest.mark.slow
def test_what_one_agent_was_told_and_what_opens_doors_is_never_uploaded(traced: Traced) -> None:
    text = traced.langsmith.text
    assert "I propose" in text
    assert REDACTED in text
    assert [canary for canary in [*CANARIES, KEY] if canary in text] == []


@pytest.mark.slow
def test_with_hide_on_nothing_that_anybody_said_or_was_told_is_uploaded(
    langsmith: Capture, tmp_path: Path
) -> None:
    """The canaries are also said, as names of actions, so that they stand in every kind of text."""
    whisper(tmp_path)
    named = ["--set", f"door={CANARIES[0]}", "--set", f"lever={CANARIES[2]}"]
    hidden = {"COOP_TRACE_HIDE": "true"}
    outcome = play(tmp_path, langsmith.url, "--secrets", "whisper", *named, **hidden)
    runs = list(langsmith.runs().values())
    answers = [run for run in runs if run["run_type"] == "llm"]
    assert len(answers) == outcome["usage"]["calls"]
    assert [canary for canary in CANARIES if canary in langsmith.text] == []
    assert not any(said in langsmith.text for said in ("I propose", "PROPOSAL", "locked in"))
    for run in runs:
        assert run.get("inputs", {}) == {}
        assert run.get("outputs", {}) == {}
        given = run["extra"]["metadata"].keys() - SCHEME
        assert {key for key in given if not key.startswith(("LANG", "ls_", "revision"))} == set()
    (root,) = [run for run in runs if not run.get("parent_run_id")]
    assert root["name"] == "shapley_coop/escape_room#3"


@pytest.mark.slow
def test_an_error_is_uploaded_without_what_it_says(langsmith: Capture, tmp_path: Path) -> None:
    program = f"""
from langchain_core.runnables import RunnableLambda
from pathlib import Path
from shapley_coop.seats.tracing import trace_quietly

def fail(_):
    raise ValueError("{CANARIES[0]}")

trace_quietly(Path({str(tmp_path)!r}))
try:
    RunnableLambda(fail).invoke("{CANARIES[1]}")
except ValueError:
    print("failed")
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=os.environ
        | {
            "LANGSMITH_TRACING": "true",
            "LANGCHAIN_TRACING_V2": "true",
            "LANGSMITH_ENDPOINT": langsmith.url,
            "LANGSMITH_API_KEY": "key",
            "COOP_TRACE_HIDE": "true",
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.stdout == "failed\n", done.stderr
    (run,) = langsmith.runs().values()
    assert run["error"] == "ValueError"
    assert [canary for canary in CANARIES if canary in langsmith.text] == []


def test_nothing_is_traced_unless_it_is_asked_for(tmp_path: Path) -> None:
    program = (
        "import sys, langsmith.run_trees as trees\n"
        "from pathlib import Path\n"
        "from shapley_coop.seats.tracing import trace_quietly\n"
        f"trace_quietly(Path({str(tmp_path)!r}))\n"
        "print(trees._CLIENT)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    assert done.stdout == "None\n"


def test_a_secret_is_redacted_wherever_it_stands() -> None:
    keep_out(['My "limit" is 12.\nI would take 11.'])
    facts = json.dumps({"private": 'My "limit" is 12.\nI would take 11.'})
    traced = {"messages": [{"text": facts}, ["I would take 11."]], 'My "limit" is 12.': 1}
    assert "limit" not in json.dumps(redacted_in(traced))
    assert "11" not in json.dumps(redacted_in(traced))


def test_short_texts_are_left_alone() -> None:
    keep_out(["door", ""])
    assert redacted_in("Alice goes to the door.") == "Alice goes to the door."
