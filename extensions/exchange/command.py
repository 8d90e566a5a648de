"""`coop scenario`: show scenarios of task exchange."""

from typing import Annotated

import typer

from shapley_coop.cli.console import say, say_json
from shapley_coop.cli.options import Json

Scenario = Annotated[
    str, typer.Argument(help="paper_cooperative, paper_competitive, or a scenario file.")
]


def show(
    scenario: Scenario,
    secrets: Annotated[bool, typer.Option(help="Show preferences and utilities, too.")] = False,
    as_json: Json = False,
) -> None:
    """Show a scenario's atomic tasks, agents, initial tasks and described sets of tasks."""
    from shapley_coop.extensions.exchange.domain import scenario as find

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
