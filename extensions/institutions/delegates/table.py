"""The table where groups send delegates: the common keys, and the groups."""

from typing import cast

from typing_extensions import TypedDict

from shapley_coop.state.table import Table


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
    """Return the groups."""
    return cast(GroupsTable, table)["groups"]
