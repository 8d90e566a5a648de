"""The node that publishes the answers to an offer, counts acceptances, and gives the verdict."""

from collections.abc import Awaitable, Callable
from typing import Any

from shapley_coop.deals.language.deal import Offer, unanimous
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.messages import Utterance, count_answers, entries, offer_of
from shapley_coop.state.table import Table
from shapley_coop.state.topics import Topic
from shapley_coop.state.turn import in_turn_after
from shapley_coop.state.who import negotiators

TableNode = Callable[[Table], Awaitable[dict[str, Any]]]


def tally(topic: Topic) -> TableNode:
    """Return the node that ends a round of talk about a topic.

    Verdicts: `agreed` (all accepted the same revision), `countered` (the first agent in turn with a
    counter-offer has replaced the offer), `talk_on` (the offer failed, and the next agent may
    propose) and `no_deal` (the rounds or the budget are used up, or all agents in turn declined to
    propose).
    """

    async def count(table: Table) -> dict[str, Any]:
        offer, answers = count_answers(table.get("offer"), table.get("answers", {}))
        heard = in_turn_after(negotiators(table), table["speaker"])
        found = _stands(table, offer, heard)
        countered = found["verdict"] == "countered"
        utterances = [
            Utterance(
                by=agent,
                said=answers[agent],
                about=offer["revision"] if offer else 0,
                puts=found["revision"] if countered and agent == found["speaker"] else 0,
            )
            for agent in heard
            if agent in answers
        ]
        return {**found, "answers": None, "talk": entries(table, topic.name, utterances)}

    return count


def _stands(table: Table, offer: Offer | None, heard: list[str]) -> dict[str, Any]:
    """Return the table's update: the verdict, and the next offer, round and speaker."""
    if unanimous(offer, negotiators(table)):
        return {"verdict": "agreed", "offer": offer}
    evaluated = EvaluatedTable(table)
    used_up = table["round"] >= evaluated.config.rounds
    if used_up or _silent(table) or evaluated.budget_spent:
        return {"verdict": "no_deal", "offer": None}
    answers, revision = table.get("answers", {}), table["revision"] + 1
    onward = {"round": table["round"] + 1}
    for agent in heard:
        counter = offer_of(answers[agent], agent, revision) if agent in answers else None
        if counter:
            put = {"verdict": "countered", "offer": counter, "revision": revision}
            return {**onward, **put, "speaker": agent}
    return {**onward, "verdict": "talk_on", "offer": None, "speaker": heard[0]}


def _silent(table: Table) -> bool:
    """Return whether all bargaining agents, one after the other, have declined to propose."""
    count = len(negotiators(table))
    here = [s["round"] for s in table["talk"][-count:] if s["act"] == "pass" and "about" not in s]
    first = table["round"] - count + 1
    return here == list(range(first, table["round"] + 1))
