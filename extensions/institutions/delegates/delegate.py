"""The node `delegate`: it chooses a delegate for every group, by votes or by lot."""

from typing import Any

from shapley_coop.extensions.institutions.delegates.groups import elected
from shapley_coop.extensions.institutions.delegates.table import GroupsTable
from shapley_coop.state.evaluated import EvaluatedTable


async def delegate(table: GroupsTable) -> dict[str, Any]:
    """Choose a delegate from the candidates of each group that has no delegate.

    The ballot is secret: the table keeps only the number of votes.
    """
    seed, round_ = EvaluatedTable(table).config.seed, table["round"]
    said = table.get("answers", {})
    votes = {agent: one["choice"] for agent, one in said.items() if "choice" in one}
    groups = [g if g["delegate"] else elected(g, votes, seed, round_) for g in table["groups"]]
    delegates = [group["delegate"] for group in groups]
    return {
        "groups": groups,
        "negotiators": delegates,
        "speaker": delegates[(round_ - 1) % len(groups)],
        "answers": None,
        "verdict": "seated",
    }
