"""The question to the next agent, who accepts the draft, makes another draft, or declines."""

from typing import Annotated, Literal

from pydantic import Field

from shapley_coop.deals.language.acceptance import accepts_another, ask_back
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import Message
from shapley_coop.deals.written.reading import agrees
from shapley_coop.prompts.request import offer_to_answer, speakers
from shapley_coop.questions import contract_propose
from shapley_coop.questions.answer import LastReply, Response
from shapley_coop.seats.answer import Answer, Facts
from shapley_coop.seats.elements import Choice, In
from shapley_coop.state.consent import cannot_sign
from shapley_coop.state.judging import reader
from shapley_coop.state.offered import still_to_speak
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.turn import Question, TurnContext


class Redraft(Response):
    """Your answer to the draft; a counter with words and no clauses is a draft in words."""

    speech: Annotated[str | None, In("s")] = Field(description=contract_propose.SAID)
    decision: Annotated[
        Literal["accept", "reject", "counter"],
        Choice({"accept": "<ACCEPT>", "reject": "<REJECT>", "counter": ""}),
    ]

    @classmethod
    def narrowed(cls, facts: Facts, carries: bool = False) -> type[Answer] | None:
        """Leave drafts out if not all others would answer them."""
        can_redraft = facts.get("can_redraft", True)
        return super().narrowed(facts, carries) if can_redraft else LastReply


@reader
def read(turn: TurnContext, agent: str, message: Message) -> Redraft | Fault:
    """Read an acceptance of the offer in the letter, a new draft, or `<REJECT>`."""
    if message.action is not None:
        return Fault("VOID", "It is not yet time to act: answer the offer.")
    if message.accept is not None:
        fault = accepts_another(message, turn.evaluated.offer)
        return fault or Redraft.holding(None, decision="accept", speech=message.speech)
    if message.proposal is None and message.reject is not None:
        said = message.speech or message.reject
        return Redraft.holding(None, decision="reject", speech=said)
    if message.proposal is None and agrees(message.speech or ""):
        return Fault(
            "ACK",
            f"Words alone accept nothing. {ask_back(turn.evaluated.offer)} Or put a draft of your "
            "own in its place, and say how it differs.",
        )
    if not still_to_speak(turn, agent).get("can_redraft", True):
        return Fault("VOID", "Not everybody would be asked about another draft: accept or reject.")
    found = contract_propose.draft_in(turn, message)
    if isinstance(found, Fault):
        return found
    return Redraft.holding(found, decision="counter", speech=message.speech)


def check(turn: TurnContext, agent: str, said: Redraft) -> AgentOutput | Fault:
    """Refuse to accept or put forward a draft that the agent could not sign."""
    if said.decision == "accept":
        return accept_offer(turn, agent, said.speech)
    if said.found is None:
        return {"act": "reject", "text": said.speech or ""}
    return contract_propose.put_draft(turn, agent, said.found, said.speech)


def accept_offer(turn: TurnContext, agent: str, speech: str | None) -> AgentOutput | Fault:
    """Return an acceptance of the current offer, or a fault if the agent could not sign it."""
    offer = turn.evaluated.offer
    assert offer is not None, "an offer stands that the message accepts"
    deal = Deal.of(offer["deal"])
    fault = cannot_sign(turn, agent, deal) if deal.clauses else None
    return fault or {"act": "accept", "text": speech or ""}


QUESTION = Question(
    name="contract_answer",
    title="answer the draft",
    topic=contract_propose.QUESTION.topic,
    who=contract_propose.QUESTION.who,
    answer=Redraft,
    read=read,
    check=check,
    publish=contract_propose.publish,
    program="shapley_coop.seats.embedded.contracting:Party.answer",
    shows=(*contract_propose.QUESTION.shows, still_to_speak),
    words=(offer_to_answer, speakers),
    teaches=True,
)
