"""Nodes that change their input in place."""

from typing import Any, TypedDict

from langgraph.graph import START, StateGraph

from shapley_coop.extensions.attribute import attribute


class Sum(TypedDict, total=False):
    numbers: list[int]
    total: str
    poem: str


def line(schema: Any, *nodes: Any) -> Any:
    """An app whose nodes run one after the other."""
    page = StateGraph(schema)
    page.add_sequence(nodes)
    page.add_edge(START, nodes[0].__name__)
    return page.compile()


def test_the_first_run_values_a_node_that_returns_the_state_it_changed() -> None:
    def add(state: Sum) -> Sum:
        state["total"] = str(sum(state["numbers"]))
        return state

    def write(state: Sum) -> Sum:
        state["poem"] = "roses are red"
        return state

    def score(state: Sum) -> float:
        return float(state["total"] == "4")

    given = (line(Sum, add, write), ["add", "write"], score, {"numbers": [1, 3]})
    credit = attribute(*given)
    assert credit.values == {"add": 1.0, "write": 0.0}
    again = attribute(*given)
    assert (again.calls["made"], again.values) == (0, credit.values)
