"""The state of runs with delegates: the keys of every run's table, and the groups."""

from typing import cast

from typing_extensions import TypedDict

from shapley_coop.state.table import Table


class Group(TypedDict):
    """A group of agents, with its candidates, the candidates' votes, and its delegate."""

    members: list[str]
    candidates: list[str]  # the members that can be the delegate
    delegate: str  # "" until a delegate is chosen
    votes: dict[str, int]  # candidate → number of votes; {} without an election


class GroupsTable(Table, total=False):
    """The table of a run in which groups send delegates."""

    groups: list[Group]
    """The groups. Written by `open`, `group`, `delegate` and `count`."""


def groups_of(table: Table) -> list[Group]:
    """Return the groups of a run with delegates."""
    return cast(GroupsTable, table)["groups"]
