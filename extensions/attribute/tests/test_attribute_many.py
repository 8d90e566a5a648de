"""Apps of many agents: sampled orders with errors, fewer calls than coalitions have."""

import pytest
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph

from extensions.attribute.tests.benchmark.many import AGENTS, app, score
from extensions.attribute.tests.stub_chat import StubChat
from shapley_coop.evals.prices import Price, Prices
from shapley_coop.extensions.attribute import attribute


@pytest.mark.slow
def test_ten_agents_are_sampled_with_errors_that_hold() -> None:
    settings = {"max_calls": 10_000, "target": 0.4, "at_once": 1}
    credit = attribute(app(), AGENTS, score, {"found": []}, **settings)
    assert credit.values is not None
    assert credit.standard_error is not None
    assert credit.method.startswith("sampled (adjusted")
    assert sum(credit.values.values()) == pytest.approx(29.0, abs=1e-9)
    assert abs(credit.values["maps"]) <= 2 * credit.standard_error["maps"] + 1e-12
    assert max(credit.standard_error.values()) <= 0.4 * 29 / 10
    assert len(credit.worth) < 1024 / 4
    assert credit.calls["made"] < 5120 / 10, "ten agents in half of 1,024 coalitions each"
    assert credit.interactions is None


def test_leave_one_out_of_ten_takes_eleven_coalitions() -> None:
    settings = {"value": "leave_one_out", "at_once": 1}
    credit = attribute(app(), AGENTS, score, {"found": []}, **settings)
    assert len(credit.worth) == 11
    assert credit.values == credit.leave_one_out
    assert credit.values["write"] == 29.0
    assert sum(credit.values.values()) > 2 * 29, "it does not sum to what there is to divide"


def test_value_per_dollar_counts_a_run_of_the_whole_app() -> None:
    model = StubChat(rule=lambda messages: AIMessage("one two"), model="m")

    def agent(state: MessagesState) -> dict[str, object]:
        return {"messages": [model.invoke(state["messages"])]}

    page = StateGraph(MessagesState)
    page.add_node("a", agent)
    page.add_node("b", agent)
    page.add_edge(START, "a")
    page.add_edge("a", "b")
    prices = Prices({"stub:m": Price(input=1_000_000, output=500_000)})
    given = ({"messages": ["hello"]},)
    credit = attribute(
        page.compile(),
        ["a", "b"],
        lambda s: sum(bool(m.content) for m in s["messages"]),
        *given,
        prices=prices,
    )
    assert credit.values == {"a": 1.0, "b": 1.0}
    assert {a: (s.input_tokens, s.output_tokens, s.cost) for a, s in credit.spent.items()} == {
        "a": (1, 2, 2.0),
        "b": (2, 2, 3.0),
    }
    assert credit.value_per_dollar == {"a": 0.5, "b": pytest.approx(1 / 3)}
