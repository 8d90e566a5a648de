"""The benchmark's LangGraph apps: ten layouts, whose embedded models do what a term says."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import add
from typing import Annotated, Any, TypedDict

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, Send

from extensions.attribute.tests.benchmark.apps import KnownApp
from extensions.attribute.tests.benchmark.cast import Cast, text_of
from shapley_coop.extensions.attribute.demo import RuleChat


class Work(TypedDict, total=False):
    """The state of most apps: what to do, what was said, and how often it went round."""

    task: str
    said: Annotated[list[str], add]
    text: str
    rounds: int


@dataclass(frozen=True)
class Built:
    """An app of the benchmark that can be played.

    Attributes:
        known: what it was built from.
        graph: compiled, or a graph that `attribute` compiles.
        agents: as `attribute` names them, in the order of `known.agents`.
        score: of the final state and the input.
        inputs: tasks, numbered; a single one where all are alike.
    """

    known: KnownApp
    graph: Any
    agents: list[str]
    score: Callable[[Any, Any], float]
    inputs: list[dict[str, Any]]


def build(known: KnownApp, inputs: int = 20, seed: int = 0) -> Built:
    """Build an app.

    Args:
        known: its terms and layout.
        inputs: tasks, where they differ or agents may fail.
        seed: of what tasks ask for, and of who fails in them.
    """
    cast = Cast(known, seed)
    graph, prefix = _LAYOUTS[known.shape](cast)
    numbers = range(1, 1 + (1 if known.is_certain else inputs))
    talks = known.shape in ("supervisor", "tools")
    return Built(
        known,
        graph,
        [prefix.get(agent, "") + agent for agent in known.agents],
        cast.score,
        [
            {"messages": [HumanMessage(f"task {k}")]} if talks else {"task": f"task {k}"}
            for k in numbers
        ],
    )


def _sequence(page: Any, names: Sequence[str]) -> None:
    page.add_edge(START, names[0])
    for a, b in pairwise(names):
        page.add_edge(a, b)


_Laid = tuple[Any, dict[str, str]]
"""The graph, and what stands before an agent's name in its path."""


def _chain(cast: Cast) -> _Laid:
    page: Any = StateGraph(Work)
    for agent in cast.known.agents:
        page.add_node(agent, cast.saying(agent))
    _sequence(page, cast.known.agents)
    return page.compile(), {}


def _rewrite(cast: Cast) -> _Laid:
    page: Any = StateGraph(Work)

    def writer(agent: str) -> Callable[[Work], Any]:
        speak = cast.speaker(agent)
        return lambda state: {"text": f"{state.get('text', '')} {speak(text_of(state))}".strip()}

    for agent in cast.known.agents:
        page.add_node(agent, writer(agent))
    _sequence(page, cast.known.agents)
    return page.compile(), {}


def _loop(cast: Cast) -> _Laid:
    *others, last = cast.known.agents
    page: Any = StateGraph(Work)
    speak = cast.speaker(last)

    def review(state: Work) -> Work:
        return {"said": [speak(text_of(state))], "rounds": state.get("rounds", 0) + 1}

    for agent in others:
        page.add_node(agent, cast.saying(agent))
    page.add_node(last, review)
    _sequence(page, cast.known.agents)
    route: Any = {"again": others[-1], "done": END}
    page.add_conditional_edges(last, lambda s: "again" if s["rounds"] < 2 else "done", route)
    return page.compile(), {}


def _parallel(cast: Cast) -> _Laid:
    page: Any = StateGraph(Work)
    for agent in cast.known.agents:
        page.add_node(agent, cast.saying(agent))
        page.add_edge(START, agent)
    page.add_node("join", lambda state: {"text": cast.join(text_of(state))})
    page.add_edge(list(cast.known.agents), "join")
    return page.compile(), {}


def _debate(cast: Cast) -> _Laid:
    page: Any = StateGraph(Work)
    page.add_node("open", lambda state: {"rounds": state.get("rounds", 0) + 1})
    page.add_node("chair", lambda state: {"text": cast.join(text_of(state))})
    page.add_edge(START, "open")
    for agent in cast.known.agents:
        page.add_node(agent, cast.saying(agent))
    page.add_edge(list(cast.known.agents), "open")

    def turn(state: Work) -> Any:
        return list(cast.known.agents) if state["rounds"] <= 2 else "chair"

    page.add_conditional_edges("open", turn, [*cast.known.agents, "chair"])
    return page.compile(), {}


def _send(cast: Cast) -> _Laid:
    page: Any = StateGraph(Work)
    page.add_node("plan", lambda state: {})
    page.add_node("join", lambda state: {"text": cast.join(text_of(state))})
    page.add_edge(START, "plan")
    for agent in cast.known.agents:
        page.add_node(agent, cast.saying(agent))
        page.add_edge(agent, "join")

    def deal(state: Work) -> list[Send]:
        return [Send(agent, {"task": state["task"]}) for agent in cast.known.agents]

    page.add_conditional_edges("plan", deal, list(cast.known.agents))
    return page.compile(), {}


def _team(cast: Cast) -> _Laid:
    *inside, last = cast.known.agents
    inner: Any = StateGraph(Work)
    page: Any = StateGraph(Work)
    for agent in inside:
        inner.add_node(agent, cast.saying(agent))
    _sequence(inner, inside)
    page.add_node("team", inner.compile())
    page.add_node(last, cast.saying(last))
    _sequence(page, ["team", last])
    return page.compile(), dict.fromkeys(inside, "team/")


def _supervisor(cast: Cast) -> _Laid:
    page: Any = StateGraph(MessagesState)
    after = (*cast.known.agents, END)

    def lead(state: MessagesState) -> Command[str]:
        return Command(goto=after[len(state["messages"]) - 1])

    def worker(agent: str) -> Callable[[MessagesState], Command[str]]:
        speak = cast.speaker(agent)

        def act(state: MessagesState) -> Command[str]:
            said = AIMessage(speak(text_of(state)), name=agent)
            return Command(goto="lead", update={"messages": [said]})

        return act

    page.add_node("lead", lead, destinations=after)
    for agent in cast.known.agents:
        page.add_node(agent, worker(agent), destinations=("lead",))
    page.add_edge(START, "lead")
    return page.compile(), {}


def _swarm(cast: Cast) -> _Laid:
    page: Any = StateGraph(Work)
    names = [*cast.known.agents, "close"]

    def member(agent: str, to: str) -> Any:
        inner: Any = StateGraph(Work)
        speak = cast.speaker(agent)

        def act(state: Work) -> Any:
            said = {"said": [speak(text_of(state))]}
            return Command(goto=to, graph=Command.PARENT, update=said)

        inner.add_node("act", act)
        inner.add_edge(START, "act")
        return inner.compile(name=agent)

    for agent, to in pairwise(names):
        page.add_node(agent, member(agent, to), destinations=(to,))
    page.add_node("close", lambda state: {})
    page.add_edge(START, names[0])
    return page.compile(), {}


class _Lead(RuleChat):
    """A lead that asks each tool in turn, handing on all it heard, and repeats what they said."""

    tools: tuple[str, ...] = ()

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        """Know them already."""
        return self

    def answer(self, messages: list[BaseMessage]) -> AIMessage:
        heard = " ".join(str(message.content) for message in messages)
        asked = sum(isinstance(message, ToolMessage) for message in messages)
        if asked == len(self.tools):
            return AIMessage(heard)
        call = {"name": self.tools[asked], "args": {"request": heard}, "id": f"call-{asked}"}
        return AIMessage("", tool_calls=[{**call, "type": "tool_call"}])


def _tools(cast: Cast) -> _Laid:
    def tool(agent: str) -> StructuredTool:
        speak = cast.speaker(agent)

        def ask(request: str) -> str:
            return speak(request)

        return StructuredTool.from_function(ask, name=agent, description=f"Ask {agent}.")

    lead = _Lead(rule=str, tools=cast.known.agents)
    return create_agent(lead, [tool(agent) for agent in cast.known.agents]), {}


_LAYOUTS: dict[str, Callable[[Cast], _Laid]] = {
    "chain": _chain,
    "rewrite": _rewrite,
    "loop": _loop,
    "parallel": _parallel,
    "debate": _debate,
    "send": _send,
    "team": _team,
    "supervisor": _supervisor,
    "swarm": _swarm,
    "tools": _tools,
}
