"""What stands in for absent agents; stores, context, people and tools of an attributed app."""

import json
from collections.abc import Sequence
from operator import add
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from langgraph.types import RetryPolicy

from extensions.attribute.tests.attributed_apps import supervisor
from extensions.attribute.tests.stub_chat import StubChat
from shapley_coop.extensions.attribute import attribute
from shapley_coop.extensions.attribute.emptying import Emptying, Written
from shapley_coop.extensions.attribute.steering import Schema


class Text(TypedDict, total=False):
    topic: str
    text: str
    rounds: int
    log: Annotated[list[str], add]


def writer_and_editor() -> Any:
    page = StateGraph(Text)
    page.add_node("write", lambda state: {"text": f"all about {state['topic']}"})
    page.add_node("edit", lambda state: {"text": state["text"].upper()})
    page.add_edge(START, "write")
    page.add_edge("write", "edit")
    return page.compile()


def quality(state: Text) -> float:
    return len(state.get("text", "").split()) + 2.0 * state.get("text", "x").isupper()


AGENTS, GIVEN = ["write", "edit"], {"topic": "owls", "text": ""}


def test_the_choice_is_part_of_the_result_and_changes_it() -> None:
    app = writer_and_editor()
    blank = attribute(app, AGENTS, quality, GIVEN)
    silent = attribute(app, AGENTS, quality, GIVEN, absent="silent")
    assert blank.absent == "blank"
    assert silent.absent == "silent"
    # An editor that is blank leaves the text of others as it is, as one that is silent does.
    assert blank.worth["write"] == silent.worth["write"] == 3
    assert blank.values == silent.values == {"write": 4.0, "edit": 1.0}


def draft_by_hand(state: Text) -> Text:
    return {"text": f"{state['topic']} are"}


def test_a_function_or_another_model_can_stand_in() -> None:
    app = writer_and_editor()
    by_hand = attribute(
        app, AGENTS, quality, GIVEN, absent={"write": draft_by_hand, "edit": "silent"}
    )
    assert by_hand.absent == {"write": "function draft_by_hand", "edit": "silent"}
    assert by_hand.worth == {"": 2.0, "write": 3.0, "edit": 4.0, "write,edit": 5.0}
    cheap = StubChat(rule=lambda messages: AIMessage("owls"), model="cheap")
    by_model = attribute(app, AGENTS, quality, GIVEN, absent={"write": cheap, "edit": "silent"})
    assert by_model.absent["write"] == "model stub:cheap"
    assert by_model.worth[""] == 1.0


def test_silence_leaves_a_supervisor_waiting_and_blank_does_not() -> None:
    app = supervisor()
    silent = attribute(app.graph, app.agents, app.score, app.given, absent="silent")
    assert silent.values is None or silent.values != app.values
    blank = attribute(app.graph, app.agents, app.score, app.given)
    assert blank.values == pytest.approx(app.values)


def test_an_emptied_update_passes_on_what_others_wrote() -> None:
    old = [HumanMessage("hi", id="1"), AIMessage("fact", id="2")]
    said = AIMessage("mine", id="3", name="me")
    call = AIMessage("", id="4", tool_calls=[{"name": "t", "args": {}, "id": "c"}])
    given = {"messages": old, "topic": "owls", "rounds": 1, "log": ["a"]}
    wrote = {
        "messages": [*old, call, said],
        "topic": "owls",
        "rounds": 2,
        "log": ["b"],
        "route": "edit",
        "sure": True,
        "text": "words",
    }
    now = {"messages": [HumanMessage("hi", id="9")], "topic": "bees", "rounds": 5, "log": []}
    emptied = Emptying(Schema(closed=frozenset({"route"})), keep=frozenset({"rounds"}))
    found = emptied(Written(given, wrote), now)
    assert [(m.id, m.content, m.name) for m in found.pop("messages")] == [
        ("9", "hi", None),
        (None, "", "me"),
    ]
    assert found == {
        "topic": "bees",
        "rounds": 6,
        "log": [],
        "route": "edit",
        "sure": True,
        "text": "",
    }


def test_a_field_to_keep_must_be_one_of_the_state() -> None:
    page = StateGraph(Text)
    page.add_node("write", lambda s: {"text": "word", "rounds": s["rounds"] + 1})
    page.add_edge(START, "write")
    page.add_conditional_edges("write", lambda s: END if s["rounds"] > 1 else "write")
    given = (page.compile(), ["write"], quality, {"topic": "", "rounds": 0})
    with pytest.raises(ValueError, match="has no key 'round': did you mean 'rounds'"):
        attribute(*given, keep=["round"])
    assert attribute(*given, keep=["rounds"]).values == {"write": 1.0}


def test_the_apps_store_and_checkpoints_stay_as_they_are() -> None:
    store, saver = InMemoryStore(), InMemorySaver()
    store.put(("facts",), "old", {"text": "owls fly"})

    def learn(state: Text, *, store: BaseStore) -> Text:
        store.put(("facts",), "new", {"text": "owls hunt"})
        return {"log": ["learnt"]}

    def tell(state: Text, *, store: BaseStore) -> Text:
        return {"text": "; ".join(x.value["text"] for x in store.search(("facts",)))}

    page = StateGraph(Text)
    page.add_node("learn", learn)
    page.add_node("tell", tell)
    page.add_edge(START, "learn")
    page.add_edge("learn", "tell")
    app = page.compile(store=store, checkpointer=saver)
    given = (app, ["learn", "tell"], lambda s: s["text"].count("owls"), {"topic": ""})
    credit = attribute(*given)
    assert credit.worth == {"": 0.0, "learn": 0.0, "tell": 1.0, "learn,tell": 2.0}
    assert [x.key for x in store.search(("facts",))] == ["old"]
    assert list(saver.list(None)) == []
    again = attribute(*given)
    assert (again.calls["made"], again.worth) == (0, credit.worth)


class Wanted(TypedDict):
    words: str


def test_the_context_reaches_the_nodes_and_names_what_is_kept() -> None:
    def write(state: Text, runtime: Runtime[Wanted]) -> Text:
        return {"text": runtime.context["words"]}

    page = StateGraph(Text, context_schema=Wanted)
    page.add_node("write", write)
    page.add_edge(START, "write")
    app = page.compile()
    short = attribute(app, ["write"], quality, {"topic": ""}, context={"words": "one"})
    long = attribute(app, ["write"], quality, {"topic": ""}, context={"words": "one two"})
    assert (short.worth["write"], long.worth["write"]) == (1.0, 2.0)


@pytest.mark.parametrize("settings", [{}, {"fresh": "none"}, {"fresh": "all"}, {"fresh": ["act"]}])
def test_a_tool_that_a_plain_node_calls_acts_once_unless_it_is_allowed(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    """The node names no config: its tool is seen all the same."""
    acted: list[str] = []

    @tool
    def pay(what: str) -> str:
        """Pay."""
        acted.append(what)
        return f"paid {what}"

    def act(state: Text) -> Text:
        try:
            return {"text": pay.invoke({"what": state.get("text", "")})}
        except Exception:  # an app that swallows errors does not hide that it was stopped
            return {"text": "could not"}

    page = StateGraph(Text)
    page.add_node("choose", lambda state: {"text": "rent"})
    page.add_node("act", act)
    page.add_edge(START, "choose")
    page.add_edge("choose", "act")
    given = (page.compile(), ["choose", "act"], lambda s: s["text"] == "paid rent", {"topic": ""})
    credit = attribute(*given, **settings)
    if settings.get("fresh", "none") == "none":
        assert acted == ["rent"]
        assert [(f.coalition, f.played) for f in credit.failures] == [("act", False)]
    else:
        assert acted == ["rent", ""]
        assert credit.values == {"choose": 0.5, "act": 0.5}


def test_a_tool_that_may_have_acted_is_not_asked_again(tmp_path: Path) -> None:
    """The process ends while the tool acts; what became of it nobody knows."""
    acted: list[str] = []

    class Killed(BaseException):
        pass

    @tool
    def pay(what: str) -> str:
        """Pay."""
        acted.append(what)
        if len(acted) == 1:
            raise Killed
        return f"paid {what}"

    page = StateGraph(Text)
    page.add_node("act", lambda state: {"text": pay.invoke({"what": "rent"})})
    page.add_edge(START, "act")
    given = (page.compile(), ["act"], lambda s: bool(s.get("text")), {"topic": ""})
    with pytest.raises(Killed):
        attribute(*given)
    with pytest.raises(ValueError, match="pay began to act in a call of act that never ended"):
        attribute(*given)
    assert acted == ["rent"]
    assert attribute(*given, safe_tools=["pay"]).values == {"act": 1.0}


def test_an_apps_own_retry_of_a_node_is_part_of_its_run() -> None:
    acted: list[str] = []

    @tool
    def pay(what: str) -> str:
        """Pay; the first answer is lost."""
        acted.append(what)
        if len(acted) == 1:
            raise ConnectionError("no answer")
        return f"paid {what}"

    page = StateGraph(Text)
    again = RetryPolicy(initial_interval=0, jitter=False, max_attempts=2)
    page.add_node("act", lambda state: {"text": pay.invoke({"what": "rent"})}, retry_policy=again)
    page.add_edge(START, "act")
    given = (page.compile(), ["act"], lambda s: s.get("text") == "paid rent", {"topic": ""})
    assert attribute(*given).values == {"act": 1.0}
    assert acted == ["rent", "rent"]


def test_random_ids_of_messages_do_not_hide_that_two_inputs_are_equal() -> None:
    asked: list[int] = []

    def reply(messages: Sequence[BaseMessage]) -> AIMessage:
        asked.append(len(messages))
        return AIMessage(f"answer {len(messages)}")

    model = StubChat(rule=reply)

    def agent(state: MessagesState) -> dict[str, Any]:
        return {"messages": [model.invoke(state["messages"])]}

    page = StateGraph(MessagesState)
    page.add_node("a", agent)
    page.add_node("b", agent)
    page.add_edge(START, "a")
    page.add_edge("a", "b")
    given = (page.compile(), ["a", "b"], lambda s: len(s["messages"]), {"messages": ["hello"]})
    attribute(*given)
    assert sorted(asked) == [1, 2, 2], "b is asked on a's answer, and on a blank one"
    attribute(*given)
    assert len(asked) == 3


def test_the_result_is_plain_json() -> None:
    credit = attribute(writer_and_editor(), AGENTS, quality, GIVEN)
    assert json.loads(json.dumps(credit.as_json(), allow_nan=False))["agents"] == AGENTS
