"""Totals that replace the agents' single lines when a run with many agents is printed."""

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import exact
from shapley_coop.deals.parties import MOST_TOLD
from shapley_coop.state.conduct import did
from shapley_coop.state.outcome import values_of

ALL = "coop show --markdown prints all"


def few(items: Iterable[str], what: str) -> list[str]:
    """Return the items if they are few; else one line: their number and a command to see all."""
    listed = list(items)
    return listed if len(listed) <= MOST_TOLD else [f"{len(listed)} {what}: {ALL}"]


def rows_by_seat(outcome: Mapping[str, Any]) -> list[list[str]]:
    """Return the rows of a result's table, summed over the agents of each seat."""
    rows, conduct = [], outcome["conduct"]
    values, broke = values_of(outcome["credit"]), Counter(b["agent"] for b in outcome["breaches"])
    for seat, count in Counter(outcome["seats"][agent] for agent in outcome["agents"]).items():
        own = [agent for agent in outcome["agents"] if outcome["seats"][agent] == seat]
        acts: Counter[str] = Counter()
        for agent in own:
            acts.update(conduct[agent]["actions"])
        gain = [values[agent] for agent in own if agent in values]
        rows.append(
            [
                f"{count} in all",
                seat,
                did(acts),
                str(sum(broke[agent] for agent in own) or "–"),
                f"{sum(outcome['rewards'][agent] for agent in own):g}",
                f"{sum(gain):g}" if gain else "–",
                f"{sum(outcome['payoffs'][agent] for agent in own):g}",
            ]
        )
    return rows


def moved_in_all(outcome: Mapping[str, Any]) -> list[str]:
    """Return the sums of the payments that `outcome.payment_lines` lists line by line.

    >>> paid = [{"payer": "Ann", "payee": "Ben", "amount": 3.0, "reason": "contract"}] * 70
    >>> due = [{"clause": "c1", "payer": "Ann", "payee": "Ben", "amount": "2.5"}] * 70
    >>> for line in moved_in_all({"transfers": paid, "audit": {"payments": due}}):
    ...     print(line)
    70 net transfers of 210 in all (contract)
    before netting: 70 payments of 175 in all
    coop show --markdown prints all
    """
    told = []
    for reason in dict.fromkeys(t["reason"] for t in outcome["transfers"]):
        net = [t["amount"] for t in outcome["transfers"] if t["reason"] == reason]
        told.append(f"{len(net)} net transfers of {sum(net):g} in all ({reason})")
    if due := (outcome.get("audit") or {}).get("payments", ()):
        paid = sum((exact(one["amount"]) for one in due), Fraction(0))
        told.append(f"before netting: {len(due)} payments of {float(paid):g} in all")
    if lost := [x for x in outcome.get("forfeits", {}).values() if x < 0]:
        told.append(f"deposits forfeited: {-sum(lost):g}, of {len(lost)} agents")
    return [*told, ALL]
