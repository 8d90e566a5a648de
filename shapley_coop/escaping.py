r"""Escaping of foreign text, so that readers see all its characters and no text is forged.

Names, speech, commits and files come from agents and strangers. The same characters count as hidden
in letters, terminals, pages, reports and names; `hides` says whether a text contains any. Visible
characters can also have a meaning: Markdown has markup, and a spreadsheet computes a cell that
begins like a formula.

>>> visible("fine\n  signed 0123\x1b[2J")
'fine\\n  signed 0123\\u001b[2J'
>>> visible("yes\u3164\ufe0f"), visible("\u2764\ufe0f") == "\u2764\ufe0f"
('yes\\u3164\\ufe0f', True)
>>> marked_lines("Fine.\n  c1. Bob pays Eve 9.")
['Fine.', '> c1. Bob pays Eve 9.']
>>> in_markdown("# Result\n| *all* |")
'\\# Result \\| \\*all\\* \\|'
>>> in_cell("=HYPERLINK(1)"), in_cell("-3.5")
("'=HYPERLINK(1)", '-3.5')
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any

_IGNORABLE = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
"""The code points with Default_Ignorable_Code_Point (DerivedCoreProperties.txt, Unicode 16.0.0)."""
_BLANK = "\u2800\ufffc\U00013441\U00013442\U00016fe4\U0001d159"
"""Characters that Unicode calls printable but that draw nothing, such as the blank of Braille."""
_SHAPELESS = re.compile(f"[{_IGNORABLE}{_BLANK}]")

_SYMBOL = "[©®‼⁉™ℹ\u2190-\u27ff\u2900-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
SELECTED = rf"(?<={_SYMBOL})[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)"
"""The pattern of the selector that shows a symbol as text or as an emoji."""
# Scripts in which a joiner or a non-joiner changes the form of its neighbouring letters.
_CURSIVE = "[\u0620-\u0dff\u0f00-\u109f\u1780-\u17b3\u17b6-\u17ff\u1810-\u18af]"
_JOINED = (
    rf"(?<={_CURSIVE})[\u200c\u200d](?={_CURSIVE})"
    rf"|(?<=[\ufe0f\u2190-\u27ff\u2900-\u2bff\U0001f000-\U0001faff])\u200d(?={_SYMBOL})"
)
_KEPT_IN_LINE = re.compile(SELECTED)
_KEPT_IN_LINES = re.compile(rf"{SELECTED}|{_JOINED}")
_NOT_PLAIN = re.compile(r"[^ -~]")
_NOT_PLAIN_IN_LINES = re.compile(r"[^ -~\n\t]")

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~&])")
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?%?")


def visible(text: str) -> str:
    """Return a text escaped for one line: it cannot end the line, move a cursor or hide characters.

    Escapes have the form of JSON, so that an escaped line of JSON means the same data. The
    variation selector of an emoji is not escaped.
    """
    return _NOT_PLAIN.sub(partial(_as_escape, _KEPT_IN_LINE), text)


def visible_lines(text: str) -> str:
    """Return a text escaped as `visible` escapes it, but with line breaks, tabs, joined letters."""
    escape = partial(_as_escape, _KEPT_IN_LINES)
    return _NOT_PLAIN_IN_LINES.sub(escape, text.replace("\r\n", "\n"))


def visible_data(value: Any) -> Any:
    """Return plain data with `visible_lines` applied to all its texts."""
    if isinstance(value, str):
        return visible_lines(value)
    if isinstance(value, Mapping):
        return {visible_data(key): visible_data(one) for key, one in value.items()}
    return [visible_data(one) for one in value] if isinstance(value, list | tuple) else value


def hides(text: str) -> bool:
    """Return whether a text has characters that `visible` escapes."""
    return visible(text) != text


def is_one_line(text: str) -> bool:
    """Return whether a text is one visible line in which every blank is a space."""
    return text.isprintable() and not hides(text)


def without_hidden(text: str) -> str:
    """Return a text on one line without hidden characters, and with single spaces."""
    line = " ".join(text.split())
    return line if is_one_line(line) else " ".join("".join(filter(is_one_line, line)).split())


def marked_lines(text: str) -> list[str]:
    """Return the lines of a speech; all except the first begin with a mark that letters never use.

    Each run of white space becomes one space, so that padding moves no text to a new screen line.
    """
    first, *more = [" ".join(line.split()) for line in text.splitlines() if line.strip()] or [""]
    return [first, *(f"> {line}" for line in more)]


def in_markdown(text: str) -> str:
    """Return a text as one line of Markdown that shows it literally, without markup."""
    return _MARKS.sub(r"\\\1", visible(" ".join(text.split())))


def in_cell(text: str) -> str:
    """Return a text for a cell of a spreadsheet's table: formulas become text.

    A number stays a number. Any other text that begins with = + - or @ gets a leading apostrophe,
    as spreadsheets mark text; also after white space, and for full-width forms of these signs.
    """
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text


@lru_cache(maxsize=4096)
def _is_hidden(char: str) -> bool:
    """Return whether a character is a control, format, surrogate, private or invisible one."""
    if _SHAPELESS.match(char):
        return True
    return not char.isprintable() and unicodedata.category(char) != "Zs"


def _as_escape(kept: re.Pattern[str], found: re.Match[str]) -> str:
    char = found.group()
    if not _is_hidden(char) or kept.match(found.string, found.start()):
        return char
    if char in _SHORT:
        return _SHORT[char]
    pair = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{pair[n]:02x}{pair[n + 1]:02x}" for n in range(0, len(pair), 2))
