"""Publish: how drafts, the written contract and the judgement enter the table."""

from collections.abc import Mapping
from typing import Any

from shapley_coop.deals.language.deal import Deal, accept, put
from shapley_coop.deals.language.faults import Fault
from shapley_coop.state.messages import Utterance, entries
from shapley_coop.state.run_config import JUDGE, SUMMARISER
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.turn import TurnContext

PROSE = "prose"
"""The talk in which offers made in words alone are recorded: they bind no party."""

Outputs = Mapping[str, AgentOutput]


def put_draft(turn: TurnContext, outputs: Outputs) -> dict[str, Any]:
    """The speaker's draft takes the place of what stood; an acceptance joins what stands."""
    (speaker, said), table = next(iter(outputs.items())), turn.table
    offer = turn.evaluated.offer
    about = offer["revision"] if offer else 0
    revision = table["revision"] + 1 if said["act"] == "propose" else 0
    if revision:
        about, offer = 0, put(Deal.of(said["deal"]), speaker, revision)
    elif offer and said["act"] == "accept":
        signed = accept(offer, speaker, offer["revision"], offer["hash"])
        assert not isinstance(signed, Fault), "it names the revision and hash that stand"
        offer = signed
    utterance = Utterance(speaker, said, puts=revision, about=about)
    topic = turn.topic.name if offer and offer["deal"]["clauses"] else PROSE
    return {
        "talk": entries(table, topic, [utterance]),
        "offer": offer,
        "revision": revision or table["revision"],
    }


def put_written(turn: TurnContext, outputs: Outputs) -> dict[str, Any]:
    """The written contract is read by all; clauses drafted from words wait to be signed.

    Verdicts: `written` (what was accepted is a contract already), `to_sign`, and `unwritten`
    (words alone, of which no contract came).
    """
    said, table = outputs[SUMMARISER], turn.table
    offer = turn.evaluated.offer
    assert offer is not None, "only what was agreed is written down"
    topic, agreed = "contract", bool(offer["deal"]["clauses"])
    if agreed:
        utterance = Utterance(SUMMARISER, said, about=offer["revision"])
        return {"talk": entries(table, topic, [utterance]), "verdict": "written"}
    if said["act"] != "write":
        utterance = Utterance(SUMMARISER, said)
        return {
            "talk": entries(table, topic, [utterance]),
            "offer": None,
            "lapsed": _unwritten(said),
            "verdict": "unwritten",
        }
    revision = table["revision"] + 1
    utterance = Utterance(SUMMARISER, said, puts=revision)
    return {
        "talk": entries(table, turn.topic.name, [utterance]),
        "offer": put(Deal.of(said["deal"]), SUMMARISER, revision),
        "revision": revision,
        "verdict": "to_sign",
    }


def _unwritten(said: AgentOutput) -> str:
    """Why no contract came of words that all had accepted."""
    why = said["text"] or f"no draft of its clauses was sound ({said.get('label', '')})"
    return f"All accepted an offer in words, but the summariser made no contract of it: {why}"


def put_judgement(turn: TurnContext, outputs: Outputs) -> dict[str, Any]:
    """The judgement joins the public talk; it changes no payment."""
    utterance = Utterance(JUDGE, outputs[JUDGE])
    return {"talk": entries(turn.table, turn.topic.name, [utterance])}
