"""The question whether a party signs the clauses that were drafted from words."""

from typing import Annotated, Literal

from shapley_coop.deals.language.acceptance import accepts_another
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import Message
from shapley_coop.prompts.request import offer_to_answer
from shapley_coop.questions import contract_propose
from shapley_coop.questions.answer import Response, decision_in
from shapley_coop.questions.contract_answer import accept_offer
from shapley_coop.seats.answer import Fields, Spoken
from shapley_coop.seats.elements import Choice
from shapley_coop.state.judging import reader
from shapley_coop.state.publishing import hold_answers
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.turn import Question, TurnContext
from shapley_coop.state.who import all_agents


class Signature(Spoken):
    """Whether you sign the contract as it stands."""

    decision: Annotated[
        Literal["accept", "reject"], Choice({"accept": "<ACCEPT>", "reject": "<REJECT>"})
    ]

    @classmethod
    def known(cls) -> frozenset[str]:
        """Return the keys of other decisions, too, as `decided` writes them."""
        return Response.known()

    @classmethod
    def decided(cls, fields: Fields) -> str:
        """Return the decision as tags, with a proposal, if there is one, for `read` to refuse."""
        return decision_in(fields)


@reader
def read(turn: TurnContext, agent: str, message: Message) -> Signature | Fault:
    """Read `<ACCEPT>` or `<REJECT>`."""
    if (message.accept is None) == (message.reject is None):
        return Fault("ACK", "Do you sign the contract? Answer <ACCEPT> or <REJECT>.")
    if message.action is not None or (message.reject is not None and message.proposal is not None):
        return Fault("VOID", "The talk is over: sign the contract as it stands, or refuse.")
    if message.accept is not None:
        fault = accepts_another(message, turn.evaluated.offer)
        return fault or Signature.of(decision="accept", speech=message.speech)
    return Signature.of(decision="reject", speech=message.speech or message.reject)


def check(turn: TurnContext, agent: str, said: Signature) -> AgentOutput | Fault:
    """Refuse the signature of an agent that cannot sign the clauses."""
    if said.decision == "accept":
        return accept_offer(turn, agent, said.speech)
    return {"act": "reject", "text": said.speech or ""}


QUESTION = Question(
    name="contract_sign",
    title="sign the contract, or refuse",
    topic=contract_propose.QUESTION.topic,
    who=all_agents,
    answer=Signature,
    read=read,
    check=check,
    publish=hold_answers,
    program="shapley_coop.seats.embedded.contracting:Party.sign",
    shows=contract_propose.QUESTION.shows,
    words=(offer_to_answer,),
    teaches=True,
)
