"""`coop help`: print the output of `coop --help`, or with `--all` every command."""

from typing import Annotated

import typer

from shapley_coop.cli.commands import command_line


def help_(
    all_: Annotated[bool, typer.Option("--all", help="List every command.")] = False,
) -> None:
    """List the commands that most people need; with --all, list every command."""
    command = typer.main.get_command(command_line(whole=all_))
    with typer.Context(command, info_name="coop") as ctx:
        if told := command.get_help(ctx):
            typer.echo(told)
