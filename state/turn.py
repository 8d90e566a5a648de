"""One asking: which agents are asked for what, when an answer is sound, and how it is published."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from shapley_coop.deals.language.acceptance import in_a_word
from shapley_coop.deals.language.faults import CUT, FILTERED, REFUSED, Fault
from shapley_coop.deals.language.speech import speech_in
from shapley_coop.deals.language.wire import Message, scan, too_long
from shapley_coop.deals.signing.acceptance import without_signature
from shapley_coop.sealed_letters import sealed_letter
from shapley_coop.seats.person import CHOSEN, PASS
from shapley_coop.seats.records import Answer, Pointer
from shapley_coop.state.budget import SPENT_UP
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.mandates import outside
from shapley_coop.state.run_config import OUTSIDERS
from shapley_coop.state.signatures import attested
from shapley_coop.state.table import AgentOutput, Draft, Table
from shapley_coop.state.telling import Telling, of_agents
from shapley_coop.state.topics import Topic

Who = Callable[[EvaluatedTable], list[str]]


@dataclass(frozen=True)
class Asking:
    """One question that a workflow asks; a workflow's page makes nodes of it.

    Attributes:
        act: what is asked for: the name of the letter's template, and of what it shows.
        topic: what it is about.
        who: whose turn it is.
        check: reads an answer: what it says, or why it is refused.
        publish: turns sound answers into an update of the table.
        tries: how many answers one agent may give.
        shows: what its letter shows beside what the act does: (turn, agent) → facts.
        tells: which lines of the public history its letter tells.
        rules: the template of the letter's system part.
        guidance: whether letters ask to weigh the others' utilities (utility-aware exchange).
        page: everything that its workflow asks, in order, from which letters tell how it goes on.
    """

    act: str
    topic: Topic
    who: Who
    check: "Check"
    publish: "Publish"
    tries: Callable[[EvaluatedTable], int] = lambda evaluated: evaluated.config.tries
    shows: "Callable[[TurnContext, str], dict[str, Any]]" = lambda turn, agent: {}
    tells: Telling = of_agents
    rules: str = "table"
    guidance: bool = False
    page: "Callable[[], tuple[Asking, ...]]" = field(default=tuple, compare=False, repr=False)

    def about(self, topic: Topic, tells: Telling | None = None) -> "Asking":
        """The same question about another topic.

        Args:
            topic: what it is about.
            tells: which lines of the history its letter tells; by default the same.
        """
        return replace(self, topic=topic, tells=tells or self.tells)


@dataclass(frozen=True, eq=False)
class TurnContext:
    """A table as it stands, and who is asked for what now.

    Compared by identity, so that letter parts that all agents share can be cached per instance.
    """

    evaluated: EvaluatedTable
    asking: Asking
    asked: tuple[str, ...]

    @classmethod
    def of(cls, table: Table, asking: Asking) -> "TurnContext":
        """The context of those who have not given a sound answer yet."""
        turn = cls(EvaluatedTable(table), asking, ())
        who = table.get("asked") or asking.who(turn.evaluated)
        return cls(turn.evaluated, asking, tuple(a for a in who if not turn.has_answered(a)))

    @property
    def table(self) -> Table:
        """The shared state."""
        return self.evaluated.table

    @property
    def topic(self) -> Topic:
        """What it is about."""
        return self.asking.topic

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
        parts = (self.topic.name, self.asking.act, self.table["round"], self.evaluated.turn)
        return ".".join(map(str, parts))

    def draft(self, agent: str) -> Draft | None:
        """The agent's latest draft in this asking."""
        draft = self.table.get("drafts", {}).get(agent)
        return draft if draft and draft["at"] == self.at else None

    def has_answered(self, agent: str) -> bool:
        """Whether an agent's answer is in: sound, or a pass."""
        draft = self.draft(agent)
        return draft is not None and draft["sound"]

    def is_person(self, agent: str) -> bool:
        """Whether a person answers for an agent."""
        seat = self.evaluated.config.seats.get(agent)
        return seat is not None and seat.human

    def is_heard(self, agent: str) -> bool:
        """Whether an agent's answer can hold words to all."""
        act = self.asking.act
        return act not in _UNHEARD and not sealed_letter(act) and agent not in OUTSIDERS


Check = Callable[[TurnContext, str, Answer], AgentOutput | Fault]
"""Reads an agent's answer: what it says, ready for the table, or why it is refused."""

Publish = Callable[[TurnContext, Mapping[str, AgentOutput]], dict[str, Any]]
"""Turns sound answers into an update of the table."""


def unfinished(answer: Answer) -> Fault | None:
    """Why an answer is not read at all: it broke off, or was withheld; None where it is whole."""
    if answer.withheld:
        return REFUSED if answer.withheld == "refused" else FILTERED
    return CUT if answer.cut else None


def reading(check: Callable[[TurnContext, str, Message], AgentOutput | Fault]) -> Check:
    """A check of messages in the tagged wire format, from a check of what they say."""

    def read(turn: TurnContext, agent: str, answer: Answer) -> AgentOutput | Fault:
        if fault := unfinished(answer):
            return fault
        message = scan(without_signature(answer.text))
        if isinstance(message, Fault):
            return message
        # Outsiders repeat what the parties agreed, which is bounded already.
        if agent not in OUTSIDERS and (fault := too_long(message)):
            return fault
        message = in_a_word(message)
        found = check(turn, agent, message)
        # What an agent does is sealed: a repair would tell of it before it is revealed.
        if isinstance(found, Fault) or found["act"] in _SEALED or not message.repairs:
            return found
        return {**found, "repairs": [*message.repairs, *found.get("repairs", [])]}

    return read


_SEALED = ("act", "think", "vote")


def read_answer(turn: TurnContext, agent: str, answer: Answer) -> AgentOutput | Fault:
    """What an answer says, if it is sound, its author's mandate allows it, and it is signed."""
    found, config = turn.asking.check(turn, agent, answer), turn.evaluated.config
    if isinstance(found, Fault) or not (config.keys or config.mandates):
        return found
    beyond = outside(turn.evaluated, turn.topic.phase, agent, answer.text, found)
    return beyond or attested(turn, agent, answer.text, found)


@dataclass(frozen=True)
class Judged:
    """What an answer came to.

    Attributes:
        draft: for the table.
        output: what the agent says; None where the answer was refused and it is asked again.
        refused: the label it was refused for, even if it was the last try; empty otherwise.
    """

    draft: Draft
    output: AgentOutput | None
    refused: str = ""


def judge(
    turn: TurnContext, agent: str, attempt: int, answer: Answer | None, pointer: Pointer | None
) -> Judged:
    """Decide what an answer comes to.

    A refused answer goes back to its author with the reason; after the last try the agent passes,
    its speech is delivered as far as it can be read, and the record shows the label. A person's
    refused reply stays open.

    Args:
        turn: who is asked for what.
        agent: who answered.
        attempt: from 1.
        answer: what it answered; None if the budget had nothing left to ask it.
        pointer: where the answer is in the journal.
    """
    draft: Draft = {"at": turn.at, "attempt": attempt, "sound": True}
    if pointer is not None:
        draft["pointer"] = pointer
    if answer is None:
        return Judged({**draft, "label": SPENT_UP}, passing(SPENT_UP))
    if answer.text == PASS and turn.is_person(agent):
        return Judged({**draft, "label": CHOSEN}, passing(CHOSEN))
    found = read_answer(turn, agent, answer)
    if not isinstance(found, Fault):
        return Judged(draft, {**found, "pointer": pointer} if pointer is not None else found)
    draft["label"] = found.label
    if attempt >= turn.asking.tries(turn.evaluated) and not turn.is_person(agent):
        return Judged(draft, _unread(turn, agent, answer, found), found.label)
    return Judged({**draft, "sound": False}, None, found.label)


def passing(label: str) -> AgentOutput:
    """A pass, with the reason's label."""
    return {"act": "pass", "text": "", "label": label}


def _unread(turn: TurnContext, agent: str, answer: Answer, fault: Fault) -> AgentOutput:
    """A pass by an agent whose last answer could not be used: what it said to all is still heard.

    The label tells that from a pass of its own will.
    """
    heard = turn.is_heard(agent) and unfinished(answer) is None
    return {**passing(fault.label), "text": speech_in(answer.text) if heard else ""}


_UNHEARD = {"reason", "consider", "act", "elect"}
"""Acts in which nothing is said to all."""


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
    """The agents whose latest draft was refused, and who are asked again."""
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
    """Whether this is what `seal_actions` leaves of an action, or of a pass."""
    if not isinstance(said, Mapping) or said.get("text"):
        return False
    keys = {"act": {"act", "text", "pointer"}, "pass": {"act", "text", "label"}}
    return said.keys() == keys.get(str(said.get("act")), set())
