"""Apps as strangers write them: a store, a context, a checkpointer, Send, subgraphs, factories."""

import operator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from langchain_core.messages import AIMessage, AnyMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint
from langgraph.graph import END, START, StateGraph, add_messages
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, Send, interrupt
from typing_extensions import TypedDict

from shapley_coop.extensions.attribute import attribute


@dataclass
class Tone:
    """The desk's context."""

    word: str = "kind"


class Desk(TypedDict):
    """The desk's state."""

    messages: Annotated[list[AnyMessage], add_messages]
    parts: Annotated[list[str], operator.add]
    plan: list[str]
    final: str


class Text(TypedDict):
    """What the writer's subgraph works on."""

    parts: list[str]
    final: str


async def planner(state: Desk, runtime: Runtime[Tone]) -> dict[str, Any]:
    text = str(state["messages"][-1].content)
    assert runtime.store is not None
    await runtime.store.aput(("asked",), "last", {"text": text})
    return {"plan": [word for word in text.split() if len(word) > 4]}


async def looker(part: dict[str, str]) -> dict[str, Any]:
    return {"parts": [f"{part['topic']}:{len(part['topic'])}"]}


def draft(state: Text) -> dict[str, Any]:
    return {"final": " ".join(sorted(state["parts"]))}


def polish(state: Text, runtime: Runtime[Tone]) -> dict[str, Any]:
    return {"final": f"{state['final']} ({runtime.context.word})"}


async def closer(state: Desk, runtime: Runtime[Tone]) -> Command[Literal["__end__"]]:
    assert runtime.store is not None
    item = await runtime.store.aget(("asked",), "last")
    said = f"You asked: {item.value['text'] if item else '?'}. {state['final']}"
    return Command(update={"messages": [AIMessage(said)]}, goto=END)


def desk() -> Any:
    """A planner, a look-up for each word, a writer of two steps, a closer."""
    writer = StateGraph(Text, context_schema=Tone)
    writer.add_node(draft)
    writer.add_node(polish)
    writer.add_edge(START, "draft")
    writer.add_edge("draft", "polish")

    def fan(state: Desk) -> list[Send] | str:
        return [Send("looker", {"topic": word}) for word in state["plan"]] or "writer"

    page = StateGraph(Desk, context_schema=Tone)
    page.add_node(planner)
    page.add_node(looker)
    page.add_node("writer", writer.compile())
    page.add_node(closer)
    page.add_edge(START, "planner")
    page.add_conditional_edges("planner", fan, ["looker", "writer"])
    page.add_edge("looker", "writer")
    page.add_edge("writer", "closer")
    return page.compile(checkpointer=InMemorySaver(), store=InMemoryStore())


async def words(state: Desk, given: Any) -> float:
    said = str(state["messages"][-1].content)
    asked = given["messages"][0]["content"].split()
    return sum(word in said for word in asked) + said.count(":") + 5 * ("kind" in said)


def test_a_desk_with_all_that_langgraph_has_is_attributed_and_its_store_stays_empty() -> None:
    app = desk()
    asked = {"messages": [{"role": "user", "content": "compare apples and oranges"}]}
    agents = ["planner", "looker", "writer/draft", "writer/polish", "closer"]
    found = attribute(app, agents, words, asked, context=Tone(), config={"tags": ["mine"]})
    assert found.values == pytest.approx(
        {
            "planner": 2.75,
            "looker": 0.75,
            "writer/draft": 0.75,
            "writer/polish": 2.5,
            "closer": 6.25,
        }
    )
    assert not found.failures
    assert app.store.search(("asked",)) == []
    again = attribute(app, agents, words, asked, context=Tone(), config={"tags": ["mine"]})
    assert (again.calls["made"], again.values) == (0, found.values)


class Asked(TypedDict, total=False):
    """A text that a person approves."""

    text: str
    approved: bool


def made(config: dict[str, Any]) -> StateGraph[Any]:
    """A factory, as langgraph.json may name."""
    page = StateGraph(Asked)
    page.add_node("write", lambda state: {"text": "hello"})
    page.add_edge(START, "write")
    return page


def test_a_function_that_makes_the_graph_is_as_good_as_the_graph() -> None:
    found = attribute(made, ["write"], lambda state: len(state.get("text", "")), {})
    assert found.values == {"write": 5.0}

    def needs(config: Any, model: Any) -> Any:
        raise NotImplementedError

    def fails() -> Any:
        raise KeyError("no key")

    async def later() -> Any:
        raise NotImplementedError

    for factory, complaint in ((needs, "config, model"), (fails, "KeyError"), (later, "asynchr")):
        with pytest.raises(ValueError, match=complaint):
            attribute(factory, ["write"], lambda state: 0.0, {})


def approving(seen: list[Any]) -> Any:
    """A text that is written, approved by a person, and signed if it was."""

    def approve(state: Asked) -> Asked:
        seen.append(said := interrupt(state.get("text", "")))
        return {"approved": said == "yes"}

    page = made({})
    page.add_node("approve", approve)
    page.add_node("sign", lambda s: {"text": s["text"] + "!"} if s["approved"] else {})
    page.add_edge("write", "approve")
    page.add_edge("approve", "sign")
    return page.compile(name="approving")


def test_an_app_that_asks_a_person_is_refused_with_what_would_help() -> None:
    with pytest.raises(ValueError, match=r'approve asks .* give --answers.*"approve": what it is'):
        attribute(approving([]), ["write"], length, {}, answers={"review": "yes"})
    with pytest.raises(ValueError, match="interrupt"):
        attribute(approving([]), ["write"], length, {})


def length(state: Asked) -> int:
    return len(state.get("text", ""))


@pytest.mark.parametrize("answers", [{"approve": "yes"}, {"*": "yes"}, lambda text: "yes"])
def test_a_person_is_answered_for_alike_in_every_coalition(answers: Any) -> None:
    seen: list[Any] = []
    agents = ["write", "approve", "sign"]
    found = attribute(approving(seen), agents, length, {}, answers=answers)
    assert found.worth["write,approve,sign"] == 6
    assert found.worth["write,sign"] == 6  # a blank approval keeps its yes: it is a choice of route
    assert set(seen) == {"yes"}
    asked = len(seen)
    again = attribute(approving(seen), agents, length, {}, answers=answers)
    assert (again.calls["made"], again.values, len(seen)) == (0, found.values, asked)
    no = attribute(approving(seen), agents, length, {}, answers={"*": "no"})
    assert no.worth["write,approve,sign"] == 5


def test_the_functional_api_is_refused_with_what_to_do() -> None:
    @entrypoint()
    def flow(text: str) -> str:
        return text

    with pytest.raises(ValueError, match=r"@entrypoint .* not supported .* build a StateGraph"):
        attribute(flow, ["flow"], length, {})
