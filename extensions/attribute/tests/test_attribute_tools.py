"""Agents that are called as tools: nested, at once, without await, in Deep Agents; unmodified."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.tools import BaseTool, tool
from langgraph.graph import START, MessagesState, StateGraph

from extensions.attribute.tests.stub_chat import StubChat, tool_call
from shapley_coop.extensions.attribute import attribute

ASKED = {"messages": [{"role": "user", "content": "combined headcount?"}]}
Says = Callable[[Sequence[BaseMessage]], AIMessage]


def score(state: Any) -> float:
    return float("231317" in str(state["messages"][-1].content))


def agent(name: str, say: Says, tools: Sequence[BaseTool] = ()) -> Any:
    return create_agent(StubChat(rule=say, model=name), list(tools), name=name)


def told(one: Any, words: str) -> str:
    """What an agent says to a text."""
    return str(one.invoke({"messages": [("user", words)]})["messages"][-1].content)


def adds(messages: Sequence[BaseMessage]) -> AIMessage:
    numbers = [int(x) for x in str(messages[-1].content).split() if x.isdigit()]
    return AIMessage(str(sum(numbers)) if len(numbers) > 1 else "unknown")


def finds(messages: Sequence[BaseMessage]) -> AIMessage:
    return AIMessage("67317 and 164000")


def leads(first: str, second: str) -> Says:
    """Ask one tool, then another with its answer."""

    def say(messages: Sequence[BaseMessage]) -> AIMessage:
        said = [m for m in messages if isinstance(m, ToolMessage)]
        if not said:
            return tool_call(first, q="headcount")
        if len(said) == 1:
            return tool_call(second, q=str(said[0].content))
        return AIMessage(f"The answer is {said[1].content}")

    return say


def office(acted: list[str] | None = None) -> Any:
    researcher, mathematician = agent("researcher", finds), agent("mathematician", adds)

    @tool
    def research(q: str) -> str:
        """Ask the researcher."""
        if acted is not None:
            acted.append(q)
        return told(researcher, q)

    @tool
    async def add_up(q: str) -> str:
        """Ask the mathematician."""
        found = await mathematician.ainvoke({"messages": [("user", q)]})
        return str(found["messages"][-1].content)

    return agent("boss", leads("research", "add_up"), [research, add_up])


@pytest.mark.parametrize("agents", [["research", "add_up"], ["researcher", "mathematician"]])
def test_agents_that_are_tools_are_named_as_the_tool_or_as_the_agent(agents: list[str]) -> None:
    acted: list[str] = []
    app, invoke = office(acted), BaseTool.invoke
    found = attribute(app, agents, score, ASKED)
    assert found.values == dict.fromkeys(agents, 0.5)
    assert found.failures == []
    assert acted == ["headcount"], "what is asked alike is asked once"
    assert [found.spent[a].models for a in agents] == [1.0, 1.0]
    assert all(found.spent[a].input_tokens == 1 for a in agents)
    assert BaseTool.invoke is invoke, "LangChain's own again"
    again = attribute(app, agents, score, ASKED)
    assert (again.calls["made"], again.calls["models"]) == (0, 0)
    assert again.values == found.values
    assert again.spent == found.spent


def test_a_supervisor_is_called_by_its_own_name() -> None:
    found = attribute(office(), ["boss", "research", "add_up"], score, ASKED)
    assert found.values == pytest.approx(dict.fromkeys(["boss", "research", "add_up"], 1 / 3))
    assert found.spent["boss"].models == 3


def test_further_samples_ask_agents_that_are_tools_again() -> None:
    """They are agents, and no tools that act."""
    found = attribute(office(), ["research", "add_up"], score, ASKED, samples=3)
    assert found.values == {"research": 0.5, "add_up": 0.5}
    assert found.failures == []


def test_an_agent_within_an_agent_has_its_own_tokens() -> None:
    finder = agent("finder", finds)

    @tool
    def find(q: str) -> str:
        """Ask the finder."""
        return told(finder, q)

    def looks(messages: Sequence[BaseMessage]) -> AIMessage:
        last = messages[-1]
        if isinstance(last, ToolMessage):
            return AIMessage(str(last.content))
        return tool_call("find", q="x")

    researcher, mathematician = agent("researcher", looks, [find]), agent("mathematician", adds)

    @tool
    def research(q: str) -> str:
        """Ask the researcher."""
        return told(researcher, q)

    @tool
    def add_up(q: str) -> str:
        """Ask the mathematician."""
        return told(mathematician, q)

    page = StateGraph(MessagesState)
    page.add_node("team", agent("team", leads("research", "add_up"), [research, add_up]))
    page.add_edge(START, "team")
    found = attribute(page.compile(), ["research", "find", "add_up"], score, ASKED)
    assert found.values == pytest.approx(dict.fromkeys(["research", "find", "add_up"], 1 / 3))
    assert [found.spent[a].models for a in found.agents] == [2.0, 1.0, 1.0]
    assert found.failures == []


def test_agents_are_called_at_once_and_each_is_silenced_alone() -> None:
    """One node asks three agents side by side; none of it waits for another."""
    names = ["one", "two", "three"]
    asked: list[str] = []

    def made(name: str) -> BaseTool:
        own = agent(name, lambda messages: AIMessage(name))

        @tool(f"ask_{name}")
        async def ask(q: str) -> str:
            """Ask it."""
            asked.append(name)
            found = await own.ainvoke({"messages": [("user", q)]})
            return str(found["messages"][-1].content)

        return ask

    tools = [made(name) for name in names]

    async def panel(state: MessagesState) -> dict[str, Any]:
        said = await asyncio.gather(*(one.ainvoke({"q": "?"}) for one in tools))
        return {"messages": [AIMessage(" ".join(said))]}

    page = StateGraph(MessagesState)
    page.add_node("panel", panel)
    page.add_edge(START, "panel")
    found = attribute(
        page.compile(),
        names,
        lambda state: sum(word in str(state["messages"][-1].content).split() for word in names),
        ASKED,
    )
    assert found.values == dict.fromkeys(names, 1.0)
    assert sorted(asked) == sorted(names)


def test_an_absent_agent_that_is_asked_again_and_again_ends_the_play() -> None:
    helper = agent("helper", finds)

    @tool
    def help_me(q: str) -> str:
        """Ask the helper."""
        return told(helper, q)

    def insists(messages: Sequence[BaseMessage]) -> AIMessage:
        last = messages[-1]
        found = isinstance(last, ToolMessage) and last.content
        return AIMessage(str(last.content)) if found else tool_call("help_me", q="x")

    app = agent("boss", insists, [help_me])
    found = attribute(app, ["help_me"], lambda s: 1.0, ASKED, max_steps=1000)
    assert found.values is None
    assert "the absent help_me was asked" in found.failures[0].reason


def test_a_tool_that_acts_beside_agents_acts_once() -> None:
    sent: list[str] = []

    @tool
    def send(q: str) -> str:
        """Send a letter."""
        sent.append(q)
        return f"sent {q}"

    researcher = agent("researcher", finds)

    @tool
    def research(q: str) -> str:
        """Ask the researcher."""
        return told(researcher, q)

    app = agent("boss", leads("research", "send"), [research, send])
    found = attribute(app, ["research"], lambda s: "67317" in str(s["messages"][-1].content), ASKED)
    assert sent == ["67317 and 164000"]
    assert [(f.coalition, f.played) for f in found.failures] == [("", False)]
    assert found.values is None


def test_a_run_that_is_broken_off_keeps_what_was_played() -> None:
    asked: list[str] = []

    def broken(messages: Sequence[BaseMessage]) -> AIMessage:
        asked.append(str(messages[-1].content))
        if len(asked) == 2:
            raise KeyboardInterrupt
        return adds(messages)

    researcher, mathematician = agent("researcher", finds), agent("mathematician", broken)

    @tool
    def research(q: str) -> str:
        """Ask the researcher."""
        return told(researcher, q)

    @tool
    def add_up(q: str) -> str:
        """Ask the mathematician."""
        return told(mathematician, q)

    app = agent("boss", leads("research", "add_up"), [research, add_up])
    with pytest.raises(KeyboardInterrupt):
        attribute(app, ["research", "add_up"], score, ASKED)
    found = attribute(app, ["research", "add_up"], score, ASKED)
    assert found.values == {"research": 0.5, "add_up": 0.5}
    assert asked == ["67317 and 164000", "", ""], "the recorded run was not made again"


def test_deep_agents_are_known_by_the_kind_of_their_task() -> None:
    deepagents = pytest.importorskip("deepagents", reason="deepagents is not installed")

    def leader(messages: Sequence[BaseMessage]) -> AIMessage:
        said = [m for m in messages if isinstance(m, ToolMessage)]
        if len(said) > 1:
            return AIMessage(f"The answer is {said[1].content}")
        kind = ("researcher", "mathematician")[len(said)]
        words = str(said[0].content) if said else "headcount"
        return tool_call("task", description=words, subagent_type=kind)

    known = {"researcher": finds, "mathematician": adds}
    app = deepagents.create_deep_agent(
        model=StubChat(rule=leader),
        subagents=[
            {"name": n, "description": n, "system_prompt": "x", "model": StubChat(rule=rule)}
            for n, rule in known.items()
        ],
    )
    found = attribute(app, list(known), score, ASKED)
    assert found.values == {"researcher": 0.5, "mathematician": 0.5}
    assert found.failures == []
