"""The only renderer of letters."""

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

_HERE = Path(__file__).parent

# What ends a line for some reader: what quotes it could begin a block, or a heading.
_LINE_ENDS = {
    ord(char): char.encode("unicode_escape").decode()
    for char in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
}


def _in_line(text: str) -> str:
    """Text that stays within the line it stands in, whatever it quotes."""
    return text.translate(_LINE_ENDS)


# Letters are Markdown for models, not pages for browsers: data is escaped by `fenced`.
_environment = Environment(  # noqa: S701
    loader=FileSystemLoader(_HERE),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_environment.filters["in_line"] = _in_line
# Read when imported: a server's event loop must not wait for files.
_templates = {path.stem: _environment.get_template(path.name) for path in _HERE.glob("*.md")}


# What could open a tag, close a fence, or end a line for some reader of the letter.
_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>`\x85\u2028\u2029"}


def names() -> list[str]:
    """Every template there is, sorted."""
    return sorted(_templates)


@cache
def fingerprint() -> str:
    """A hash of all templates, by which letters of two versions are told apart."""
    texts = ((_HERE / f"{name}.md").read_bytes() for name in names())
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:12]


def render(name: str, /, **variables: Any) -> str:
    """Fill a template.

    Args:
        name: of the Markdown file, without its ending.
        **variables: all that the template names.

    Raises:
        jinja2.UndefinedError: a variable is missing.
        KeyError: there is no such letter.
    """
    return _templates[name].render(**variables)


def fenced(facts: Mapping[str, Any]) -> str:
    """Facts as one fenced JSON block, where the answer is to be JSON as well."""
    return f"```json\n{_escaped(facts)}\n```"


def compact_json(value: Any) -> str:
    """A value as JSON within a line."""
    return _escaped(value)


def _escaped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).translate(_ESCAPES)
