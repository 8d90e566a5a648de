"""The sentences about what happened in a run, with which every summary of the run begins.

They come before the payoffs, because payoffs alone mislead: if no agent acted, the contract was
not tested, and equal payoffs of zero do not show fairness.

>>> still = {"turn": 1, "actions": {}, "rewards": {}}
>>> lost = {**still, "effects": [{"effect": "pass", "agent": "Ben", "label": "FORM"}]}
>>> without_play([lost]), without_play([still]), without_play([])
('unreadable', None, None)
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from typing_extensions import TypedDict

from shapley_coop.amounts import exact
from shapley_coop.deals.contract import in_force
from shapley_coop.deals.language.clauses import Give
from shapley_coop.games import Turn
from shapley_coop.games.baseline import Baseline
from shapley_coop.seats.seat import Seat
from shapley_coop.state.conduct import conduct
from shapley_coop.state.settings import game_of
from shapley_coop.state.table import REFUSED, Status, Table

FAILED: tuple[Status, ...] = ("error", "no_play", "unreadable")
"""The statuses of runs in which there was no play to settle."""

MOST_NAMED = 6
"""The most agents that a sentence names; it gives only the number of all other agents."""


class Answers(TypedDict):
    """The counts of one agent's answers."""

    given: int  # all answers to letters, including repeated attempts
    unusable: int  # answers that were unreadable or not allowed
    labels: dict[str, int]  # label of the fault → number of answers refused for it


class Happened(TypedDict):
    """The events of a run in brief."""

    words: list[str]  # sentences in order
    acted: list[str]  # the agents that took at least one action
    at_stake: bool  # whether any reward was other than 0
    answers: dict[str, Answers]  # agent → counts, for agents that were asked


def without_play(record: Sequence[Turn]) -> Status | None:
    """Return a status if agents were asked to act and no agent acted, or else None.

    Returns:
        `budget` if the budget had no call left for any agent; `no_play` if some agent chose to
        pass; `unreadable` if answers were unusable.
    """
    agents = {
        effect["agent"]: None
        for turn in record
        for effect in turn.get("effects", [])
        if effect.get("effect") == "pass"
    }
    if not agents or any(turn["actions"] for turn in record):
        return None
    whys = {
        each["why"] for one in conduct(list(agents), record, []).values() for each in one["passes"]
    }
    if whys == {"budget"}:
        return "budget"
    return "no_play" if "chosen" in whys else "unreadable"


def summarise(table: Table, seats: Mapping[str, str]) -> Happened:
    """Return the events of a settled run in brief.

    Args:
        table: the run's last state.
        seats: agent → model, as provider:name.
    """
    record = table.get("record", [])
    acted = [a for a in table["agents"] if any(a in turn["actions"] for turn in record)]
    at_stake = any(turn.get("pot") or any(turn["rewards"].values()) for turn in record)
    answers = _answers(table["spent"])
    words = [
        _who_acted(table, acted),
        *_unusable(answers, seats),
        *([] if at_stake else ["Every reward was 0."]),
        *_no_trade(table),
        *_welfare(table, record),
    ]
    return {"words": words, "acted": acted, "at_stake": at_stake, "answers": answers}


def _who_acted(table: Table, acted: Sequence[str]) -> str:
    agents, turns = table["agents"], len(table.get("record", []))
    played = f"in {turns} turn{'' if turns == 1 else 's'}"
    if not turns:
        return "No turn was played."
    if not acted:
        return f"No agent acted {played}."
    if len(acted) == len(agents):
        return f"Each of the {len(agents)} agents acted, {played}."
    idle = [agent for agent in agents if agent not in acted]
    named = ", ".join(idle) if len(idle) <= MOST_NAMED else f"{len(idle)} agents"
    return f"{len(acted)} of {len(agents)} agents acted, {played}; {named} never did."


def _no_trade(table: Table) -> list[str]:
    """Return a line if all accepted an allocation of tasks that equals the initial one, or []."""
    contract = table.get("contract")
    if contract is None or game_of(table["settings"]).signable:
        return []
    gives = any(isinstance(clause, Give) for clause in in_force(contract).values())
    return [] if gives else ["No trade: all accepted that everybody keeps its initial tasks."]


def _welfare(table: Table, record: Sequence[Turn]) -> list[str]:
    """Return a line with the total worth of goods to their owners and its maximum, or []."""
    game = game_of(table["settings"])
    if not (game.goods and record):
        return []
    reached = sum(float(x) for turn in record for x in turn["rewards"].values())
    best = game.analysis.reference_points.best
    most = "" if best is None else f", of {best:.10g} in the best allocation"
    return [f"What all hold is worth {reached:.10g} to them together{most}."]


def _answers(spent: Mapping[str, Any]) -> dict[str, Answers]:
    found: dict[str, Answers] = {}
    for phase in spent.values():
        for agent, count in phase.get("agents", {}).items():
            one = found.setdefault(agent, {"given": 0, "unusable": 0, "labels": {}})
            one["given"] += count.get("calls", 0)
            one["unusable"] += count.get("refused", 0)
            for key, n in count.items():
                if key.startswith(REFUSED) and n:
                    label = key.removeprefix(REFUSED)
                    one["labels"][label] = one["labels"].get(label, 0) + n
    return {agent: found[agent] for agent in sorted(found)}


def _unusable(answers: Mapping[str, Answers], seats: Mapping[str, str]) -> list[str]:
    """Return a line that counts each agent's unusable answers, or [] if all were usable."""
    lost = [agent for agent, one in answers.items() if one["unusable"]]
    if not lost:
        return []
    given, unusable = (sum(one[key] for one in answers.values()) for key in ("given", "unusable"))
    told = f"{unusable} of {given} answers could not be used"
    if len(lost) <= MOST_NAMED:
        named = ", ".join(_of_one(a, seats.get(a, ""), answers[a]) for a in lost)
        return [f"{told}: {named}."]
    labels = sum((Counter(answers[agent]["labels"]) for agent in lost), Counter[str]())
    first = ", ".join(lost[:MOST_NAMED])
    more = f" and {len(lost) - MOST_NAMED} more"
    return [
        f"{told}{_in_brackets(labels)}, of {len(lost)} of {len(answers)} agents: {first}{more}."
    ]


def _of_one(agent: str, model: str, one: Answers) -> str:
    told = f"{agent} ({model})" if model else agent
    return f"{told} {one['unusable']} of {one['given']}{_in_brackets(one['labels'])}"


def _in_brackets(labels: Mapping[str, int]) -> str:
    told = ", ".join(f"{label} ×{n}" for label, n in sorted(labels.items()))
    return f" [{told}]" if told else ""


def no_value(credit: Mapping[str, Any]) -> str:
    """Return the reason why a result has no Shapley values (`games.baseline`), or ""."""
    found = credit.get("baseline")
    return Baseline(**found).no_value if found else ""


def values_of(credit: Mapping[str, Any]) -> Mapping[str, float]:
    """Return each agent's Shapley value from a result's `credit`, or {} if values are undefined."""
    values: Mapping[str, float] = credit["shapley"]
    return {} if no_value(credit) else values


def payment_lines(outcome: Mapping[str, Any]) -> list[str]:
    """Return lines of the final payments: net amounts between agents, then amounts by clause.

    An agent's payoff is its reward plus its net payments plus its net forfeits.

    Args:
        outcome: a run's result.

    >>> paid = [{"payer": "Ann", "payee": "Ben", "amount": 3.0, "reason": "contract"}]
    >>> due = [{"clause": "c1", "payer": "Ann", "payee": "Ben", "amount": "2"}] * 2
    >>> due.append({"clause": "c2", "payer": "Ben", "payee": "Ann", "amount": "1"})
    >>> lost = {"Ann": -2.0, "Ben": 2.0}
    >>> found = {"transfers": paid, "audit": {"payments": due}, "forfeits": lost}
    >>> for line in payment_lines(found):
    ...     print(line)
    Ann pays Ben 3 net (contract)
    before netting, by clause: c1 Ann pays Ben 4, c2 Ben pays Ann 1
    deposits forfeited, net: Ann -2, Ben +2
    """
    net = [
        f"{t['payer']} pays {t['payee']} {t['amount']:g} net ({t['reason']})"
        for t in outcome["transfers"]
    ]
    due = due_by_clause(outcome)
    if len(due) > 1 and any(t["reason"] == "contract" for t in outcome["transfers"]):
        told = (f"{clause} {one} pays {two} {float(x):g}" for (clause, one, two), x in due.items())
        net.append(f"before netting, by clause: {', '.join(told)}")
    if lost := [f"{a} {x:+g}" for a, x in outcome.get("forfeits", {}).items() if x]:
        net.append(f"deposits forfeited, net: {', '.join(lost)}")
    return net


def due_by_clause(outcome: Mapping[str, Any]) -> dict[tuple[str, str, str], Fraction]:
    """Return (clause, payer, payee) → the sum of the payments that fell due in a result."""
    due: dict[tuple[str, str, str], Fraction] = {}
    for one in (outcome.get("audit") or {}).get("payments", ()):
        place = one["clause"], one["payer"], one["payee"]
        due[place] = due.get(place, Fraction(0)) + exact(one["amount"])
    return due


def simulation_note(outcome: Mapping[str, Any]) -> str:
    """Return a note that says which agents were simulated, or "" if none were.

    Args:
        outcome: a result with `simulated` and `seats` (agent → model).
    """
    if not outcome["simulated"]:
        return ""
    seats = {agent: Seat(model=model) for agent, model in outcome["seats"].items()}
    simulated = [agent for agent, seat in seats.items() if seat.simulated]
    others = [f"{seat.model} for {a}" for a, seat in seats.items() if not seat.simulated]
    if not simulated or not others:
        return "A simulation: embedded agents answered, no language model did."
    return (
        f"A simulation in part: embedded agents answered for {', '.join(simulated)}, "
        f"and {', '.join(others)}."
    )
