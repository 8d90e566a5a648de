"""Shapes that public apps have: tools made as a node runs, answers that an edge waits for."""

import operator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from extensions.attribute.tests.stub_chat import StubChat, tool_call
from shapley_coop.extensions.attribute import attribute
from tests.coop_command import Coop, one_line

ASKED = {"messages": ["hello"]}


def said(state: Any) -> float:
    return float(str(state["messages"][-1].content) == "one two")


def test_a_tool_that_is_made_as_a_node_runs_is_a_part_of_that_node() -> None:
    """As open_deep_research makes its search, which asks a model for a summary."""

    async def work(state: MessagesState) -> dict[str, Any]:
        model = StubChat(rule=lambda messages: AIMessage("one two"))

        @tool
        async def search(q: str) -> str:
            """Search, and sum up what was found."""
            return str((await model.ainvoke(q)).content)

        return {"messages": [AIMessage(await search.ainvoke({"q": "?"}))]}

    page = StateGraph(MessagesState)
    page.add_node("work", work)
    page.add_edge(START, "work")
    found = attribute(page.compile(), score=said, inputs=ASKED)
    assert found.found == {"work": "a node that asks a model"}
    assert found.values == {"work": 1.0}


class Task(TypedDict, total=False):
    task: str
    done: str
    answer: str


DONE = "finished"


def working(answer: str, edge: Any) -> Any:
    """A worker, and a planner that answers at the second time, until when it goes on."""
    page = StateGraph(Task)
    page.add_node("work", lambda s: {"done": s.get("done", "") + "x"})
    page.add_node("plan", lambda s: {"answer": answer} if s.get("done") == "xx" else {})
    page.add_edge(START, "work")
    page.add_edge("work", "plan")
    page.add_conditional_edges("plan", edge, ["work", END])
    return page.compile()


def until_answered(state: Task) -> str:
    return END if state.get("answer") else "work"


def until_done(state: Task) -> str:
    return END if state.get("answer") == DONE else "work"


def until_ended(state: Task) -> str:
    return END if state.get("answer", "").upper() in {"ENDED", "FINISHED"} else "work"


@pytest.mark.parametrize("words", ["Sexten", "Sexten, in the Dolomites"])
def test_an_answer_that_an_edge_waits_for_is_not_kept_where_its_author_is_absent(
    words: str,
) -> None:
    """As in plan-and-execute: a single word is no way on because an edge reads the field."""
    found = attribute(
        working(words, until_answered), ["plan"], lambda s: float(s["answer"] == words), {}
    )
    assert found.worth == {"": 0, "plan": 1}
    assert not any("steers" in note for note in found.notes)
    assert any("answer one blank in every play: emptied" in note for note in found.notes)


@pytest.mark.parametrize("edge", [until_done, until_ended])
def test_a_word_that_an_edge_compares_with_is_kept(edge: Any) -> None:
    found = attribute(working(DONE, edge), ["plan"], lambda s: len(s["done"]), {})
    assert found.worth == {"": 2, "plan": 2}
    assert any("an absent plan writes answer as it did" in note for note in found.notes)


def test_an_edge_that_names_a_node_does_not_read_what_that_node_reads() -> None:
    """As in rewoo: the edge's "solve" is a node, whose function has that name, too."""
    page = StateGraph(Task)
    page.add_node("work", lambda s: {"done": "x"})
    page.add_node("solve", solve)
    page.add_edge(START, "work")
    page.add_conditional_edges("work", lambda s: "solve" if s["done"] else "work")
    found = attribute(page.compile(), ["solve"], lambda s: len(s["answer"]), {})
    assert found.worth == {"": 0, "solve": 1}


def solve(state: Task) -> Task:
    return {"answer": state["done"]}


def test_who_answers_a_tool_call_of_another_agent_answers_it_without_words() -> None:
    """As the checker of data-enrichment: a model refuses a call that nobody answered."""

    def ask(state: MessagesState) -> dict[str, Any]:
        return {"messages": [tool_call("Info", found="rain")]}

    def check(state: MessagesState) -> dict[str, Any]:
        call = state["messages"][-1].tool_calls[0]
        return {"messages": [ToolMessage("good", tool_call_id=call["id"], status="error")]}

    def sound(state: MessagesState) -> float:
        asked, answered = state["messages"][-2:]
        if not (asked.tool_calls and isinstance(answered, ToolMessage)):
            return 0.0
        assert (answered.tool_call_id, answered.status) == (asked.tool_calls[0]["id"], "error")
        return 1.0 + (answered.content == "good")

    page = StateGraph(MessagesState)
    page.add_sequence([("ask", ask), ("check", check)])
    page.add_edge(START, "ask")
    found = attribute(page.compile(), ["ask", "check"], sound, ASKED)
    assert found.worth["ask"] == 1, "the check answers, and says nothing"


def replaced(there: list[Any], new: Any) -> list[Any]:
    """A reducer that is told to replace what is there, as open_deep_research has one."""
    return new["value"] if isinstance(new, dict) and new["type"] == "override" else there + new


class Brief(TypedDict, total=False):
    talk: Annotated[list[Any], replaced]
    notes: Annotated[list[str], operator.add]


def test_what_tells_a_reducer_what_to_do_is_kept() -> None:
    page = StateGraph(Brief)
    page.add_node("brief", lambda s: {"talk": {"type": "override", "value": [HumanMessage("go")]}})
    page.add_node("work", lambda s: {"notes": [str(m.content) for m in s["talk"]]})
    page.add_edge(START, "brief")
    page.add_edge("brief", "work")
    found = attribute(
        page.compile(), ["brief"], lambda s: float(s["notes"] == ["go"]), {"talk": ["hello"]}
    )
    assert found.failures == []
    assert found.worth == {"": 0, "brief": 1}


def test_a_play_that_needs_a_plan_says_whose_plan_is_empty() -> None:
    """As in plan-and-execute, whose worker takes the first step of a list."""
    page = StateGraph(Brief)
    page.add_node("plan", lambda s: {"notes": ["find", "tell"]})
    page.add_node("work", lambda s: {"talk": [s["notes"][0]]})
    page.add_node("close", lambda s: {"talk": ["done"]})
    page.add_edge(START, "plan")
    page.add_edge("plan", "work")
    page.add_edge("work", "close")
    found = attribute(page.compile(), ["plan", "close"], lambda s: 1.0, {"talk": [], "notes": []})
    reason = (
        "IndexError: list index out of range; the absent plan wrote notes, now emptied: if the "
        "app needs it, --absent plan=path.py:function"
    )
    assert [f.reason for f in found.failures] == [reason] * 2, "close was never asked"


class Steps(TypedDict, total=False):
    results: dict[str, str]
    answer: str


def test_a_mapping_that_grows_step_by_step_grows_without_words() -> None:
    """As in rewoo, whose worker goes on until each step has a result."""

    def work(state: Steps) -> Steps:
        done = state.get("results", {})
        return {"results": {**done, f"#E{len(done) + 1}": "found"}}

    page = StateGraph(Steps)
    page.add_node("work", work)
    page.add_node("close", lambda s: {"answer": " ".join(s["results"].values())})
    page.add_edge(START, "work")
    page.add_conditional_edges("work", lambda s: "close" if len(s["results"]) > 1 else "work")
    found = attribute(page.compile(), ["work"], lambda s: s["answer"].count("found"), {})
    assert found.failures == []
    assert found.worth == {"": 0, "work": 2}


@dataclass
class Settings:
    """What the app is set to."""

    user: str


def reading(read: Any) -> Any:
    page = StateGraph(Task, context_schema=Settings)
    page.add_node("work", read)
    page.add_edge(START, "work")
    return page.compile()


def of_context(state: Task, runtime: Runtime[Settings]) -> Task:
    return {"answer": runtime.context.user}


def of_store(state: Task, runtime: Runtime[Settings]) -> Task:
    return {"answer": str(runtime.store.get(("x",), "y"))}  # type: ignore[union-attr]


@pytest.mark.parametrize("agents", [None, ["work"]])
def test_an_app_that_lacks_a_context_or_a_store_says_how_to_give_it(agents: Any) -> None:
    with pytest.raises(ValueError, match=r"a Settings, and none .* give --context or --config"):
        attribute(reading(of_context), agents, len, {})
    with pytest.raises(ValueError, match=r"'get'; the app has no store: .* compile it with"):
        attribute(reading(of_store), agents, len, {}, context=Settings("ann"))


CONFIGURED = """\
from typing import TypedDict
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph

class Text(TypedDict, total=False):
    text: str

def work(state, config: RunnableConfig):
    return {"text": config["configurable"]["user"]}

graph = StateGraph(Text).add_node("work", work).add_edge(START, "work").compile()

def score(state):
    return len(state["text"])
"""


def test_the_command_hands_on_a_config(coop: Coop, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(CONFIGURED, encoding="utf-8")
    (tmp_path / "in.json").write_text("{}", encoding="utf-8")
    (tmp_path / "config.yaml").write_text("configurable: {user: ann}", encoding="utf-8")
    (tmp_path / "list.yaml").write_text("[ann]", encoding="utf-8")
    given = ("attribute", "app.py:graph", "--score", "app.py:score", "--input", "in.json")
    assert coop(*given, "--config", "config.yaml", "--json").result["values"] == {"work": 3}
    assert "config" in one_line(coop(*given, "--config", "list.yaml"), 2)


class Pairs(TypedDict, total=False):
    steps: Annotated[list[tuple[str, str]], operator.add]
    answer: str


def test_a_tuple_stays_a_tuple() -> None:
    """As plan-and-execute writes its steps; a file of calls gives lists back."""

    def close(state: Pairs) -> Command[Any]:
        return Command(update=[("answer", " ".join(dict(set(state["steps"])).values()))])

    page = StateGraph(Pairs)
    page.add_node("work", lambda s: {"steps": [("one", "done")]})
    page.add_node("close", close)
    page.add_edge(START, "work")
    page.add_edge("work", "close")
    found = attribute(page.compile(), ["work", "close"], lambda s: len(s["answer"]), {})
    assert found.failures == []
    assert found.values == {"work": 2, "close": 2}
