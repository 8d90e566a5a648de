"""Publish: how sound answers enter the table, in the ways that several questions share."""

from collections.abc import Mapping
from typing import Any

from shapley_coop.state.table import Acceptance, AgentOutput
from shapley_coop.state.turn import TurnContext

Outputs = Mapping[str, AgentOutput]


def keep_thoughts(turn: TurnContext, outputs: Outputs) -> dict[str, Any]:
    """Reasoning stays private: the table learns only where each agent's own waits."""
    return {"thoughts": {a: said["pointer"] for a, said in outputs.items() if "pointer" in said}}


def hold_answers(turn: TurnContext, outputs: Outputs) -> dict[str, Any]:
    """Answers wait until all are in; an acceptance names the offer that its letter showed."""
    offer = turn.evaluated.offer
    if offer is None:
        return {"answers": dict(outputs)}
    shown: Acceptance = {"revision": offer["revision"], "hash": offer["hash"]}
    bound = {
        agent: {**said, "accepts": shown} if said["act"] == "accept" else said
        for agent, said in outputs.items()
    }
    return {"answers": bound}


def seal_actions(turn: TurnContext, outputs: Outputs) -> dict[str, Any]:
    """Actions are simultaneous: what was chosen waits in the journal, the table holds a seal."""
    return {"sealed": dict(outputs)}
