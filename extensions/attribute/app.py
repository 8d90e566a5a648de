"""The user's LangGraph app: its graph, its agents, and copies with other nodes.

An agent is a node of the compiled graph, or `team/writer`: the node `writer` in the subgraph that
is the node `team`. The app itself never changes, because every play gets a new copy of the graph.
"""

import hashlib
import inspect
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START
from langgraph.graph.state import CompiledStateGraph
from langgraph.managed.base import is_managed_value
from langgraph.pregel import Pregel

from shapley_coop.credit.coalitions import check_agents
from shapley_coop.extensions.attribute.agents import places, resolved
from shapley_coop.extensions.attribute.owncode import own_code
from shapley_coop.extensions.attribute.steering import schema_of
from shapley_coop.files import did_you_mean

Graph = Pregel[Any, Any, Any, Any]
StandIn = Callable[[Any, RunnableConfig], Any]
StandInFor = Callable[[str, Runnable[Any, Any], frozenset[str]], StandIn]
"""A function from a node's path, its runnable and its managed values to its replacement."""


def _made(factory: Callable[..., Any]) -> Any:
    """Return the graph that a factory makes from no argument or from an empty config.

    Raises:
        ValueError: the factory is asynchronous, needs more arguments, or fails.
    """
    if inspect.iscoroutinefunction(factory) or inspect.isasyncgenfunction(factory):
        raise ValueError(f"the app {factory.__name__} is asynchronous: name the graph it returns")
    taken = inspect.signature(factory).parameters.values()
    needed = [p for p in taken if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    if len(needed) > 1:
        names = ", ".join(p.name for p in needed)
        raise ValueError(
            f"the app {factory.__name__} takes {names}: name a graph, or a function without "
            "arguments or with a config"
        )
    try:
        return factory(*({} for _ in needed))
    except (Exception, SystemExit) as error:
        reason = " ".join(str(error).split())[:200]
        name = type(error).__name__
        raise ValueError(f"the app {factory.__name__} fails: {name}: {reason}") from error


class App:
    """A compiled graph and its agents.

    Args:
        graph: a compiled StateGraph; or a StateGraph, to be compiled; or a function that
            makes either from no argument or from a config, as langgraph.json allows.
        agents: names of nodes or of tools that are agents; `team/writer` is a node of a subgraph.

    Raises:
        ValueError: the graph is of another type, or an agent is neither a node nor a tool.
    """

    def __init__(self, graph: Any, agents: Sequence[str]) -> None:
        given = graph
        if inspect.isfunction(graph):
            graph = _made(graph)
        if hasattr(graph, "compile") and not isinstance(graph, Pregel):
            graph = graph.compile()
        if isinstance(graph, Pregel) and not isinstance(graph, CompiledStateGraph):
            raise ValueError(
                "the app is made by @entrypoint (the functional API), which is not supported since "
                "it has no nodes: build a StateGraph whose nodes call the same functions"
            )
        if not isinstance(graph, CompiledStateGraph):
            raise ValueError(f"the app is a {type(graph).__name__}: give a graph, compiled or not")
        if graph.interrupt_before_nodes or graph.interrupt_after_nodes:
            raise ValueError(
                "the app stops at breakpoints (interrupt_before or interrupt_after), after which "
                "nobody would continue it: compile it without them"
            )
        if agents:
            check_agents(list(agents))
        self.graph: Graph = graph
        self.agents = list(agents)
        nodes = dict(_paths(graph))
        self.places = places(graph, nodes)
        self.names = resolved(agents, self.places)
        for path, agent in self.names.items():
            if within := [x for other, x in self.names.items() if path.startswith(f"{other}/")]:
                raise ValueError(f"agent {agent!r} is a part of agent {within[0]!r}: name only one")
        self.nodes = frozenset(nodes)
        self.bound = {path: node.bound for path, node in nodes.items()}
        self.code = own_code([given, graph])
        self.schema = schema_of(graph, nodes, self.code)

    def check_keys(self, keys: Collection[str]) -> None:
        """Refuse keys that are not in the app's state.

        Raises:
            ValueError: a key is unknown; the message names the key.
        """
        known = sorted(self.schema.keys)
        if stray := [key for key in keys if key not in known]:
            meant = did_you_mean(stray[0], known) or f": its keys are {', '.join(known)}"
            raise ValueError(f"keep: the app's state has no key {stray[0]!r}{meant}")

    def check_permits(self, fresh: str | Sequence[str], safe_tools: Sequence[str]) -> None:
        """Refuse nodes that the app lacks, and tools whose names resemble those of its tools.

        A tool that a node makes while it runs is not known before, so its name is not refused.

        Raises:
            ValueError: a name is unknown.
        """
        known = sorted({*self.nodes, *self.places})
        for name in () if isinstance(fresh, str) else fresh:
            if name not in known:
                meant = did_you_mean(name, known) or f": its nodes are {', '.join(known)}"
                raise ValueError(f"fresh: {name!r} is not a node of the app{meant}")
        tools = sorted({path.split(":")[1] for path in self.places if path.startswith("tool:")})
        for name in safe_tools:
            if name not in tools and (meant := did_you_mean(name, tools)):
                raise ValueError(f"safe_tools: {name!r} is not a tool of the app{meant}")

    def copy(self, stand_in: StandInFor, store: Any = None, resumable: bool = False) -> Graph:
        """Return a copy of the graph in which `stand_in` replaces every node.

        Args:
            stand_in: a function from a node to its replacement.
            store: the copy's store, in place of the app's store.
            resumable: whether the copy gets a checkpointer even if the app has none.
        """
        copied = self._rewired(self.graph, stand_in, "")
        saver = InMemorySaver() if self.graph.checkpointer or resumable else None
        return copied.copy({"checkpointer": saver, "store": store})

    def _rewired(self, graph: Graph, stand_in: StandInFor, at: str) -> Graph:
        nodes = {}
        for name, node in graph.nodes.items():
            path = at + name
            if name == START:
                nodes[name] = node
            elif any(agent.startswith(f"{path}/") for agent in self.names):
                inner = self._rewired(_inner(node), stand_in, f"{path}/")
                nodes[name] = node.copy(
                    {"bound": inner, "subgraphs": [inner], "cache_policy": None}
                )
            else:
                replaced = stand_in(path, node.bound, _managed(graph))
                bound = RunnableLambda(replaced, name=name)
                nodes[name] = node.copy({"bound": bound, "cache_policy": None})
        return graph.copy({"nodes": nodes, "cache": None})

    def steps(self, config: RunnableConfig | None) -> int | None:
        """Return the recursion limit of the given config, else of the graph's config, or None."""
        bound = getattr(self.graph, "config", None) or RunnableConfig()
        limits = [given.get("recursion_limit") for given in (config or {}, bound)]
        return limits[0] or limits[1]

    def fingerprint(self) -> str:
        """Return a hash of the app's code, so that changed code does not reuse cached calls."""
        read = hashlib.sha256()
        for file in self.code.files():
            read.update(file.read_bytes())
        read.update("\x00".join(sorted(path for path, _ in _paths(self.graph))).encode())
        return read.hexdigest()[:16]

    def managed(self, path: str) -> frozenset[str]:
        """Return the keys of a node's input whose values LangGraph manages (remaining steps)."""
        return _managed(self._holder(path))

    def targets(self, agent: str) -> set[str]:
        """Return the nodes to which the Commands of an agent may go, if the app declares them."""
        path = next(path for path, name in self.names.items() if name == agent)
        graph = self._holder(path) if path in self.nodes else None  # a tool has no targets
        if not isinstance(graph, CompiledStateGraph):
            return set()
        return set(graph.builder.nodes[path.rpartition("/")[2]].ends or ())

    def _holder(self, path: str) -> Graph:
        """Return the graph that holds a node: the app's, or a subgraph."""
        graph: Graph = self.graph
        for name in path.split("/")[:-1]:
            graph = _inner(graph.nodes[name])
        return graph

    def drawn(self) -> tuple[list[str], list[dict[str, Any]]]:
        """Return the graph's nodes and edges in the format of `Drawn`."""
        drawing = self.graph.get_graph(xray=any("/" in agent for agent in self.agents))
        edges = [
            {
                "from": _as_path(one.source),
                "to": _as_path(one.target),
                "conditional": one.conditional,
            }
            for one in drawing.edges
        ]
        return [_as_path(name) for name in drawing.nodes], edges


def _as_path(name: str) -> str:
    """Return the path of a drawn node; LangGraph's drawing writes team:writer for team/writer."""
    return name.replace(":", "/")


def _inner(node: Any) -> Graph:
    assert isinstance(node.bound, Pregel)
    return node.bound


def _paths(graph: Graph, at: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the path and the node of every node, including the nodes of subgraphs."""
    for name, node in graph.nodes.items():
        if name == START:
            continue
        yield at + name, node
        if isinstance(node.bound, CompiledStateGraph):
            yield from _paths(node.bound, f"{at}{name}/")


def _managed(graph: Graph) -> frozenset[str]:
    """Return the state's keys whose values LangGraph manages, such as remaining steps."""
    return frozenset(name for name, of in graph.channels.items() if is_managed_value(of))
