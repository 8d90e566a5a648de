"""Checks of messages about a contract: drafting, answering, signing, writing, judging."""

from shapley_coop.deals.language.acceptance import accepts_another, ask_back
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault, listed
from shapley_coop.deals.language.reading import Reading, read_once
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.wire import Message
from shapley_coop.deals.written.document import changed_clauses, differences
from shapley_coop.deals.written.judgement import read_judgement
from shapley_coop.deals.written.reading import agrees
from shapley_coop.state.consent import cannot_sign, offering, terms_of
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.turn import TurnContext, reading


@reading
def a_contract_offer(turn: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """A draft contract in clauses or in words alone, or `<REJECT>` to propose none.

    Clauses are certified before they reach the table: a contract that cannot be kept, that a party
    could never pay, or that leaves its own author below its reservation value is sent back. Words
    alone may be agreed on too; an outsider then drafts the clauses, and all parties sign those.
    """
    if message.accept is not None:
        return Fault("VOID", "There is no offer that you could accept: propose one, or <REJECT>.")
    if message.action is not None:
        return Fault("VOID", "It is not yet time to act: propose a contract, or <REJECT>.")
    if message.proposal is None and message.reject is not None:
        return {"act": "pass", "text": message.speech or message.reject}
    return _draft(turn, agent, message)


@reading
def a_contract_answer(turn: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """The next in turn accepts what stands, puts another draft in its place, or declines."""
    if message.action is not None:
        return Fault("VOID", "It is not yet time to act: answer the offer.")
    if message.accept is not None:
        return _acceptance(turn, agent, message)
    if message.proposal is None and message.reject is not None:
        return {"act": "reject", "text": message.speech or message.reject}
    if message.proposal is None and agrees(message.speech or ""):
        return Fault(
            "ACK",
            f"Words alone accept nothing. {ask_back(turn.evaluated.offer)} Or put a draft of your "
            "own in its place, and say how it differs.",
        )
    return _draft(turn, agent, message)


@reading
def a_signature(turn: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """`<ACCEPT>` or `<REJECT>` of the clauses that were drafted from words."""
    if (message.accept is None) == (message.reject is None):
        return Fault("ACK", "Do you sign the contract? Answer <ACCEPT> or <REJECT>.")
    if message.proposal is not None or message.action is not None:
        return Fault("VOID", "The talk is over: sign the contract as it stands, or refuse.")
    if message.accept is not None:
        return _acceptance(turn, agent, message)
    return {"act": "reject", "text": message.speech or message.reject or ""}


@reading
def a_written_contract(turn: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """Prose in five sections that says what the clauses say, and nothing else.

    Where clauses were agreed, they stand as they are: a summary that adds, drops or changes one
    goes back with the difference. Where words were agreed, the clauses come with the prose; they
    are certified, and the parties will sign them. Words of which no clauses can be made are
    rejected, with a reason that all parties read.
    """
    offer = turn.evaluated.offer
    assert offer is not None, "only what was agreed is written down"
    agreed, prose = Deal.of(offer["deal"]), message.speech
    if message.reject is not None and not agreed.clauses:
        return {"act": "pass", "text": message.reject or prose or "", "label": "UNWRITTEN"}
    if not prose:
        return Fault("MPT", "Write the contract's five sections into one <s>…</s>.")
    found = _clauses(turn, agent, agreed, message)
    if isinstance(found, Fault):
        return found
    deal = found.deal
    game = turn.evaluated.game
    if faults := differences(
        prose, deal, Terms(game.agents, game.actions, game.turns, goods=game.goods)
    ):
        return Fault("DIFF", listed(faults))
    written: AgentOutput = {"act": "write", "text": prose}
    return written if agreed.clauses else offering(written, found)


@reading
def a_judgement(turn: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """A verdict on every clause; the report compares it with the monitor's."""
    found = read_judgement(message.speech or "", turn.evaluated.clauses)
    if isinstance(found, Fault):
        return found
    return {"act": "claim", "text": message.speech or ""}


def _draft(turn: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    if message.proposal is None:
        if not message.speech:
            how = "Propose in <s>words</s>, in <PROPOSAL>{json}</PROPOSAL>, or both."
            return Fault("MPT", how)
        return {"act": "propose", "text": message.speech, "deal": Deal().record()}
    found = read_once(message.proposal, terms_of(turn))
    if isinstance(found, Fault):
        return found
    said: AgentOutput = {"act": "propose", "text": message.speech or ""}
    return cannot_sign(turn, agent, found.deal) or offering(said, found)


def _acceptance(turn: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    offer = turn.evaluated.offer
    if fault := accepts_another(message, offer):
        return fault
    assert offer is not None, "an offer stands that the message accepts"
    deal = Deal.of(offer["deal"])
    if deal.clauses and (fault := cannot_sign(turn, agent, deal)):
        return fault
    return {"act": "accept", "text": message.speech or ""}


def _clauses(turn: TurnContext, agent: str, agreed: Deal, message: Message) -> Reading | Fault:
    """The clauses that the prose is about."""
    if message.proposal is None:
        if agreed.clauses:
            return Reading(agreed)
        return Fault("MPT", "The talk was in words: draft its clauses in one <PROPOSAL>.")
    found = read_once(message.proposal, terms_of(turn))
    if isinstance(found, Fault):
        return found
    if agreed.clauses:
        changed = changed_clauses(agreed, found.deal)
        return Fault("DIFF", listed(changed)) if changed else Reading(agreed)
    return cannot_sign(turn, agent, found.deal) or found
