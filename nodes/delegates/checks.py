"""What a ballot and a member's answer to the delegates' deal have to say to be sound."""

from shapley_coop.deals.language.acceptance import DECISIONS, Decision, accepts_another
from shapley_coop.deals.language.choices import chosen, chosen_of
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import Message
from shapley_coop.state.consent import cannot_sign
from shapley_coop.state.groups import group_of
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.turn import TurnContext, reading


@reading
def a_vote(turn: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """The name of one candidate of the agent's own group."""
    group = group_of(turn.table, agent)
    assert group is not None, "only members of a group vote"
    candidates = group["candidates"]
    found = chosen_of(message, [*candidates, *_ONESELF], told=candidates)
    if isinstance(found, Fault):
        return found
    choice = agent if found[0] in _ONESELF and found[0] not in candidates else found[0]
    if choice not in candidates:
        return Fault("ACTION", f"You do not stand. Choose one of: {', '.join(candidates)}.")
    return {"act": "vote", "text": "", "choice": choice}


_ONESELF = ("me", "myself")
"""What a member may call itself."""


@reading
def a_ratification(turn: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """To sign the deal, to veto it, or to leave it."""
    if message.proposal is not None:
        return Fault("VOID", f"The delegates make the offers, and you answer this one. {_DECIDE}")
    decided: set[Decision] = {"accept"} if message.accept is not None else set()
    decided |= {"reject"} if message.reject is not None else set()
    word = ""
    if message.action is not None:
        named = chosen(message, tuple(DECISIONS))
        if isinstance(named, Fault) or named[0] not in DECISIONS:
            return Fault("ACTION", f"It is not yet time to act. {_DECIDE}")
        word = named[0]
        decided.add(DECISIONS[word])
    if len(decided) != 1:
        return Fault("ACK", _DECIDE)
    act = decided.pop()
    if act == "accept" and (fault := _cannot_ratify(turn, agent, message)):
        return fault
    text = message.speech or (message.reject if act == "reject" else "") or ""
    said: AgentOutput = {"act": act, "text": text}
    return {**said, "repairs": [f"read {word} as {act}"]} if word not in ("", act) else said


def _cannot_ratify(turn: TurnContext, agent: str, message: Message) -> Fault | None:
    """Return why a member cannot sign the deal that its letter showed; None if it can."""
    offer = turn.evaluated.offer
    if fault := accepts_another(message, offer):
        return fault
    assert offer is not None, "an offer stands that the message accepts"
    return cannot_sign(turn, agent, Deal.of(offer["deal"]))


_DECIDE = (
    "Do one of three: <ACCEPT> to sign, <REJECT> to veto, or <ACTION>leave</ACTION> to stay out."
)
