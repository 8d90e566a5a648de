"""`coop scenario` and `coop validate`: scenarios of task exchange, and messages for them."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.console import say, say_json

INVALID = 1
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Name = Annotated[
    str, typer.Argument(help="paper_cooperative, paper_competitive, or a scenario file.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    scenarios = typer.Typer(help="Scenarios of task exchange.", no_args_is_help=True)
    scenarios.command("show")(show)
    scenarios.command("table")(table)
    scenarios.callback()(_scenarios)
    app.add_typer(scenarios, name="scenario")
    app.command()(validate)


def _scenarios() -> None:
    """Scenarios of task exchange."""


def show(
    scenario: Name,
    secrets: Annotated[bool, typer.Option(help="Show preferences and utilities, too.")] = False,
    as_json: Json = False,
) -> None:
    """A scenario's atoms, agents, initial tasks and registry."""
    from games.exchange import scenario as find

    shown = find(scenario).show(secrets)
    if as_json:
        say_json(shown)
        return
    say(f"{shown['name']}: {', '.join(shown['agents'])}")
    for number, atom in enumerate(shown["atoms"], start=1):
        say(f"  {number}. {atom}")
    for agent, mask in shown["initial"].items():
        say(f"  {agent} starts with {mask}")
    say(f"  {len(shown['registry'])} sets of tasks have a description")
    for agent, table in shown.get("utilities", {}).items():
        best = sorted(table, key=lambda mask: (-table[mask], mask))[:5]
        say(f"  {agent} likes best: {', '.join(f'{m} ({table[m]:.2f})' for m in best)}")


def table(
    scenario: Annotated[
        list[str] | None, typer.Argument(help="Scenarios; the paper's two by default.")
    ] = None,
    seeds: Annotated[int, typer.Option(help="How many seeds, from 0.", min=1)] = 30,
    model: Annotated[str, typer.Option(help="Who answers for everybody.")] = "embedded:rational",
) -> None:
    """Outcomes, and refusals by label, with and without validator and guidance.

    The layouts are those of the paper's Tables 1 and 2. The two parts are switched by themselves:
    four variants, two of which are the paper's.
    """
    import asyncio

    from cli.console import progress
    from cli.options import seats_from
    from evals.exchange import VARIANTS, run_variants, table_1, table_2
    from state import Room

    names = scenario or ["paper_cooperative", "paper_competitive"]
    room = Room.model_validate({"game": "task_exchange", "seats": seats_from(model, [], None)})
    with progress(len(names) * len(VARIANTS) * seeds, "exchanges") as done:
        runs = asyncio.run(run_variants(room, names, range(seeds), done))
    say(table_1(runs))
    say()
    say(table_2(runs))
    if model.startswith("embedded:"):
        say()
        say(
            "A simulation: the negotiators and the utilities the paper does not print were made for"
        )
        say("it, while this table was in view; it is no evidence about language models.")


def validate(
    scenario: Name,
    message: Annotated[str, typer.Option(help="A file with one message; - reads it here.")],
    sender: Annotated[str, typer.Option("--as", help="Who sends it.")],
    pending: Annotated[
        Path | None, typer.Option(help="A file with the proposal that has to be answered.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Label one message as the exchange would, with the feedback its author would get."""
    from deals.exchange import check_message
    from games.exchange import scenario as find

    tasks = find(scenario).tasks
    standing = None
    if pending:
        others = [agent for agent in tasks.agents if agent != sender]
        proposed = check_message(_text(str(pending)), tasks, others[0])
        if proposed.label:
            raise ValueError(f"{pending}: no valid proposal ({proposed.label}): give one")
        standing = proposed.masks
    verdict = check_message(_text(message), tasks, sender, standing)
    found: dict[str, Any] = verdict.record()
    if as_json:
        say_json(found)
    else:
        say(f"{found['label']}: {found['feedback']}" if found["label"] else "valid")
        for agent, mask in found["masks"].items():
            say(f"  {agent} {mask}")
    if found["label"]:
        sys.exit(INVALID)


def _text(source: str) -> str:
    if source == "-":
        return sys.stdin.read()
    try:
        return Path(source).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{source}: cannot be read ({type(error).__name__})") from None
