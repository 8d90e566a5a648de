"""Endpoints whose model calls tools, and tools that compute from the table alone."""

import json
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from shapley_coop.state.tools import PublicTool
from shapley_coop.state.turn import TurnContext
from tests.embedded_reply import by_tool
from tests.stub_faults import Completion
from tests.stub_openai import Reply


class Draft(BaseModel):
    model_config = ConfigDict(extra="forbid")

    clauses: list[Any]


class Whose(BaseModel):
    model_config = ConfigDict(extra="forbid")

    agent: str


def public_tools(turn: TurnContext, agent: str) -> tuple[PublicTool, ...]:
    """Two tools: one that takes a draft, and one that reads the record and the talk."""

    def evaluate(draft: BaseModel) -> str:
        assert isinstance(draft, Draft)
        return f"{len(draft.clauses)} clauses for {', '.join(turn.evaluated.agents)}"

    def history(whose: BaseModel) -> str:
        assert isinstance(whose, Whose)
        said = [one["id"] for one in turn.table.get("talk", []) if one["by"] == whose.agent]
        return f"{whose.agent} said {said} by turn {turn.evaluated.turn}"

    return (
        PublicTool("evaluate_deal", "What a draft would pay.", Draft, evaluate),
        PublicTool("history", "What somebody said.", Whose, history),
    )


@pytest.fixture
def with_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shapley_coop.state.tools.tools_of", public_tools)


def asks_first(*calls: tuple[str, dict[str, Any]]) -> Reply:
    """Call tools once in every letter, and then answer as the embedded agent does."""

    def said(messages: list[dict[str, Any]], request: dict[str, Any]) -> str | Completion:
        offered = {tool["function"]["name"] for tool in request["tools"]}
        if messages[-1]["role"] == "tool" or not offered.issuperset(name for name, _ in calls):
            return by_tool(messages, request)
        asked = tuple((name, json.dumps(arguments)) for name, arguments in calls)
        return Completion("", tool_calls=asked)

    return said
