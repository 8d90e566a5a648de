"""The question for an answer to an offer: yes, no, or no with a counter-offer."""

from typing import Annotated, Literal

from pydantic import Field

from shapley_coop.deals.language.acceptance import accepts_another, ask_back
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import Message
from shapley_coop.prompts.request import offer_to_answer
from shapley_coop.questions.propose import cannot_offer, deal_in
from shapley_coop.seats.answer import Answer, Drafted, Facts, Fields, Spoken
from shapley_coop.seats.clause_fields import Clause, proposal
from shapley_coop.seats.elements import Choice, How, Within
from shapley_coop.state.consent import cannot_sign, put_offer
from shapley_coop.state.judging import reader
from shapley_coop.state.offered import answer_order, answered_offer
from shapley_coop.state.publishing import hold_answers
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.topics import PLAN
from shapley_coop.state.turn import Question, TurnContext
from shapley_coop.state.view import norms, stand, talk_round, unusual_enforcement
from shapley_coop.state.who import listeners

DECISION = Choice({"accept": "<ACCEPT>", "reject": "<REJECT>", "counter": "<REJECT>"})


class LastReply(Spoken):
    """Your answer to the offer; nobody could answer a counter-offer of yours any more."""

    decision: Annotated[Literal["accept", "reject"], DECISION]
    offer: int | None = Field(description="The number of the offer that you accept, if it has one.")


class Response(Drafted, Spoken):
    """Your answer to the offer, which may be a counter-offer."""

    decision: Annotated[Literal["accept", "reject", "counter"], DECISION]
    offer: int | None = Field(description="The number of the offer that you accept, if it has one.")
    clauses: Annotated[list[Clause] | None, Within("the clauses of `<PROPOSAL>`")] = Field(
        description="With counter: your whole own offer."
    )
    drops: list[str] | None = Field(
        description="Ids of payments or shares of the contract in force to end; or null."
    )

    @classmethod
    def decided(cls, fields: Fields) -> str:
        """Return the decision as tags, such as `<REJECT>`, with the deal of a counter-offer."""
        return decision_in(fields, cls.written()["decision"])


class Reply(Response):
    """Your answer to the offer."""

    @classmethod
    def narrowed(cls, facts: Facts, carries: bool = False) -> type[Answer] | None:
        """Leave counter-offers out of the last round, since no agent could answer them."""
        last = "rounds" in facts and facts["round"] >= facts["rounds"]
        return LastReply if last else super().narrowed(facts, carries)


def decision_in(fields: Fields, how: How = DECISION) -> str:
    """Return a decision on an offer as tags, followed by the proposal, if there is one."""
    decision, named = how.tagged(fields.get("decision")), fields.get("offer")
    if named and decision == "<ACCEPT>":
        decision = f"<ACCEPT>{named}</ACCEPT>"
    # Keep a proposal beside an acceptance too, so that `read` can refuse the contradiction.
    return decision + proposal(fields)


@reader
def read(turn: TurnContext, agent: str, message: Message) -> Reply | Fault:
    """Read an acceptance of the offer that the letter showed, a rejection, or a counter-offer."""
    if (message.accept is None) == (message.reject is None):
        return Fault("ACK", _ask_to_decide(turn, message))
    if message.action is not None:
        return Fault("VOID", "It is not yet time to act: answer the offer.")
    if message.accept is not None:
        fault = accepts_another(message, turn.evaluated.offer)
        return fault or Reply.holding(None, decision="accept", speech=message.speech)
    said = message.speech or message.reject
    if message.proposal is None:
        return Reply.holding(None, decision="reject", speech=said)
    if turn.table["round"] >= turn.evaluated.config.rounds:
        why = "This is the last round: nobody could answer an offer of yours."
        return Fault("VOID", f"{why} Answer `<ACCEPT>` or `<REJECT>`.")
    found = deal_in(turn, message)
    if isinstance(found, Fault):
        return found
    return Reply.holding(found, decision="counter", speech=said)


def check(turn: TurnContext, agent: str, said: Reply) -> AgentOutput | Fault:
    """Refuse an acceptance or a counter-offer whose deal the agent could not sign."""
    if said.decision == "accept":
        fault = cannot_sign(turn, agent, turn.evaluated.offered)
        return fault or {"act": "accept", "text": said.speech or ""}
    answer: AgentOutput = {"act": "reject", "text": said.speech or ""}
    if said.found is None:
        return answer
    return cannot_offer(turn, agent, said.found, said.speech) or put_offer(answer, said.found)


def _ask_to_decide(turn: TurnContext, message: Message) -> str:
    """Return the feedback on an answer that decides nothing, or that both accepts and rejects."""
    asked = ask_back(turn.evaluated.offer)
    if message.accept is not None:
        return f"You accept and reject at once. {asked}"
    if message.proposal is not None:
        return f"An offer of your own needs <REJECT> beside it. {asked}"
    return f"Words alone decide nothing. {asked}"


QUESTION = Question(
    name="answer",
    title="answer the offer",
    topic=PLAN,
    who=listeners,
    answer=Reply,
    read=read,
    check=check,
    publish=hold_answers,
    program=lambda me: me.reply(),
    shows=(stand, talk_round, answered_offer, answer_order, unusual_enforcement, norms),
    words=(offer_to_answer,),
    teaches=True,
)
