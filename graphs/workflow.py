"""What a workflow's page is built from: nodes that ask, edges by verdict, people asked in parallel.

Models are asked in parallel in one task. A person is always one task of their own (a `Send`):
replies are matched to tasks by id, in any order and over restarts. All tasks of a step end before
the next begins, so that a node which asks several agents is followed by one that waits for all.

A node that only reads the table is asynchronous. One that computes or reads files is a plain
function, which LangGraph runs in a thread, so that it holds up no other run.
"""

import hashlib
import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self, cast

from langchain_core.runnables import RunnableConfig
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

Verdict = Callable[[Table], str]
"""Names where a page goes on."""


def verdict_of(table: Table) -> str:
    """Return the verdict of the node before."""
    return table["verdict"]


def route_offer(table: Table) -> str:
    """Return `offer` where the speaker made one, else `pass`."""
    return "offer" if table["offer"] else "pass"


def sound(table: Table) -> str:
    """Return `sound`: the answer was taken, and the page needs to know no more."""
    return "sound"


class App(CompiledStateGraph[Table, RunConfig, Opening, Result]):
    """A workflow that can be run; the nodes that ask are asynchronous.

    What LangGraph offers synchronous callers runs on an event loop in a thread (`run_blocking`),
    so that it works in a notebook, too, which has a loop of its own. A checkpoint saver needs its
    asynchronous methods for that.
    """

    def stream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Any:
        """As `astream`; `invoke` is made of it. The workflow rests until its next part is taken."""
        return iterate_blocking(self.astream(input, config, **options))

    def bulk_update_state(self, config: RunnableConfig, supersteps: Any) -> RunnableConfig:
        """As `abulk_update_state`; `update_state` is made of it."""
        return run_blocking(self.abulk_update_state(config, supersteps))


def take_any(config: RunConfig) -> None:
    """Take any settings."""


class WorkflowBuilder(StateGraph[Table, RunConfig, Opening, Result]):
    """A page of wiring.

    Args:
        game: what it plays when the run's configuration names none.
        plays: the kind of game that it can play.
        check_game: raises a `ValueError` of one line for a game of that kind that it cannot play;
            by default one that another workflow alone can play.
        check_config: raises a `ValueError` of one line for settings that it cannot play by.
        params: parameters of that game, where the run's configuration gives none.
        state: its table, which all of its nodes read.
        start: what the keys of that table which not every workflow has begin with.

    Attributes:
        game: the same.
        plays: the same.
        check_game: the same.
        check_config: the same.
        params: the same.
        name: the workflow's, once it is compiled: parties sign it.
        askings: node → what it asks, by which a person's reply is checked before the run goes on.
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
        """As LangGraph's; a node reads the workflow's own table, whatever its annotation names."""
        return super().add_node(node, action, **{"input_schema": self.state_schema, **options})

    def compile(self, *given: Any, **options: Any) -> App:
        """As LangGraph's."""
        self.name = options.get("name") or self.name
        compiled = vars(super().compile(*given, **options))
        return App(**{name: part for name, part in compiled.items() if name != "__orig_class__"})

    def _check_workflow(self, game: Game) -> None:
        """Refuse a game that another workflow alone can play.

        Raises:
            ValueError: it is one.
        """
        if game.workflow not in ("", self.name):
            named = game.called(game.params.model_dump())
            raise ValueError(f"{named} is for {game.workflow} alone: choose that workflow")

    @property
    def version(self) -> str:
        """A hash of the wiring: a run goes on only by the wiring that it began with."""
        onward = {
            source: {name: branch.ends for name, branch in branches.items()}
            for source, branches in self.branches.items()
        }
        joins = sorted((sorted(sources), to) for sources, to in self.waiting_edges)
        wiring = [sorted(self.nodes), sorted(self.edges), joins, onward]
        return hashlib.sha256(json.dumps(wiring, sort_keys=True).encode()).hexdigest()[:16]

    def all_askings(self) -> tuple[Question[Any], ...]:
        """Return everything that the page asks."""
        return tuple(self.askings.values())

    def asks(self, node: str, question: Question[Any], then: str = "") -> None:
        """A node that asks.

        Args:
            node: its name.
            question: who is asked for what.
            then: where several are asked, the node that waits for all of them. It leads back by the
                verdict `refused`, so that the authors of refused answers are asked again.
        """
        self.add_node(node, ask(self._asked_at(node, question)))
        if then:
            self.add_edge(node, then)

    def asks_and_validates(self, node: str, check: str, question: Question[Any]) -> None:
        """Two nodes and the edge between them: one asks one agent, the other validates its answer.

        Args:
            node: the one that asks.
            check: the one that validates; it leads back by the verdict `again`.
            question: who is asked for what.
        """
        asked = self._asked_at(node, question)
        self.add_node(node, draft(asked))
        self.add_node(check, validate(asked))
        self.add_edge(node, check)

    def branch(self, source: str, verdict: Verdict, onward: Mapping[str, str]) -> None:
        """Conditional edges; into a node that asks several agents, people go in parallel.

        Args:
            source: the node they leave from.
            verdict: names what was found.
            onward: verdict → node. Where it has `again`, refused answers lead there, and the
                verdict is on sound ones alone.
        """

        own_table = self.state_schema  # LangGraph gives an edge the keys that its annotation has

        async def route(table: own_table) -> str | Sequence[Send]:  # type: ignore[valid-type]
            again = "again" in onward and unsound(table)
            found = "again" if again else verdict(table)
            return self._fan_out(onward[found], table) or found

        self.add_conditional_edges(source, route, cast(dict[Hashable, str], dict(onward)))

    def lead(self, source: str, to: str) -> None:
        """An edge to a node that may ask people."""
        self.branch(source, lambda _: to, {to: to})

    def _asked_at(self, node: str, question: Question[Any]) -> Question[Any]:
        """Return a question as a node of this page, by which its letters tell how it goes on."""
        self.askings[node] = replace(question, page=self.all_askings)
        return self.askings[node]

    def _fan_out(self, node: str, table: Table) -> list[Send]:
        """One `Send` for each person asked at a node, and one for all models; none without people.

        The payload is the public table and the names: never a secret.
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
    """Return whether people are among several who are asked: each then has a task of its own."""
    evaluated = EvaluatedTable(table)
    who = asking.who(evaluated)
    seats = evaluated.config.seats
    return len(who) > 1 and any(agent in seats and seats[agent].human for agent in who)
