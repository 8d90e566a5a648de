"""Agents are found on every input, and what no input reached is named."""

from typing import TypedDict

from langchain_core.language_models import FakeListChatModel
from langgraph.graph import END, START, StateGraph

from shapley_coop.extensions.attribute import attribute


class State(TypedDict, total=False):
    kind: str
    text: str


def test_an_agent_of_a_later_input_is_found_and_one_of_none_is_named() -> None:
    def says(state: State) -> State:
        return {"text": str(FakeListChatModel(responses=["done"]).invoke("go").content)}

    page = StateGraph(State)
    for name in ("mail", "phone", "fax"):
        page.add_node(name, says).add_edge(name, END)
    page.add_conditional_edges(START, lambda state: state["kind"], ["mail", "phone", "fax"])
    inputs = [{"kind": "mail"}, {"kind": "phone"}]
    credit = attribute(page.compile(), score=lambda s: s["text"] == "done", inputs=inputs)
    assert credit.agents == ["mail", "phone"]
    assert "never ran on these inputs: fax" in credit.notes
