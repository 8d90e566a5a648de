"""LangGraph apps whose agents' values are known by hand, for tests of `attribute`.

Every shape in which agents work together: a pipeline with a review loop, agents side by side, a
supervisor that routes by `Command(goto)`, subgraphs that hand over by `Command.PARENT`, a team as a
subgraph, and `Send`. Each comes with its agents, its score, an input, and the values.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import add
from typing import Annotated, Any, Literal, TypedDict

from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, Send


@dataclass(frozen=True)
class KnownApp:
    graph: Any
    agents: Sequence[str]
    score: Callable[..., float]
    given: Any
    values: dict[str, float]


class Report(TypedDict, total=False):
    facts: str
    text: str
    note: str
    verdict: Literal["again", "done"]


def pipeline() -> KnownApp:
    """Two facts, and a signature that the critic asks for.

    v(RW) = 2, v(WC) = 1, v(RWC) = 3, all others 0. So R = 2/6 + 2/3, W = 2/6 + 1/6 + 3/3,
    C = 1/6 + 1/3.
    """

    def research(state: Report) -> Report:
        return {"facts": "rain wind"}

    def write(state: Report) -> Report:
        return {"text": f"{state['facts']} {'signed' if state.get('note') else ''}".strip()}

    def review(state: Report) -> Report:
        if "signed" in state["text"] or state.get("note"):
            return {"verdict": "done"}
        return {"verdict": "again", "note": "sign it"}

    page = StateGraph(Report)
    page.add_node("research", research)
    page.add_node("write", write)
    page.add_node("review", review)
    page.add_edge(START, "research")
    page.add_edge("research", "write")
    page.add_edge("write", "review")
    route = {"again": "write", "done": END}
    page.add_conditional_edges("review", lambda state: state["verdict"], route)
    return KnownApp(
        page.compile(),
        ["research", "write", "review"],
        lambda state: sum(word in state["text"] for word in ("rain", "wind", "signed")),
        {},
        {"research": 1.0, "write": 1.5, "review": 0.5},
    )


class Parts(TypedDict, total=False):
    task: str
    parts: Annotated[list[str], add]
    total: Annotated[int, add]


def side_by_side() -> KnownApp:
    """Each adds its own number; together `a` and `b` are worth 4 more."""

    def worker(name: str, worth: int) -> Callable[[Parts], Parts]:
        return lambda state: {"parts": [name], "total": worth}

    page = StateGraph(Parts)
    for name, worth in {"a": 1, "b": 2, "c": 3}.items():
        page.add_node(name, worker(name, worth))
        page.add_edge(START, name)
    return KnownApp(
        page.compile(),
        ["a", "b", "c"],
        lambda state: state["total"] + 4 * ({"a", "b"} <= set(state["parts"])),
        {"task": "add"},
        {"a": 3.0, "b": 4.0, "c": 3.0},
    )


def supervisor() -> KnownApp:
    """A text is worth 1, with the fact in it 2; the checker only hands back."""
    after = ("search", "write", "check", END)

    def lead(state: MessagesState) -> Command[str]:
        said = [m for m in state["messages"] if isinstance(m, AIMessage)]
        return Command(goto=after[len(said)])

    def agent(say: Callable[[str], str]) -> Callable[[MessagesState], Command[str]]:
        def act(state: MessagesState) -> Command[str]:
            words = say(str(state["messages"][-1].content))
            return Command(goto="lead", update={"messages": [AIMessage(words)]})

        return act

    page = StateGraph(MessagesState)
    page.add_node("lead", lead, destinations=after)
    page.add_node("search", agent(lambda heard: "fact"), destinations=("lead",))
    page.add_node("write", agent(lambda heard: f"text with {heard}"), destinations=("lead",))
    page.add_node("check", agent(lambda heard: "looks good"), destinations=("lead",))
    page.add_edge(START, "lead")
    return KnownApp(
        page.compile(),
        ["search", "write", "check"],
        lambda state: max(_worth_of_text(str(m.content)) for m in state["messages"]),
        {"messages": [("user", "write about the weather")]},
        {"search": 0.5, "write": 1.5, "check": 0.0},
    )


def _worth_of_text(words: str) -> int:
    return ("text" in words) * (1 + ("fact" in words))


class Handed(TypedDict, total=False):
    notes: Annotated[list[str], add]
    active: str


def handing_over() -> KnownApp:
    """Subgraphs that hand over to each other; each leaves a note that is worth 1, both 3."""

    def member(name: str, to: str) -> Any:
        page = StateGraph(Handed)

        def act(state: Handed) -> Any:
            return Command(goto=to, graph=Command.PARENT, update={"notes": [name], "active": to})

        page.add_node("act", act)
        page.add_edge(START, "act")
        return page.compile(name=name)

    page = StateGraph(Handed)
    page.add_node("alice", member("alice", "bob"), destinations=("bob",))
    page.add_node("bob", member("bob", "close"), destinations=("close",))
    page.add_node("close", lambda state: {"active": ""})
    page.add_edge(START, "alice")
    return KnownApp(
        page.compile(),
        ["alice", "bob"],
        lambda state: (0, 1, 3)[len(set(state["notes"]))],
        {"notes": []},
        {"alice": 1.5, "bob": 1.5},
    )


class Story(TypedDict, total=False):
    plot: str
    prose: str
    title: str


def team() -> KnownApp:
    """Two agents within the subgraph `team`, and one beside it: prose needs a plot."""
    inner = StateGraph(Story)
    inner.add_node("plot", lambda state: {"plot": "a storm"})
    inner.add_node("prose", lambda state: {"prose": f"Once: {state['plot']}"})
    inner.add_edge(START, "plot")
    inner.add_edge("plot", "prose")
    page = StateGraph(Story)
    page.add_node("team", inner.compile())
    page.add_node("title", lambda state: {"title": "Storm"})
    page.add_edge(START, "team")
    page.add_edge("team", "title")
    return KnownApp(
        page.compile(),
        ["team/plot", "team/prose", "title"],
        lambda state: 4 * ("storm" in state["prose"]) + ("Storm" in state["title"]),
        {},
        {"team/plot": 2.0, "team/prose": 2.0, "title": 1.0},
    )


class Split(TypedDict, total=False):
    tasks: list[str]
    done: Annotated[list[str], add]
    answer: str


def map_reduce() -> KnownApp:
    """A planner names two tasks, a worker is sent to each, a joiner counts what is done.

    Without plan, worker or joiner the answer is worth nothing: each has a third of 2.
    """
    page = StateGraph(Split)
    page.add_node("plan", lambda state: {"tasks": ["one", "two"]})
    page.add_node("work", lambda task: {"done": [task["task"].upper()]})
    page.add_node("join", lambda state: {"answer": " ".join(sorted(state["done"]))})
    page.add_edge(START, "plan")
    page.add_conditional_edges(
        "plan",
        lambda state: [Send("work", {"task": task}) for task in state["tasks"]] or ["join"],
        ["work", "join"],
    )
    page.add_edge("work", "join")
    return KnownApp(
        page.compile(),
        ["plan", "work", "join"],
        lambda state: len(state["answer"].split()),
        {"done": []},
        {"plan": 2 / 3, "work": 2 / 3, "join": 2 / 3},
    )


SHAPES = {
    "pipeline with a review loop": pipeline,
    "side by side": side_by_side,
    "supervisor": supervisor,
    "handing over": handing_over,
    "team as a subgraph": team,
    "Send": map_reduce,
}
