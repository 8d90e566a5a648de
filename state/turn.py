"""The type of a question to agents, and the context in which it is asked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Generic, TypeVar

from shapley_coop.deals.language.faults import Fault
from shapley_coop.seats.answer import Answer
from shapley_coop.seats.asked import Asked
from shapley_coop.seats.records import Answer as Written
from shapley_coop.seats.records import Pointer
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.run_config import OUTSIDERS, RunConfig
from shapley_coop.state.table import AgentOutput, Draft, Table
from shapley_coop.state.telling import Lines, Telling, of_agents
from shapley_coop.state.topics import Topic

A = TypeVar("A", bound=Answer)

Who = Callable[[EvaluatedTable], list[str]]

Facts = Mapping[str, Any]
Words = Callable[[Facts], dict[str, Any]]
"""A function from a letter's facts to some variables of the letter's template."""


@dataclass(frozen=True, kw_only=True)
class Question(Asked, Generic[A]):
    """A question to agents: what its letter shows, how answers are read, and what they change.

    The module of a workflow builds nodes from a question, and sets its topic with `about`. `read`
    checks an answer against the letter, such as the offer's number or the legal actions. `check`
    checks an answer against the table. `publish` gets all agents' valid answers together.

    Attributes:
        topic: the subject of the question.
        who: a function that returns the agents to ask.
        read: parses an answer's text; returns the answer, or a fault to send to the author.
        check: returns the public part of an answer for the table, or a fault.
        publish: turns the valid answers into an update of the table.
        shows: functions (turn, agent) → facts, all of which are in the letter.
        words: functions that return template variables for this question's letter only.
        tries: returns the most answers that one agent may give, including refused answers.
        tells: selects the lines of the public history for the letter.
        history: returns the history's lines, if they are not those of the public history.
        hears: a function (turn, agent) → lines of history, if agents see different histories.
        rules: the template of the letter's system part.
        form: what a person's form has in addition to the answer's fields; None for nothing.
        sealed: returns the hash of the commitment that an agent's secret answer makes, such as
            market orders; None for other questions. Actions of the game do not need it.
        opens: whether the answer opens a bargaining.
        teaches: whether the letter explains how to write clauses.
        blind: whether agents must answer without tools that show computed values.
        guidance: whether letters ask to weigh other agents' utilities (utility-aware exchange).
        course: returns the variables of the template `NAME_course`, which describes an unusual
            procedure; None for the usual one.
        page: returns all questions of the workflow, so that letters can announce later steps.
    """

    topic: Topic
    who: Who
    answer: type[A]
    read: "Callable[[TurnContext, str, Written], A | Fault]"
    check: "Callable[[TurnContext, str, A], AgentOutput | Fault]"
    publish: "Publish"
    shows: "tuple[Part, ...]" = ()
    words: tuple[Words, ...] = ()
    tries: Callable[[EvaluatedTable], int] = lambda evaluated: evaluated.config.tries
    tells: Telling = of_agents
    history: "Callable[[TurnContext], list[dict[str, Any]]] | None" = None
    hears: "Callable[[TurnContext, str], Lines] | None" = None
    rules: str = "table"
    form: "Form | None" = None
    sealed: "Callable[[TurnContext, str, str], str | None] | None" = None
    opens: bool = False
    teaches: bool = False
    blind: bool = False
    guidance: bool = False
    course: "Callable[[RunConfig], dict[str, Any]] | None" = None
    page: "Callable[[], tuple[Question[Any], ...]]" = field(
        default=tuple, compare=False, repr=False
    )

    def about(self, topic: Topic, tells: Telling | None = None) -> "Question[A]":
        """Return a copy of the question with another topic.

        Args:
            topic: the new topic.
            tells: selects the lines of the history for the letter; by default as before.
        """
        return replace(self, topic=topic, tells=tells or self.tells)


@dataclass(frozen=True)
class Form:
    """What a person's form has in addition to the fields of the answer.

    Attributes:
        choices: (turn, agent) → the data that the form shows.
        preview: (turn, agent, text) → the consequences of a valid answer; {} for none.
    """

    choices: "Part"
    preview: "Callable[[TurnContext, str, str], dict[str, Any]]"


@dataclass(frozen=True, eq=False)
class TurnContext:
    """A table with the current question and the agents that are asked.

    Contexts are equal only if identical, so that facts for several letters can be cached.
    """

    evaluated: EvaluatedTable
    question: Question[Any]
    asked: tuple[str, ...]

    @classmethod
    def of(cls, table: Table, question: Question[Any]) -> "TurnContext":
        """Return a question's context, with the agents that have not answered it validly yet."""
        turn = cls(EvaluatedTable(table), question, ())
        who = table.get("asked") or question.who(turn.evaluated)
        return cls(turn.evaluated, question, tuple(a for a in who if not turn.has_answered(a)))

    @property
    def table(self) -> Table:
        """The table, which is the graph's shared state."""
        return self.evaluated.table

    @property
    def topic(self) -> Topic:
        """The question's topic."""
        return self.question.topic

    @property
    def norms(self) -> list[str]:
        """The norms that a deal can name; [] if the game's baseline is unconfirmed."""
        if not self.topic.computed or self.evaluated.game.baseline.warning:
            return []
        return [self.evaluated.config.norm]

    @property
    def in_clauses(self) -> bool:
        """Whether there is a current offer with clauses, not only words."""
        offer = self.evaluated.offer
        return offer is not None and bool(offer["deal"]["clauses"])

    @cached_property
    def at(self) -> str:
        """The id of this asking of the question: its topic, name, round and turn."""
        parts = (self.topic.name, self.question.name, self.table["round"], self.evaluated.turn)
        return ".".join(map(str, parts))

    def draft(self, agent: str) -> Draft | None:
        """Return the agent's latest draft if it answers this asking (`at`), or else None."""
        draft = self.table.get("drafts", {}).get(agent)
        return draft if draft and draft["at"] == self.at else None

    def has_answered(self, agent: str) -> bool:
        """Return whether an agent has given a valid answer or a pass."""
        draft = self.draft(agent)
        return draft is not None and draft["sound"]

    def is_person(self, agent: str) -> bool:
        """Return whether a person answers for an agent."""
        seat = self.evaluated.config.seats.get(agent)
        return seat is not None and seat.human

    def is_heard(self, agent: str) -> bool:
        """Return whether an agent's answer can contain a public message."""
        return self.question.answer.heard() and agent not in OUTSIDERS


Part = Callable[[TurnContext, str], dict[str, Any]]
"""A function from (turn, agent) to some of the facts in the agent's letter."""

Publish = Callable[[TurnContext, Mapping[str, AgentOutput]], dict[str, Any]]
"""A function from (turn, agent → valid answer) to an update of the table."""


def in_turn_after(agents: Sequence[str], speaker: str) -> list[str]:
    """Return the agents that follow the speaker in turn; all agents if the speaker is none of them.

    >>> in_turn_after(["Ann", "Ben", "Cem"], "Ben")
    ['Cem', 'Ann']
    """
    if speaker not in agents:
        return list(agents)
    at = agents.index(speaker)
    return [*agents[at + 1 :], *agents[:at]]


def unsound(table: Table) -> list[str]:
    """Return the agents whose latest draft was refused, and who will be asked again."""
    return [agent for agent, draft in table.get("drafts", {}).items() if not draft["sound"]]


def pointers_in(sealed: Mapping[str, AgentOutput]) -> dict[str, Pointer]:
    """Return agent → pointer to its sealed action in the journal; passes have no entry.

    Raises:
        ValueError: the table was edited: it has words or a choice instead of a pointer.
    """
    for agent, said in sealed.items():
        if not _is_commitment(said):
            raise ValueError(
                f"sealed.{agent} was edited, but the table may hold only a commitment there: fork "
                f"from before {agent} was asked, and answer at its seat"
            )
    return {agent: said["pointer"] for agent, said in sealed.items() if "pointer" in said}


def _is_commitment(said: Any) -> bool:
    """Return whether a value looks like an action or a pass that `seal_actions` wrote."""
    if not isinstance(said, Mapping) or said.get("text"):
        return False
    keys = {"act": {"act", "text", "pointer"}, "pass": {"act", "text", "label"}}
    return said.keys() == keys.get(str(said.get("act")), set())
