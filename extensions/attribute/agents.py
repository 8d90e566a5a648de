"""The places of an app that may be agents: nodes, and tools that wrap an agent or a graph.

The search follows the tools of nodes and the objects that functions refer to, and runs nothing.
The tool `task` of Deep Agents wraps many agents; its argument `subagent_type` selects an agent.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableBinding
from langchain_core.tools import BaseTool
from langgraph.graph import START
from langgraph.pregel import Pregel
from langgraph.pregel.protocol import PregelProtocol

from shapley_coop.extensions.attribute.walking import held, innermost
from shapley_coop.files import did_you_mean

KIND = "subagent_type"
"""The argument that selects the agent of a tool that wraps many agents."""

UNNAMED = "LangGraph"
"""LangGraph's default name of a graph."""

LOOP = ("model", "agent")
"""The names of the node that asks the model in prebuilt agents of LangChain and LangGraph."""

DEPTH = 3


@dataclass(frozen=True)
class Place:
    """A place of an app that may be an agent: a node or a tool.

    Attributes:
        path: a node's path, or `tool:name`, or `tool:task:kind`.
        names: the accepted names of the place; the first is its usual name.
        why: the reason why the place may be an agent; "" if only a run can show a reason.
    """

    path: str
    names: tuple[str, ...]
    why: str = ""


@dataclass
class _Walk:
    places: dict[str, Place] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)

    def graph(self, graph: Any) -> None:
        for node in (getattr(graph, "nodes", None) or {}).values():
            bound = getattr(node, "bound", node)
            for tool in getattr(bound, "tools_by_name", {}).values():
                self.tool(tool)
            for way in ("func", "afunc"):
                self.objects(getattr(bound, way, None))
            if isinstance(bound, Pregel):
                self.graph(bound)

    def objects(self, function: Any) -> None:
        for _, one in referred(function, DEPTH):
            if isinstance(one, BaseTool):
                self.tool(one)
            elif isinstance(one, Pregel) and id(one) not in self.seen:
                self.seen.add(id(one))
                self.graph(one)

    def tool(self, tool: BaseTool) -> None:
        if id(tool) in self.seen:
            return
        self.seen.add(id(tool))
        path, inner = f"tool:{tool.name}", list(_wrapped(tool))
        if KIND in tool.args:
            for kind, _ in inner:
                self.places[f"{path}:{kind}"] = Place(
                    f"{path}:{kind}", (kind,), f"a sub-agent of the tool {tool.name}"
                )
        else:
            own = [name for _, one in inner if (name := named(one))]
            what = f"wraps {', '.join(own) or 'a model or a graph'}" if inner else ""
            self.places[path] = Place(
                path, (tool.name, *own), f"a tool that {what}" if what else ""
            )
        for _, one in inner:
            self.graph(one)


def places(graph: Any, nodes: Mapping[str, Any]) -> dict[str, Place]:
    """Return all places of an app, by path.

    Args:
        graph: the app's graph.
        nodes: path → node, including the nodes of subgraphs.
    """
    found = {}
    for path, node in nodes.items():
        names = [path, *filter(None, [named(node.bound)])]
        if path in LOOP and named(graph):
            names = [named(graph), path]
        remote = isinstance(node.bound, PregelProtocol) and not isinstance(node.bound, Pregel)
        found[path] = Place(path, tuple(names), "a remote graph" if remote else "")
    walk = _Walk()
    walk.graph(graph)
    return {**walk.places, **found}


def resolved(agents: Sequence[str], known: Mapping[str, Place]) -> dict[str, str]:
    """Return each named place's path → the user's name for it: the path or another name.

    Raises:
        ValueError: no place has the name, or two names mean the same place.
    """
    found: dict[str, str] = {}
    for agent in agents:
        path = agent if agent in known else _called(agent, known)
        if path in found:
            raise ValueError(f"agents: {found[path]!r} and {agent!r} are the same: name it once")
        found[path] = agent
    return found


def _called(agent: str, known: Mapping[str, Place]) -> str:
    for path, place in known.items():
        if agent in place.names:
            return path
    names = [place.names[0] for place in known.values()]
    meant = did_you_mean(agent, names) or f": its nodes are {', '.join(names)}"
    raise ValueError(f"agents: {agent!r} is not a node of the app{meant}")


def named(one: Any) -> str:
    """Return the name that a graph was given, or "" if it has the default name."""
    name = getattr(one, "name", None) if isinstance(one, PregelProtocol) else None
    return str(name) if name and name != UNNAMED else ""


def _wrapped(tool: BaseTool) -> Iterator[tuple[str, Any]]:
    """Yield pairs (key, graph or model) for the objects that a tool's functions refer to."""
    seen = set[int]()
    for way in ("func", "coroutine", "_run"):
        for key, one in referred(getattr(tool, way, None), DEPTH):
            inner = one.bound if isinstance(one, RunnableBinding) else one
            if isinstance(inner, PregelProtocol | BaseChatModel) and id(inner) not in seen:
                seen.add(id(inner))
                yield key, inner


def referred(function: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """Yield the objects that a function refers to, directly or through other functions.

    Returns:
        Pairs of a key and an object; the key is "" unless a mapping holds the object.
    """
    function = innermost(function)
    if depth == 0 or not isinstance(function, FunctionType):
        return
    known = [function.__globals__.get(name) for name in function.__code__.co_names]
    for one in [*known, *held(function)]:
        if isinstance(one, FunctionType):
            if "site-packages/langgraph" not in one.__code__.co_filename:
                yield from referred(one, depth - 1)
        elif isinstance(one, Mapping):
            yield from ((str(key), x) for key, x in one.items())
        elif isinstance(one, list | tuple):
            yield from (("", x) for x in one)
        else:
            yield "", one


def is_loop(graph: Any) -> bool:
    """Return whether a graph is one prebuilt agent, which calls its model and tools in a loop."""
    nodes = [name for name in getattr(graph, "nodes", {}) if name != START]
    return any(name in nodes for name in LOOP)
