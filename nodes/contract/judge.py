"""Judge: somebody who is no party reads the record; its verdicts stand beside the monitor's."""

from typing import Any

from shapley_coop.deals import Fault, Message, in_force
from shapley_coop.deals.written.judgement import read_judgement
from shapley_coop.state import AgentOutput, TurnContext, Utterance, entries

JUDGE = "judge"
"""The seat of who judges; no agent can bear this name."""


def a_judgement(moment: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """A verdict on every clause: a claim about the record, which the record answers."""
    found = read_judgement(message.speech or "", in_force(moment.table.get("contract")))
    if isinstance(found, Fault):
        return found
    return {"act": "claim", "text": message.speech or ""}


def say_judgement(moment: TurnContext, spoken: dict[str, AgentOutput]) -> dict[str, Any]:
    """The judgement is heard by all, and moves nothing."""
    utterance = Utterance(JUDGE, spoken[JUDGE])
    return {"talk": entries(moment.table, moment.topic.name, [utterance])}
