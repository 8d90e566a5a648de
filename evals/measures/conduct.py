"""Measures of conduct: what the agents of a run did, kept, broke and passed.

Each reads one row; with an agent's name as its argument it counts that agent alone.
"""

from collections.abc import Callable

from shapley_coop.evals.sweeps.store import Row
from shapley_coop.state.conduct import Conduct, conduct


def of_row(row: Row) -> dict[str, Conduct]:
    """Every agent's conduct, from the record."""
    return conduct(row["result"]["agents"], row["record"], row["result"]["breaches"])


def breaches(row: Row, agent: str) -> float | None:
    """How often a clause was broken; None of an agent that is not in the run."""
    return _counted(row, agent, lambda one: len(one["breaches"]))


def passes(row: Row, agent: str) -> float | None:
    """In how many turns an agent was asked to act and took no action."""
    return _counted(row, agent, lambda one: len(one["passes"]))


def unusable(row: Row, agent: str) -> float | None:
    """How many of these because no answer could be read, or none was legal."""
    return _counted(
        row, agent, lambda one: sum(each["why"] == "unusable" for each in one["passes"])
    )


def _counted(row: Row, agent: str, count: Callable[[Conduct], int]) -> float | None:
    found = of_row(row)
    if agent and agent not in found:
        return None
    return float(sum(count(one) for name, one in found.items() if agent in ("", name)))


def adherence(row: Row, _: str) -> float | None:
    """The part of all duties that was kept; None where none fell due."""
    duties = sum(clause["duties"] for clause in row["clauses"])
    kept = duties - sum(clause["breaches"] for clause in row["clauses"])
    return kept / duties if duties else None


def refusals(row: Row, label: str) -> float:
    """Drafts sent back with a label.

    Where a workflow counts none by label, those that ended in a pass.
    """
    own = row["result"].get("measures", {})
    if any(key.startswith("refused:") for key in own):
        return 0.0
    return float([said.get("label") for said in row["offers"]].count(label))


def done(row: Row, action: str) -> float:
    """How often an action was taken."""
    return sum(list(turn["actions"].values()).count(action) for turn in row["record"])


def effects(row: Row, name: str) -> float:
    """How often an effect is in the record."""
    effects = [e["effect"] for turn in row["record"] for e in turn.get("effects", [])]
    return effects.count(name)
