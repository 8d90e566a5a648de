"""A letter's Markdown at a person's terminal: headings, tables and bold words, as on the page."""

import re
import sys

from rich.console import Console
from rich.markdown import Markdown

from shapley_coop.cli.console import say_lines
from shapley_coop.escaping import visible

WIDEST = 100
"""The most columns of a text, which is hard to read in longer lines."""

_SHORT = re.compile(r"^(.{1,69})\n(?![a-z\n])", re.MULTILINE)
"""A line that ends with a line break, as at the page (`letter.js`)."""

_SAID = re.compile(
    r"```.*?```|`[^`\n]*`|^ {4}.*?$|[<\[_~&]|\\(?!\|)|(?<!\*)\*(?!\*)", re.DOTALL | re.MULTILINE
)
"""Code, which stays as it is, or a sign that the page shows and other Markdown reads as markup."""


def show_letter(text: str) -> None:
    """Write a letter's Markdown to standard output: as rich text at a terminal, else as it is."""
    if not sys.stdout.isatty():
        say_lines(text)
        return
    told = "\n".join(map(visible, text.split("\n")))
    escaped = _SAID.sub(lambda one: one[0] if one[0][0] in "` " else f"\\{one[0]}", told)
    console = Console()
    shown = Markdown(_SHORT.sub(r"\1  \n", escaped), hyperlinks=False)
    console.print(shown, width=min(console.width, WIDEST))
