"""What a ballot and a member's answer to the delegates' deal have to say to be sound."""

from shapley_coop.deals import Deal, Fault, Message
from shapley_coop.deals.language.acceptance import accepts_another
from shapley_coop.deals.language.choices import chosen
from shapley_coop.deals.language.spelling import meant
from shapley_coop.state import AgentOutput
from shapley_coop.state.consent import too_little
from shapley_coop.state.groups import group_of
from shapley_coop.state.turn import TurnContext, reading

LEAVE = "leave"
"""The word by which a member leaves a deal."""


@reading
def a_vote(turn: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """The name of one candidate of the agent's own group."""
    group = group_of(turn.table, agent)
    assert group is not None, "only members of a group vote"
    found = chosen(message, group["candidates"])
    if isinstance(found, Fault):
        return found
    if found[0] not in group["candidates"]:
        said = " ".join(found[0].split())[:60]
        choices = ", ".join(group["candidates"])
        return Fault("ACTION", f"You chose {said!r}. Choose one of: {choices}.")
    return {"act": "vote", "text": "", "choice": found[0]}


@reading
def a_ratification(turn: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """To sign the deal, to veto it, or to leave it."""
    leaves = message.action is not None
    if sum((message.accept is not None, message.reject is not None, leaves)) != 1:
        return Fault("ACK", "Do one of three: <ACCEPT>, <REJECT>, or <ACTION>leave</ACTION>.")
    if message.proposal is not None:
        return Fault("VOID", "The delegates make the offers: sign this one, veto it, or leave it.")
    if leaves:
        if meant(message.action or "", (LEAVE,)) is None:
            return Fault("ACTION", "It is not yet time to act: to leave is <ACTION>leave</ACTION>.")
        return {"act": "leave", "text": message.speech or ""}
    if message.reject is not None:
        return {"act": "reject", "text": message.speech or message.reject}
    offer = turn.evaluated.offer
    if fault := accepts_another(message, offer):
        return fault
    assert offer is not None, "an offer stands that the message accepts"
    fault = too_little(turn, agent, Deal.of(offer["deal"]))
    return fault or {"act": "accept", "text": message.speech or ""}
