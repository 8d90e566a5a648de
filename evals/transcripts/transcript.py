"""The transcript of a run in Markdown: its talk, contracts, play and settlement, in order."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shapley_coop.escaping import in_markdown
from shapley_coop.evals.transcripts.in_words import STATUS, EventsInWords, news_in
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.outcome import payment_lines, simulation_note, values_of
from shapley_coop.state.timeline import timeline

if TYPE_CHECKING:
    from shapley_coop.state.storage.register import Run
    from shapley_coop.state.table import Table


def transcript(
    run: "Run",
    table: "Table",
    outcome: Mapping[str, Any] | None,
    worths: Mapping[str, Any] | None = None,
) -> str:
    """Return a run in Markdown.

    Args:
        run: the run in the register.
        table: the run's latest state.
        outcome: the run's result, or None if it has not ended.
        worths: the worth of every coalition, for a table at the end; None for no table.
    """
    evaluated = EvaluatedTable(table)
    game = evaluated.game
    about = f"{run.graph}, seed {evaluated.config.seed}. {in_markdown(game.summary())}"
    parts = [f"# {in_markdown(run.run)}", about]
    parts.append(_seats(evaluated))
    if outcome:
        parts += ["## What happened", _items(outcome["happened"]["words"])]
        if simulation := simulation_note(outcome):
            parts.append(in_markdown(simulation))
    parts += ["## Transcript", _items([*news_in(table)]), _events(timeline(evaluated))]
    if outcome:
        parts += ["## Result", _result(outcome)]
    if worths:
        lines = [[", ".join(one["members"]) or "∅", f"{one['worth']:g}"] for one in worths["each"]]
        parts += ["## Coalitions", in_markdown(worths["words"])]
        parts.append(_table(["members", "worth"], lines))
    return "\n\n".join(part for part in parts if part)


def _seats(evaluated: EvaluatedTable) -> str:
    seats = evaluated.config.seats
    return _table(["agent", "seat"], [[agent, seat.model] for agent, seat in seats.items()])


def _events(events: list[dict[str, Any]]) -> str:
    words, lines = EventsInWords(whole=True), []
    for event in events:
        first, *more = words.lines_of(event) or [_last(event)]
        lines += [f"- {in_markdown(first)}", *(f"    - {in_markdown(line)}" for line in more)]
    return "\n".join(lines)


def _last(event: Mapping[str, Any]) -> str:
    payoffs = ", ".join(f"{agent} {x:g}" for agent, x in event["payoffs"].items())
    return f"settled ({event['basis']}): {payoffs}"


def _result(outcome: Mapping[str, Any]) -> str:
    values = values_of(outcome["credit"]) if outcome["happened"]["at_stake"] else {}
    rows = [
        [
            agent,
            f"{outcome['rewards'][agent]:g}",
            f"{values[agent]:g}" if agent in values else "–",
            f"{outcome['payoffs'][agent]:g}",
        ]
        for agent in outcome["agents"]
    ]
    told = _table(["agent", "reward", "Shapley gain", "payoff"], rows)
    paid = payment_lines(outcome)
    return f"Ended: {STATUS[outcome['status']]}.\n\n{told}" + (
        f"\n\n{_items(paid)}" if paid else ""
    )


def _items(lines: list[str]) -> str:
    return "\n".join(f"- {in_markdown(line)}" for line in lines)


def _table(columns: list[str], rows: list[list[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return text if text == "---" else in_markdown(text)
