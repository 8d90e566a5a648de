"""Entering what was said into the public talk."""

from collections.abc import Iterable
from dataclasses import dataclass

from shapley_coop.deals.language.deal import Deal, Offer, accept, put, unanimous
from shapley_coop.deals.language.faults import Fault
from shapley_coop.state.table import AgentOutput, PublicMessage, Table


@dataclass(frozen=True)
class Utterance:
    """What one agent said, and which revisions it concerns (0: none).

    Attributes:
        by: who said it.
        said: what it answered.
        puts: the revision under which an offer made in it came to stand.
        about: the revision that it accepts or rejects.
        to: who alone hears it; empty for all.
        meeting: in which of several it is said.
    """

    by: str
    said: AgentOutput
    puts: int = 0
    about: int = 0
    to: str = ""
    meeting: int = 0


def entries(table: Table, topic: str, utterances: Iterable[Utterance]) -> list[PublicMessage]:
    """Messages for the talk, numbered on."""
    heard = len(table.get("talk", []))
    return [_entry(table, topic, f"m{heard + n}", one) for n, one in enumerate(utterances, start=1)]


def parties(table: Table, turn: int, revision: int) -> list[str]:
    """Return who has to sign an offer: all agents but those who did not sign what it was cut from.

    They left that offer, or passed when they were asked for their signature.

    Args:
        table: the table.
        turn: before which it is bargained over.
        revision: of the offer.
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
"""Acts that say whether their author signs."""


def _entry(table: Table, topic: str, id_: str, one: Utterance) -> PublicMessage:
    act = one.said["act"]
    if act == "act" or act == "think" or act == "vote":  # noqa: PLR1714 - it narrows the type
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
    """Return the offer with every acceptance of it, and the answers as they count.

    An acceptance binds to the revision and hash that its author's letter showed; where another
    offer has come to stand since, it is a pass with the label of the fault.
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
    """Every offer that all accepted, from the talk alone, with the turn it was agreed before."""
    standing: dict[tuple[int, int], Offer] = {}
    for said in table.get("talk", []):
        if said["topic"] != topic:
            continue
        # Only what stands can be accepted: a table that says otherwise has agreed on nothing.
        offer = standing.get((said["turn"], said["about"])) if said["act"] == "accept" else None
        if offer is not None:
            offer["accepted"] = sorted({*offer["accepted"], said["by"]})
        if "puts" in said and "deal" in said:  # what two who meet agree on is done at once
            deal = Deal.of(said["deal"])
            standing[said["turn"], said["puts"]] = put(deal, said["by"], said["puts"])
    agreed = [
        (offer, turn)
        for (turn, revision), offer in standing.items()
        if unanimous(offer, parties(table, turn, revision))
    ]
    return sorted(agreed, key=lambda found: found[1])


def offer_of(said: AgentOutput, by: str, revision: int) -> Offer | None:
    """Return the offer made in what was said, if one was."""
    return put(Deal.of(said["deal"]), by, revision) if "deal" in said else None
