"""Which lines of a file are effective: neither blank nor comment nor mere layout."""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from shapley_coop.games.files import read_file


@dataclass(frozen=True)
class Syntax:
    """How a language writes comments: what begins a line of one, and what encloses a block."""

    line: tuple[str, ...] = ()
    block: tuple[tuple[str, str], ...] = ()
    strings: bool = False  # whether what encloses a block encloses strings as well


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
"""How languages write comments, by ending or by name."""

SOURCES = tuple(
    sorted(name for kind in _KINDS if not kind.get("configuration") for name in kind["files"])
)
"""The endings and names of those that count as code."""


LONG = 12
"""Shorter lines (`else:`, `return x`) are written anew so often that restoring one means little."""

_CODE_CELL = '"cell_type": "code"'


def normal(line: str) -> str | None:
    """Return a line without its indentation; None for mere layout: blank, or braces and the like.

    Ownership is kept by these texts, so that indenting a line again makes nobody its author.
    """
    text = line.strip()
    return text if any(map(str.isalnum, text)) else None


def key(line: str) -> str:
    """Return what a line is known by: its text without white space, as `git blame -w` compares."""
    return "".join(line.split())


def keys(path: str, lines: Iterable[str]) -> tuple[str, ...]:
    """Return the keys of some lines of a file, without those that begin a comment."""
    syntax = _syntax(path)
    marks = (*syntax.line, *(start for start, _ in syntax.block), "\0")
    return tuple(key(line) for line in lines if not line.startswith(marks))


def effective_lines(path: str, text: str) -> Iterator[tuple[int, str]]:
    """The effective lines of a source file, from number 1: no blank, layout, comment or docstring.

    It reads lines and not grammar: a block comment counts as one where it begins a line, and
    what stands behind the end of a comment on the same line is not looked at.
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
    """Yield the lines of a document that say something, from number 1."""
    for number, line in enumerate(text.split("\n"), 1):
        if kept := normal(line):
            yield number, kept


def _syntax(path: str) -> Syntax:
    name = PurePosixPath(path)
    return LANGUAGES.get(name.name) or LANGUAGES.get(name.suffix.lower()) or Syntax()


def _source_lines(notebook: str) -> Iterator[tuple[int, str]]:
    """The lines of a notebook's code cells, as Jupyter writes them: one JSON string a line."""
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
    """What closes the block comment that a line begins with, if it does, and what stands behind."""
    begins = line.lstrip("rRuUbBfF") if syntax.strings else line
    found = ((end, begins[len(start) :]) for start, end in syntax.block if begins.startswith(start))
    return next(found, ("", ""))


def _still_in_string(line: str, quotes: str) -> str:
    """Which triple quotes are open at the line's end: a long string is data, not a docstring."""
    for marks in (quotes,) if quotes else ('"""', "'''"):
        if line.count(marks) % 2:
            return "" if quotes else marks
    return quotes
