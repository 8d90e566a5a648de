"""Validate a trader's draft before it is delivered, or deliver it as it was written.

The two are alternatives: a page wires one of them into its traders' minds.
"""

from fractions import Fraction
from typing import Any

from langgraph.runtime import Runtime

from shapley_coop.deals import Fault, Message, scan, short_of
from shapley_coop.deals.exchange.messages import accepts, check_message
from shapley_coop.deals.exchange.talk import as_written
from shapley_coop.deals.language.faults import CUT
from shapley_coop.state import (
    PASS,
    AgentOutput,
    AgentTurnState,
    Table,
    TurnContext,
    TurnState,
    config_of,
    pending,
)
from shapley_coop.state.exchange import REFUSED, exchange_of, masks_in, to_answer
from shapley_coop.state.storage.secrets import reservation_of


def validate_trades(minds: TurnState, runtime: Runtime[TurnContext]) -> dict[str, Any]:
    """Send back every draft that is not valid, with its label and feedback.

    With the last attempt the mind gives up, and what it says is a pass with the label; a person's
    wrong reply stays pending.
    """
    moment = runtime.context
    return {
        "minds": {
            agent: _judge(moment, agent, minds["minds"][agent])
            for agent in pending(minds["minds"], moment.asked)
        }
    }


def deliver(minds: TurnState, runtime: Runtime[TurnContext]) -> dict[str, Any]:
    """Let every draft pass as it was written: what it does is read, and nothing is checked."""
    moment = runtime.context
    return {
        "minds": {
            agent: {**mind, "spoken": _unchecked(mind)}
            for agent, mind in minds["minds"].items()
            if agent in pending(minds["minds"], moment.asked)
        }
    }


def _judge(moment: TurnContext, agent: str, mind: AgentTurnState) -> AgentTurnState:
    table = moment.table
    game, room = exchange_of(table), config_of(table["settings"])
    if room.seats[agent].human and mind["draft"] == PASS:
        return {**mind, "fault": None, "spoken": {"act": "pass", "text": "", "label": "PASS"}}
    standing = to_answer(table, agent)
    asked = (masks_in(table, standing["by"], standing["wrote"]) or {}) if standing else None
    verdict = check_message(mind["draft"], game.tasks, agent, asked)
    label, feedback = verdict.label, verdict.feedback
    if mind["cut"]:
        label, feedback = CUT.label, CUT.feedback
    if label is None and (fault := _too_little(table, agent, verdict.masks)):
        label, feedback = fault.label, fault.feedback
    if label is None:
        assert verdict.act is not None, "a valid message does something"
        said: AgentOutput = {"act": verdict.act, "text": as_written(mind["draft"])}
        return {**mind, "fault": None, "spoken": {**said, "pointer": mind["pointer"]}}
    again: AgentTurnState = {
        **mind,
        "fault": {"label": label, "feedback": feedback},
        "spent": counted(mind["spent"], label),
    }
    if mind["attempt"] >= game.params.attempts and not room.seats[agent].human:
        again["spoken"] = {"act": "pass", "text": "", "label": label}
    return again


def _too_little(table: Table, agent: str, masks: dict[str, str]) -> Fault | None:
    """Why this agent cannot agree to an allocation: it requires more."""
    reservation = reservation_of(table["settings"]["secrets"], agent)
    if reservation is None:
        return None
    worth = exchange_of(table).scenario.utility(agent, int(masks[agent], 2))
    return short_of(reservation, Fraction(str(worth)))


def _unchecked(mind: AgentTurnState) -> AgentOutput:
    """What a draft does as far as it can be told: a proposal is one, however it was put."""
    if mind["draft"] == PASS:
        return {"act": "pass", "text": "", "label": "PASS"}
    text = as_written(mind["draft"])
    message = scan(text)
    if "<PROPOSAL>" in text:
        said: AgentOutput = {"act": "reject" if "<REJECT>" in text else "propose", "text": text}
    elif isinstance(message, Message) and accepts(message):
        said = {"act": "accept", "text": text}
    else:
        said = {"act": "pass", "text": text}
    return {**said, "pointer": mind["pointer"]}


def counted(spent: dict[str, int], label: str) -> dict[str, int]:
    """The cost with one more refusal, counted in all and by its label."""
    by_label = f"{REFUSED}{label}"
    return {
        **spent,
        "refused": spent.get("refused", 0) + 1,
        by_label: spent.get(by_label, 0) + 1,
    }
