"""The functions `publish` that several questions share; they write valid answers to the table."""

from collections.abc import Mapping
from typing import Any

from shapley_coop.deals.language.deal import accept
from shapley_coop.deals.language.faults import Fault
from shapley_coop.state.messages import Utterance, entries, offer_of
from shapley_coop.state.table import Acceptance, AgentOutput
from shapley_coop.state.turn import TurnContext

Outputs = Mapping[str, AgentOutput]


def keep_thoughts(turn: TurnContext, outputs: Outputs) -> dict[str, Any]:
    """Return an update with pointers to each agent's reasoning, which is private in the journal."""
    return {"thoughts": {a: said["pointer"] for a, said in outputs.items() if "pointer" in said}}


def hold_answers(turn: TurnContext, outputs: Outputs) -> dict[str, Any]:
    """Return an update with the answers; acceptances get the number and hash of the shown offer."""
    offer = turn.evaluated.offer
    if offer is None:
        return {"answers": dict(outputs)}
    shown: Acceptance = {"revision": offer["revision"], "hash": offer["hash"]}
    bound = {
        agent: {**said, "accepts": shown} if said["act"] == "accept" else said
        for agent, said in outputs.items()
    }
    return {"answers": bound}


def put_or_join(turn: TurnContext, outputs: Outputs, in_words: str = "") -> dict[str, Any]:
    """Replace the current offer with the speaker's draft, or add the speaker's acceptance.

    Args:
        turn: the question and the table.
        outputs: the speaker's answer, as a mapping with one entry.
        in_words: the topic that offers without clauses get; if empty, the turn's topic.
    """
    (author, said), table = next(iter(outputs.items())), turn.table
    offer = turn.evaluated.offer
    about = offer["revision"] if offer and said["act"] != "propose" else 0
    revision = table["revision"] + 1 if "deal" in said else 0
    if put := offer_of(said, author, revision):
        offer = put
    elif offer and said["act"] == "accept":
        signed = accept(offer, author, offer["revision"], offer["hash"])
        assert not isinstance(signed, Fault), "it names the revision and hash that stand"
        offer = signed
    topic = turn.topic.name if offer and offer["deal"]["clauses"] else in_words or turn.topic.name
    return {
        "talk": entries(table, topic, [Utterance(author, said, puts=revision, about=about)]),
        "offer": offer,
        "revision": revision or table["revision"],
    }


def seal_actions(turn: TurnContext, outputs: Outputs) -> dict[str, Any]:
    """Return an update with pointers to actions, which stay secret until all have chosen."""
    return {"sealed": dict(outputs)}
