"""What an answer has to say to be sound: one check for each act."""

from fractions import Fraction

from shapley_coop.amounts import parse_exact, plain
from shapley_coop.deals import Deal, Fault, Message, first_fault, read_deal
from shapley_coop.deals.language.acceptance import accepts_another
from shapley_coop.state import AgentOutput
from shapley_coop.state.consent import terms_of, too_little
from shapley_coop.state.reasons import read_reasons
from shapley_coop.state.turn import TurnContext, reading


@reading
def a_thought(turn: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """Reasoning with its three results: private, so that there is nothing to say."""
    if not message.consider:
        return Fault("MPT", "Answer inside one <CONSIDER>…</CONSIDER>.")
    reasons = read_reasons(message.consider)
    return reasons if isinstance(reasons, Fault) else {"act": "think", "text": ""}


@reading
def an_offer(turn: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """A proposal that passes the topic's rules, or `<REJECT>` for none."""
    if message.accept is not None:
        return Fault("VOID", "No offer stands that you could accept: propose one, or <REJECT>.")
    if message.action is not None:
        return Fault("VOID", "It is not yet time to act: propose a deal, or <REJECT>.")
    if message.reject is not None and message.proposal is not None:
        return Fault("ACK", "You cannot propose and <REJECT> at once: do one of the two.")
    if message.reject is not None:
        return {"act": "pass", "text": message.speech or message.reject}
    deal = _deal(turn, agent, message)
    if isinstance(deal, Fault):
        return deal
    return {"act": "propose", "text": message.speech or "", "deal": deal.record()}


@reading
def an_answer(turn: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """Acceptance of exactly what stands, or rejection with or without a counter-offer."""
    if (message.accept is None) == (message.reject is None):
        return Fault("ACK", "Answer the offer that stands with one <ACCEPT> or one <REJECT>.")
    if message.action is not None:
        return Fault("VOID", "It is not yet time to act: answer the offer.")
    if message.accept is not None:
        return _acceptance(turn, agent, message)
    said: AgentOutput = {"act": "reject", "text": message.speech or message.reject or ""}
    if message.proposal is None:
        return said
    deal = _deal(turn, agent, message)
    return deal if isinstance(deal, Fault) else {**said, "deal": deal.record()}


@reading
def an_action(turn: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """One action that is legal now. What is said beside it stays sealed with it."""
    game, position = turn.evaluated.game, turn.table["position"]
    if message.action is None:
        legal = ", ".join(turn.evaluated.legal(agent))
        return Fault("MPT", f"Choose with one <ACTION>…</ACTION> among {legal}.")
    if wrong := game.objection(position, agent, message.action):
        return Fault("ACTION", wrong)
    return {"act": "act", "text": ""}


@reading
def a_claim(turn: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """The part of the total that the agent says it earned."""
    try:
        part = parse_exact(message.claim)
    except ValueError:
        part = Fraction(-1)
    if not 0 <= part <= 1:
        return Fault("CLAIM", "State one <CLAIM>…</CLAIM> from 0 to 100 %, as in 40% or 0.4.")
    return {"act": "claim", "text": message.speech or "", "part": plain(part)}


def _acceptance(turn: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    offer = turn.evaluated.offer
    if fault := accepts_another(message, offer):
        return fault
    assert offer is not None, "an offer stands that the message accepts"
    fault = too_little(turn, agent, Deal.model_validate(offer["deal"]))
    return fault or {"act": "accept", "text": message.speech or ""}


def _deal(turn: TurnContext, agent: str, message: Message) -> Deal | Fault:
    if message.proposal is None:
        return Fault(
            "MPT", "Words alone do not bind: put the terms in one <PROPOSAL>{json}</PROPOSAL>."
        )
    deal = read_deal(message.proposal)
    if isinstance(deal, Fault):
        return deal
    fault = first_fault(turn.topic.rules, deal, terms_of(turn))
    return fault or too_little(turn, agent, deal) or deal
