"""One thing that is asked: who answers it, what its letter shows, and what an answer comes to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from shapley_coop.deals.language.faults import Fault
from shapley_coop.seats.answer import Answer
from shapley_coop.seats.records import Answer as Written
from shapley_coop.seats.records import Pointer
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.run_config import OUTSIDERS, RunConfig
from shapley_coop.state.table import AgentOutput, Draft, Table
from shapley_coop.state.telling import Lines, Telling, of_agents
from shapley_coop.state.topics import Topic

if TYPE_CHECKING:  # most runs of models load no embedded agent
    from shapley_coop.seats.embedded.bargaining import Agent

A = TypeVar("A", bound=Answer)

Who = Callable[[EvaluatedTable], list[str]]

Facts = Mapping[str, Any]
Words = Callable[[Facts], dict[str, Any]]
"""Some variables of a letter's template, from its facts."""


@dataclass(frozen=True)
class Question(Generic[A]):
    """One thing that is asked of agents: all that the program knows of it.

    A workflow's page makes nodes of it, and says what it is about (`about`). `read` holds an answer
    against what the letter showed, as the offer's number or the legal actions; `check` holds it
    against the table. Neither sees the answers of others, which meet in the join behind.

    Attributes:
        name: also of the letter's template, and of the tool that answers it.
        title: what it asks, as a person's page says it.
        topic: what it is about.
        who: whose turn it is.
        answer: what it is answered with: tags, schema, tool and form are made of it.
        read: reads an answer's text: what it says, or what to ask back.
        check: what is said to all, ready for the table, or why it is refused.
        publish: turns sound answers into an update of the table.
        program: how an embedded agent answers it.
        shows: what its letter shows: parts of the view, (turn, agent) → facts.
        words: the variables that its template has beside those of all letters.
        tries: how many answers one agent may give.
        tells: which lines of the public history its letter tells.
        hears: the history of one agent, (turn, agent) → lines, where not all hear the same.
        rules: the template of the letter's system part.
        sealed: of orders to a market, how a form shows them and what they bind; actions in play
            are sealed as they are published.
        teaches: whether its letter teaches how clauses are written.
        blind: whether it is asked before agents are shown what was computed.
        guidance: whether letters ask to weigh the others' utilities (utility-aware exchange).
        course: where agents agree in another way than by bargaining in turn: gives the variables
            of the template `NAME_course`, by which letters tell of it.
        page: everything that its workflow asks, in order, from which letters tell how it goes on.
    """

    name: str
    title: str
    topic: Topic
    who: Who
    answer: type[A]
    read: "Callable[[TurnContext, str, Written], A | Fault]"
    check: "Callable[[TurnContext, str, A], AgentOutput | Fault]"
    publish: "Publish"
    program: "Callable[[Agent], str]"
    shows: "tuple[Part, ...]" = ()
    words: tuple[Words, ...] = ()
    tries: Callable[[EvaluatedTable], int] = lambda evaluated: evaluated.config.tries
    tells: Telling = of_agents
    hears: "Callable[[TurnContext, str], Lines] | None" = None
    rules: str = "table"
    sealed: "Sealed | None" = None
    teaches: bool = False
    blind: bool = False
    guidance: bool = False
    course: "Callable[[RunConfig], dict[str, Any]] | None" = None
    page: "Callable[[], tuple[Question[Any], ...]]" = field(
        default=tuple, compare=False, repr=False
    )

    def about(self, topic: Topic, tells: Telling | None = None) -> "Question[A]":
        """Return the same question about another topic.

        Args:
            topic: what it is about.
            tells: which lines of the history its letter tells; by default the same.
        """
        return replace(self, topic=topic, tells=tells or self.tells)


@dataclass(frozen=True)
class Sealed:
    """Answers that bind their authors and that nobody else sees, as orders to a market.

    Attributes:
        choices: (turn, agent) → what a person's form needs beside its fields.
        in_words: (turn, agent, text) → what an answer comes to, as lines.
        binds: (turn, agent, text) → the hash of what it binds its author to; None for nothing.
    """

    choices: "Part"
    in_words: "Callable[[TurnContext, str, str], list[str]]"
    binds: "Callable[[TurnContext, str, str], str | None]"


@dataclass(frozen=True, eq=False)
class TurnContext:
    """A table as it stands, and who is asked for what now.

    Compared by identity, so that letter parts that all agents share can be cached per instance.
    """

    evaluated: EvaluatedTable
    question: Question[Any]
    asked: tuple[str, ...]

    @classmethod
    def of(cls, table: Table, question: Question[Any]) -> "TurnContext":
        """Return the context of those who have not given a sound answer yet."""
        turn = cls(EvaluatedTable(table), question, ())
        who = table.get("asked") or question.who(turn.evaluated)
        return cls(turn.evaluated, question, tuple(a for a in who if not turn.has_answered(a)))

    @property
    def table(self) -> Table:
        """The shared state."""
        return self.evaluated.table

    @property
    def topic(self) -> Topic:
        """What it is about."""
        return self.question.topic

    @property
    def norms(self) -> list[str]:
        """The norms a deal can name here: none before the baseline is declared or confirmed."""
        if not self.topic.computed or self.evaluated.game.baseline.warning:
            return []
        return [self.evaluated.config.norm]

    @property
    def in_clauses(self) -> bool:
        """Whether the offer that stands holds clauses, and not words alone."""
        offer = self.evaluated.offer
        return offer is not None and bool(offer["deal"]["clauses"])

    @cached_property
    def at(self) -> str:
        """The name of this asking among all of the run."""
        parts = (self.topic.name, self.question.name, self.table["round"], self.evaluated.turn)
        return ".".join(map(str, parts))

    def draft(self, agent: str) -> Draft | None:
        """Return the agent's latest draft in this question."""
        draft = self.table.get("drafts", {}).get(agent)
        return draft if draft and draft["at"] == self.at else None

    def has_answered(self, agent: str) -> bool:
        """Return whether an agent's answer is in: sound, or a pass."""
        draft = self.draft(agent)
        return draft is not None and draft["sound"]

    def is_person(self, agent: str) -> bool:
        """Return whether a person answers for an agent."""
        seat = self.evaluated.config.seats.get(agent)
        return seat is not None and seat.human

    def is_heard(self, agent: str) -> bool:
        """Return whether an agent's answer can hold words to all."""
        return self.question.answer.heard() and agent not in OUTSIDERS


Part = Callable[[TurnContext, str], dict[str, Any]]
"""One part of what an agent sees: (turn, agent) → facts."""

Publish = Callable[[TurnContext, Mapping[str, AgentOutput]], dict[str, Any]]
"""Turns sound answers into an update of the table."""


def in_turn_after(agents: Sequence[str], speaker: str) -> list[str]:
    """All other agents in speaking order, from the one after the speaker; all, if it is no agent.

    >>> in_turn_after(["Ann", "Ben", "Cem"], "Ben")
    ['Cem', 'Ann']
    """
    if speaker not in agents:
        return list(agents)
    at = agents.index(speaker)
    return [*agents[at + 1 :], *agents[:at]]


def unsound(table: Table) -> list[str]:
    """Return the agents whose latest draft was refused, and who are asked again."""
    return [agent for agent, draft in table.get("drafts", {}).items() if not draft["sound"]]


def pointers_in(sealed: Mapping[str, AgentOutput]) -> dict[str, Pointer]:
    """Agent → where its sealed action waits; nobody for whom a pass was sealed.

    Raises:
        ValueError: words or a choice were written into the table, which holds commitments alone.
    """
    for agent, said in sealed.items():
        if not _is_commitment(said):
            raise ValueError(
                f"sealed.{agent} was edited, and the table holds only a commitment to what was "
                f"chosen: fork from before {agent} was asked, and answer at its seat"
            )
    return {agent: said["pointer"] for agent, said in sealed.items() if "pointer" in said}


def _is_commitment(said: Any) -> bool:
    """Return whether this is what `seal_actions` leaves of an action, or of a pass."""
    if not isinstance(said, Mapping) or said.get("text"):
        return False
    keys = {"act": {"act", "text", "pointer"}, "pass": {"act", "text", "label"}}
    return said.keys() == keys.get(str(said.get("act")), set())
