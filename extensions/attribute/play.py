"""One play of an app by a coalition; stand-ins replace the absent agents."""

from collections.abc import Collection
from functools import partial
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import merge_configs
from langgraph.errors import GraphRecursionError

from shapley_coop.extensions.attribute.absence import described, stand_in
from shapley_coop.extensions.attribute.answering import Unanswered, answered
from shapley_coop.extensions.attribute.app import Graph, StandIn
from shapley_coop.extensions.attribute.asking import Asking, Node
from shapley_coop.extensions.attribute.canonical import canonical, renamed
from shapley_coop.extensions.attribute.emptying import Written
from shapley_coop.extensions.attribute.stage import (
    CallsSpent,
    Endless,
    Played,
    Stage,
    Unit,
    Visit,
)
from shapley_coop.extensions.attribute.watching import copied

TIMES, MORE = 3, 5
"""Stand-ins are called at most `TIMES` × (calls of the agent in the full run) + `MORE` times."""

THREAD = "00000000-0000-4000-8000-000000000000"
"""The thread id of every play: nodes may read it, so it must not differ between plays."""


async def play(
    stage: Stage, unit: Unit, present: Collection[str], full: Played | None = None
) -> Played:
    """Play the app once.

    Args:
        stage: the state that all plays share: the app, its cached calls, its limits.
        unit: the input.
        present: the agents that take part.
        full: the recorded play of all agents, from which blank stand-ins are made; None if this
            play is the recorded one.

    Returns:
        The result; if the play fails, its `failure` gives the reason.

    Raises:
        CallsSpent: no further call is allowed.
    """
    one = _Play(stage, unit, frozenset(present), full)
    await one.run()
    return one.result


class _Play(Asking):
    async def run(self) -> None:
        asks = self.stage.settings.answers is not None
        graph = self.stage.app.copy(self.stand_in, self.store, resumable=asks)
        own: RunnableConfig = {
            "recursion_limit": self.stage.steps,
            "configurable": {"thread_id": THREAD},
            # This mark tells plays apart from other runs in the app's traces.
            "metadata": {"coop_coalition": ",".join(sorted(self.present))},
        }
        config = merge_configs(self.stage.settings.config, own)
        try:
            self.result.state = await self.to_its_end(graph, config)
        except CallsSpent:
            raise
        except Unanswered as reason:
            self.fail(str(reason))
        except GraphRecursionError:
            self.endless(f"it did not end within {self.stage.steps} steps")
        except Endless as reason:
            self.endless(str(reason))
        except Exception as error:
            said = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
            self.fail(f"{said}{self.hint()}")
        if self.spent:  # the app may have caught this error, so raise it again
            raise self.spent

    async def to_its_end(self, graph: Graph, config: RunnableConfig) -> Any:
        """Run the graph, resume each interrupt with its answer, and return the final state."""
        given: Any = copied(self.unit.given)
        for _ in range(self.stage.steps):
            state = await graph.ainvoke(given, config, context=self.stage.settings.context)
            if not (isinstance(state, dict) and state.get("__interrupt__")):
                return state
            given = await answered(graph, config, self.stage.settings.answers)
        raise GraphRecursionError

    def endless(self, reason: str) -> None:
        self.result.endless = not self.result.failure
        self.fail(f"{reason}{self.hint()}")

    def stand_in(self, path: str, bound: Runnable[Any, Any], managed: frozenset[str]) -> StandIn:
        """Return the function that replaces a node in this play."""
        model = self.instead(path)
        absent = bool(self.status(path)) and model is None
        node = Node(path, bound, managed, self.stage.app.names.get(path, path), model)
        return partial(self.absent_node if absent else self.present_node, node)

    def bounded(self, name: str, templates: int) -> int:
        """Count a call of an absent agent's stand-in; return how many calls there were before.

        Raises:
            Endless: the calls far exceed the agent's calls in the full run.
        """
        nth, self.stood[name] = self.stood[name], self.stood[name] + 1
        if nth > TIMES * templates + MORE:
            raise Endless(f"the play did not end: the absent {name} was asked {nth} times")
        return nth

    async def present_node(self, node: Node, state: Any, config: RunnableConfig) -> Any:
        after, agents = frozenset(self.finished), self.stage.app.names
        # The node may change its input in place, so the record needs a copy from before the call.
        given = copied(state) if self.full is None else {}
        call, names = await self.call(node, state, config)
        output = renamed(call.output, names)
        for one in call.inner:
            self.stage.wrappers.add(one.path)
            name = agents.get(one.path, one.path)
            written = Written(one.given, one.output)
            self.result.visits.append(Visit(name, written, one.took, after))
            after |= {name} & set(agents.values())
        self.finished |= after | ({node.name} & set(agents.values()))
        # Later nodes may change the output in place, so the record needs a copy.
        written = Written(given, copied(output) if self.full is None else {})
        self.result.visits.append(Visit(node.name, written, call.took, after, call.places))
        return output

    async def absent_node(self, node: Node, state: Any, config: RunnableConfig) -> Any:
        path, name = node.path, node.name
        self.sized(name, canonical(state, node.managed)[0])
        choice = self.stage.settings.absent_for(name)
        templates = self.full.of(name) if self.full else []
        nth = self.bounded(name, len(templates))
        if choice == "silent":
            return None
        is_model, words = isinstance(choice, BaseChatModel), ""
        if not templates and (is_model or choice == "blank"):
            return None
        if choice != "blank":
            asked = node._replace(path=f"{path}:{described(choice)}", bound=stand_in(choice))
            call, names = await self.call(asked, state, config)
            if not is_model:
                return renamed(call.output, names)
            words = call.output
        return self.stage.emptying(words)(templates[min(nth, len(templates) - 1)].written, state)
