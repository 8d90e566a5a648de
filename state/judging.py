"""Judging: read an answer, check it, and decide what it comes to."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from shapley_coop.deals.language.acceptance import in_a_word, undecided
from shapley_coop.deals.language.faults import CUT, FILTERED, REFUSED, Fault
from shapley_coop.deals.language.speech import speech_in
from shapley_coop.deals.language.wire import Message, scan, too_long
from shapley_coop.seats.person import CHOSEN, PASS
from shapley_coop.seats.records import Answer, Pointer
from shapley_coop.state.additions import check_additions, without_additions
from shapley_coop.state.budget import SPENT_UP
from shapley_coop.state.run_config import OUTSIDERS
from shapley_coop.state.table import AgentOutput, Draft
from shapley_coop.state.turn import A, TurnContext


def check_finished(answer: Answer) -> Fault | None:
    """Why an answer is not read at all: it broke off, or was withheld; None where it is whole."""
    if answer.withheld:
        return REFUSED if answer.withheld == "refused" else FILTERED
    return CUT if answer.cut else None


def reader(
    read: Callable[[TurnContext, str, Message], A | Fault],
) -> Callable[[TurnContext, str, Answer], A | Fault]:
    """Return a reader of answers in the tagged wire format, from a reader of what they say."""

    def read_text(turn: TurnContext, agent: str, answer: Answer) -> A | Fault:
        if fault := check_finished(answer):
            return fault
        message = scan(without_additions(turn.evaluated.config, answer.text))
        if isinstance(message, Fault):
            return message
        # Outsiders repeat what the parties agreed, which is bounded already.
        if agent not in OUTSIDERS and (fault := too_long(message)):
            return fault
        message = in_a_word(message)
        said = read(turn, agent, message)
        if isinstance(said, Fault):
            return replace(said, feedback=undecided(message) + said.feedback)
        return said.repaired(message.repairs)

    return read_text


def take(turn: TurnContext, agent: str, answer: Answer) -> AgentOutput | Fault:
    """Read an answer and check it: what it says, or why it is refused."""
    question = turn.question
    said = question.read(turn, agent, answer)
    if isinstance(said, Fault):
        return said
    found = question.check(turn, agent, said)
    # What an agent does is sealed: a repair would tell of it before it is revealed.
    if isinstance(found, Fault) or not said.repairs or not question.answer.heard():
        return found
    return {**found, "repairs": [*said.repairs, *found.get("repairs", [])]}


def read_answer(turn: TurnContext, agent: str, answer: Answer) -> AgentOutput | Fault:
    """Return what an answer says, if it is sound and no extension's check refuses it."""
    found = take(turn, agent, answer)
    return found if isinstance(found, Fault) else check_additions(turn, agent, answer.text, found)


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
        return Judged({**draft, "label": SPENT_UP}, make_pass(SPENT_UP))
    if answer.text == PASS and turn.is_person(agent):
        return Judged({**draft, "label": CHOSEN}, make_pass(CHOSEN))
    found = read_answer(turn, agent, answer)
    if not isinstance(found, Fault):
        return Judged(draft, {**found, "pointer": pointer} if pointer is not None else found)
    draft["label"] = found.label
    if attempt >= turn.question.tries(turn.evaluated) and not turn.is_person(agent):
        return Judged(draft, _unread(turn, agent, answer, found), found.label)
    return Judged({**draft, "sound": False}, None, found.label)


def make_pass(label: str) -> AgentOutput:
    """Return a pass, with the reason's label."""
    return {"act": "pass", "text": "", "label": label}


def _unread(turn: TurnContext, agent: str, answer: Answer, fault: Fault) -> AgentOutput:
    """A pass by an agent whose last answer could not be used: what it said to all is still heard.

    The label tells that from a pass of its own will.
    """
    heard = turn.is_heard(agent) and check_finished(answer) is None
    return {**make_pass(fault.label), "text": speech_in(answer.text) if heard else ""}
