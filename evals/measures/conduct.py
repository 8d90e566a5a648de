"""Measures of conduct: the actions, breaches and passes of the agents in a run.

Each measure reads one run's row, and covers the given agent, or all agents if the agent is "".
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from shapley_coop.evals.cell import Row
from shapley_coop.state.conduct import Conduct, conduct

DUST = 1e-6
"""The tolerance for comparing amounts, which floating-point rounding may change slightly."""


def of_row(row: Row) -> dict[str, Conduct]:
    """Return agent → the agent's conduct, from the row's record and breaches."""
    return conduct(row["result"]["agents"], row["record"], row["result"]["breaches"])


COUNTS: dict[str, Callable[[Conduct], int]] = {
    "breaches": lambda one: len(one["breaches"]),
    "passes": lambda one: len(one["passes"]),
    "unusable": lambda one: sum(each["why"] == "unusable" for each in one["passes"]),
}
"""Measure → the function that computes the measure from an agent's conduct."""


def breaches(row: Row, agent: str) -> float | None:
    """Return the number of breaches of clauses, or None if the agent is not in the run."""
    return _count(row, agent, COUNTS["breaches"])


def passes(row: Row, agent: str) -> float | None:
    """Return the number of passes. In a pass, an agent that has to act takes no action."""
    return _count(row, agent, COUNTS["passes"])


def unusable(row: Row, agent: str) -> float | None:
    """Return the number of passes of agents that gave no readable and legal answer."""
    return _count(row, agent, COUNTS["unusable"])


def _count(row: Row, agent: str, count: Callable[[Conduct], int]) -> float | None:
    found = of_row(row)
    if agent and agent not in found:
        return None
    return float(sum(count(one) for name, one in found.items() if agent in ("", name)))


def adherence(row: Row, _: str) -> float | None:
    """Return the fraction of due duties that agents kept, or None if no duty fell due."""
    duties = sum(clause["duties"] for clause in row["clauses"])
    kept = duties - sum(clause["breaches"] for clause in row["clauses"])
    return kept / duties if duties else None


def bluff(row: Row, agent: str) -> float | None:
    """Return the fraction of an agent's refusals of offers that the agent later reversed.

    An agent refuses an offer by a rejection or a counter-offer. The agent reverses this refusal if
    it later accepts or proposes, in the same bargaining, a deal that pays it no more.

    Returns:
        The fraction, or None if the agent refused no offer whose payoff is known.
    """
    offers: dict[tuple[Any, ...], tuple[str, Mapping[str, float]]] = {}
    stands: tuple[Any, ...] = ()
    refused: list[_Refusal] = []
    for said in row["offers"]:
        by, where = said["by"], (said["topic"], said["turn"])
        author, pays = offers.get((*where, said["about"]) if "about" in said else stands, ("", {}))
        own = said.get("would_pay") or {}
        agreed = (pays if said["act"] == "accept" else own).get(by)
        for one in refused:
            back = agreed is not None and agreed <= one.worth + DUST
            one.gone_back |= back and (one.by, one.where) == (by, where)
        if said["act"] in ("reject", "propose") and by in pays and by != author:
            refused.append(_Refusal(by, where, pays[by]))
        if "puts" in said:
            stands = (*where, said["puts"])
            offers[stands] = by, own
    found = [one.gone_back for one in refused if agent in ("", one.by)]
    return fmean(found) if found else None


@dataclass
class _Refusal:
    """An agent's refusal of an offer, with the agent's payoff by that offer."""

    by: str
    where: tuple[str, int]
    worth: float
    gone_back: bool = False


def refusals(row: Row, label: str) -> float:
    """Return the number of public messages with the given label of a refusal.

    Return 0 if the workflow counts refusals itself, because that count replaces this measure.
    """
    own = row["result"].get("measures", {})
    if any(key.startswith("refused:") for key in own):
        return 0.0
    return float([said.get("label") for said in row["offers"]].count(label))


def action_rate(row: Row, action: str) -> float:
    """Return the number of times that agents took an action: a count, not a rate."""
    return sum(list(turn["actions"].values()).count(action) for turn in row["record"])


def effects(row: Row, name: str) -> float:
    """Return the number of effects with this name in the record."""
    effects = [e["effect"] for turn in row["record"] for e in turn.get("effects", [])]
    return effects.count(name)
