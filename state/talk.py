"""Entering what was said into the public talk."""

from collections.abc import Iterable

from deals import Deal, Offer, put
from state.table import Said, Spoken, Table


def entries(table: Table, topic: str, spoken: Iterable[tuple[str, Spoken, int]]) -> list[Said]:
    """Messages for the talk, numbered on.

    Args:
        table: the talk so far.
        topic: the bargaining's name.
        spoken: agent, what it said, and the revision it put, accepted or rejected (0: none).
    """
    heard = len(table.get("talk", []))
    return [_entry(table, topic, f"m{heard + n}", one) for n, one in enumerate(spoken, start=1)]


def _entry(table: Table, topic: str, id_: str, one: tuple[str, Spoken, int]) -> Said:
    by, said, revision = one
    act = said["act"]
    if act == "act" or act == "think":  # noqa: PLR1714 - this form narrows the type
        raise ValueError(f"{act} is sealed or private: it never enters the talk")
    entry: Said = {
        "id": id_,
        "topic": topic,
        "turn": len(table.get("record", [])) + 1,
        "round": table["round"],
        "by": by,
        "act": act,
        "text": said["text"],
    }
    if "deal" in said:
        entry["clauses"] = said["deal"]["clauses"]
    if revision:
        entry["revision"] = revision
    if "label" in said:
        entry["label"] = said["label"]
    return entry


def offer_of(said: Spoken, by: str, revision: int) -> Offer | None:
    """The offer made in what was said, if one was."""
    return put(Deal.model_validate(said["deal"]), by, revision) if "deal" in said else None
