"""The published examples of langgraph-supervisor and langgraph-swarm, unmodified; create_agent."""

from collections.abc import Sequence
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph

from extensions.attribute.tests.stub_chat import (
    StubChat,
    numbers_in,
    run_example,
    since_last_question,
    tool_call,
)
from shapley_coop.extensions.attribute import attribute


def office(messages: Sequence[BaseMessage]) -> AIMessage:
    """The supervisor asks research, then math; each expert uses its tool once."""
    role, last = str(messages[0].content), messages[-1]
    if "team supervisor" in role:
        asked = since_last_question(messages)
        for expert in ("research_expert", "math_expert"):
            if expert not in asked:
                return tool_call(f"transfer_to_{expert}")
        said = [m for m in messages if isinstance(m, AIMessage) and m.name == "math_expert"]
        return AIMessage(next(str(m.content) for m in said if not m.tool_calls))
    if isinstance(last, ToolMessage) and last.name in ("web_search", "add"):
        return AIMessage(f"Found: {last.content}")
    if "world class researcher" in role:
        return tool_call("web_search", query="headcount of FAANG")
    numbers = numbers_in(messages)
    return tool_call("add", a=numbers[0], b=numbers[1]) if numbers else AIMessage("no numbers")


def test_the_supervisors_own_example_is_attributed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sum needs the researcher's figures and the mathematician: half each."""
    defined = run_example("langgraph-supervisor", office, monkeypatch)
    assert "231317" in str(defined["result"]["messages"][-1].content)
    credit = attribute(
        defined["app"],
        ["research_expert", "math_expert"],
        lambda state: "231317" in str(state["messages"][-1].content),
        {"messages": [{"role": "user", "content": "the combined headcount?"}]},
    )
    assert credit.failures == []
    assert credit.values == {"research_expert": 0.5, "math_expert": 0.5}
    assert credit.interactions == {"research_expert,math_expert": 1.0}
    assert credit.spent["math_expert"].models == 2
    again = attribute(
        defined["app"],
        ["research_expert", "math_expert"],
        lambda state: "231317" in str(state["messages"][-1].content),
        {"messages": [{"role": "user", "content": "the combined headcount?"}]},
    )
    assert (again.calls["made"], again.calls["models"]) == (0, 0)


def pirates(messages: Sequence[BaseMessage]) -> AIMessage:
    """Alice hands over to Bob when asked to, Bob hands sums to Alice, who adds."""
    role, last = str(messages[0].content), messages[-1]
    question = str(next(m for m in reversed(messages) if m.type == "human").content)
    if isinstance(last, ToolMessage) and last.name == "add":
        return AIMessage(f"It is {last.content}.")
    if "You are Alice" in role:
        sums = "5 + 7" in question
        return tool_call("add", a=5, b=7) if sums else tool_call("transfer_to_bob")
    return tool_call("transfer_to_alice") if "5 + 7" in question else AIMessage("Arr!")


def test_the_swarms_own_example_is_attributed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Alice alone greets nobody and Bob alone, who is not asked first, still speaks."""
    defined = run_example("langgraph-swarm", pirates, monkeypatch)
    app, saver = defined["app"], defined["checkpointer"]
    before = len(list(saver.list(None)))
    credit = attribute(
        app,
        ["Alice", "Bob"],
        lambda state: "Arr" in str(state["messages"][-1].content),
        {"messages": [{"role": "user", "content": "i'd like to speak to Bob"}]},
        config={"configurable": {"thread_id": "1"}},
    )
    assert credit.failures == []
    # Alice's handing over is no credit: a blank Alice keeps where it sent the run.
    assert credit.values == {"Alice": 0.0, "Bob": 1.0}
    assert len(list(saver.list(None))) == before, "the app's own threads are as they were"


@pytest.fixture
def booked() -> list[str]:
    return []


def travel(booked: list[str]) -> Any:
    """An agent that looks up a city, and one that books what was looked up, by a tool."""

    @tool
    def book(city: str) -> str:
        """Book a flight."""
        booked.append(city)
        return f"booked {city}"

    def look(messages: Sequence[BaseMessage]) -> AIMessage:
        return AIMessage("go to Oslo", name="look")

    def agent(messages: Sequence[BaseMessage]) -> AIMessage:
        last = messages[-1]
        if isinstance(last, ToolMessage):
            return AIMessage(str(last.content))
        return tool_call("book", city="Oslo" if "Oslo" in str(last.content) else "Rome")

    page = StateGraph(MessagesState)
    page.add_node("look", create_agent(StubChat(rule=look), [], name="look"))
    page.add_node("book", create_agent(StubChat(rule=agent), [book], name="book"))
    page.add_edge(START, "look")
    page.add_edge("look", "book")
    return page.compile()


def oslo(state: Any) -> float:
    return float("booked Oslo" in str(state["messages"][-1].content))


ASKED = {"messages": [("user", "a holiday")]}


def test_a_tool_acts_once_and_the_rest_is_said_to_be_not_played(booked: list[str]) -> None:
    app = travel(booked)
    credit = attribute(app, ["look", "book"], oslo, ASKED)
    assert booked == ["Oslo"]
    assert [(f.coalition, f.played) for f in credit.failures] == [("book", False)]
    assert "tool book of book would act again" in credit.failures[0].reason
    assert credit.values is None, "a quarter of the coalitions is not known"
    assert "book" not in credit.worth
    assert credit.worth == {"": 0.0, "look": 0.0, "look,book": 1.0}
    assert any("tools that acted" in note for note in credit.notes)


def test_tools_that_change_nothing_may_be_named(booked: list[str]) -> None:
    credit = attribute(travel(booked), ["look", "book"], oslo, ASKED, safe_tools=["book"])
    assert booked == ["Oslo", "Rome"]
    assert credit.values == {"look": 0.5, "book": 0.5}


def test_further_samples_do_not_make_tools_act_again(booked: list[str]) -> None:
    with pytest.raises(ValueError, match="sample 2: tool book of book would act again"):
        attribute(travel(booked), ["look", "book"], oslo, ASKED, samples=2)
    assert booked == ["Oslo"]
