"""Nodes that change their input in place."""

from collections import deque
from dataclasses import dataclass, field
from operator import add as joined
from typing import Annotated, Any, TypedDict

import pytest
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


@dataclass
class Pad:
    lines: list[str] = field(default_factory=list)


class Notes(TypedDict, total=False):
    numbers: list[int]
    notes: Annotated[list[str], joined]
    by: dict[str, list[str]]
    names: set[str]
    pad: Pad
    seen: bool


def noted(state: Notes) -> list[str]:
    """What all the notes say, wherever a node put them."""
    return [*state["notes"], *state["by"].get("add", []), *state["names"], *state["pad"].lines]


def test_a_change_in_place_reaches_later_nodes_as_in_langgraph_also_from_the_cache() -> None:
    """`add` returns none of the values that it changes; `append` returns the list it changed."""

    def add(state: Notes) -> Notes:
        total = str(sum(state["numbers"]))
        state["notes"].append(total)
        state["by"].setdefault("add", []).append(total)
        state["names"].add(total)
        state["pad"].lines.append(total)
        return {"seen": True}

    def append(state: Notes) -> Notes:
        state["notes"].append("roses")
        return {"notes": state["notes"]}

    def made() -> Notes:
        return {"numbers": [1, 3], "notes": [], "by": {}, "names": set(), "pad": Pad()}

    app = line(Notes, add, append)
    alone = app.invoke(made())
    assert noted(alone) == ["4", "roses", "4", "roses", "4", "4", "4"]
    given = (app, ["add", "append"], lambda state: noted(state).count("4"), made())
    credit = attribute(*given)
    assert credit.worth == {"": 0.0, "add": 4.0, "append": 0.0, "add,append": 5.0}
    again = attribute(*given)
    assert (again.calls["made"], again.worth) == (0, credit.worth)


class Line(TypedDict):
    waiting: deque[str]


def test_a_change_in_place_that_cannot_be_repeated_is_refused_each_time() -> None:
    def enter(state: Line) -> None:
        state["waiting"].append("Ann")

    app = line(Line, enter)
    for _ in range(2):
        with pytest.raises(ValueError, match="return the new value instead") as refused:
            attribute(app, ["enter"], lambda state: len(state["waiting"]), {"waiting": deque()})
        assert "enter changes 'waiting' in place, a deque" in str(refused.value)
