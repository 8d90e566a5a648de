"""The tables of workflows that hold more than all do: each has the common keys and its own.

A workflow's page names its table and what its own keys begin with. To any other workflow such a key
is unknown: its threads, forms and streams do not show it.
"""

from typing import cast

from typing_extensions import TypedDict

from shapley_coop.state.table import Table


class Pending(TypedDict):
    """The proposal that stands."""

    by: str
    turn: int  # of the talk, in which it was put
    wrote: str  # what was delivered, as it was written; checked or not
    accepted: list[str]  # who accepted it; its author by proposing it


class Group(TypedDict):
    """Some agents, and who bargains for them."""

    members: list[str]
    candidates: list[str]  # who can be elected
    delegate: str  # empty until there is one
    votes: dict[str, int]  # candidate → votes; none where there was no election


class GroupsTable(Table, total=False):
    """The table where groups send delegates."""

    groups: list[Group]
    """The groups. Written by `open`, `group`, `delegate` and `count`."""


def groups_of(table: Table) -> list[Group]:
    """Return the groups; none where no delegates bargain."""
    return cast(GroupsTable, table).get("groups", [])
