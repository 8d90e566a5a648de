"""The printed report of `coop attribute`: agents, advice, pairs, coalitions, and notes."""

from typing import Any

from shapley_coop.cli.console import say, show_table
from shapley_coop.extensions.attribute.absence import in_words
from shapley_coop.extensions.attribute.figures import NOISE, rough, rough_seconds, shown
from shapley_coop.extensions.attribute.result import AppCredit, norm_in_words

ONE_RUN = (
    "no firm advice: one run has no 95 % interval, so any loss may be chance; give --input a list "
    "of ten inputs or so"
)

FEW = "{} runs: below ten the intervals are too narrow"
ENOUGH = 10
SAME = "an error of 0: the score changed by the same amount in each run; other inputs may differ"


def show(credit: AppCredit, report: dict[str, Any], app: str) -> None:
    """Print an attribution.

    Args:
        credit: the result of `attribute`.
        report: the JSON of the attribution, with the bounty if there is one.
        app: the app's name.
    """
    _show_agents(credit, report.get("bounty", {}), app)
    if any(abs(x) < NOISE for x in (credit.standard_error or {}).values()):
        say(SAME)
    if credit.advice:
        _show_advice(credit)
    pairs = [[pair, shown(x)] for pair, x in (credit.interactions or {}).items() if abs(x) > 1e-9]
    if pairs:
        show_table("pairs", ["pair", "interaction"], pairs)
        say("above 0 two agents need each other, below 0 they replace each other")
    for why in dict.fromkeys(credit.found.values()):
        same = [agent for agent, reason in credit.found.items() if reason == why]
        say(f"found: {', '.join(same)}, {'each ' if len(same) > 1 else ''}{why}")
    if credit.found:
        say("--agents names others")
    worths = [[name or "nobody", shown(x)] for name, x in credit.worth.items()]
    show_table("coalitions", ["coalition", "mean score"], worths)
    for failed in credit.failed_plays():
        say(failed)
    calls = credit.calls
    say(
        f"{calls['plays']} plays of the app: {calls['made']} agent calls made, {calls['saved']} "
        f"saved by the cache; {calls['models']} model calls; "
        f"absent agents: {in_words(credit.absent)}"
    )
    for remark in [*report.get("bounty", {}).get("notes", []), *credit.notes]:
        say(remark)


def _show_advice(credit: AppCredit) -> None:
    def roughly(x: float | None) -> str:
        return "—" if x is None else shown(rough(x))

    rows = []
    for one in credit.advice:
        numbers = shown(one.loss), roughly(one.error), shown(one.saving), shown(one.tokens)
        per = shown(credit.value_per_dollar[one.agent]), roughly(credit.value_per_second[one.agent])
        verdict = f"{one.verdict} to {one.model}" if one.verdict == "downgrade" else one.verdict
        rows.append([one.agent, verdict, *numbers, _seconds(one.seconds), *per])
    heads = ["agent", "advice", "score lost", "± 95 %"]
    saved = ["USD saved", "tokens saved", "seconds saved"]
    heads += [*saved, "value/USD", "value/second"]
    show_table("advice, a run", *_without_empty(heads, rows, 4))
    if (runs := credit.inputs * credit.samples) < ENOUGH:
        say(ONE_RUN if runs == 1 else FEW.format(runs))
    for one in credit.advice:
        cost = f", at about {one.more_cost:.2g} USD" if one.more_cost else ""
        say(f"{one.agent}: {one.why}{cost}")
    apps = [
        [app, *map(shown, (row["score"], row.get("tokens"), row.get("cost")))]
        for app, row in credit.rows.items()
    ]
    show_table("whole apps, a run", *_without_empty(["app", "score", "tokens", "USD"], apps, 2))


def _without_empty(
    heads: list[str], rows: list[list[str]], first: int
) -> tuple[list[str], list[list[str]]]:
    """Leave out those columns, from `first` on, in which every row is empty or 0."""
    kept = [n for n in range(len(heads)) if n < first or {row[n] for row in rows} - {"—", "0"}]
    return [heads[n] for n in kept], [[row[n] for n in kept] for row in rows]


def _seconds(x: float | None) -> str:
    return "—" if x is None else shown(rough_seconds(x))


def _show_agents(credit: AppCredit, bounty: dict[str, Any], app: str) -> None:
    errors, rows = credit.standard_error or {}, []
    for agent in credit.agents:
        spent = credit.spent[agent]
        numbers = (
            credit.known_value(agent),
            errors.get(agent),
            *([credit.leave_one_out[agent]] if credit.has_other_value else []),
            spent.calls,
            spent.tokens,
            rough_seconds(spent.seconds),
            spent.cost,
            credit.value_per_dollar[agent],
        )
        rows.append([agent, *map(shown, numbers), *([bounty["amounts"][agent]] if bounty else [])])
    money = [f"{bounty['bounty']} {bounty['currency']}".strip()] if bounty else []
    inputs = f"{credit.inputs} {'input' if credit.inputs == 1 else 'inputs'}"
    title = f"{norm_in_words(credit.value)} of {app}, {credit.method}, {inputs}"
    norm = [norm_in_words(credit.value), "standard error"]
    others = ["leave-one-out"] if credit.has_other_value else []
    took = ["calls", "tokens", "seconds", "USD", "value/USD"]
    show_table(title, *_without_empty(["agent", *norm, *others, *took, *money], rows, 3))
