"""The split of a bounty by counted work, and the check that a run offered this split first."""

from shapley_coop.deals.language.clauses import Share
from shapley_coop.deals.language.deal import Deal
from shapley_coop.evals.rechecks import Recheck
from shapley_coop.evals.verifying_books import differences
from shapley_coop.games.params import COUNT
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.table import Table


def counted_split(evaluated: EvaluatedTable) -> Deal:
    """Return the split in proportion to what each agent's counted work earned in the game."""
    parts = {agent: x / evaluated.total for agent, x in evaluated.earned.items()}
    return Deal(clauses=(Share(fractions=parts),))


def wrongly_counted(table: Table) -> list[str]:
    """Return the differences between a run's first offer and the counted split; [] if none."""
    put = [said.get("deal") for said in table.get("talk", []) if said["by"] == COUNT]
    due = [counted_split(EvaluatedTable(table)).record()]
    return list(differences(put, due, "offer 1"))


COUNTED = Recheck("count", wrongly_counted, "offer 1 is the counted split")
