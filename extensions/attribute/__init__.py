"""Credit for the agents of any LangGraph app: which of them earn their tokens.

The app's owner gives a compiled graph, the names of its agents, inputs, and a function that scores
a final state. Coalitions are played on a copy of the graph, in which stand-ins (`absence`) replace
the other agents. Node calls are kept on disk (`calls`): two coalitions that ask a node the same
question make one call. `credit` computes the values.

>>> from typing import TypedDict
>>> from langgraph.graph import StateGraph
>>> from shapley_coop.extensions.attribute import attribute
>>> class State(TypedDict, total=False):
...     facts: str
...     text: str
>>> page = StateGraph(State)
>>> _ = page.add_node("search", lambda state: {"facts": "it rains"})
>>> _ = page.add_node("write", lambda state: {"text": f"Today {state['facts']}."})
>>> _ = page.set_entry_point("search").add_edge("search", "write")
>>> credit = attribute(
...     page.compile(), ["search", "write"], lambda state: "rains" in state["text"], {}
... )
>>> credit.values, credit.interactions
({'search': 0.5, 'write': 0.5}, {'search,write': 1.0})
"""

from typing import TYPE_CHECKING, Any

from shapley_coop.extension import Extension

if TYPE_CHECKING:
    from shapley_coop.extensions.attribute.attributing import attribute

__all__ = ["EXTENSION", "attribute"]

EXTENSION = Extension(
    name="attribute",
    about="Which agent of a LangGraph app earns its tokens.",
    first=("attribute",),
    commands={
        "Credit and settle": {
            "attribute": "shapley_coop.extensions.attribute.command:attribute",
            "attribute-summary": "shapley_coop.extensions.attribute.command:attribute_summary",
        }
    },
)


def __getattr__(name: str) -> Any:
    """Import `attribute` on first use: the command line loads this module at every start."""
    if name == "attribute":
        from shapley_coop.extensions.attribute.attributing import attribute

        return attribute
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
