"""`coop show`: print the messages, contracts, turns and settlement of a run, in order."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from shapley_coop.cli.console import (
    finish,
    note,
    say,
    say_json,
    say_lines,
    show_table,
    write_file,
)
from shapley_coop.cli.options import Json, PriceFile, RunName

if TYPE_CHECKING:
    from shapley_coop.state.storage.register import Run
    from shapley_coop.state.table import Table


Figure = Annotated[
    Path | None,
    typer.Option(
        help="Write a picture of the game as SVG; for a task exchange, the utility plane."
    ),
]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print the transcript as Markdown.")]
Coalitions = Annotated[
    bool, typer.Option("--coalitions", help="Show the worth of every coalition, too.")
]


def show(
    run: RunName,
    figure: Figure = None,
    markdown: Markdown = False,
    coalitions: Coalitions = False,
    prices: PriceFile = None,
    as_json: Json = False,
) -> None:
    """Show the messages, contracts and actions of a run in order, and the run's result."""
    from shapley_coop.graphs.finding import run_of
    from shapley_coop.graphs.threads import table_of
    from shapley_coop.state.resuming import result_of

    if as_json and markdown:
        raise ValueError("--json and --markdown are two forms of one text: give one of them")
    found = finish(run_of(run))
    if as_json:
        result_of(found)
    table = finish(table_of(found))
    worths = _worths(table) if coalitions else None
    cost = _cost(table, prices)
    if figure:
        write_file(figure, _picture(table), "--figure")
        note(f"written to {figure}")
    if as_json:
        more: dict[str, Any] = {"coalitions": worths} if coalitions else {}
        _tell_json(found, more | ({"cost": cost} if cost else {}))
    elif markdown:
        from shapley_coop.evals.transcripts.transcript import transcript

        say_lines(transcript(found, table, found.result, worths))
        if cost:
            say_lines(f"\n{_price_words(cost)}")
    else:
        _tell(found, table, found.result)
        if cost:
            say(_price_words(cost))
        if coalitions:
            _show_worths(worths)


def _tell_json(run: "Run", more: Mapping[str, Any]) -> None:
    """Print as JSON a run's result, its record, the agents' reasoning and the entries of `more`."""
    from shapley_coop.evals.measures.reasons import record_and_reasons

    say_json({**cast(Any, run.result), **finish(record_and_reasons(run)), **more})


def _picture(table: "Table") -> str:
    """Return a picture of the run as SVG, drawn by an extension for the run's game.

    Raises:
        ValueError: no extension draws this game.
    """
    from shapley_coop.extension import load, offered
    from shapley_coop.state.settings import game_of

    game = game_of(table["settings"]).name
    if game not in (drawn := offered("pictures")):
        raise ValueError(
            f"--figure: there is no picture of {game}; pictures exist for "
            f"{', '.join(drawn) or 'none'}"
        )
    return str(load("pictures", game)(table))


def _tell(run: "Run", table: "Table", outcome: dict[str, Any] | None) -> None:
    from shapley_coop.cli.playing.narration import Narrator, report, show_reckoned
    from shapley_coop.evals.transcripts.in_words import news_in
    from shapley_coop.state.evaluated import EvaluatedTable
    from shapley_coop.state.resuming import goes_on
    from shapley_coop.state.timeline import timeline

    events = timeline(EvaluatedTable(table)) if "settings" in table else []
    narrator = Narrator()
    # Print the values after the last turn and before the messages that discuss the values.
    after = len(table.get("record", [])) if table.get("reckoning") else len(events)
    told = False
    for line in news_in(table):
        say(f"  {line}")
    for event in events:
        later = event["kind"] == "settled" or (
            event["kind"] == "said" and event["act"] != "claim" and event["topic"] == "split"
        )
        if later and not told and table.get("reckoning") and event["turn"] > after:
            show_reckoned(cast(Any, table["reckoning"]))
            told = True
        narrator.tell(event)
    if outcome:
        say()
        report(outcome)
    else:
        say(f"{run.run} has not ended: {goes_on(run)}")


def _cost(table: "Table", prices: Path | None) -> dict[str, Any] | None:
    """Return a run's cost in USD and the price list; None if it was free or a price is unknown."""
    from shapley_coop.cli.options import prices_from
    from shapley_coop.evals.prices import is_free
    from shapley_coop.evals.rows import calls_of
    from shapley_coop.state.storage.home import home

    calls = calls_of(home().journal.entries(table["episode"])) if table else []
    paid = [call for call in calls if not is_free(call["model"])]
    known = prices_from(prices)
    if not paid or not known.know(call["model"] for call in paid):
        return None
    return {"usd": known.cost(paid), "prices": known.told}


def _price_words(cost: Mapping[str, Any]) -> str:
    return f"{cost['usd']:.6f} USD, by the prices of {cost['prices']}"


def _worths(table: "Table") -> dict[str, Any] | None:
    """Return agents' baseline payoffs and coalitions' worths; None if there are too many agents."""
    from shapley_coop.evals.measures.coalitions import worths
    from shapley_coop.state.evaluated import EvaluatedTable

    evaluated = EvaluatedTable(table)
    found = worths(evaluated)
    alone = evaluated.characteristic.at_baseline
    baseline = {agent: float(x) for agent, x in alone.items()} if alone else None
    return found and {**found, "baseline": baseline}


def _show_worths(worths: Mapping[str, Any] | None) -> None:
    from shapley_coop.evals.measures.coalitions import SMALL

    if worths is None:
        note(f"coalitions are listed of up to {SMALL} agents")
        return
    say(worths["words"])
    if baseline := worths["baseline"]:
        say("W(∅), by agent: " + ", ".join(f"{agent} {x:g}" for agent, x in baseline.items()))
    lines = [[", ".join(one["members"]) or "∅", f"{one['worth']:g}"] for one in worths["each"]]
    show_table("coalitions", ["members", "worth"], lines)
