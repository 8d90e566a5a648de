"""Functions that look into an app's objects: nested graphs, wrapped functions, closures."""

from collections.abc import Iterator
from typing import Any

from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel import Pregel


def graphs_in(graph: Any) -> Iterator[Any]:
    """Yield a graph and its subgraphs, at any depth."""
    yield graph
    for node in graph.nodes.values():
        if isinstance(node.bound, Pregel):
            yield from graphs_in(node.bound)


def branches_of(graph: Any) -> list[Any]:
    """Return the conditional edges of a compiled graph."""
    is_state = isinstance(graph, CompiledStateGraph)
    return [b for of in graph.builder.branches.values() for b in of.values()] if is_state else []


def innermost(function: Any) -> Any:
    """Return the plain function inside partials, runnables and bound methods."""
    while hasattr(function, "func"):
        function = function.func
    return getattr(function, "__func__", function)


def held(function: Any) -> list[Any]:
    """Return the objects that a function's closure holds."""
    found = []
    for cell in getattr(function, "__closure__", None) or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:  # the closure's variable has no value yet
            continue
    return found
