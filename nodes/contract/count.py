"""The node that counts signatures; a drafted contract binds all parties or none."""

from collections.abc import Sequence
from typing import Any

from shapley_coop.deals.language.deal import unanimous
from shapley_coop.state.messages import Utterance, count_answers, entries
from shapley_coop.state.table import Table


async def count_signatures(table: Table) -> dict[str, Any]:
    """Keep the offer only if all parties signed it. Verdicts: `signed`, `unsigned`."""
    offer, answers = count_answers(table["offer"], table.get("answers", {}))
    assert offer is not None, "signatures are asked for a drafted contract"
    utterances = [
        Utterance(agent, answers[agent], about=offer["revision"])
        for agent in table["agents"]
        if agent in answers
    ]
    signed = unanimous(offer, table["agents"])
    why = {} if signed else {"lapsed": _explain_unsigned(table["agents"], offer["accepted"])}
    return {
        **why,
        "talk": entries(table, "plan", utterances),
        "answers": None,
        "offer": offer if signed else None,
        "verdict": "signed" if signed else "unsigned",
    }


def _explain_unsigned(agents: Sequence[str], signed: Sequence[str]) -> str:
    """Return a text that says who did not sign, and that therefore the clauses bind nobody."""
    missing = ", ".join(agent for agent in agents if agent not in signed)
    return (
        "All accepted an offer in words, but the clauses drafted from it were not signed by "
        f"{missing}"
    )
