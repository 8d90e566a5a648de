"""The question to a member: sign the delegates' deal, veto the deal, or stay out of it."""

from typing import Annotated, Literal

from shapley_coop.deals.language.acceptance import accepts_another
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import Message
from shapley_coop.extensions.institutions.delegates.member import ratify
from shapley_coop.extensions.institutions.delegates.membership import own_part
from shapley_coop.extensions.institutions.delegates.words import membership
from shapley_coop.prompts.request import offer_to_answer
from shapley_coop.seats.answer import Spoken
from shapley_coop.seats.elements import Choice
from shapley_coop.state.consent import cannot_sign
from shapley_coop.state.judging import reader
from shapley_coop.state.publishing import hold_answers
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.telling import deeds
from shapley_coop.state.topics import PLAN
from shapley_coop.state.turn import Question, TurnContext
from shapley_coop.state.view import stand, talk_round, unusual_enforcement
from shapley_coop.state.who import awaited_signers

DECISION = Choice(
    tags={"accept": "<ACCEPT>", "reject": "<REJECT>", "leave": "<ACTION>leave</ACTION>"},
    to={"accept": "sign", "reject": "veto", "leave": "stay out"},
    labels={
        "accept": "Sign it",
        "reject": "Veto it: nobody is bound, and your group chooses its delegate anew",
        "leave": "Stay out of it: you are not bound",
    },
)


class Ratification(Spoken):
    """Whether you sign the delegates' deal (accept), veto it (reject), or stay out (leave)."""

    decision: Annotated[Literal["accept", "reject", "leave"], DECISION]


@reader
def read(turn: TurnContext, agent: str, message: Message) -> Ratification | Fault:
    """Read one decision about the offer that the letter showed."""
    if message.proposal is not None:
        no = "The delegates make the offers, and you answer this one."
        return Fault("VOID", f"{no} {DECISION.ask()}")
    found = DECISION.read(message)
    if isinstance(found, Fault):
        return found
    decision, repair = found
    if decision == "accept" and (fault := accepts_another(message, turn.evaluated.offer)):
        return fault
    said = message.speech or (message.reject if decision == "reject" else "") or ""
    return Ratification.of(*filter(None, [repair]), decision=decision, speech=said)


def check(turn: TurnContext, agent: str, said: Ratification) -> AgentOutput | Fault:
    """Refuse an acceptance that the member cannot sign, such as one beyond its mandate."""
    fault = cannot_sign(turn, agent, turn.evaluated.offered) if said.decision == "accept" else None
    return fault or {"act": said.decision, "text": said.speech or ""}


QUESTION = Question(
    name="ratify",
    title="sign the delegates' deal, veto it, or stay out of it",
    topic=PLAN,
    who=awaited_signers,
    answer=Ratification,
    read=read,
    check=check,
    publish=hold_answers,
    program=ratify,
    shows=(stand, talk_round, own_part, unusual_enforcement),
    words=(offer_to_answer, membership),
    tells=deeds,
)
