"""Measures of exchanges: outcomes, refusals by label, and the agents' estimates of each other.

Measures of outcomes cover all runs without an error. In a run without agreement each agent keeps
its initial tasks. The error rate covers all runs (utility-aware exchange, Table 1). A measure that
a run does not have is None and is left out of all statistics.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from shapley_coop.deals.language.wire import Message, scan
from shapley_coop.extensions.exchange.domain import Masks, Scenario, score
from shapley_coop.extensions.exchange.messages.checking import check_message
from shapley_coop.extensions.exchange.messages.lines import masks_in
from shapley_coop.extensions.exchange.messages.written import estimates
from shapley_coop.extensions.exchange.talk import exchange_of
from shapley_coop.graphs.workflow import Measures
from shapley_coop.seats.records import Entry
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.judging import check_finished
from shapley_coop.state.table import REFUSED, Table

VARIANTS = {
    "task_exchange": "utility-aware",
    "task_exchange_unguided": "validator only",
    "task_exchange_unchecked": "guidance only",
    "task_exchange_baseline": "baseline",
}
"""Workflow → variant; the paper calls the first variant Proposed and the last variant Baseline."""

Columns = dict[str, float | None]


def measure(table: Table, entries: Sequence[Entry] = ()) -> Columns:
    """Return a finished exchange's measures, by their names in suites and reports.

    Args:
        table: the run's last state.
        entries: entries of the operator's journal, which hold the private estimates.
    """
    game, agreed = exchange_of(EvaluatedTable(table)), table["status"] == "agreed"
    masks, proposed = final_masks(table), [s["round"] for s in table["talk"] if "puts" in s]
    guesses = guess_errors(game.scenario, entries)
    labels, first = _refusals(table), first_verdicts(game.scenario, entries)
    delivered = [said for said in table.get("talk", []) if "label" not in said]
    # The turn of the proposal that was accepted; without agreement, the most turns of talk allowed.
    turns = proposed[-1] if agreed and proposed else game.params.talk
    return {
        "agreement": float(agreed) if masks else None,
        "error": float(not masks),
        "turns": turns if masks else None,
        **_outcome(game.scenario, masks),
        "guess_error": fmean(guesses.values()) if guesses else None,
        **{f"guess_error:{agent}": error for agent, error in guesses.items()},
        "attempts": len(delivered) + labels.total(),
        **{f"refused:{label}": n for label, n in labels.items()},
        "first_messages": first.total(),
        **{f"strict:{label}": n for label, n in first.items() if label},
    }


def value_message(table: Table, said: dict[str, Any]) -> dict[str, Any]:
    """Return a message, with each agent's utility of the allocation that the message proposes."""
    game = exchange_of(EvaluatedTable(table))
    masks = masks_in(game.tasks, said["by"], said["text"])
    if masks is None:
        return said
    worth = {agent: game.scenario.utility(agent, int(bits, 2)) for agent, bits in masks.items()}
    return {**said, "would_pay": worth}


def final_masks(table: Table) -> Masks | None:
    """Return each agent's final tasks as a bit mask; None after an error."""
    if table["status"] == "error":
        return None
    return {agent: int(bits, 2) for agent, bits in table["position"]["holds"].items()}


def guess_errors(scenario: Scenario, entries: Iterable[Entry]) -> dict[str, float]:
    """Return agent → mean |estimate − utility| over its estimates of other agents' utilities.

    Estimates come from the CONSIDER element of a valid proposal and are about that proposal.
    Agents that gave no estimates are left out.
    """
    errors: dict[str, list[float]] = {}
    for entry in entries:
        message = scan(entry.answer.text) if entry.act == "exchange" else None
        if not isinstance(message, Message) or message.proposal is None:
            continue
        verdict = check_message(entry.answer.text, scenario.tasks, entry.agent)
        for other, estimate in estimates(message.consider).items():
            if verdict.act and other in verdict.masks:
                truth = scenario.utility(other, int(verdict.masks[other], 2))
                errors.setdefault(entry.agent, []).append(abs(estimate - truth))
    return {agent: fmean(own) for agent, own in sorted(errors.items())}


def first_verdicts(scenario: Scenario, entries: Iterable[Entry]) -> Counter[str | None]:
    """Count each turn's first messages by the paper's label of their fault (None: no fault)."""
    tasks, labels = replace(scenario.tasks, exact=True), Counter[str | None]()
    for entry in entries:
        if entry.facts.get("final"):
            continue  # the paper demands a proposal, for which the letter did not ask
        if (entry.act, entry.attempt, entry.facts.get("agents")) == ("exchange", 1, tasks.agents):
            pending, said = entry.facts.get("pending"), entry.answer
            asked = pending.get("masks", {}) if pending else None
            found = check_finished(said) or check_message(said.text, tasks, entry.agent, asked)
            labels[found.label] += 1
    return labels


def _outcome(scenario: Scenario, masks: Masks | None) -> Columns:
    """Return the measures of the final allocation; all are None after an error."""
    if masks is None:
        names = [f"payoff:{agent}" for agent in scenario.tasks.agents]
        unknown = ("social_welfare", "pareto_distance", "nash_distance", "individual_rationality")
        return dict.fromkeys([*names, *unknown])
    found = score(scenario, masks)
    return {
        **{f"payoff:{agent}": found.utilities[agent] for agent in scenario.tasks.agents},
        "social_welfare": found.welfare,
        "pareto_distance": found.distance,
        "nash_distance": found.to.get("nash"),
        **{f"distance:{solution}": gap for solution, gap in found.to.items()},
        "individual_rationality": fmean(found.rational.values()),
    }


def _refusals(table: Table) -> Counter[str]:
    """Return label of a refusal → how many proposals, of all agents, were refused with it."""
    labels: Counter[str] = Counter()
    for count in table["spent"].get("negotiation", {}).get("agents", {}).values():
        own = {k.removeprefix(REFUSED): n for k, n in count.items() if k.startswith(REFUSED)}
        labels.update(own)
    return labels


MEASURES = Measures(measure, value_message)
