"""Publish: how sound answers enter the table, and nothing else of what agents drafted."""

from collections.abc import Mapping
from typing import Any

from shapley_coop.state.messages import Utterance, entries, offer_of
from shapley_coop.state.table import Acceptance, AgentOutput, Reasoned, Table
from shapley_coop.state.turn import TurnContext

Outputs = Mapping[str, AgentOutput]


def keep_thoughts(turn: TurnContext, outputs: Outputs) -> dict[str, Any]:
    """Reasoning stays private: the table learns only where each agent's own waits."""
    return {"thoughts": {a: said["pointer"] for a, said in outputs.items() if "pointer" in said}}


def keep_reasons(turn: TurnContext, outputs: Outputs) -> dict[str, Any]:
    """The same for reasoning with results, which are evaluated after the run."""
    kept, now = keep_thoughts(turn, outputs), turn.evaluated.turn
    reasoned: list[Reasoned] = [
        {"id": f"{now}.{agent}", "turn": now, "agent": agent, "pointer": pointer}
        for agent, pointer in kept["thoughts"].items()
    ]
    return {**kept, "reasoned": reasoned}


def put_offer(turn: TurnContext, outputs: Outputs) -> dict[str, Any]:
    """The speaker's proposal becomes the offer that stands; a pass leaves none."""
    (speaker, said), table = next(iter(outputs.items())), turn.table
    revision = table["revision"] + 1 if "deal" in said else 0
    return {
        "talk": entries(table, turn.topic.name, [Utterance(speaker, said, puts=revision)]),
        "offer": offer_of(said, speaker, revision),
        "revision": revision or table["revision"],
    }


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


def offered(table: Table) -> str:
    """Return `offer` where the speaker made one, else `pass`."""
    return "offer" if table["offer"] else "pass"
