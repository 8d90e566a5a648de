"""Say: carry what minds came up with to the table, and nothing else of them."""

from collections.abc import Callable
from typing import Any

from shapley_coop.state import Acceptance, AgentOutput, TurnContext, Utterance, entries, offer_of

Say = Callable[[TurnContext, dict[str, AgentOutput]], dict[str, Any]]


def keep_thoughts(moment: TurnContext, spoken: dict[str, AgentOutput]) -> dict[str, Any]:
    """Thoughts stay private: the table learns only where each agent's own waits."""
    return {"thoughts": {a: said["pointer"] for a, said in spoken.items() if "pointer" in said}}


def say_offer(moment: TurnContext, spoken: dict[str, AgentOutput]) -> dict[str, Any]:
    """The speaker's proposal becomes the standing offer; a pass leaves none."""
    (speaker, said), table = next(iter(spoken.items())), moment.table
    revision = table["revision"] + 1 if "deal" in said else 0
    return {
        "talk": entries(table, moment.topic.name, [Utterance(speaker, said, puts=revision)]),
        "offer": offer_of(said, speaker, revision),
        "revision": revision or table["revision"],
    }


def say_answers(moment: TurnContext, spoken: dict[str, AgentOutput]) -> dict[str, Any]:
    """Answers wait until everybody's is there; an acceptance names the offer its letter showed."""
    offer = moment.table.get("offer")
    if offer is None:
        return {"answers": spoken}
    shown: Acceptance = {"revision": offer["revision"], "hash": offer["hash"]}
    bound = {
        agent: {**said, "accepts": shown} if said["act"] == "accept" else said
        for agent, said in spoken.items()
    }
    return {"answers": bound}


def say_claims(moment: TurnContext, spoken: dict[str, AgentOutput]) -> dict[str, Any]:
    """Claims are heard at once; the record answers them at settlement."""
    utterances = [Utterance(agent, said) for agent, said in spoken.items()]
    return {
        "claims": {agent: said["part"] for agent, said in spoken.items() if "part" in said},
        "talk": entries(moment.table, moment.topic.name, utterances),
    }


def seal_actions(moment: TurnContext, spoken: dict[str, AgentOutput]) -> dict[str, Any]:
    """Actions are simultaneous: what was chosen waits in the journal, the table holds a seal."""
    return {"sealed": spoken}
