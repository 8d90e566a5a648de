"""Measuring exchanges: outcomes, refusals by label, and what agents make of each other.

Outcomes are over runs that did not end as an error, disagreements included (there everybody keeps
its initial tasks); Error is over all runs (utility-aware exchange, Table 1). A measure that a run
does not have is None and counts nowhere.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite, nan
from statistics import fmean
from typing import Literal

from shapley_coop.deals import Message, scan
from shapley_coop.deals.exchange.messages import check_message
from shapley_coop.deals.exchange.talk import estimates
from shapley_coop.evals.reports.utility_plane import Proposal, utility_plane
from shapley_coop.games.exchange import Masks, Scenario, score
from shapley_coop.seats.records import Entry
from shapley_coop.state import Table
from shapley_coop.state.exchange import REFUSED, exchange_of, masks_in

Outcome = Literal["agreed", "disagreed", "error"]

VARIANTS = {
    "task_exchange": "utility-aware",
    "task_exchange_unguided": "validator only",
    "task_exchange_unchecked": "guidance only",
    "task_exchange_baseline": "baseline",
}
"""Workflow → setting; the first and the last are the paper's Proposed and Baseline."""


@dataclass(frozen=True)
class Measured:
    """One finished exchange.

    Attributes:
        agents: who took part.
        outcome: how it ended.
        turns: the turn of the accepted proposal; without one, the turns there were.
        utilities: agent → U of the final allocation; empty after an error.
        welfare: their sum.
        distance: L2 to the front.
        to: bargaining solution → L2 to its point.
        rational: agent → whether it has no less than at the start.
        guesses: agent → mean |estimate − utility| over the estimates in its CONSIDERs; those who
            made none are absent.
        labels: label → refused proposals.
        attempts: proposals tried: messages delivered, and refusals.
    """

    agents: tuple[str, ...]
    outcome: Outcome
    turns: int
    utilities: dict[str, float]
    welfare: float
    distance: float
    to: dict[str, float]
    rational: dict[str, bool]
    guesses: dict[str, float]
    labels: dict[str, int]
    attempts: int

    @property
    def guess_error(self) -> float:
        """The mean of everybody's; NaN where nobody estimated anything."""
        return fmean(self.guesses.values()) if self.guesses else nan

    def columns(self) -> dict[str, float | None]:
        """The measures by the names that suites and reports know (`evals.measures.evaluators`)."""
        told = self.outcome != "error"
        known: dict[str, float | None] = {
            "agreement": float(self.outcome == "agreed") if told else None,
            "error": float(not told),
            "turns": self.turns if told else None,
            **{f"payoff:{agent}": self.utilities.get(agent) for agent in self.agents},
            "social_welfare": self.welfare,
            "pareto_distance": self.distance,
            "nash_distance": self.to.get("nash"),
            **{f"distance:{solution}": gap for solution, gap in self.to.items()},
            "individual_rationality": fmean(self.rational.values()) if told else None,
            "guess_error": self.guess_error,
            **{f"guess_error:{agent}": error for agent, error in self.guesses.items()},
            "attempts": self.attempts,
            **{f"refused:{label}": n for label, n in self.labels.items()},
        }
        return {key: x if x is not None and isfinite(x) else None for key, x in known.items()}


def measure(table: Table, entries: Iterable[Entry] = ()) -> Measured:
    """Measure a finished table.

    Args:
        table: the last state.
        entries: of the operator's journal, for the private estimates.
    """
    game = exchange_of(table)
    counts = table["spent"].get("negotiation", {}).get("agents", {}).values()
    labels: Counter[str] = Counter()
    for count in counts:
        labels.update(
            {k.removeprefix(REFUSED): n for k, n in count.items() if k.startswith(REFUSED)}
        )
    masks, standing = final_masks(table), table.get("pending")
    agreed = table["status"] == "agreed"
    found = score(game.scenario, masks) if masks else None
    delivered = [said for said in table.get("talk", []) if "label" not in said]
    return Measured(
        agents=game.agents,
        outcome=("agreed" if agreed else "disagreed") if found else "error",
        turns=standing["turn"] if agreed and standing else game.params.talk,
        utilities=found.utilities if found else {},
        welfare=found.welfare if found else nan,
        distance=found.distance if found else nan,
        to=found.to if found else {},
        rational=found.rational if found else {},
        guesses=guess_errors(game.scenario, entries),
        labels=dict(labels),
        attempts=len(delivered) + labels.total(),
    )


OWN_MEASURES = dict.fromkeys(VARIANTS, measure)
"""Workflow → what measures its runs beside the measures that all runs have."""


def final_masks(table: Table) -> Masks | None:
    """Who ended up with which tasks; None after an error, where nothing was allocated."""
    if table["status"] == "error":
        return None
    return {agent: int(bits, 2) for agent, bits in table["position"]["holds"].items()}


def guess_errors(scenario: Scenario, entries: Iterable[Entry]) -> dict[str, float]:
    """Agent → how far its estimates of the others' utilities are from the truth, on average.

    Each estimate stands in the CONSIDER of a valid proposal and is about that proposal.
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


def picture(table: Table) -> str:
    """The utility plane of a finished exchange, with the path of its valid proposals."""
    proposals = []
    for said in table.get("talk", []):
        if masks := masks_in(table, said["by"], said["text"]):
            at = {agent: int(bits, 2) for agent, bits in masks.items()}
            proposals.append(Proposal(said["round"], said["by"], at))
    agreed = final_masks(table) if table["status"] == "agreed" else None
    return utility_plane(exchange_of(table).scenario, proposals, agreed)
