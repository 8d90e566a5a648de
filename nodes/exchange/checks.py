"""Two readings of a trader's message: validated before delivery, or delivered as it was written.

A workflow uses one of the two.
"""

from fractions import Fraction

from shapley_coop.deals.analysis.reservation import short_of
from shapley_coop.deals.exchange.messages import accepts, check_message
from shapley_coop.deals.exchange.talk import as_written
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import Message, scan
from shapley_coop.seats.records import Answer
from shapley_coop.state.consent import reservation
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.exchange import exchange_of, masks_in, talk_of
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.turn import TurnContext, unfinished


def attempts(evaluated: EvaluatedTable) -> int:
    """How many invalid messages end the talk at one turn."""
    return exchange_of(evaluated).params.attempts


def a_valid_message(turn: TurnContext, agent: str, answer: Answer) -> AgentOutput | Fault:
    """A message with a label's feedback where it is not valid (utility-aware exchange, B.2)."""
    if fault := unfinished(answer):
        return fault
    talk = talk_of(turn.evaluated, agent)
    tasks, standing = talk.tasks, talk.to_answer(agent)
    asked = (masks_in(tasks, standing["by"], standing["wrote"]) or {}) if standing else None
    verdict = check_message(answer.text, tasks, agent, asked)
    if verdict.label is not None:
        return Fault(verdict.label, verdict.feedback)
    if fault := _too_little(turn, agent, verdict.masks):
        return fault
    assert verdict.act is not None, "a valid message does something"
    said: AgentOutput = {"act": verdict.act, "text": as_written(answer.text)}
    return {**said, "repairs": list(verdict.repairs)} if verdict.repairs else said


def as_it_is(turn: TurnContext, agent: str, answer: Answer) -> AgentOutput | Fault:
    """Any message, as it was written: what it does is read, and nothing is checked.

    Where it is not clear what of it is thought, nothing of it is said: here nobody is asked back.
    """
    text = as_written(answer.text)
    message = scan(text)
    if "<PROPOSAL>" in text:
        return {"act": "reject" if "<REJECT>" in text else "propose", "text": text}
    if isinstance(message, Message) and accepts(message):
        return {"act": "accept", "text": text}
    return {"act": "pass", "text": text}


def _too_little(turn: TurnContext, agent: str, masks: dict[str, str]) -> Fault | None:
    """Why this agent cannot agree to an allocation: it requires more."""
    least = reservation(turn, agent)
    if least is None:
        return None
    worth = talk_of(turn.evaluated, agent).worth(agent, masks[agent])
    return short_of(least, Fraction(str(worth)))
