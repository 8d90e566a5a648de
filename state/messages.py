"""The public talk: entries for new messages, and the offers that all parties accepted in it."""

from collections.abc import Iterable
from dataclasses import dataclass

from shapley_coop.deals.language.deal import Deal, Offer, accept, put, unanimous
from shapley_coop.deals.language.faults import Fault
from shapley_coop.state.table import AgentOutput, PublicMessage, Table


@dataclass(frozen=True)
class Utterance:
    """An agent's answer, with the numbers (revisions) of the offers that it makes or answers.

    Attributes:
        by: the author.
        said: the answer.
        puts: the number of the offer that the answer makes; 0 if it makes none.
        about: the number of the offer that the answer accepts or rejects; 0 if there is none.
        to: the only agent that hears the answer; empty if all hear it.
        meeting: the number of the meeting, if agents meet in several.
    """

    by: str
    said: AgentOutput
    puts: int = 0
    about: int = 0
    to: str = ""
    meeting: int = 0


def entries(table: Table, topic: str, utterances: Iterable[Utterance]) -> list[PublicMessage]:
    """Return answers as messages of the talk, whose ids continue the talk's numbering."""
    heard = len(table.get("talk", []))
    return [_entry(table, topic, f"m{heard + n}", one) for n, one in enumerate(utterances, start=1)]


def parties(table: Table, turn: int, revision: int) -> list[str]:
    """Return the agents that must sign an offer.

    If agents left or passed, and the offer was then rewritten without them, only the others sign.

    Args:
        turn: the turn before which the agents bargain.
        revision: the number of the offer.
    """
    signed: dict[int, set[str]] = {}
    unsigned: dict[int, set[str]] = {}
    cut: set[int] = set()
    for said in table.get("talk", []):
        if said["turn"] != turn:
            continue
        if said["act"] == "write" and "puts" in said:
            cut.add(said["puts"])
        elif said["act"] in _SIGNS:
            answers = signed if said["act"] == "accept" else unsigned
            answers.setdefault(said.get("about", 0), set()).add(said["by"])
    gone: set[str] = set()
    while revision in cut:
        revision -= 1
        gone |= unsigned.get(revision, set()) - signed.get(revision, set())
    return [agent for agent in table["agents"] if agent not in gone]


_SIGNS = ("accept", "leave", "pass")
"""The acts that answer a request for a signature."""


def _entry(table: Table, topic: str, id_: str, one: Utterance) -> PublicMessage:
    act = one.said["act"]
    if act == "act" or act == "think" or act == "vote":  # noqa: PLR1714 - narrows the type
        raise ValueError(f"{act} is sealed or private: it never enters the talk")
    entry: PublicMessage = {
        "id": id_,
        "topic": topic,
        "turn": len(table.get("record", [])) + 1,
        "round": table["round"],
        "by": one.by,
        "act": act,
        "text": one.said["text"],
    }
    if "deal" in one.said:
        entry["deal"] = one.said["deal"]
    if one.puts:
        entry["puts"] = one.puts
    if one.about:
        entry["about"] = one.about
    if one.to:
        entry["to"] = one.to
    if one.meeting:
        entry["meeting"] = one.meeting
    if "label" in one.said:
        entry["label"] = one.said["label"]
    if one.said.get("repairs"):
        entry["repairs"] = one.said["repairs"]
    if "more" in one.said and (one.puts or (act == "accept" and one.about)):
        entry["more"] = one.said["more"]
    return entry


def count_answers(
    offer: Offer | None, answers: dict[str, AgentOutput]
) -> tuple[Offer | None, dict[str, AgentOutput]]:
    """Return the offer with the answers' acceptances added, and the answers as they were counted.

    An acceptance counts only for the offer (revision and hash) that its author's letter showed. If
    another offer has replaced it, the acceptance becomes a pass with the fault's label.
    """
    counted = dict(answers)
    for agent, said in answers.items():
        if offer is None or said["act"] != "accept":
            continue
        signed = accept(offer, agent, said["accepts"]["revision"], said["accepts"]["hash"])
        if isinstance(signed, Fault):
            counted[agent] = {"act": "pass", "text": said["text"], "label": signed.label}
        else:
            offer = signed
    return offer, counted


def agreed_offers(table: Table, topic: str) -> list[tuple[Offer, int]]:
    """Return each offer that all parties accepted, with the turn before which they bargained."""
    standing: dict[tuple[int, int], Offer] = {}
    for said in table.get("talk", []):
        if said["topic"] != topic:
            continue
        # Skip an acceptance of an offer that was never made, which an edited table may have.
        offer = standing.get((said["turn"], said["about"])) if said["act"] == "accept" else None
        if offer is not None:
            offer["accepted"] = sorted({*offer["accepted"], said["by"]})
        if "puts" in said and "deal" in said:  # a proposal of tasks has no deal in it
            deal = Deal.of(said["deal"])
            standing[said["turn"], said["puts"]] = put(deal, said["by"], said["puts"])
    agreed = [
        (offer, turn)
        for (turn, revision), offer in standing.items()
        if unanimous(offer, parties(table, turn, revision))
    ]
    return sorted(agreed, key=lambda found: found[1])


def offer_of(said: AgentOutput, by: str, revision: int) -> Offer | None:
    """Return the offer that an answer makes, or None if the answer makes none."""
    return put(Deal.of(said["deal"]), by, revision) if "deal" in said else None
