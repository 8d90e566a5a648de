"""The check of a person's reply before the run is resumed with it.

A refused reply never reaches the run: the interrupt keeps waiting, and the person's seat gets the
letter with the reason at once. A client that resumes a thread directly skips this check; then the
node that asked validates the reply.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.types import Interrupt

from shapley_coop.deals.language.faults import Fault
from shapley_coop.graphs.catalogue import builder
from shapley_coop.prompts import Section
from shapley_coop.seats.asking import Enquiry
from shapley_coop.seats.provider import provider
from shapley_coop.seats.records import Mail
from shapley_coop.seats.seat import HUMAN
from shapley_coop.state.asking import check_reply, next_letters
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.letters import write_for_person
from shapley_coop.state.private import private_views
from shapley_coop.state.table import Table
from shapley_coop.state.turn import TurnContext

ANSWERED = "This letter has been answered, perhaps in another tab: another one waits now."
"""The error that a reply is to another letter than the one that waits."""


@dataclass(frozen=True, kw_only=True)
class OpenMail(Mail):
    """A letter that this process shows to a person, with the question that waits for the answer."""

    question: "OpenQuestion"


@dataclass(frozen=True)
class OpenQuestion:
    """A question that waits for a person's reply.

    Attributes:
        graph: the name of the workflow.
        node: the node that asked.
        table: the state that the node got as its input.
        agent: the agent that is asked.
    """

    graph: str
    node: str
    table: Table
    agent: str

    def question(self) -> Enquiry:
        """Return the person's letter, its attempt's number, and why the last answer was refused."""
        _, asked = next_letters(self.turn())
        return asked[self.agent].question

    def for_person(self) -> list[Section]:
        """Return the letter in the sections that a person reads, without tags and JSON."""
        turn = self.turn()
        return write_for_person(turn, self.agent, private_views(turn, {})[self.agent])

    def refusal(self, reply: Any) -> Fault | None:
        """Return the fault of a reply, or None if the run can be resumed with it.

        Args:
            reply: a tagged message, an inbox response, or the fields of the answer.
        """
        turn, read = self.turn(), provider(HUMAN).read
        assert read, "people's replies come from outside"
        return check_reply(turn, self.agent, read(reply, turn.question.name))

    def turn(self) -> TurnContext:
        """Return the node's table, its question, and the agent, as the node had them."""
        asking = builder(self.graph).askings[self.node]
        return TurnContext(EvaluatedTable(self.table), asking, (self.agent,))


def open_questions(graph: str, table: Table, tasks: Any) -> dict[str, OpenQuestion]:
    """Return agent → its open question, for all agents for whom a person must reply.

    Args:
        graph: the name of the workflow.
        table: the values in the thread's state.
        tasks: the tasks of the thread, from LangGraph or its server.
    """
    found = {}
    for task in tasks:
        name, interrupts = _of(task, "name"), _of(task, "interrupts")
        for interrupt in interrupts:
            agent = _of(interrupt, "value")["pointer"]["agent"]
            found[agent] = OpenQuestion(graph, name, table, agent)
    return found


def by_agent(interrupts: Sequence[Interrupt]) -> dict[str, Interrupt]:
    """Return agent → the interrupt that asks this agent."""
    return {one.value["pointer"]["agent"]: one for one in interrupts}


def find_asked(interrupts: Sequence[Interrupt], agent: str, meant: str = "") -> Interrupt:
    """Return the interrupt that asks an agent.

    Raises:
        ValueError: the agent is asked nothing, or by another interrupt than `meant` says.
    """
    asked = by_agent(interrupts)
    if agent not in asked:
        waiting = ", ".join(sorted(asked)) or "nobody"
        raise ValueError(f"{agent} is not asked now: the run waits for {waiting}")
    if meant not in ("", asked[agent].id):
        raise ValueError(ANSWERED)
    return asked[agent]


def _of(thing: Any, name: str) -> Any:
    return thing[name] if isinstance(thing, Mapping) else getattr(thing, name)
