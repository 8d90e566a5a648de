"""States of every kind, nodes of every kind, and teams of teams."""

from dataclasses import dataclass, field
from enum import Enum
from operator import add
from typing import Annotated, Any, Literal

import pytest
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.managed import RemainingSteps
from langgraph.types import Command
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from shapley_coop.extensions.attribute import attribute


class Mood(Enum):
    GOOD = "good"
    BAD = "bad"


class Draft(BaseModel):
    text: str = ""
    words: int = 0


class AsModel(BaseModel):
    topic: str
    draft: Draft = Field(default_factory=Draft)
    mood: Mood = Mood.BAD
    said: Annotated[list[str], add] = Field(default_factory=list)


@dataclass
class AsData:
    topic: str
    draft: Draft = field(default_factory=Draft)
    mood: Mood = Mood.BAD
    said: Annotated[list[str], add] = field(default_factory=list)


@pytest.mark.parametrize("schema", [AsModel, AsData])
def test_states_may_be_models_and_dataclasses(schema: Any) -> None:
    """An absent writer keeps the mood it chose, which sends the run on, and loses its words."""
    page = StateGraph(schema)
    page.add_node(
        "write",
        lambda s: {"draft": Draft(text=f"on {s.topic}", words=2), "mood": Mood.GOOD, "said": ["w"]},
    )
    page.add_node(
        "edit", lambda s: {"draft": Draft(text=s.draft.text.upper(), words=s.draft.words)}
    )
    page.add_edge(START, "write")
    route = {Mood.GOOD: "edit", Mood.BAD: END}
    page.add_conditional_edges("write", lambda s: s.mood, route)
    given = (page.compile(), ["write", "edit"], lambda s: len(s["draft"].text), {"topic": "owls"})
    credit = attribute(*given)
    assert credit.failures == []
    assert credit.worth == {"": 0.0, "write": 7.0, "edit": 0.0, "write,edit": 7.0}
    again = attribute(*given)
    assert (again.calls["made"], again.worth) == (0, credit.worth)


class Counted(TypedDict, total=False):
    left: RemainingSteps
    text: str
    way: Literal["a", "b"]


def test_steps_that_remain_do_not_tell_two_inputs_apart() -> None:
    """`b` runs after one step or after two, on the same text."""
    page = StateGraph(Counted)
    asked: list[int] = []

    def last(state: Counted) -> Counted:
        asked.append(state["left"])
        return {"text": state["text"] + "!"}

    page.add_node("first", lambda state: {"text": "word"})
    page.add_node("last", last)
    page.add_edge(START, "first")
    page.add_edge("first", "last")
    given = (page.compile(), ["first", "last"], lambda s: len(s["text"]), {})
    attribute(*given)
    attribute(*given, max_steps=50)
    assert len(asked) == 2, "on the word and on nothing"


def test_nodes_may_be_async_runnables_and_return_several_commands() -> None:
    async def first(state: MessagesState) -> list[Command[str]]:
        return [Command(update={"messages": [AIMessage("one")]}), Command(goto="second")]

    page = StateGraph(MessagesState)
    page.add_node("first", first, destinations=("second",))
    page.add_node("second", RunnableLambda(lambda state: {"messages": [AIMessage("two")]}))
    page.add_edge(START, "first")
    credit = attribute(
        page.compile(),
        ["first", "second"],
        lambda s: sum(bool(m.content) for m in s["messages"]),
        {"messages": []},
    )
    assert credit.failures == []
    assert credit.values == {"first": 1.0, "second": 1.0}


class Team(TypedDict, total=False):
    said: Annotated[list[str], add]


def says(word: str) -> Any:
    return lambda state: {"said": [word]}


def test_a_team_of_teams_has_agents_at_every_depth() -> None:
    inmost = StateGraph(Team)
    inmost.add_node("deep", says("deep"))
    inmost.add_node(
        "done",
        lambda state: Command(goto="after", graph=Command.PARENT, update={"said": state["said"]}),
    )
    inmost.add_edge(START, "deep")
    inmost.add_edge("deep", "done")
    middle = StateGraph(Team)
    middle.add_node("inmost", inmost.compile(), destinations=("after",))
    middle.add_node("after", says("after"))
    middle.add_edge(START, "inmost")
    page = StateGraph(Team)
    page.add_node("team", middle.compile())
    page.add_node("top", says("top"))
    page.add_edge(START, "team")
    page.add_edge("team", "top")
    agents = ["team/inmost/deep", "team/after", "top"]
    given = (page.compile(), agents, lambda s: len(set(s["said"])), {"said": []})
    credit = attribute(*given)
    assert credit.failures == []
    assert credit.values == pytest.approx(dict.fromkeys(agents, 1.0))
    assert attribute(*given).calls["made"] == 0
