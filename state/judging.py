"""The judging of answers: each is accepted, refused, or counted as a pass."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from shapley_coop.deals.language.acceptance import in_a_word, quote_unknown_decision
from shapley_coop.deals.language.faults import CUT, FILTERED, REFUSED, Fault
from shapley_coop.deals.language.speech import speech_in
from shapley_coop.deals.language.wire import Message, scan, too_long
from shapley_coop.seats.answers import refuse_keys
from shapley_coop.seats.records import CHOSEN, PASS, Answer, Pointer
from shapley_coop.state.additions import check_additions, without_additions
from shapley_coop.state.budget import SPENT_UP
from shapley_coop.state.run_config import OUTSIDERS
from shapley_coop.state.table import AgentOutput, Draft
from shapley_coop.state.turn import A, TurnContext


def check_finished(answer: Answer) -> Fault | None:
    """Return the fault of an answer that was cut off or withheld, or None if it is complete."""
    if answer.withheld:
        return REFUSED if answer.withheld == "refused" else FILTERED
    return CUT if answer.cut else None


def reader(
    read: Callable[[TurnContext, str, Message], A | Fault],
) -> Callable[[TurnContext, str, Answer], A | Fault]:
    """Return a function that parses an answer's tags and applies `read` to the parsed message."""

    def read_text(turn: TurnContext, agent: str, answer: Answer) -> A | Fault:
        if fault := check_finished(answer):
            return fault
        message = scan(without_additions(turn.evaluated.config, answer.text))
        if isinstance(message, Fault):
            return message
        # Outsiders may write more: they repeat the parties' clauses, whose length was checked.
        if agent not in OUTSIDERS and (fault := too_long(message)):
            return fault
        message = in_a_word(message)
        said = read(turn, agent, message)
        if isinstance(said, Fault):
            if fault := refuse_keys(turn.question.name, message.outside):
                return fault
            return replace(said, feedback=quote_unknown_decision(message) + said.feedback)
        return said.repaired(message.repairs)

    return read_text


def take(turn: TurnContext, agent: str, answer: Answer) -> AgentOutput | Fault:
    """Read and check an answer; return the answer for the table, or the fault."""
    question = turn.question
    said = question.read(turn, agent, answer)
    if isinstance(said, Fault):
        return said
    found = question.check(turn, agent, said)
    # Leave out repairs of a secret action, because their words would reveal the action.
    if isinstance(found, Fault) or not said.repairs or not question.answer.heard():
        return found
    return {**found, "repairs": [*said.repairs, *found.get("repairs", [])]}


def read_answer(turn: TurnContext, agent: str, answer: Answer) -> AgentOutput | Fault:
    """Return the answer for the table, or the fault that the question or an extension found."""
    found = take(turn, agent, answer)
    return found if isinstance(found, Fault) else check_additions(turn, agent, answer.text, found)


@dataclass(frozen=True)
class Judged:
    """The result of judging an answer.

    Attributes:
        draft: the table's note on the answer, such as the attempt and the label of a fault.
        output: the agent's answer or pass; None if the agent is asked again.
        refused: the label of the answer's fault, even if it became a pass; "" if there is none.
    """

    draft: Draft
    output: AgentOutput | None
    refused: str = ""


def judge(
    turn: TurnContext, agent: str, attempt: int, answer: Answer | None, pointer: Pointer | None
) -> Judged:
    """Judge an answer: accept it, ask its author again, or count it as a pass.

    A refused answer goes back to its author with the reason. After the last try the agent passes;
    the answer's readable speech is still delivered, and the record shows the fault's label. A
    person may try without limit.

    Args:
        turn: the question and the table.
        agent: the author of the answer.
        attempt: the number of the attempt, from 1.
        answer: the answer; None if the budget had no call left for the agent.
        pointer: the place of the answer in the journal.
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
    """Return a pass whose label names the reason, such as a fault or a used-up budget."""
    return {"act": "pass", "text": "", "label": label}


def _unread(turn: TurnContext, agent: str, answer: Answer, fault: Fault) -> AgentOutput:
    """Return a pass for an agent whose last answer was refused, with that answer's public speech.

    The fault's label distinguishes this pass from a pass that the agent chose.
    """
    heard = turn.is_heard(agent) and check_finished(answer) is None
    return {**make_pass(fault.label), "text": speech_in(answer.text) if heard else ""}
