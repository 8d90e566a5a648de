"""Endpoints whose model calls tools, and tools that compute from the table alone."""

import json
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, ConfigDict

from shapley_coop.state.tools import explain_misfit
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


def public_tools(turn: TurnContext, agent: str) -> tuple[BaseTool, ...]:
    """Two tools: one that takes a draft, and one that reads the record and the talk."""

    def evaluate_deal(clauses: list[Any]) -> str:
        """What a draft would pay."""
        return f"{len(clauses)} clauses for {', '.join(turn.evaluated.agents)}"

    def history(agent: str) -> str:
        """What somebody said."""
        said = [one["id"] for one in turn.table.get("talk", []) if one["by"] == agent]
        return f"{agent} said {said} by turn {turn.evaluated.turn}"

    tools = (
        StructuredTool.from_function(one, args_schema=kind, handle_validation_error=explain_misfit)
        for one, kind in ((evaluate_deal, Draft), (history, Whose))
    )
    return tuple(tools)


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
