"""What advice leaves alone and says: models that save nothing, calls that loops make, prices."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from langgraph.graph import END, START, MessagesState, StateGraph

from extensions.attribute.tests.attributed_apps import pipeline
from extensions.attribute.tests.stub_chat import StubChat
from shapley_coop.evals.prices import Price, Prices, read_prices
from shapley_coop.extensions.attribute import attribute
from shapley_coop.extensions.attribute.forecast import Forecast
from shapley_coop.extensions.attribute.stage import CallsSpent


def desk() -> tuple[Any, StubChat, dict[str, list[str]]]:
    """A node that looks up by itself, and two that ask `large` and `small`: which it returns."""
    heard: dict[str, list[str]] = {"large": [], "small": []}

    def asking(name: str) -> Any:
        def rule(messages: Sequence[BaseMessage]) -> AIMessage:
            heard[name].append(str(messages[-1].content))
            return AIMessage(f"said by {name}")

        model = StubChat(rule=rule, model=name)
        return model, lambda state: {"messages": [model.invoke(state["messages"])]}

    (_, write), (small, check) = asking("large"), asking("small")
    page = StateGraph(MessagesState)
    page.add_sequence(
        [
            ("search", lambda state: {"messages": ["it was found"]}),
            ("write", write),
            ("check", check),
        ]
    )
    page.add_edge(START, "search")
    return page.compile(), small, heard


DESK = ["search", "write", "check"]

TWICE = [{"messages": ["hello"]}] * 2
"""Of a single run nobody knows whom to keep."""


def speakers(state: Any) -> float:
    return sum(bool(m.text) for m in state["messages"])


def test_no_downgrade_to_the_own_model_or_a_dearer_one_or_of_who_asks_none() -> None:
    app, small, heard = desk()
    prices = Prices(
        {"stub:large": Price(input=5, output=5), "stub:small": Price(input=9, output=9)}
    )
    settings = {"value": "leave-one-out", "advise": True, "prices": prices}
    plain = attribute(app, DESK, speakers, TWICE, **settings)
    before = len(heard["small"])
    assert plain.advice
    credit = attribute(app, DESK, speakers, TWICE, cheaper=[small], **settings)
    found = {one.agent: one for one in credit.advice}
    assert {one.verdict for one in credit.advice} == {"keep"}
    assert (
        found["write"].why
        == "without it the score loses 1 in each of 2 inputs, stub:small is dearer here"
    )
    assert (
        found["check"].why
        == "without it the score loses 1 in each of 2 inputs, asks stub:small already"
    )
    assert found["search"].why == "without it the score loses 1 in each of 2 inputs"
    # In the place of large, then for itself on that; it does not take its own place.
    assert sorted(heard["small"][before:]) == ["it was found"] * 2 + ["said by small"] * 2
    assert "as advised" not in credit.rows


def test_the_agent_alone_is_one_that_takes_tokens() -> None:
    app, *_ = desk()
    settings = {"value": "leave-one-out", "advise": True}
    credit = attribute(app, DESK, speakers, {"messages": ["hello"]}, **settings)
    (alone,) = [row for row in credit.rows if "alone" in row]
    assert not alone.startswith("search")
    none = attribute(app, ["search"], speakers, {"messages": ["hello"]}, **settings)
    assert list(none.rows) == ["as it is"]


def review(loop: bool) -> Any:
    """Who searches, who writes, and who judges; in a loop nothing but words ends it at once."""

    def judged(state: MessagesState) -> str:
        is_good = "words" in state["messages"][-2].text or len(state["messages"]) > 20
        return "end" if is_good else "again"

    page = StateGraph(MessagesState)
    for name, said in {"search": "facts", "writer": "words", "critic": "judged"}.items():
        page.add_node(name, lambda state, said=said: {"messages": [said]})
    page.add_edge(START, "search")
    page.add_edge("search", "writer")
    page.add_edge("writer", "critic")
    if loop:
        page.add_conditional_edges("critic", judged, {"again": "writer", "end": END})
    return page.compile()


@pytest.mark.parametrize("loop", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_calls_are_a_bound_only_where_no_agent_can_be_asked_more_often(loop: bool) -> None:
    told = list[Forecast]()

    def go_on(more: Forecast) -> bool:
        told.append(more)
        return True

    given = (review(loop), ["search", "writer", "critic"], speakers, {"messages": ["hello"]})
    settings = {"announce": told.append, "go_on": go_on, "value": "leave-one-out"}
    credit = attribute(*given, **settings)
    recorded = told[-1]
    assert (credit.calls["made"] > recorded.kept + recorded.calls) is loop
    assert recorded.most() == ("about" if loop else "at most")
    assert (
        f": {recorded.most()} 3 new agent calls, none of which asks a model (3 kept)"
        in recorded.words()
    )
    attribute(*given, advise=True, **settings)
    assert told[-1].advice
    assert told[-1].most() == recorded.most()


def test_models_without_a_price_are_named_as_the_price_file_needs_them(tmp_path: Path) -> None:
    app, *_ = desk()
    path = tmp_path / "prices.yaml"
    path.write_text("models:\n  stub:large: {input: 1, output: 2}\n", encoding="utf-8")
    given = (app, DESK, speakers, TWICE)
    settings = {"value": "leave-one-out", "advise": True}
    tiny = StubChat(rule=lambda messages: AIMessage("tiny words"), model="tiny")
    credit = attribute(*given, prices=read_prices(path), cheaper=[tiny], **settings)
    missing = [note for note in credit.notes if note.startswith("no price")]
    assert missing == ["no price for: stub:small", "no price for: stub:tiny"]
    advised = {one.model for one in credit.advice if one.model}
    assert advised == {"stub:tiny"}, "the same names"
    text = "".join(f"  {name}: {{input: 1, output: 2}}\n" for name in ("stub:small", "stub:tiny"))
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")
    credit = attribute(*given, prices=read_prices(path), cheaper=[tiny], **settings)
    assert not any(note.startswith("no price") for note in credit.notes)
    assert credit.rows["as it is"]["cost"] > 0


@pytest.mark.parametrize("key", ["prices", "gpt-5-mini"])
def test_a_price_file_of_other_keys_is_refused_with_the_form(tmp_path: Path, key: str) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(f"{key}: {{input: 1, output: 2}}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=f"{key}.* give models: {{provider:name: ") as refused:
        read_prices(path)
    assert "\n" not in str(refused.value)


def test_nodes_that_are_no_agents_are_named_as_present_in_every_coalition() -> None:
    app, *_ = desk()
    found = attribute(app, None, speakers, {"messages": ["hello"]})
    assert list(found.found) == ["write", "check"]
    assert "not named, present in every coalition: search" in found.notes
    named = attribute(app, DESK, speakers, {"messages": ["hello"]})
    assert not any("every coalition" in note for note in named.notes)


def test_a_run_that_finds_agents_which_ask_no_model_is_counted_and_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, value = pipeline(), "leave-one-out"
    given = (app.graph, None, app.score, app.given)
    with monkeypatch.context() as few:
        few.setattr("shapley_coop.extensions.attribute.settings.PLAIN_CALLS", 1)
        with pytest.raises(CallsSpent, match="3 calls that ask no model are made"):
            attribute(*given, max_calls=3, cache=tmp_path / "bounded")
    found = attribute(*given, value=value, cache=tmp_path / "found")
    assert list(found.found) == list(app.agents)
    named = attribute(app.graph, app.agents, *given[2:], value=value, cache=tmp_path / "named")
    assert found.calls["made"] == named.calls["made"] == 12
