"""What is known before it is paid for: who the agents are, what it takes, leave-one-out first."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph

from extensions.attribute.tests.attributed_apps import SHAPES
from extensions.attribute.tests.benchmark.apps import known_apps
from extensions.attribute.tests.benchmark.shapes import build
from extensions.attribute.tests.stub_chat import StubChat
from extensions.attribute.tests.test_attribute_tools import ASKED, office, score
from shapley_coop.evals.prices import Price, Prices
from shapley_coop.extensions.attribute import attribute
from shapley_coop.extensions.attribute.forecast import Forecast


def two(usage: bool = True) -> Any:
    """Two agents that ask a model and a node that asks none."""
    model = StubChat(rule=lambda messages: AIMessage("one two"), model="m", usage=usage)

    def agent(state: MessagesState) -> dict[str, object]:
        return {"messages": [model.invoke(state["messages"])]}

    page = StateGraph(MessagesState)
    page.add_sequence([("a", agent), ("b", agent), ("count", lambda state: {"messages": []})])
    page.add_edge(START, "a")
    return page.compile()


HELLO = {"messages": ["hello"]}


def said(state: Any) -> dict[str, float]:
    """How many said something, and how many words there are."""
    words = [len(m.text.split()) for m in state["messages"]]
    return {"speakers": sum(map(bool, words)) - 1, "words": sum(words) - 1}


def test_agents_are_found_in_a_run_with_the_reason() -> None:
    credit = attribute(two(), score=said, inputs=HELLO)
    assert credit.found == dict.fromkeys("ab", "a node that asks a model")
    assert credit.values == {"a": 1.0, "b": 1.0}
    tools = attribute(office(), score=score, inputs=ASKED)
    assert list(tools.found) == ["boss", "research", "add_up"]
    assert tools.found["research"] == "a tool that wraps researcher"
    assert tools.values == pytest.approx(dict.fromkeys(tools.agents, 1 / 3))
    assert attribute(office(), score=score, inputs=ASKED).calls["made"] == 0


def test_further_numbers_of_a_scorer_are_metrics() -> None:
    prices = Prices({"stub:m": Price(input=1_000_000, output=1_000_000)})
    credit = attribute(two(), ["a", "b"], said, HELLO, prices=prices)
    assert credit.values == {"a": 1.0, "b": 1.0}
    assert credit.metrics["words"] == {"a": 2.0, "b": 2.0}
    assert credit.metrics["tokens"] == credit.metrics["cost"]
    assert credit.metrics["tokens"] == {"a": 3.0, "b": 4.0}
    assert set(credit.metrics) == {"words", "tokens", "cost", "seconds"}


def test_what_models_do_not_tell_is_unknown_and_not_free() -> None:
    credit = attribute(two(usage=False), ["a", "b"], said, HELLO)
    assert credit.spent["a"].models == 1
    assert (credit.spent["a"].tokens, credit.spent["a"].cost) == (None, None)
    assert credit.value_per_dollar == {"a": None, "b": None}
    assert "cost" not in credit.metrics
    assert "no tokens and no USD: models of a, b do not report them" in credit.notes
    known = attribute(two(), ["a", "b"], said, HELLO, version="known")
    assert not any("no tokens" in note for note in known.notes)
    assert attribute(two(), ["count"], said, HELLO).spent["count"].cost == 0


def test_leave_one_out_comes_first_and_says_what_the_rest_takes() -> None:
    app, told = SHAPES["pipeline with a review loop"](), list[Forecast]()

    def no(more: Forecast) -> bool:
        told.append(more)
        return False

    first = attribute(app.graph, app.agents, app.score, app.given, go_on=no)
    assert first.value == "leave_one_out"
    assert first.values == first.leave_one_out
    assert len(first.worth) == len(app.agents) + 1
    assert first.more == told[0]
    assert first.more.coalitions == 2 ** len(app.agents)
    rest = attribute(app.graph, app.agents, app.score, app.given, go_on=lambda more: True)
    assert rest.values == pytest.approx(app.values)
    assert 0 < rest.calls["made"] <= first.more.calls


def test_who_says_yes_to_a_forecast_above_the_limit_is_not_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shapley_coop.extensions.attribute.settings.PLAIN_CALLS", 8)
    app = SHAPES["pipeline with a review loop"]()
    first = attribute(app.graph, app.agents, app.score, app.given, go_on=lambda more: False)
    limit = {"max_calls": first.calls["made"], "version": "another"}
    told = list[Forecast]()

    def yes(more: Forecast) -> bool:
        told.append(more)
        return True

    credit = attribute(app.graph, app.agents, app.score, app.given, go_on=yes, **limit)
    assert not told[0].fits
    assert credit.values == pytest.approx(app.values)


APPS = [pytest.param(make, id=name) for name, make in SHAPES.items()]
APPS += [
    pytest.param(lambda one=one: one, id=one.name, marks=pytest.mark.slow)
    for one in known_apps()
    if len(one.agents) < 6
]


@pytest.mark.parametrize("make", APPS)
def test_no_more_calls_are_made_than_the_forecast_says(make: Any) -> None:
    app = make()
    if hasattr(app, "shape"):
        built = build(app, inputs=2)
        given = (built.graph, built.agents, built.score, built.inputs)
    else:
        given = (app.graph, app.agents, app.score, app.given)
    told = list[Forecast]()
    credit = attribute(*given, announce=told.append, max_calls=5_000, at_once=1)
    before, after = told
    assert credit.calls["made"] <= after.kept + after.calls
    assert before.calls > 0
