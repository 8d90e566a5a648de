"""The split of a bounty by counted work, and the check that a run offered this split first."""

from shapley_coop.deals.language.clauses import Share
from shapley_coop.deals.language.deal import Deal
from shapley_coop.evals.rechecks import Recheck
from shapley_coop.evals.verifying_books import differences
from shapley_coop.games.params import COUNT
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.table import Table


def counted_split(evaluated: EvaluatedTable) -> Deal:
    """Return the split of the bounty in proportion to what each agent's counted work earned."""
    parts = {agent: x / evaluated.total for agent, x in evaluated.earned.items()}
    return Deal(clauses=(Share(fractions=parts),))


def wrongly_counted(table: Table) -> list[str]:
    """Return how a run's first offer differs from the split by counted work; [] if it does not."""
    put = [said.get("deal") for said in table.get("talk", []) if said["by"] == COUNT]
    due = [counted_split(EvaluatedTable(table)).record()]
    return list(differences(put, due, "offer 1"))


COUNTED = Recheck("count", wrongly_counted, "offer 1 is the counted split")
