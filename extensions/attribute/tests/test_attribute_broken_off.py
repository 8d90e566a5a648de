"""Ctrl-C in the middle of the plays: what was played is kept, and no tool acts twice."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

APP = """\
import asyncio
import operator
import os
import signal
from pathlib import Path
from typing import Annotated, TypedDict

from langchain_core.tools import tool
from langgraph.graph import START, StateGraph

HERE = Path(__file__).parent


class Text(TypedDict, total=False):
    parts: Annotated[list[str], operator.add]


@tool
def send(what: str) -> str:
    "Act."
    with (HERE / "acted").open("a") as file:
        file.write(what + "\\n")
    return what


def agent(name):
    async def act(state):
        with (HERE / "asked").open("a") as file:
            file.write(f"{name}: {state['parts']}\\n")
        stop = HERE / "stop"
        if name == "close" and "plan" not in state["parts"] and stop.exists():
            stop.unlink()
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.Event().wait()
        return {"parts": [await send.ainvoke({"what": name}) if name == "plan" else name]}

    return act


page = StateGraph(Text)
page.add_sequence([(name, agent(name)) for name in ("plan", "write", "close")])
page.add_edge(START, "plan")
graph = page.compile()


def score(state):
    return len([part for part in state["parts"] if part])
"""


@pytest.mark.slow
def test_after_ctrl_c_the_same_command_makes_only_the_rest(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    (tmp_path / "in.json").write_text('{"parts": []}', encoding="utf-8")

    def asked() -> list[str]:
        return (tmp_path / "asked").read_text(encoding="utf-8").splitlines()

    (tmp_path / "stop").touch()
    assert attributed(tmp_path).returncode == 130
    before = asked()
    assert len(before) > 3, "the recorded run, and a part of a play"
    ended = attributed(tmp_path)
    assert ended.returncode == 0
    found: dict[str, Any] = json.loads(ended.stdout)
    assert found["values"] == pytest.approx({"plan": 1, "write": 1, "close": 1})
    rest = asked()[len(before) :]
    assert len(rest) == found["calls"]["made"]
    again = [text for text, times in Counter(asked()).items() if times > 1]
    assert set(again) <= {text for text in before[3:] if text.startswith("close")}
    assert (tmp_path / "acted").read_text(encoding="utf-8") == "plan\n"


def attributed(folder: Path) -> "subprocess.CompletedProcess[str]":
    """`coop attribute` of the app in a folder, in a process of its own."""
    given = ("attribute", "app.py:graph", "--agents", "plan,write,close", "--input", "in.json")
    return subprocess.run(
        [sys.executable, "-m", "shapley_coop", *given, "--score", "app.py:score", "--json"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
