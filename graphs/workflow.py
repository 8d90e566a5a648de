"""The builder of workflows: nodes that ask agents, edges by verdict, a task for each person.

All models are asked in one task. Each person has a separate task (a `Send`), so that replies match
tasks by id in any order and across restarts. LangGraph begins a step after all tasks of the step
before have ended. So the node that follows parallel questions has the answers of all agents.

A node that only reads the table is asynchronous. A node that computes or reads files is a plain
function: LangGraph runs it in a thread, so that other runs do not wait.
"""

import hashlib
import json
from collections.abc import AsyncIterator, Callable, Hashable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Self, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.types import ERROR
from langgraph.errors import GraphRecursionError
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send

from shapley_coop.blocking import iterate_blocking, run_blocking
from shapley_coop.games import Game
from shapley_coop.nodes.agent.ask import ask, draft, validate
from shapley_coop.nodes.table.open import Reopening, open_node
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.table import Opening, Result, Table
from shapley_coop.state.turn import Question, TurnContext, unsound
from shapley_coop.state.workflow_config import config_for, opening_for

MOST_STEPS = 10_000
"""The limit of steps of a run whose configuration sets none; LangGraph's own is about as high."""

Verdict = Callable[[Table], str]
"""A function from the table to the name of a branch's outcome."""


def verdict_of(table: Table) -> str:
    """Return the verdict that the previous node wrote to the table."""
    return table["verdict"]


def route_offer(table: Table) -> str:
    """Return `offer` if the speaker made an offer, else `pass`."""
    return "offer" if table["offer"] else "pass"


def sound(table: Table) -> str:
    """Return `sound`, for a branch that leads back by `again` if an answer is refused."""
    return "sound"


class App(CompiledStateGraph[Table, RunConfig, Opening, Result]):
    """A compiled workflow whose nodes that ask agents are asynchronous.

    The synchronous methods, such as `invoke`, run the asynchronous ones on an event loop in a
    thread, so that they also work in a notebook. So a checkpoint saver needs asynchronous methods.
    """

    def stream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Any:
        """Stream like `astream`, one item at a time; `invoke` calls this method."""
        return iterate_blocking(self.astream(input, config, **options))

    async def astream(
        self, input: Any, config: RunnableConfig | None = None, **options: Any
    ) -> AsyncIterator[Any]:
        """Stream like LangGraph, but also store that a run has exceeded its limit of steps.

        LangGraph stores the errors of nodes alone, so such a run would seem to be played for ever.
        """
        try:
            async with aclosing(super().astream(input, config, **options)) as parts:  # type: ignore[type-var]
                async for part in parts:
                    yield part
        except GraphRecursionError as error:
            if config and isinstance(self.checkpointer, BaseCheckpointSaver):
                state = await self.aget_state(config)
                for task in state.tasks:
                    await self.checkpointer.aput_writes(state.config, [(ERROR, error)], task.id)
            raise

    def astream_events(
        self, input: Any, config: RunnableConfig | None = None, **options: Any
    ) -> Any:
        """Stream events within the limit of steps that holds for `astream`."""
        # LangChain would set its own limit of 25 steps, which most games exceed.
        limit = {"recursion_limit": MOST_STEPS, **(self.config or {})}["recursion_limit"]
        return super().astream_events(
            input, cast(RunnableConfig, {"recursion_limit": limit, **(config or {})}), **options
        )

    def bulk_update_state(self, config: RunnableConfig, supersteps: Any) -> RunnableConfig:
        """Update the state like `abulk_update_state`; `update_state` calls this method."""
        return run_blocking(self.abulk_update_state(config, supersteps))


def take_any(config: RunConfig) -> None:
    """Accept all settings; this is the default of `check_config`."""


class WorkflowBuilder(StateGraph[Table, RunConfig, Opening, Result]):
    """The builder of one workflow (a "page"): a `StateGraph` with nodes that ask agents.

    Args:
        game: the default game of the workflow.
        plays: the class of games that the workflow can play.
        check_game: a function that raises `ValueError` for a game of that class that the workflow
            cannot play; the default refuses games that only another workflow can play.
        check_config: a function that raises `ValueError` for settings that the workflow cannot use.
        params: default parameters of the default game.
        state: the class of the table, which all nodes read.
        start: the initial values of the keys that this workflow adds to the table.

    Attributes:
        game: the argument `game`.
        plays: the argument `plays`.
        check_game: the argument `check_game`, or its default.
        check_config: the argument `check_config`.
        params: the argument `params`.
        name: the name of the compiled workflow, which is part of what the parties sign.
        askings: node → the question that the node asks.
    """

    def __init__(
        self,
        game: str = "escape_room",
        plays: type[Game] = Game,
        check_game: Callable[[Game], object] | None = None,
        check_config: Callable[[RunConfig], object] = take_any,
        params: Mapping[str, Any] | None = None,
        state: type[Table] = Table,
        start: Mapping[str, Any] | None = None,
    ) -> None:
        self.askings: dict[str, Question[Any]] = {}
        self.name = ""
        config = config_for(game, plays, lambda: self.askings)
        super().__init__(
            state, context_schema=config, input_schema=opening_for(config), output_schema=Result
        )
        self.game, self.plays = game, plays
        self.check_game = check_game or self._check_workflow
        self.check_config = check_config
        self.params: Mapping[str, Any] = params or {}
        first = open_node(self, config, start or {})
        self.add_node("open", first, input_schema=opening_for(config, Reopening))
        self.set_entry_point("open")

    def add_node(self, node: Any, action: Any = None, **options: Any) -> Self:
        """Add a node that gets the workflow's table class, whatever class it is annotated with."""
        return super().add_node(node, action, **{"input_schema": self.state_schema, **options})

    def compile(self, *given: Any, **options: Any) -> App:
        """Compile the graph like LangGraph's `compile`, and store the workflow's name."""
        self.name = options.get("name") or self.name
        compiled = vars(super().compile(*given, **options))
        return App(**{name: part for name, part in compiled.items() if name != "__orig_class__"})

    def _check_workflow(self, game: Game) -> None:
        """Refuse a game that only another workflow can play.

        Raises:
            ValueError: the game is made for another workflow.
        """
        if game.workflow not in ("", self.name):
            named = game.called(game.params.model_dump())
            raise ValueError(f"{named} is only for {game.workflow}: choose that workflow")

    @property
    def version(self) -> str:
        """A hash of the wiring: a run can be resumed only with the wiring that it began with."""
        onward = {
            source: {name: branch.ends for name, branch in branches.items()}
            for source, branches in self.branches.items()
        }
        joins = sorted((sorted(sources), to) for sources, to in self.waiting_edges)
        wiring = [sorted(self.nodes), sorted(self.edges), joins, onward]
        return hashlib.sha256(json.dumps(wiring, sort_keys=True).encode()).hexdigest()[:16]

    def all_askings(self) -> tuple[Question[Any], ...]:
        """Return all questions of the workflow."""
        return tuple(self.askings.values())

    def asks(self, node: str, question: Question[Any], then: str = "") -> None:
        """Add a node that asks agents and validates their answers.

        Args:
            node: the name of the node.
            question: the question, which says which agents are asked.
            then: the node that follows after all answers, if several agents are asked. Its verdict
                `refused` must lead back to `node`, which then asks the refused authors again.
        """
        self.add_node(node, ask(self._asked_at(node, question)))
        if then:
            self.add_edge(node, then)

    def asks_and_validates(self, node: str, check: str, question: Question[Any]) -> None:
        """Add a node that asks one agent, a node that validates the answer, and an edge between.

        Args:
            node: the name of the node that asks.
            check: the name of the node that validates; its verdict `again` leads back to `node`.
            question: the question, which says which agent is asked.
        """
        asked = self._asked_at(node, question)
        self.add_node(node, draft(asked))
        self.add_node(check, validate(asked))
        self.add_edge(node, check)

    def branch(self, source: str, verdict: Verdict, onward: Mapping[str, str]) -> None:
        """Add conditional edges; a node that asks several agents gets a task for each person.

        Args:
            source: the node that the edges leave.
            verdict: the function that chooses the edge.
            onward: outcome → node. If it has the outcome `again`, refused answers lead to that
                outcome's node, and `verdict` is called only if all answers are sound.
        """

        own_table = self.state_schema  # LangGraph passes to `route` only this type's keys

        async def route(table: own_table) -> str | Sequence[Send]:  # type: ignore[valid-type]
            again = "again" in onward and unsound(table)
            found = "again" if again else verdict(table)
            return self._fan_out(onward[found], table) or found

        self.add_conditional_edges(source, route, cast(dict[Hashable, str], dict(onward)))

    def lead(self, source: str, to: str) -> None:
        """Add an edge to a node that may ask people."""
        self.branch(source, lambda _: to, {to: to})

    def _asked_at(self, node: str, question: Question[Any]) -> Question[Any]:
        """Store and return a node's question, with access to the page's other questions."""
        self.askings[node] = replace(question, page=self.all_askings)
        return self.askings[node]

    def _fan_out(self, node: str, table: Table) -> list[Send]:
        """Return one `Send` for each person and one for all models, or [] if one task can ask all.

        A `Send` contains the public table and agents' names, never a secret.
        """
        asking = self.askings.get(node)
        if asking is None or not _people_apart(table, asking):
            return []
        turn = TurnContext.of(table, asking)
        people = [[agent] for agent in turn.asked if turn.is_person(agent)]
        models = [agent for agent in turn.asked if not turn.is_person(agent)]
        groups = [models, *people] if models else people
        return [
            Send(
                node,
                {
                    **table,
                    "asked": group,
                    "concurrent_agents": [a for a in turn.asked if a not in group],
                },
            )
            for group in groups
        ]


def _people_apart(table: Table, asking: Question[Any]) -> bool:
    """Return whether several agents are asked and some are people, who need separate tasks."""
    evaluated = EvaluatedTable(table)
    who = asking.who(evaluated)
    seats = evaluated.config.seats
    return len(who) > 1 and any(agent in seats and seats[agent].human for agent in who)
