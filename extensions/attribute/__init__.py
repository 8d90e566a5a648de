"""Credit for somebody's LangGraph app: which of its agents earns its tokens.

The app's owner brings a compiled graph, the names of its agents, inputs, and a score of what comes
out. Every coalition of agents is played on a copy of the graph, in which the others are stood in
for (`absence`); node calls are kept on disk (`calls`), so that what two coalitions ask alike is
asked once. The values are those of `credit`.

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
    """Import the function when it is used: to find extensions, the command line imports this."""
    if name == "attribute":
        from shapley_coop.extensions.attribute.attributing import attribute

        return attribute
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
