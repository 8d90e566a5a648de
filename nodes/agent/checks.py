"""What an answer has to say to be sound: one check for each act."""

from shapley_coop.amounts import plain
from shapley_coop.deals.language.acceptance import accepts_another, ask_back
from shapley_coop.deals.language.choices import chosen, claimed
from shapley_coop.deals.language.faults import Fault, together
from shapley_coop.deals.language.reading import Reading, read_once
from shapley_coop.deals.language.thoughts import without_thoughts
from shapley_coop.deals.language.wire import Message, scan
from shapley_coop.seats.records import Answer
from shapley_coop.state.consent import cannot_sign, offering, terms_of
from shapley_coop.state.reasons import private_text, read_reasons
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.turn import TurnContext, reading, unfinished


def a_thought(turn: TurnContext, agent: str, answer: Answer) -> AgentOutput | Fault:
    """A plan: nobody else reads it, so that no tags are needed."""
    if fault := unfinished(answer):
        return fault
    message = scan(answer.text)
    if isinstance(message, Fault) and message.label == "SIZE":
        return message
    if not answer.text.strip():
        return Fault("MPT", "Write your private thoughts: your answer is empty.")
    return {"act": "think", "text": ""}


def a_reason(turn: TurnContext, agent: str, answer: Answer) -> AgentOutput | Fault:
    """Reasoning with its three results: private, so that there is nothing to say."""
    thought = a_thought(turn, agent, answer)
    if isinstance(thought, Fault):
        return thought
    said = without_thoughts(answer.text)
    if isinstance(said, Fault):
        return said
    found = read_reasons(private_text(said))
    return found if isinstance(found, Fault) else thought


@reading
def an_offer(turn: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """A proposal that passes the topic's rules, or `<REJECT>` for none."""
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
        return {"act": "pass", "text": message.speech or message.reject}
    found = _deal(turn, agent, message)
    if isinstance(found, Fault):
        return found
    said: AgentOutput = {"act": "propose", "text": message.speech or ""}
    return offering(said, found)


@reading
def an_answer(turn: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """Acceptance of exactly the offer, or rejection with or without a counter-offer."""
    if (message.accept is None) == (message.reject is None):
        return Fault("ACK", _undecided(turn, message))
    if message.action is not None:
        return Fault("VOID", "It is not yet time to act: answer the offer.")
    if message.accept is not None:
        return _acceptance(turn, agent, message)
    said: AgentOutput = {"act": "reject", "text": message.speech or message.reject or ""}
    if message.proposal is None:
        return said
    found = _deal(turn, agent, message)
    return found if isinstance(found, Fault) else offering(said, found)


@reading
def an_action(turn: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """One action that is legal now. What is said beside it stays sealed with it."""
    found = chosen(message, turn.evaluated.legal(agent))
    if isinstance(found, Fault):
        return found
    wrong = turn.evaluated.game.objection(turn.table["position"], agent, found[0])
    return Fault("ACTION", _not_legal(message, wrong)) if wrong else {"act": "act", "text": ""}


@reading
def a_claim(turn: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """The part of the total that the agent says it earned."""
    found = claimed(message)
    if isinstance(found, Fault):
        return found
    part, repair = found
    said: AgentOutput = {"act": "claim", "text": message.speech or "", "part": plain(part)}
    return {**said, "repairs": [repair]} if repair else said


def _undecided(turn: TurnContext, message: Message) -> str:
    """What to ask of an answer that does not say yes or no, or says both."""
    asked = ask_back(turn.evaluated.offer)
    if message.accept is not None:
        return f"You accept and reject at once. {asked}"
    if message.proposal is not None:
        return f"An offer of your own needs <REJECT> beside it. {asked}"
    return f"Words alone decide nothing. {asked}"


def _not_legal(message: Message, wrong: str) -> str:
    """What is wrong with an action, and with which."""
    said = " ".join((message.action or "").split())
    return f"You chose {said[:60]!r}. {wrong}"


def _acceptance(turn: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    offer = turn.evaluated.offer
    if fault := accepts_another(message, offer):
        return fault
    fault = cannot_sign(turn, agent, turn.evaluated.offered)
    return fault or {"act": "accept", "text": message.speech or ""}


def _deal(turn: TurnContext, agent: str, message: Message) -> Reading | Fault:
    speech = ("your speech",) if message.speech else ()
    if message.proposal is None:
        return Fault(
            "MPT",
            "Words alone do not bind: put the terms in one <PROPOSAL>{json}</PROPOSAL>, or write "
            "<REJECT> to propose nothing.",
            speech,
        )
    found = read_once(message.proposal, terms_of(turn))
    fault = found if isinstance(found, Fault) else cannot_sign(turn, agent, found.deal)
    return Fault(fault.label, fault.feedback, (*speech, *fault.read)) if fault else found
