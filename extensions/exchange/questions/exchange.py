"""The question for a trader's message about who does which tasks.

`QUESTION` sends invalid messages back to their authors. `AS_IT_IS` delivers all messages unchanged.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import Field

from shapley_coop.deals.analysis.reservation import short_of
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import Message, scan
from shapley_coop.extensions.exchange.form import FORM
from shapley_coop.extensions.exchange.letter import history, in_words, shown
from shapley_coop.extensions.exchange.messages.checking import accepts, check_message, rejects
from shapley_coop.extensions.exchange.messages.lines import masks_in
from shapley_coop.extensions.exchange.messages.written import as_deal, as_written
from shapley_coop.extensions.exchange.talk import TRADE, TradeQuestion, exchange_of, talk_in
from shapley_coop.prompts.request import turn_of_game
from shapley_coop.seats.answer import Answer, Facts, Fields, Spoken
from shapley_coop.seats.clause_fields import Part
from shapley_coop.seats.elements import Choice, Within, proposal_of
from shapley_coop.seats.records import CHOSEN
from shapley_coop.seats.records import Answer as Returned
from shapley_coop.state.budget import SPENT_UP
from shapley_coop.state.consent import reservation
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.judging import check_finished
from shapley_coop.state.publishing import put_or_join
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.turn import TurnContext
from shapley_coop.state.who import speaker


class Holding(Part):
    """The tasks that one agent is to have."""

    agent: str
    tasks: list[str] = Field(description="One description, copied exactly.")


def _held(written: str) -> Any:
    """Return an allocation written as JSON in the form of the field `allocation`."""
    lists = json.loads(written)
    if not isinstance(lists, Mapping):
        return lists
    return [{"agent": agent, "tasks": tasks} for agent, tasks in lists.items()]


def _by_agent(allocation: Any) -> Any:
    """Return an allocation as agent → tasks; return anything else unchanged, to be refused.

    >>> _by_agent([{"agent": "Ann", "tasks": ["sort"]}]), _by_agent({"Ann": ["sort"]})
    ({'Ann': ['sort']}, {'Ann': ['sort']})
    """
    if not isinstance(allocation, list) or not all(isinstance(h, Mapping) for h in allocation):
        return allocation
    by_agent = {h.get("agent"): h.get("tasks") for h in allocation}
    return by_agent if len(by_agent) == len(allocation) else allocation


class Trade(Spoken):
    """Your message in the talk over tasks."""

    decision: Annotated[
        Literal["propose", "accept", "reject"],
        Choice({"propose": "", "accept": "<ACCEPT>", "reject": "<REJECT>"}),
    ]
    allocation: Annotated[list[Holding] | None, Within("`<PROPOSAL>`", read=_held)] = Field(
        description="With propose or reject: who does what."
    )

    @classmethod
    def narrowed(cls, facts: Facts, carries: bool = False) -> type[Answer] | None:
        """Leave out proposals that nobody could accept, and answers where nothing is proposed."""
        if facts.get("final"):
            return LastTrade
        return cls if facts.get("pending") else TradeProposal

    @classmethod
    def decided(cls, fields: Fields) -> str:
        """Return the decision as tags, with the proposed allocation."""
        allocation = fields.get("allocation")
        put = proposal_of(_by_agent(allocation)) if allocation else ""
        return super().decided(fields) + put

    @classmethod
    def published(cls, text: str) -> Iterable[str | None]:
        """Return a message as it is delivered, with repairs and without."""
        return as_written(text), as_written(text, repair=False)


class TradeProposal(Trade):
    """Your proposal in the talk over tasks; there is no proposal of others to answer."""

    decision: Annotated[Literal["propose"], Choice({"propose": ""})]
    allocation: Annotated[list[Holding], Within("`<PROPOSAL>`", read=_held)] = Field(
        description="Who does what."
    )


class LastTrade(Spoken):
    """Your answer to the proposal; a proposal of yours could not be accepted any more."""

    decision: Annotated[
        Literal["accept", "reject"], Choice({"accept": "<ACCEPT>", "reject": "<REJECT>"})
    ]


def read(turn: TurnContext, agent: str, answer: Returned) -> Trade | Fault:
    """Read a valid message, or return a fault with its label (utility-aware exchange, B.2)."""
    if fault := check_finished(answer):
        return fault
    talk = talk_in(turn, agent)
    tasks, standing = talk.tasks, talk.to_answer(agent)
    asked = (masks_in(tasks, standing["by"], standing["wrote"]) or {}) if standing else None
    verdict = check_message(answer.text, tasks, agent, asked)
    if verdict.label in ("MPT", "ACK") and talk.is_final(agent, turn.table["round"]):
        return _rejection(answer.text)
    if verdict.label is not None:
        return Fault(verdict.label, verdict.feedback)
    text = as_written(answer.text)
    assert verdict.act is not None, "a valid message does something"
    return Trade.of(*verdict.repairs, decision=verdict.act, allocation=verdict.masks, speech=text)


def _rejection(text: str) -> Trade | Fault:
    """Read a rejection without a proposal."""
    message = scan(text)
    if not isinstance(message, Message) or not rejects(message):
        return Fault("ACK", "Do you accept the proposal? Answer <ACCEPT> alone, or <REJECT>.")
    return Trade.of(*message.repairs, decision="reject", allocation=None, speech=as_written(text))


def check(turn: TurnContext, agent: str, said: Trade) -> AgentOutput | Fault:
    """Refuse an allocation whose utility for its author is below the author's reservation value."""
    least, masks = reservation(turn, agent), said.allocation
    if least is not None and isinstance(masks, Mapping):
        worth = talk_in(turn, agent).worth(agent, masks[agent])
        if fault := short_of(least, Fraction(str(worth))):
            return fault
    found: AgentOutput = {"act": said.decision, "text": said.speech or ""}
    if "<PROPOSAL>" in found["text"]:
        found["deal"] = deal_in(turn, agent, found["text"]).record()
    return found


def read_as_it_is(turn: TurnContext, agent: str, answer: Returned) -> Trade | Fault:
    """Read the decision in a message, valid or not, and deliver the message as it was written.

    If the message mixes private thoughts and speech, nothing of it is delivered.
    """
    text = as_written(answer.text, repair=not talk_in(turn, agent).tasks.exact)
    message, decision = scan(text), "pass"
    if "<PROPOSAL>" in text:
        decision = "reject" if "<REJECT>" in text else "propose"
    elif isinstance(message, Message) and accepts(message):
        decision = "accept"
    elif isinstance(message, Message) and rejects(message):
        final = talk_in(turn, agent).is_final(agent, turn.table["round"])
        decision = "reject" if final else "pass"
    return Trade.of(decision=decision, allocation=None, speech=text)


def turns_of_talk(evaluated: EvaluatedTable) -> int:
    """Return the talk's last turn: the present one if too few are left to accept any proposal.

    The first turn is private. The paper's rules, which `exact` tasks follow, use all turns.
    """
    game, offer, now = exchange_of(evaluated), evaluated.table["offer"], evaluated.table["round"]
    accepted = len(offer["accepted"]) if offer else 0
    too_late = game.params.talk - now < len(game.agents) - accepted
    return now if too_late and not game.tasks.exact else game.params.talk


def attempts(evaluated: EvaluatedTable) -> int:
    """Return after how many invalid messages in one turn the talk ends."""
    return exchange_of(evaluated).params.attempts


def publish(turn: TurnContext, outputs: Mapping[str, AgentOutput]) -> dict[str, Any]:
    """Publish one turn of talk. Verdicts: `said`, and `error` if no attempt was valid."""
    said = next(iter(outputs.values()))
    unread = said["act"] == "pass" and "pointer" not in said
    lost = unread and said.get("label") not in (CHOSEN, SPENT_UP)
    return {**put_or_join(turn, outputs), "verdict": "error" if lost else "said"}


def deal_in(turn: TurnContext, by: str, text: str) -> Deal:
    """Return a delivered proposal as a deal; an invalid proposal gives a deal without clauses."""
    tasks = talk_in(turn, by).tasks
    masks = masks_in(tasks, by, text)
    return Deal() if masks is None else as_deal(tasks, masks)


QUESTION = TradeQuestion(
    name="exchange",
    title="speak about the tasks",
    topic=TRADE,
    who=speaker,
    answer=Trade,
    read=read,
    check=check,
    publish=publish,
    program="shapley_coop.extensions.exchange.negotiator:Negotiator.trade",
    shows=(shown,),
    words=(turn_of_game, in_words),
    history=history,
    form=FORM,
    tries=attempts,
    rules="exchange_table",
)

AS_IT_IS = replace(QUESTION, read=read_as_it_is)
"""The same question with the reader that delivers every message unchanged."""
