"""`coop demo`: the same thing many times, in a table."""

from typing import Annotated

import typer

from shapley_coop.cli.awaiting import finish
from shapley_coop.cli.console import progress, say, say_json, show_table


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(demo)


def demo(
    game: Annotated[str, typer.Argument(help="A game's name or file.")] = "escape_room",
    seeds: Annotated[int, typer.Option(help="How many seeds, from 0.", min=1)] = 30,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="key=value: a parameter of the game.")
    ] = None,
    model: Annotated[str, typer.Option(help="Who answers for everybody.")] = "embedded:rational",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """The paper's four conditions on one game, over many seeds, as a table."""
    from shapley_coop.cli.options import Parameters, seats_from, settings_from
    from shapley_coop.evals.papers.conditions import CONDITIONS, run_conditions, summarise
    from shapley_coop.state import RunConfig

    room = RunConfig.model_validate(
        {
            "game": game,
            "params": settings_from(Parameters(None, set_ or [])),
            "seats": seats_from(model, [], None),
        }
    )
    with progress(len(CONDITIONS) * seeds, f"{game}, {seeds} seeds") as done:
        results = finish(run_conditions(room, range(seeds), done))
    rows = summarise(results)
    simulated = all(r["simulated"] for runs in results.values() for r in runs)
    if as_json:
        say_json({"simulated": simulated, "rows": [row.__dict__ for row in rows]})
        return
    best = "escaped" if game == "escape_room" else "best total"
    show_table(
        f"{game}: four conditions, {seeds} seeds each",
        [
            *("condition", best, *(f"{a}'s payoff" for a in rows[0].payoffs)),
            *("from Shapley split", "turns", "calls", "tokens"),
        ],
        [
            [
                row.condition,
                f"{row.cooperated:.0%}",
                *(f"{x:.2f}" for x in row.payoffs.values()),
                f"{row.fair_distance:.2f}",
                f"{row.turns:.1f}",
                f"{row.calls:.1f}",
                f"{row.tokens:.0f}",
            ]
            for row in rows
        ],
    )
    say("Payoffs and counts are means over seeds. 'From Shapley split': the mean distance between")
    say("an agent's payoff and its Shapley value of the best outcome, in the game's unit.")
    if simulated:
        say()
        say("This is a simulation: embedded agents answered, no language model did. The gap")
        say("between the conditions follows from what each one's letters make an agent work out;")
        say("it is a declared assumption and no evidence about language models.")
