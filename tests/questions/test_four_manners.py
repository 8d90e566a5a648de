"""Each question as a letter in text, a schema, a tool and a person's form: they ask for the same.

The letters of `ROOMS` are sent to a stub that answers as an embedded agent; `snapshots/` keeps what
the first letter of each question asks for, to be read.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.games import load
from shapley_coop.graphs.running import play
from shapley_coop.seats.asked import find_question, names
from shapley_coop.seats.person import form
from shapley_coop.state.run_config import OUTSIDERS, RunConfig
from tests.embedded_reply import in_form, reply
from tests.prompts.test_letters import as_kept
from tests.stub_faults import Completion
from tests.stub_openai import StubOpenAI

SNAPSHOTS = Path(__file__).parent / "snapshots"
WORK = {"artefacts": {"Ann": {"code": 3}, "Ben": {"code": 1}}, "bounty": 100}
ROOMS: dict[str, dict[str, Any]] = {
    "shapley_coop": {"game": "escape_room"},
    "contracts": {"game": "prisoners_dilemma", "params": {"rounds": 2}},
    "task_exchange": {"game": "task_exchange"},
    "delegates": {"game": "public_goods", "params": {"rounds": 1}},
    "mediation": {"game": "prisoners_dilemma"},
    "settlement": {"game": "delivered", "params": WORK},
    "consent": {"game": "delivered", "params": WORK},
}
ELSEWHERE = {"comprehend", "exchange_describe", "exchange_score", "order"}
"""Questions of commands, and orders, whose fields by the unit have a test of their own."""

WAYS = ("text", "schema", "tools")
WORDS = " ".join(f"{agent} does cooperate at every turn." for agent in ("Alice", "Bob"))


def said(messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
    """Answer as an embedded agent, but draft a contract in words alone."""
    text = reply(messages, request)
    drafts = "# Your turn: draft" in str(messages) and "<PROPOSAL>" in text
    return f"<s>{WORDS}</s>" if drafts else text


def answered(messages: list[dict[str, Any]], request: dict[str, Any]) -> str | Completion:
    """Answer in the form that a request asks for."""
    return in_form(said(messages, request), request)


async def asked_in(graph: str, room: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return question → manner → the body of the first request that asks it in a run.

    An agent is asked the same questions in the same order in each manner; text has no name of them.
    """
    bodies: dict[str, dict[str, list[Any]]] = {}
    agents = [*load(room["game"], room.get("params", {})).agents, *OUTSIDERS]
    for way in WAYS:
        with StubOpenAI(answered) as stub:
            seats = {
                agent: {"model": f"openai:{agent}", "base_url": stub.base_url, "answers": way}
                for agent in agents
            }
            await play(graph, RunConfig.model_validate({**room, "seats": seats}))
        of_agent: dict[str, list[Any]] = {agent: [] for agent in agents}
        for request in stub.requests:
            of_agent[request.body["model"]].append(request.body)
        bodies[way] = of_agent
    found: dict[str, dict[str, Any]] = {}
    for agent in agents:
        for text, schema, tools in zip(*(bodies[way][agent] for way in WAYS), strict=True):
            name = schema["response_format"]["json_schema"]["name"]
            found.setdefault(name, {"text": text, "schema": schema, "tools": tools})
    return found


@pytest.mark.usefixtures("openai_key")
async def test_a_question_is_the_same_in_text_schema_tool_and_form() -> None:
    asked: dict[str, dict[str, Any]] = {}
    for graph, room in ROOMS.items():
        asked = await asked_in(graph, room) | asked
    assert {*names()} - asked.keys() == ELSEWHERE
    for name, bodies in asked.items():
        question = find_question(name)
        assert question is not None
        schema = bodies["schema"]["response_format"]["json_schema"]["schema"]
        tool = bodies["tools"]["tools"][-1]["function"]
        assert (tool["name"], tool["parameters"]) == (name, schema)
        fields, letter = schema["properties"], str(bodies["text"]["messages"])
        assert fields.keys() - {"notes"} <= question.answer.model_fields.keys()
        filled = form(name, {})["properties"]
        assert filled.keys() - {"notes"} == question.answer.model_fields.keys() - {"notes"}
        assert fields.keys() - {"notes"} <= filled.keys()
        for field, how in question.answer.written().items():
            if field in fields and field != "thoughts":
                assert all(tag in letter for tag in re.findall(r"<\w+", how.told())), field
        told = [f"# {name}: {question.title}", "", "In text: " + ", ".join(sorted(tags(letter)))]
        told += ["", "Of schema and tool:", "", *lines(fields), *lines(schema.get("$defs", {}))]
        told += ["", "Of a person's form:", "", *lines(filled), ""]
        as_kept(SNAPSHOTS / f"{name}.md", "\n".join(told))


def lines(parts: Mapping[str, Any]) -> list[str]:
    return [f"- `{name}`: `{json.dumps(one, ensure_ascii=False)}`" for name, one in parts.items()]


def tags(letter: str) -> set[str]:
    return set(re.findall(r"<[A-Za-z]+>", letter))
