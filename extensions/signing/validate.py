"""`coop validate`: label a message of a task exchange before it is sent."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from shapley_coop.cli.console import say, say_json
from shapley_coop.cli.options import Json
from shapley_coop.extensions.exchange.command import Scenario
from shapley_coop.files import read_text

INVALID = 1


def validate(
    scenario: Scenario,
    message: Annotated[str, typer.Option(help="A file with one message, or - for standard input.")],
    sender: Annotated[str, typer.Option("--as", help="The sender.")],
    pending: Annotated[
        Path | None, typer.Option(help="A file with the proposal that the message must answer.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Label one message as a task exchange would, and print the feedback for its author."""
    from shapley_coop.extensions.exchange.domain import scenario as find
    from shapley_coop.extensions.exchange.messages.checking import check_message

    tasks = find(scenario).tasks
    standing = None
    if pending:
        others = [agent for agent in tasks.agents if agent != sender]
        proposed = check_message(read_text(pending, "a proposal"), tasks, others[0])
        if proposed.label:
            raise ValueError(f"{pending}: no valid proposal ({proposed.label}): give one")
        standing = proposed.masks
    text = sys.stdin.read() if message == "-" else read_text(message, "a message")
    found: dict[str, Any] = check_message(text, tasks, sender, standing).record()
    if as_json:
        say_json(found)
    else:
        say(f"{found['label']}: {found['feedback']}" if found["label"] else "valid")
        for agent, mask in found["masks"].items():
            say(f"  {agent} {mask}")
    if found["label"]:
        sys.exit(INVALID)
