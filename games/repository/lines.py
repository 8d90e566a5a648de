"""Which lines of a file are effective: neither blank nor comment nor mere layout."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from shapley_coop.games.files import read_file


@dataclass(frozen=True)
class Syntax:
    """How a language writes comments: what begins a line of one, and what encloses a block."""

    line: tuple[str, ...] = ()
    block: tuple[tuple[str, str], ...] = ()
    strings: bool = False  # whether what encloses a block encloses strings as well


LANGUAGES = {
    name: Syntax(
        tuple(kind.get("line", ())),
        tuple((start, end) for start, end in kind.get("block", ())),
        kind.get("strings", False),
    )
    for kind in read_file(Path(__file__).with_name("languages.yaml"), "languages")
    for name in kind["files"]
}
"""How the languages that count as code write comments, by ending or by name."""


def normal(line: str) -> str | None:
    """A line without its indentation; None for mere layout: blank, or braces and the like.

    Ownership is kept by these texts, so that indenting a line again makes nobody its author.
    """
    text = line.strip()
    return text if any(map(str.isalnum, text)) else None


def effective_lines(path: str, text: str) -> Iterator[str]:
    """The effective lines of a source file: not blank, not layout, not comment, not docstring.

    It reads lines and not grammar: a block comment counts as one where it begins a line, and
    what stands behind the end of a comment on the same line is not looked at.
    """
    name = PurePosixPath(path)
    syntax = LANGUAGES.get(name.name) or LANGUAGES.get(name.suffix.lower()) or Syntax()
    closing, in_string = "", ""
    for line in text.split("\n"):
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
            yield kept


def plain_lines(text: str) -> Iterator[str]:
    """The lines of a document that say something."""
    for line in text.split("\n"):
        if kept := normal(line):
            yield kept


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
