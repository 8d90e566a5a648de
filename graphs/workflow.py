"""The builder of workflows: nodes that ask agents, edges by verdict, a task for each person.

All models are asked in one task. Each person has a separate task (a `Send`), so that replies match
tasks by id in any order and across restarts. LangGraph begins a step after all tasks of the step
before have ended. So the node that follows parallel questions has the answers of all agents.

A node that only reads the table is asynchronous. A node that computes or reads files is a plain
function: LangGraph runs it in a thread, so that other runs do not wait.
"""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import iscoroutinefunction
from typing import Any, Self, cast

from langgraph.graph import StateGraph
from langgraph.types import Send

from shapley_coop.games import Game
from shapley_coop.graphs.app import App
from shapley_coop.nodes.agent.ask import ask, draft, validate
from shapley_coop.nodes.table.open import Reopening, open_node
from shapley_coop.seats.records import Entry
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.settings import game_of, settings_of
from shapley_coop.state.table import Opening, Result, Table
from shapley_coop.state.turn import Question, TurnContext, unsound
from shapley_coop.state.workflow_config import check_kind, config_for, opening_for, with_params

Verdict = Callable[[Table], str]
"""A function from the table to the name of a branch's outcome."""

Action = Callable[[Any], Any]
"""A function from the table to an update of it; a coroutine function only reads the table."""


def verdict_of(table: Table) -> str:
    """Return the verdict that the previous node wrote to the table."""
    return table["verdict"]


def route_offer(table: Table) -> str:
    """Return `offer` if the speaker made an offer, else `pass`."""
    return "offer" if table["offer"] else "pass"


def sound(table: Table) -> str:
    """Return `sound`, for a branch that leads back by `again` while an answer is refused."""
    return "sound"


@dataclass(frozen=True)
class Measures:
    """What a workflow measures of its finished runs, in addition to what is measured of all runs.

    Attributes:
        of_run: returns measure → value, from the last state and the journal's entries.
        of_message: returns a public message of a run with the fields that the workflow adds.
    """

    of_run: Callable[[Table, Sequence[Entry]], dict[str, float | None]]
    of_message: Callable[[Table, dict[str, Any]], dict[str, Any]]


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
        measures: the workflow's own measures of its runs.

    Attributes:
        game: the argument `game`.
        plays: the argument `plays`.
        params: the argument `params`.
        name: the name of the compiled workflow, which is part of what the parties sign.
        measures: the argument `measures`.
        askings: node → the question that the node asks.
    """

    def __init__(
        self,
        game: str = "escape_room",
        plays: type[Game] = Game,
        check_game: Callable[[Game], object] | None = None,
        check_config: Callable[[RunConfig], object] | None = None,
        params: Mapping[str, Any] | None = None,
        state: type[Table] = Table,
        start: Mapping[str, Any] | None = None,
        measures: Measures | None = None,
    ) -> None:
        self.askings: dict[str, Question[Any]] = {}
        self.name = ""
        config = config_for(game, plays, lambda: self.askings)
        super().__init__(
            state, context_schema=config, input_schema=opening_for(config), output_schema=Result
        )
        self.game, self.plays, self.measures = game, plays, measures
        self._check_game = check_game or self._check_workflow
        self._check_config = check_config
        self.params: Mapping[str, Any] = params or {}
        first = open_node(self, config, start or {})
        self.add_node("open", first, input_schema=opening_for(config, Reopening))
        self.set_entry_point("open")

    def add_node(self, node: Any, action: Any = None, **options: Any) -> Self:
        """Add a node that gets the workflow's table class, whatever class it is annotated with."""
        return super().add_node(node, action, **{"input_schema": self.state_schema, **options})

    def compile(self, *given: Any, **options: Any) -> App:
        """Compile the graph like LangGraph's `compile`, and store the workflow's name.

        An edge from a node that asks nobody to one that asks gets a task for each person.
        """
        self.name = options.get("name") or self.name
        for source, to in sorted(self.edges):
            if to in self.askings and source not in self.askings:
                self.edges.remove((source, to))
                self._lead(source, to)
        compiled = vars(super().compile(*given, **options))
        return App(**{name: part for name, part in compiled.items() if name != "__orig_class__"})

    def admit(self, config: RunConfig) -> tuple[RunConfig, dict[str, Any], Game]:
        """Return a run's resolved configuration, its settings and its game, ready to be played.

        Raises:
            ValueError: a setting is invalid, or the workflow cannot play the game or use a setting.
        """
        resolved = with_params(config, self.game, self.params).resolve()
        settings = settings_of(resolved)
        game = game_of(settings)
        self.check_game(game)
        if self._check_config:
            self._check_config(resolved)
        game.make_ready()
        return resolved, settings, game

    def check_game(self, game: Game) -> None:
        """Refuse a game that the workflow cannot play.

        Raises:
            ValueError: the game is of another class, or `check_game` of the builder refuses it.
        """
        check_kind(game, self.plays, self.name)
        self._check_game(game)

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

    def asks(
        self, node: str, question: Question[Any], then: tuple[str, Action] | None = None
    ) -> None:
        """Add a node that asks agents and validates their answers.

        Args:
            node: the name of the node.
            question: the question, which says which agents are asked.
            then: the name and the function of a node that waits for all answers, if several agents
                are asked; the edge to it is added too. If an answer is refused, the function is not
                called, and the node's branch must lead back to `node` by `again`.
        """
        self.add_node(node, ask(self._asked_at(node, question)))
        if then:
            self.add_node(then[0], _once_sound(then[1]))
            self.add_edge(node, then[0])

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
                outcome's node, which asks their authors again; `verdict` is called only if all
                answers are sound.
        """

        own_table = self.state_schema  # LangGraph passes to `route` only this type's keys

        async def route(table: own_table) -> str | Sequence[Send]:  # type: ignore[valid-type]
            again = "again" in onward and unsound(table)
            found = "again" if again else verdict(table)
            return self._fan_out(onward[found], table) or found

        self.add_conditional_edges(source, route, cast(dict[Hashable, str], dict(onward)))

    def _lead(self, source: str, to: str) -> None:
        """Add an edge with a task for each person."""
        self.branch(source, lambda _: to, {to: to})

    def _asked_at(self, node: str, question: Question[Any]) -> Question[Any]:
        """Store and return a node's question, with access to the page's other questions."""
        self.askings[node] = replace(question, page=self.all_askings)
        return self.askings[node]

    def _fan_out(self, node: str, table: Table) -> list[Send]:
        """Return one `Send` for each person and one for all models, or [] if one task can ask all.

        A `Send` contains the public table and agents' names, never a secret.
        """
        if node not in self.askings:
            return []
        turn = TurnContext.of(table, self.askings[node])
        people = [[agent] for agent in turn.asked if turn.is_person(agent)]
        if not people or len(turn.asked) == 1:
            return []
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


def _once_sound(action: Action) -> Callable[[Table], Awaitable[dict[str, Any]]]:
    """Return a node that runs a function only if no answer is refused."""

    async def join(table: Table) -> dict[str, Any]:
        if unsound(table):
            return {}
        if iscoroutinefunction(action):
            return cast(dict[str, Any], await action(table))
        return await asyncio.to_thread(action, table)

    return join
