"""Tally: hear the answers, count the acceptances, and say how the bargaining stands."""

from collections.abc import Callable
from typing import Any

from deals import Fault, Offer, accept, unanimous
from state import Spoken, Table, Topic, entries, offer_of, room_of

TableNode = Callable[[Table], dict[str, Any]]


def tally(topic: Topic) -> TableNode:
    """A node that ends a round of talk.

    Verdicts: `agreed` (everybody accepted the same revision), `countered` (the next in turn has
    put a counter-offer, which stands now), `talk_on` (the next in turn may propose) and
    `no_deal` (the rounds are used up).
    """

    def count(table: Table) -> dict[str, Any]:
        answers, offer = table.get("answers", {}), table.get("offer")
        heard = _after(table, table["speaker"])
        revision = offer["revision"] if offer else 0
        spoken = [(a, answers[a], revision) for a in heard if a in answers]
        offer = _accepted(offer, answers)
        update: dict[str, Any] = {"answers": None, "offer": offer}
        if unanimous(offer, table["agents"]):
            update |= {"verdict": "agreed"}
        elif table["round"] >= room_of(table["settings"]).rounds:
            update |= {"verdict": "no_deal", "offer": None}
        else:
            update |= _next_round(table, heard, answers)
        if (standing := update["offer"]) and update["verdict"] == "countered":
            # The counter-offer that is taken up gets its own revision in the talk.
            spoken = [
                (a, said, standing["revision"] if a == standing["by"] else n)
                for a, said, n in spoken
            ]
        return {**update, "talk": entries(table, topic.name, spoken)}

    return count


def _next_round(table: Table, heard: list[str], answers: dict[str, Spoken]) -> dict[str, Any]:
    """The first in turn with a counter-offer has it stand; else the next in turn may propose."""
    for agent in heard:
        revision = table["revision"] + 1
        counter = offer_of(answers[agent], agent, revision) if agent in answers else None
        if counter:
            return {
                "verdict": "countered",
                "round": table["round"] + 1,
                "speaker": agent,
                "offer": counter,
                "revision": revision,
            }
    return {
        "verdict": "talk_on",
        "round": table["round"] + 1,
        "speaker": heard[0],
        "offer": None,
    }


def _accepted(offer: Offer | None, answers: dict[str, Spoken]) -> Offer | None:
    """The offer with every acceptance; each binds to the revision and hash the letter showed."""
    for agent, said in answers.items():
        if offer is not None and said["act"] == "accept":
            signed = accept(offer, agent, offer["revision"], offer["hash"])
            if not isinstance(signed, Fault):
                offer = signed
    return offer


def _after(table: Table, speaker: str) -> list[str]:
    """Everybody else in speaking order, from the one after the speaker."""
    agents = table["agents"]
    at = agents.index(speaker) + 1
    return [*agents[at:], *agents[: at - 1]]
