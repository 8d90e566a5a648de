"""Ask whoever speaks first for a draft of a contract, in clauses or in words alone."""

from functools import partial

from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.reading import Reading, read_proposal
from shapley_coop.deals.language.wire import Message
from shapley_coop.questions.propose import Offer
from shapley_coop.state.consent import cannot_sign, put_offer, terms_of
from shapley_coop.state.judging import reader
from shapley_coop.state.offered import certified_offer
from shapley_coop.state.publishing import put_or_join
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.topics import DRAFTS
from shapley_coop.state.turn import Question, TurnContext
from shapley_coop.state.view import enforcement, norms, stand, talk_round
from shapley_coop.state.who import speaker

PROSE = "prose"
"""The talk in which offers made in words alone are recorded: they bind no party."""

publish = partial(put_or_join, in_words=PROSE)

IN_WORDS = Reading(Deal())
"""What stands where a draft is in words alone."""


@reader
def read(turn: TurnContext, agent: str, message: Message) -> Offer | Fault:
    """Read a draft in clauses or in words alone, or `<REJECT>` to propose none."""
    if message.accept is not None:
        return Fault("VOID", "There is no offer that you could accept: propose one, or <REJECT>.")
    if message.action is not None:
        return Fault("VOID", "It is not yet time to act: propose a contract, or <REJECT>.")
    if message.proposal is None and message.reject is not None:
        return Offer.holding(None, speech=message.speech or message.reject)
    found = draft_in(turn, message)
    return found if isinstance(found, Fault) else Offer.holding(found, speech=message.speech)


def check(turn: TurnContext, agent: str, said: Offer) -> AgentOutput | Fault:
    """Certify clauses before they reach the table.

    A contract that cannot be kept, that a party could never pay, or that leaves its own author
    below its reservation value is sent back. Words alone may be agreed on too; an outsider then
    drafts the clauses, and all parties sign those.
    """
    if said.found is None:
        return {"act": "pass", "text": said.speech or ""}
    return put_draft(turn, agent, said.found, said.speech)


def draft_in(turn: TurnContext, message: Message) -> Reading | Fault:
    """Read a draft: without clauses where it is in words alone."""
    if message.proposal is not None:
        return read_proposal(message.proposal, terms_of(turn))
    if not message.speech:
        how = "Propose in <s>words</s>, in <PROPOSAL>{json}</PROPOSAL>, or both."
        return Fault("MPT", how)
    return IN_WORDS


def put_draft(
    turn: TurnContext, agent: str, found: Reading, speech: str | None
) -> AgentOutput | Fault:
    """Put a draft forward: what is in clauses, if its author can sign it."""
    said: AgentOutput = {"act": "propose", "text": speech or ""}
    fault = None if found is IN_WORDS else cannot_sign(turn, agent, found.deal)
    return fault or put_offer(said, found)


QUESTION = Question(
    "contract_propose",
    "draft a contract",
    DRAFTS,
    speaker,
    Offer,
    read,
    check,
    publish,
    program=lambda me: me.party.draft(),
    shows=(stand, talk_round, certified_offer, enforcement, norms),
    teaches=True,
)
