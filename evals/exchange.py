"""Measuring exchanges: outcomes, errors by label, and tables in the layout of the paper.

Rates come with their binomial standard error √(p(1−p)/n), everything else with the sample standard
deviation (n − 1). Agreement is agreed over runs that did not end as an error; outcomes are over the
same runs, disagreements included (there everybody keeps its initial tasks).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import nan, sqrt
from statistics import fmean, stdev
from typing import Any, Literal, cast

from deals import Message, scan
from deals.exchange import check_message
from deals.exchange_talk import estimates
from evals.utility_plane import Proposal, utility_plane
from games.exchange import Masks, Scenario, score
from graphs.task_exchange import build
from seats import Entry
from state import Opening, Room, Table, home
from state.exchange import REFUSED, exchange_of, masks_in

Outcome = Literal["agreed", "disagreed", "error"]

VARIANTS = {
    "utility-aware": (True, True),
    "validator only": (True, False),
    "guidance only": (False, True),
    "baseline": (False, False),
}
"""Name → (validator, guidance); the first and the last are the paper's two."""

PAPER_LABELS = ("UNK", "MAT", "OVL", "MPT", "MET", "MDA", "EMP")
"""In the order of the paper's Table 2."""


@dataclass(frozen=True)
class Measured:
    """One finished exchange.

    Attributes:
        outcome: how it ended.
        turns: the turn of the accepted proposal; without one, the turns there were.
        utilities: agent → U of the final allocation; empty after an error.
        welfare: their sum.
        distance: L2 to the front.
        to: bargaining solution → L2 to its point.
        rational: whether nobody has less than at the start.
        guess_error: mean |estimate − utility| over all estimates in CONSIDER; NaN without any.
        labels: label → refused proposals.
        attempts: proposals tried: turns of talk and refusals.
        tokens: in and out, of the talk.
    """

    outcome: Outcome
    turns: int
    utilities: dict[str, float]
    welfare: float
    distance: float
    to: dict[str, float]
    rational: bool
    guess_error: float
    labels: dict[str, int]
    attempts: int
    tokens: int


@dataclass(frozen=True)
class Stat:
    """A mean or a rate with its spread: standard error of a rate, sample deviation of a mean."""

    value: float
    spread: float

    def shown(self, digits: int = 2, percent: bool = False) -> str:
        """As the paper prints it; a dash without runs."""
        if self.value != self.value:
            return "—"
        if percent:
            return f"{100 * self.value:.1f} ± {100 * self.spread:.1f} %"
        return f"{self.value:.{digits}f} ± {self.spread:.{digits}f}"


def rate(hits: int, of: int) -> Stat:
    """A rate with its binomial standard error."""
    if not of:
        return Stat(nan, nan)
    p = hits / of
    return Stat(p, sqrt(p * (1 - p) / of))


def mean(values: Sequence[float]) -> Stat:
    """A mean with the sample standard deviation; one value has none."""
    if not values:
        return Stat(nan, nan)
    return Stat(fmean(values), stdev(values) if len(values) > 1 else nan)


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
    return Measured(
        outcome=("agreed" if agreed else "disagreed") if found else "error",
        turns=standing["turn"] if agreed and standing else game.params.talk,
        utilities=found.utilities if found else {},
        welfare=found.welfare if found else nan,
        distance=found.distance if found else nan,
        to=found.to if found else {},
        rational=found is not None and all(found.rational.values()),
        guess_error=guess_error(game.scenario, entries),
        labels=dict(labels),
        attempts=len(table.get("talk", [])) + labels.total(),
        tokens=sum(c.get("input_tokens", 0) + c.get("output_tokens", 0) for c in counts),
    )


def final_masks(table: Table) -> Masks | None:
    """Who ended up with which tasks; None after an error, where nothing was allocated."""
    if table["status"] == "error":
        return None
    return {agent: int(bits, 2) for agent, bits in table["position"]["holds"].items()}


def guess_error(scenario: Scenario, entries: Iterable[Entry]) -> float:
    """How far agents' estimates of the others' utilities are from the truth, on average.

    Each estimate stands in the CONSIDER of a valid proposal and is about that proposal.
    """
    errors = []
    for entry in entries:
        message = scan(entry.answer.text) if entry.act == "exchange" else None
        if not isinstance(message, Message) or message.proposal is None:
            continue
        verdict = check_message(entry.answer.text, scenario.tasks, entry.agent)
        for other, estimate in estimates(message.consider).items():
            if verdict.act and other in verdict.masks:
                errors.append(abs(estimate - scenario.utility(other, int(verdict.masks[other], 2))))
    return fmean(errors) if errors else nan


def picture(table: Table) -> str:
    """The utility plane of a finished exchange, with the path of its valid proposals."""
    proposals = []
    for said in table.get("talk", []):
        if masks := masks_in(table, said["by"], said["text"]):
            at = {agent: int(bits, 2) for agent, bits in masks.items()}
            proposals.append(Proposal(said["round"], said["by"], at))
    agreed = final_masks(table) if table["status"] == "agreed" else None
    return utility_plane(exchange_of(table).scenario, proposals, agreed)


async def run_variants(
    room: Room,
    scenarios: Sequence[str],
    seeds: Sequence[int],
    done: Callable[[], Any] = lambda: None,
) -> dict[tuple[str, str], list[Measured]]:
    """Every scenario under every variant, once a seed.

    Args:
        room: seats and parameters; its game, scenario and seed are replaced.
        scenarios: names or files.
        seeds: one run each.
        done: called after each run.
    """
    found: dict[tuple[str, str], list[Measured]] = {}
    for name in scenarios:
        for variant, (validator, guidance) in VARIANTS.items():
            app, runs = build(validator, guidance).compile(name=variant), []
            for seed in seeds:
                params = {**room.params, "scenario": name}
                played = room.model_copy(
                    update={"game": "task_exchange", "params": params, "seed": seed}
                )
                table = await app.ainvoke(
                    Opening(room=played), context=Room(), config={"recursion_limit": 10_000}
                )
                exchange = cast(Table, table)
                runs.append(measure(exchange, home().journal.entries(exchange["episode"])))
                done()
            found[name, variant] = runs
    return found


def table_1(runs: Mapping[tuple[str, str], Sequence[Measured]]) -> str:
    """Outcomes in the layout of the paper's Table 1, in Markdown."""
    agents = next(list(r.utilities) for rs in runs.values() for r in rs if r.utilities)
    head = ["Scenario", "Setting", "n", "Agreement", "Error", "Turns", *agents, "SW", "L2", "Guess"]
    rows = []
    for (name, variant), every in runs.items():
        valid = [r for r in every if r.outcome != "error"]
        guesses = [r.guess_error for r in every if r.guess_error == r.guess_error]
        rows.append(
            [
                name,
                variant,
                str(len(every)),
                rate(sum(r.outcome == "agreed" for r in valid), len(valid)).shown(percent=True),
                rate(len(every) - len(valid), len(every)).shown(percent=True),
                mean([r.turns for r in valid]).shown(1),
                *(mean([r.utilities[a] for r in valid]).shown() for a in agents),
                mean([r.welfare for r in valid]).shown(),
                mean([r.distance for r in valid]).shown(3),
                mean(guesses).shown(),
            ]
        )
    return _markdown(head, rows)


def table_2(runs: Mapping[tuple[str, str], Sequence[Measured]]) -> str:
    """Refused proposals in the layout of the paper's Table 2, our labels last, in Markdown."""
    seen = {label for rs in runs.values() for r in rs for label in r.labels}
    labels = [*PAPER_LABELS, *sorted(seen - set(PAPER_LABELS))]
    rows = []
    for (name, variant), every in runs.items():
        attempts = sum(r.attempts for r in every)
        counts = [sum(r.labels.get(label, 0) for r in every) for label in labels]
        rows.append(
            [
                name,
                variant,
                str(attempts),
                *(f"{n} ({100 * n / max(1, attempts):.2f} %)" for n in counts),
            ]
        )
    return _markdown(["Scenario", "Setting", "Attempts", *labels], rows)


def _markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
