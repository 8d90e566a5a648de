"""The layout of a command's help for a terminal of 80 columns.

Typer's table has four columns for names, short names, negations and types, which leave only 20
characters for descriptions. In this layout, an option's forms (`--name`, `-n`, type) are in front
of its description, or on the line above.
"""

from collections.abc import Mapping
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

_WIDEST_NAME = 24
"""The most characters that an option's forms may have to share a line with the description."""

_LINE = 76
"""The most characters of an option's forms; longer lists of choices go into the description."""


class Command(TyperCommand):
    """A command whose help has this module's layout; options stay in their groups."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{**options, "rich_markup_mode": None})

    def format_options(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """Write arguments and options, group by group."""
        _write_options(self, ctx, formatter)


class Commands(TyperGroup):
    """A group of commands whose help has this module's layout; commands stay in their groups."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{**options, "rich_markup_mode": None})

    def format_options(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """Write the options, then the commands, group by group."""
        _write_options(self, ctx, formatter)
        groups: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            if not command.hidden:
                group = getattr(command, "rich_help_panel", None) or "Commands"
                told = (command.help or "").split("\n\n")[0]
                groups.setdefault(group, []).append((name, told))
        _write_groups(groups, formatter)


def _write_options(command: TyperCommand | TyperGroup, ctx: Any, formatter: Any) -> None:
    groups: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is None:
            continue
        is_argument = parameter.param_type_name == "argument"
        usual = "Arguments" if is_argument else "Options"
        group = getattr(parameter, "rich_help_panel", None) or usual
        groups.setdefault(group, []).append(_fit_option(*record))
    _write_groups(groups, formatter)


def _write_groups(groups: Mapping[str, list[tuple[str, str]]], formatter: Any) -> None:
    for group, records in groups.items():
        with formatter.section(group):
            formatter.write_dl(records, col_max=_WIDEST_NAME)


def _fit_option(name: str, told: str) -> tuple[str, str]:
    """Return an option's forms and description; a long list of choices moves to the description."""
    forms, _, choices = name.partition(" <")
    if len(name) <= _LINE or "|" not in choices:
        return name, told
    listed = choices.rstrip(">").replace("|", ", ")
    return f"{forms} <…>", f"{told} One of {listed}."
