"""The question for an offer, to one agent."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from shapley_coop.deals.language.faults import Fault, together
from shapley_coop.deals.language.reading import Reading, read_proposal
from shapley_coop.deals.language.wire import Message, untagged_object
from shapley_coop.seats.answer import Drafted, Fields, Spoken
from shapley_coop.seats.clause_fields import Clause, proposal
from shapley_coop.seats.elements import Within
from shapley_coop.state.consent import cannot_sign, put_offer, terms_of
from shapley_coop.state.judging import reader
from shapley_coop.state.messages import Utterance, entries, offer_of
from shapley_coop.state.offered import answer_facts, as_it_stands, standing_offer
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.topics import PLAN
from shapley_coop.state.turn import Question, TurnContext
from shapley_coop.state.view import norms, stand, talk_round, unusual_enforcement
from shapley_coop.state.who import speaker


class Offer(Drafted, Spoken):
    """An offer to the others; without clauses you make none."""

    clauses: Annotated[list[Clause] | None, Within("the clauses of `<PROPOSAL>`")] = Field(
        description="The whole offer, clause by clause; null for none."
    )
    drops: list[str] | None = Field(
        description="Ids of payments or shares of the contract in force to end; or null."
    )

    @classmethod
    def decided(cls, fields: Fields) -> str:
        """Return the deal as one `<PROPOSAL>` element, or `<REJECT>` if there is no deal."""
        return proposal(fields) or "<REJECT>"


@reader
def read(turn: TurnContext, agent: str, message: Message) -> Offer | Fault:
    """Read a proposal, or `<REJECT>` if the agent proposes nothing."""
    misplaced = together(
        [
            Fault("VOID", "There is no offer that you could accept: propose one, or <REJECT>.")
            if message.accept is not None
            else None,
            Fault("VOID", "It is not yet time to act: propose a deal, or <REJECT>.")
            if message.action is not None
            else None,
            Fault("ACK", "You cannot propose and <REJECT> at once: do one of the two.")
            if message.reject is not None and message.proposal is not None
            else None,
        ]
    )
    if misplaced:
        return misplaced
    if message.reject is not None:
        return Offer.holding(None, speech=message.speech or message.reject)
    if message.proposal is None:
        # No offer of another is on the table, so the clauses can only be the author's own.
        message = replace(message, proposal=untagged_object(message, "clauses"))
    found = deal_in(turn, message)
    return found if isinstance(found, Fault) else Offer.holding(found, speech=message.speech)


def check(turn: TurnContext, agent: str, said: Offer) -> AgentOutput | Fault:
    """Refuse an offer that its author could not sign."""
    if said.found is None:
        return {"act": "pass", "text": said.speech or ""}
    fault = cannot_offer(turn, agent, said.found, said.speech)
    return fault or put_offer({"act": "propose", "text": said.speech or ""}, said.found)


def publish(turn: TurnContext, outputs: Mapping[str, AgentOutput]) -> dict[str, Any]:
    """Make the speaker's proposal the current offer; if it made none, there is no offer."""
    (author, said), table = next(iter(outputs.items())), turn.table
    revision = table["revision"] + 1 if "deal" in said else 0
    return {
        "talk": entries(table, turn.topic.name, [Utterance(author, said, puts=revision)]),
        "offer": offer_of(said, author, revision),
        "revision": revision or table["revision"],
    }


def deal_in(turn: TurnContext, message: Message) -> Reading | Fault:
    """Read the deal in a message; a message without a proposal gives a fault."""
    if message.proposal is None:
        return Fault(
            "MPT",
            "Words alone do not bind: put the terms in one <PROPOSAL>{json}</PROPOSAL>, or write "
            "<REJECT> to propose nothing.",
            _who_hears(message.speech),
        )
    found = read_proposal(message.proposal, terms_of(turn))
    return _beside(found, message.speech) if isinstance(found, Fault) else found


def cannot_offer(turn: TurnContext, agent: str, found: Reading, speech: str | None) -> Fault | None:
    """Return the fault if an agent could not sign the deal that it offers; otherwise None."""
    fault = cannot_sign(turn, agent, found.deal)
    return _beside(fault, speech) if fault else None


def _beside(fault: Fault, speech: str | None) -> Fault:
    return Fault(fault.label, fault.feedback, (*_who_hears(speech), *fault.read))


def _who_hears(speech: str | None) -> tuple[str, ...]:
    return ("your speech",) if speech else ()


QUESTION = Question(
    name="propose",
    title="make an offer",
    topic=PLAN,
    who=speaker,
    answer=Offer,
    read=read,
    check=check,
    publish=publish,
    program=lambda me: me.propose(),
    shows=(
        stand,
        talk_round,
        standing_offer,
        as_it_stands,
        unusual_enforcement,
        answer_facts,
        norms,
    ),
    opens=True,
    teaches=True,
)
