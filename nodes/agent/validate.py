"""Validate: read a draft; what is sound may be said, what is not goes back to its author alone."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from langgraph.runtime import Runtime

from shapley_coop.amounts import parse_exact, plain
from shapley_coop.credit import norm_payoffs_fn
from shapley_coop.deals import (
    Deal,
    Enforcement,
    Fault,
    Message,
    Pay,
    Share,
    Terms,
    below_reservation,
    certify,
    first_fault,
    in_force,
    payments,
    payoffs,
    read_deal,
    scan,
    short_of,
)
from shapley_coop.deals.analysis.stage import facts_of
from shapley_coop.deals.language.faults import CUT
from shapley_coop.deals.language.wire import too_long
from shapley_coop.state import (
    PASS,
    AgentOutput,
    AgentTurnState,
    RunConfig,
    TurnContext,
    TurnState,
    config_of,
    game_of,
    pending,
)
from shapley_coop.state.run_config import OUTSIDERS
from shapley_coop.state.storage.secrets import reservation_of

Check = Callable[[TurnContext, str, Message], AgentOutput | Fault]


def validate(check: Check) -> Callable[[TurnState, Runtime[TurnContext]], dict[str, Any]]:
    """A node that reads every draft that is not sound yet.

    A draft that cannot be read, or breaks a rule, goes back with a labelled fault. After the last
    try the agent passes, and the record says so; nothing is put in its place.

    Args:
        check: what the message has to say.
    """

    def validate_drafts(minds: TurnState, runtime: Runtime[TurnContext]) -> dict[str, Any]:
        moment = runtime.context
        room = config_of(moment.table["settings"])
        return {
            "minds": {
                agent: _judge(moment, agent, minds["minds"][agent], room, check)
                for agent in pending(minds["minds"], moment.asked)
            }
        }

    return validate_drafts


def _judge(
    moment: TurnContext, agent: str, mind: AgentTurnState, room: RunConfig, check: Check
) -> AgentTurnState:
    human = agent in room.seats and room.seats[agent].human
    if human and mind["draft"] == PASS:
        return {**mind, "fault": None, "spoken": {"act": "pass", "text": "", "label": "PASS"}}
    found = _read(check, moment, agent, mind)
    if not isinstance(found, Fault):
        return {**mind, "fault": None, "spoken": {**found, "pointer": mind["pointer"]}}
    spent = {**mind["spent"], "refused": mind["spent"]["refused"] + 1}
    again: AgentTurnState = {**mind, "fault": found.record(), "spent": spent}
    # A person's wrong reply stays pending, with the reason.
    if mind["attempt"] >= room.tries and not human:
        again["spoken"] = {"act": "pass", "text": "", "label": found.label}
    return again


def _read(
    check: Check, moment: TurnContext, agent: str, mind: AgentTurnState
) -> AgentOutput | Fault:
    if mind["cut"]:
        return CUT
    message = scan(mind["draft"])
    if isinstance(message, Fault):
        return message
    # Who writes contracts down repeats what the parties agreed, which is bounded already.
    long = too_long(message) if agent not in OUTSIDERS else None
    return long or check(moment, agent, message)


def a_thought(moment: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """Reasoning: private, so that there is nothing to say."""
    if not message.consider:
        return Fault("MPT", "Answer inside one <CONSIDER>…</CONSIDER>.")
    return {"act": "think", "text": ""}


def an_offer(moment: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """A proposal that passes the topic's rules, or `<REJECT>` for none."""
    if message.accept is not None:
        return Fault("VOID", "No offer stands that you could accept: propose one, or <REJECT>.")
    if message.action is not None:
        return Fault("VOID", "It is not yet time to act: propose a deal, or <REJECT>.")
    if message.reject is not None and message.proposal is not None:
        return Fault("ACK", "You cannot propose and <REJECT> at once: do one of the two.")
    if message.reject is not None:
        return {"act": "pass", "text": message.speech or message.reject}
    deal = _deal(moment, agent, message)
    if isinstance(deal, Fault):
        return deal
    return {"act": "propose", "text": message.speech or "", "deal": deal.record()}


def an_answer(moment: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """Acceptance of exactly what stands, or rejection with or without a counter-offer."""
    if (message.accept is None) == (message.reject is None):
        return Fault("ACK", "Answer the offer that stands with one <ACCEPT> or one <REJECT>.")
    if message.action is not None:
        return Fault("VOID", "It is not yet time to act: answer the offer.")
    if message.accept is not None:
        return _acceptance(moment, agent, message)
    said: AgentOutput = {"act": "reject", "text": message.speech or message.reject or ""}
    if message.proposal is None:
        return said
    deal = _deal(moment, agent, message)
    return deal if isinstance(deal, Fault) else {**said, "deal": deal.record()}


def an_action(moment: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """One action that is legal now. What is said beside it stays sealed with it."""
    table = moment.table
    legal = game_of(table["settings"]).legal(table["position"], agent)
    if message.action is None:
        return Fault("MPT", f"Choose with one <ACTION>…</ACTION> among {', '.join(legal)}.")
    if wrong := game_of(table["settings"]).objection(table["position"], agent, message.action):
        return Fault("ACTION", wrong)
    return {"act": "act", "text": ""}


def a_claim(moment: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """The part of the total that the agent says it earned."""
    try:
        part = parse_exact(message.claim)
    except ValueError:
        part = Fraction(-1)
    if not 0 <= part <= 1:
        return Fault("CLAIM", "State one <CLAIM>…</CLAIM> from 0 to 100 %, as in 40% or 0.4.")
    return {"act": "claim", "text": message.speech or "", "part": plain(part)}


def _acceptance(moment: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """An acceptance binds to what the letter showed; what it names itself has to match."""
    if message.proposal is not None:
        return Fault("ACK", "You cannot accept and propose at once: do one of the two.")
    offer = moment.table["offer"]
    if offer is None:
        return Fault("VOID", "No offer stands that you could accept.")
    for word in (message.accept or "").split():
        if word != str(offer["revision"]) and not (
            len(word) >= 8 and offer["hash"].startswith(word)
        ):
            return Fault(
                "STALE",
                f"You accept {word}, but what stands is revision {offer['revision']}, "
                f"hash {offer['hash'][:12]}: write <ACCEPT> alone to accept it.",
            )
    if fault := _too_little(moment, agent, Deal.model_validate(offer["deal"])):
        return fault
    return {"act": "accept", "text": message.speech or ""}


def _deal(moment: TurnContext, agent: str, message: Message) -> Deal | Fault:
    if message.proposal is None:
        return Fault("MPT", "Words bind nobody: put the terms in one <PROPOSAL>{json}</PROPOSAL>.")
    deal = read_deal(message.proposal)
    if isinstance(deal, Fault):
        return deal
    fault = first_fault(moment.topic.rules, deal, terms(moment))
    return fault or _too_little(moment, agent, deal) or deal


def _too_little(moment: TurnContext, agent: str, deal: Deal) -> Fault | None:
    """Why this agent cannot put its name to a deal: it requires more."""
    table = moment.table
    reservation = reservation_of(table["settings"]["secrets"], agent)
    if reservation is None:
        return None
    game, record = game_of(table["settings"]), table.get("record", [])
    if moment.topic.phase == "settlement":
        norms = norm_payoffs_fn(game.agents, partial(game.worth, record), game.batch_worth(record))
        left = payoffs(record, game.agents, deal.share, payments(deal, record), norms)
        return short_of(reservation, left[agent])
    found = certify(
        deal,
        facts_of(game),
        Enforcement.of(table["settings"]),
        norms=moment.norms,
        record=record,
        standing=table.get("contract"),
    )
    return below_reservation(found, agent, reservation, record, table.get("contract"))


def terms(moment: TurnContext) -> Terms:
    """What deals at this table are checked against."""
    game = game_of(moment.table["settings"])
    standing = in_force(moment.table.get("contract"))
    return Terms(
        agents=game.agents,
        actions=game.actions,
        turns=game.turns,
        norms=moment.norms,
        droppable=[cid for cid, clause in standing.items() if isinstance(clause, Pay | Share)],
    )
