"""The tables of workflows that hold more than all do: each has the common keys and its own.

A workflow's page names its table and what its own keys begin with. To any other workflow such a key
is unknown: its threads, forms and streams do not show it.
"""

from typing import Literal, NotRequired, cast

from typing_extensions import TypedDict

from shapley_coop.state.table import Table


class Pending(TypedDict):
    """The proposal that stands."""

    by: str
    turn: int  # of the talk, in which it was put
    wrote: str  # what was delivered, as it was written; checked or not
    accepted: list[str]  # who accepted it; its author by proposing it


class Meeting(TypedDict):
    """Two agents who meet to trade tasks."""

    agents: list[str]  # the first speaks first
    number: int  # which meeting of all agents it is, from 1
    began: int  # the round of talk of its first turn
    status: Literal["talking", "agreed", "apart"]
    pending: NotRequired[Pending]  # the latest proposal


class MeetingsTable(Table, total=False):
    """The table where agents meet in pairs."""

    meetings: list[Meeting]
    """The pairs of the latest meeting. Written by `open`, `pair` and `deliver`."""


def pairs_of(table: Table) -> list[Meeting]:
    """Return the pairs of the latest meeting; none where agents do not meet in pairs."""
    return cast(MeetingsTable, table).get("meetings", [])
