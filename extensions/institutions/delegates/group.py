"""The node `group`: it puts the agents into groups, each of which gets a delegate."""

from typing import Any

from shapley_coop.extensions.institutions.delegates.groups import candidates, electors, formed
from shapley_coop.extensions.institutions.delegates.settings import delegation_of
from shapley_coop.extensions.institutions.delegates.table import Group, GroupsTable
from shapley_coop.state.evaluated import EvaluatedTable


def group(table: GroupsTable) -> dict[str, Any]:
    """Form groups when a bargaining begins; after a veto keep the groups, with new candidates.

    Verdicts: `elect` (at least one group has to vote) and `seated` (no group has to vote).
    """
    evaluated = EvaluatedTable(table)
    config, groups = evaluated.config, table["groups"]
    if table["round"] == 1:
        groups = [_without_delegate(members) for members in formed(evaluated.game, config)]
    standing: list[Group] = [
        one
        if one["delegate"]
        else {**one, "candidates": candidates(one["members"], config.seed, table["round"])}
        for one in groups
    ]
    now: GroupsTable = {**table, "groups": standing}
    votes = delegation_of(config).election == "vote" and electors(EvaluatedTable(now))
    return {"groups": standing, "verdict": "elect" if votes else "seated"}


def _without_delegate(members: list[str]) -> Group:
    return {"members": members, "candidates": [], "delegate": "", "votes": {}}
