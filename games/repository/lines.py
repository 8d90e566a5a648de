"""Which lines of a file are effective: neither blank nor comment nor mere layout."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath


@dataclass(frozen=True)
class Syntax:
    """How a language writes comments: what begins a line of one, and what encloses a block."""

    line: tuple[str, ...] = ()
    block: tuple[tuple[str, str], ...] = ()


_HASH = Syntax(("#",))
_C = Syntax(("//",), (("/*", "*/"),))
_CSS = Syntax((), (("/*", "*/"),))
_PHP = Syntax(("//", "#"), (("/*", "*/"),))
_PYTHON = Syntax(("#",), (('"""', '"""'), ("'''", "'''")))
_SQL = Syntax(("--",), (("/*", "*/"),))
_LUA = Syntax(("--",), (("--[[", "]]"),))
_HASKELL = Syntax(("--",), (("{-", "-}"),))
_ML = Syntax((), (("(*", "*)"),))
_LISP = Syntax((";",))
_PERCENT = Syntax(("%",))
_MARKUP = Syntax((), (("<!--", "-->"),))

LANGUAGES: dict[str, Syntax] = {
    **dict.fromkeys((".py", ".pyi", ".pyx"), _PYTHON),
    **dict.fromkeys((".sh", ".bash", ".zsh", ".fish", ".pl", ".pm", ".r", ".jl"), _HASH),
    **dict.fromkeys((".rb", ".tcl", ".ex", ".exs", ".nix", ".tf", ".cmake", ".mk"), _HASH),
    **dict.fromkeys(("Makefile", "Dockerfile", "CMakeLists.txt", "Rakefile", "Gemfile"), _HASH),
    **dict.fromkeys((".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".cu", ".m", ".mm"), _C),
    **dict.fromkeys((".java", ".kt", ".kts", ".scala", ".groovy", ".gradle", ".cs", ".swift"), _C),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".go", ".rs", ".dart"), _C),
    **dict.fromkeys((".zig", ".v", ".sv", ".proto", ".scss", ".less", ".sol"), _C),
    **dict.fromkeys((".html", ".htm", ".xml", ".svg", ".vue", ".svelte"), _MARKUP),
    **dict.fromkeys((".lisp", ".el", ".clj", ".cljs", ".scm", ".rkt", ".asm", ".s"), _LISP),
    **dict.fromkeys((".erl", ".hrl", ".mat"), _PERCENT),
    **dict.fromkeys((".ml", ".mli"), _ML),
    ".css": _CSS,
    ".fs": Syntax(("//",), (("(*", "*)"),)),
    ".hs": _HASKELL,
    ".lua": _LUA,
    ".php": _PHP,
    ".sql": _SQL,
    ".vb": Syntax(("'",)),
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
            if opened := _opens(syntax, stripped):
                closing = opened if opened not in _behind(syntax, stripped) else ""
                continue
            if stripped.startswith(syntax.line or ("\0",)):
                continue
        if syntax is _PYTHON:
            in_string = _still_in_string(stripped, in_string)
        if kept := normal(stripped):
            yield kept


def plain_lines(text: str) -> Iterator[str]:
    """The lines of a document that say something."""
    for line in text.split("\n"):
        if kept := normal(line):
            yield kept


def _opens(syntax: Syntax, line: str) -> str:
    """What closes the block comment that the line begins with, if it does."""
    begins = line.lstrip("rRuUbBfF") if syntax is _PYTHON else line
    return next((end for start, end in syntax.block if begins.startswith(start)), "")


def _behind(syntax: Syntax, line: str) -> str:
    """The line behind the opening of its block comment."""
    begins = line.lstrip("rRuUbBfF") if syntax is _PYTHON else line
    return next((begins[len(start) :] for start, _ in syntax.block if begins.startswith(start)), "")


def _still_in_string(line: str, quotes: str) -> str:
    """Which triple quotes are open at the line's end: a long string is data, not a docstring."""
    for marks in (quotes,) if quotes else ('"""', "'''"):
        if line.count(marks) % 2:
            return "" if quotes else marks
    return quotes
