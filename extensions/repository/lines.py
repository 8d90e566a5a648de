"""The effective lines of a file: all but blank lines, comments, and layout such as braces."""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from shapley_coop.games.files import read_file


@dataclass(frozen=True)
class Syntax:
    """A language's comment syntax: the marks of line comments, and the ends of block comments."""

    line: tuple[str, ...] = ()
    block: tuple[tuple[str, str], ...] = ()
    strings: bool = False  # whether block marks also enclose strings, as in Python


_KINDS = read_file(Path(__file__).with_name("languages.yaml"), "languages")

LANGUAGES = {
    name: Syntax(
        tuple(kind.get("line", ())),
        tuple((start, end) for start, end in kind.get("block", ())),
        kind.get("strings", False),
    )
    for kind in _KINDS
    for name in kind["files"]
}
"""File ending or file name → the language's comment syntax."""

SOURCES = tuple(
    sorted(name for kind in _KINDS if not kind.get("configuration") for name in kind["files"])
)
"""The file endings and file names that count as code."""


LONG = 12
"""The least characters of a line that can be restored; shorter ones (`else:`) recur by chance."""

_CODE_CELL = '"cell_type": "code"'


def normal(line: str) -> str | None:
    """Return a line without indentation; None if it is mere layout, as a blank line or a brace.

    Lines are identified by these texts: changing the indentation does not change the author.
    """
    text = line.strip()
    return text if any(map(str.isalnum, text)) else None


def key(line: str) -> str:
    """Return a line without white space, so that lines compare equal as for `git blame -w`."""
    return "".join(line.split())


def keys(path: str, lines: Iterable[str]) -> tuple[str, ...]:
    """Return each line of a file without white space, and leave out lines that begin a comment."""
    syntax = _syntax(path)
    marks = (*syntax.line, *(start for start, _ in syntax.block), "\0")
    return tuple(key(line) for line in lines if not line.startswith(marks))


def effective_lines(path: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield number (from 1) and text of lines that are not blank, layout, comments or docstrings.

    The function does not parse. It recognizes a block comment only at the beginning of a
    line, and skips text behind the comment's end on the same line.
    """
    syntax = _syntax(path)
    closing, in_string = "", ""
    notebook = path.lower().endswith(".ipynb")
    for number, line in _source_lines(text) if notebook else enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if closing:
            closing = "" if closing in stripped else closing
            continue
        if not in_string:
            end, behind = _opened(syntax, stripped)
            if end:
                closing = end if end not in behind else ""
                continue
            if stripped.startswith(syntax.line or ("\0",)):
                continue
        if syntax.strings:
            in_string = _still_in_string(stripped, in_string)
        if kept := normal(stripped):
            yield number, kept


def plain_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number (from 1) and text of each line that holds a letter or a digit."""
    for number, line in enumerate(text.split("\n"), 1):
        if kept := normal(line):
            yield number, kept


def _syntax(path: str) -> Syntax:
    name = PurePosixPath(path)
    return LANGUAGES.get(name.name) or LANGUAGES.get(name.suffix.lower()) or Syntax()


def _source_lines(notebook: str) -> Iterator[tuple[int, str]]:
    """Yield number and text of a notebook's code lines; Jupyter writes one JSON string a line."""
    cell, inside = "", False
    for number, line in enumerate(notebook.split("\n"), 1):
        stripped = line.strip()
        if inside:
            inside = stripped not in ("]", "],")
            if inside and cell == _CODE_CELL:
                with suppress(ValueError):
                    yield number, str(json.loads(stripped.rstrip(",")))
        elif stripped.startswith('"cell_type":'):
            cell = stripped.rstrip(",")
        else:
            inside = stripped == '"source": ['


def _opened(syntax: Syntax, line: str) -> tuple[str, str]:
    """Return a block comment's closing mark and the text after its opening mark, or "", ""."""
    begins = line.lstrip("rRuUbBfF") if syntax.strings else line
    found = ((end, begins[len(start) :]) for start, end in syntax.block if begins.startswith(start))
    return next(found, ("", ""))


def _still_in_string(line: str, quotes: str) -> str:
    """Return the triple quotes that are open at the line's end (such strings count as code)."""
    for marks in (quotes,) if quotes else ('"""', "'''"):
        if line.count(marks) % 2:
            return "" if quotes else marks
    return quotes
