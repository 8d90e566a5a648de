"""The help of a command, laid out so that it can be read in a terminal of 80 columns.

Typer's table has separate columns for names, short names, negations and types of options. They
leave 20 characters for a description. Here an option's forms stand before its description, or on
the line above it.
"""

from typing import Any

import typer
from typer.core import TyperCommand

_WIDEST_NAME = 24
"""The longest name that shares a line with its description, in characters."""

_LINE = 76
"""The longest name that fits on one line, in characters."""


class Command(TyperCommand):
    """A Typer command whose help has this layout; its options keep their groups."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{**options, "rich_markup_mode": None})

    def format_options(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """Write arguments and options, group by group."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            is_argument = parameter.param_type_name == "argument"
            usual = "Arguments" if is_argument else "Options"
            group = getattr(parameter, "rich_help_panel", None) or usual
            groups.setdefault(group, []).append(_fitting(*record))
        for group, records in groups.items():
            with formatter.section(group):
                formatter.write_dl(records, col_max=_WIDEST_NAME)


def _fitting(name: str, told: str) -> tuple[str, str]:
    """Return an option's forms and description; a long list of choices moves to the end."""
    forms, _, choices = name.partition(" <")
    if len(name) <= _LINE or "|" not in choices:
        return name, told
    listed = choices.rstrip(">").replace("|", ", ")
    return f"{forms} <…>", f"{told} One of {listed}."
