"""A person's reply, checked before the run is resumed with it.

A refused reply never reaches the run: the same interrupt goes on waiting, and the letter, with the
reason, waits at the person's seat at once. Clients that resume a thread by themselves skip this;
their replies are validated by the node that asked.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shapley_coop.deals.language.faults import Fault
from shapley_coop.graphs.catalogue import builder
from shapley_coop.nodes.agent.ask import write_letter
from shapley_coop.seats.asking import Enquiry, as_answer
from shapley_coop.state.asking import prepare, refuse
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.table import Table
from shapley_coop.state.turn import TurnContext


@dataclass(frozen=True)
class OpenQuestion:
    """A node that waits for a person's reply.

    Attributes:
        graph: the workflow.
        node: the node that asked.
        table: the state it was handed.
        agent: who is asked.
    """

    graph: str
    node: str
    table: Table
    agent: str

    def question(self) -> Enquiry:
        """Return what is asked now: the letter, its attempt, and why the last reply was refused."""
        _, asked = prepare(self.turn(), write_letter)
        return asked[self.agent].question

    def refusal(self, reply: Any) -> Fault | None:
        """Return why a reply is refused; None if the run can be resumed with it.

        Args:
            reply: a message of the wire, an inbox response, or the fields of `seats.person.Reply`.
        """
        return refuse(self.turn(), self.agent, as_answer(reply), write_letter)

    def turn(self) -> TurnContext:
        """Return the table as the node was handed it, and what the agent is asked for."""
        asking = builder(self.graph).askings[self.node]
        return TurnContext(EvaluatedTable(self.table), asking, (self.agent,))


def open_questions(graph: str, table: Table, tasks: Any) -> dict[str, OpenQuestion]:
    """Agent → the node that waits for its reply.

    Args:
        graph: the workflow.
        table: a thread's values.
        tasks: a thread's tasks, as LangGraph or its server gives them.
    """
    found = {}
    for task in tasks:
        name, interrupts = _of(task, "name"), _of(task, "interrupts")
        for interrupt in interrupts:
            agent = _of(interrupt, "value")["pointer"]["agent"]
            found[agent] = OpenQuestion(graph, name, table, agent)
    return found


async def check_reply(question: OpenQuestion, reply: Any) -> Fault | None:
    """`OpenQuestion.refusal` from an event loop."""
    return await asyncio.to_thread(question.refusal, reply)


def _of(thing: Any, name: str) -> Any:
    return thing[name] if isinstance(thing, Mapping) else getattr(thing, name)
