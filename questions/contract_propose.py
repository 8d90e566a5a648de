"""The question for a draft of a contract, in clauses or only in words, to the first speaker."""

from functools import partial
from typing import Annotated

from pydantic import Field

from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.reading import Reading, read_proposal
from shapley_coop.deals.language.wire import Message
from shapley_coop.questions.propose import Offer
from shapley_coop.seats.answer import Fields
from shapley_coop.seats.clause_fields import proposal
from shapley_coop.seats.elements import In
from shapley_coop.state.consent import cannot_sign, put_offer, terms_of
from shapley_coop.state.judging import reader
from shapley_coop.state.offered import as_it_stands, certified_offer
from shapley_coop.state.outsiders import can_draft, seat_of
from shapley_coop.state.publishing import put_or_join
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.topics import DRAFTS
from shapley_coop.state.turn import Question, TurnContext
from shapley_coop.state.view import enforcement, norms, stand, talk_round
from shapley_coop.state.who import speaker

PROSE = "prose"
"""The topic under which the talk records offers in words alone, which bind no party."""

publish = partial(put_or_join, in_words=PROSE)

IN_WORDS = Reading(Deal())
"""The reading of a draft in words alone: a deal without clauses."""

SAID = "What you say to all; if you offer no clauses, your draft in words."
"""The description of the field `speech` for models."""


class Draft(Offer):
    """Your draft; words without clauses are a draft in words, and null for both is none."""

    speech: Annotated[str | None, In("s")] = Field(description=SAID)

    @classmethod
    def decided(cls, fields: Fields) -> str:
        """Return the draft's clauses, "" for a draft in words, or `<REJECT>` if there is none."""
        # Only a person's form has a decision: with "none" its words are not a draft.
        in_words = fields.get("speech") and fields.get("decision") != "none"
        return proposal(fields) or ("" if in_words else "<REJECT>")


@reader
def read(turn: TurnContext, agent: str, message: Message) -> Draft | Fault:
    """Read a draft in clauses or in words alone, or `<REJECT>` to propose none."""
    if message.accept is not None:
        return Fault("VOID", "There is no offer that you could accept: propose one, or <REJECT>.")
    if message.action is not None:
        return Fault("VOID", "It is not yet time to act: propose a contract, or <REJECT>.")
    if message.proposal is None and message.reject is not None:
        return Draft.holding(None, speech=message.speech or message.reject)
    found = draft_in(turn, message)
    return found if isinstance(found, Fault) else Draft.holding(found, speech=message.speech)


def check(turn: TurnContext, agent: str, said: Draft) -> AgentOutput | Fault:
    """Check a draft's clauses before the draft is put on the table.

    Clauses are refused if they cannot be kept, if a party could never pay them, or if their
    author's payoff would be below its reservation value. A draft in words alone is accepted if
    somebody can draft its clauses: once all agree on the words, the summariser does, and all sign.
    """
    if said.found is None:
        return {"act": "pass", "text": said.speech or ""}
    return put_draft(turn, agent, said.found, said.speech)


def draft_in(turn: TurnContext, message: Message) -> Reading | Fault:
    """Return the deal in a message, or `IN_WORDS` if the message drafts only in words."""
    if message.proposal is not None:
        return read_proposal(message.proposal, terms_of(turn))
    if not message.speech:
        how = "Propose in <s>words</s>, in <PROPOSAL>{json}</PROPOSAL>, or both."
        return Fault("MPT", how)
    return IN_WORDS


def put_draft(
    turn: TurnContext, agent: str, found: Reading, speech: str | None
) -> AgentOutput | Fault:
    """Return the draft as an offer, or a fault if its author may not sign the clauses.

    A person's words are refused if nobody could draft clauses from them.
    """
    if found is IN_WORDS and seat_of(turn, agent).human and not can_draft(turn, agent):
        return Fault("MPT", "Nobody here drafts clauses from words: write clauses.")
    said: AgentOutput = {"act": "propose", "text": speech or ""}
    fault = None if found is IN_WORDS else cannot_sign(turn, agent, found.deal)
    return fault or put_offer(said, found)


QUESTION = Question(
    name="contract_propose",
    title="draft a contract",
    topic=DRAFTS,
    who=speaker,
    answer=Draft,
    read=read,
    check=check,
    publish=publish,
    program="shapley_coop.seats.embedded.contracting:Party.draft",
    shows=(stand, talk_round, certified_offer, as_it_stands, enforcement, norms),
    opens=True,
    teaches=True,
)
