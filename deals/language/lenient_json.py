"""A parser for JSON as language models write it; input with two possible readings is refused.

>>> found = read_json("{'kind': 'do', 'notes': None,} // mine", 0)
>>> found.value, found.repairs
({'kind': 'do', 'notes': None}, ('single quotes', 'Python constants', 'a comma too many'))
>>> read_json('{"a": 1, "a": 2}', 0)
"the key 'a' occurs twice in one object: give it once"

The standard library reads valid JSON. Any other text is rewritten as JSON in one scan of its tokens
and then read by the standard library. The scan never adds a missing bracket, quotation mark or
comma. `docs/decisions/README.md` says why no lenient library is used. Cost: linear in the text; the
scan stops after MAX_TOKENS tokens.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from shapley_coop.files import no_number, unique_keys

MAX_DEPTH = 12
MAX_DIGITS = 40
MAX_TOKENS = 20_000
TOO_DEEP = f"it is nested more than {MAX_DEPTH} deep: write it flat"

_VARIANTS = (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
INVISIBLE = (
    "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad\u034f\u180b\u180c\u180d\u180f"
    + "".join(map(chr, _VARIANTS))
)
"""Invisible characters of ordinary texts: joiners, soft hyphens, direction marks and variation
selectors. They are removed from words. All other invisible characters are refused."""

# The loops run over disjoint character classes, so an unterminated string is scanned only once.
_TOKEN = re.compile(
    rf"""(?P<space>[\s{INVISIBLE}]+)
    |(?P<string>"[^"\\]*(?:\\.[^"\\]*)*")
    |(?P<single>'[^'\\]*(?:\\.[^'\\]*)*')
    |(?P<typeset>“[^“”]*”)
    |(?P<comment>//[^\n]*|\#[^\n]*|/\*[^*]*(?:\*(?!/)[^*]*)*\*/)
    |(?P<fence>```[A-Za-z0-9]{{0,10}})
    |(?P<number>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![^\s,:\]}}{INVISIBLE}]))
    |(?P<mark>[,:\[\]{{}}])
    |(?P<bare>[^\s,:\[\]{{}}"'“”<>`]{{1,200}})""",
    re.VERBOSE | re.DOTALL,
)
_CONSTANTS = {"True": "true", "False": "false", "None": "null"}
_JSON_CONSTANTS = {"true", "false", "null"}
_ESCAPED = re.compile(r'\\.|"|[\x00-\x1f]', re.DOTALL)
_CLOSES = {"}": "{", "]": "["}


@dataclass(frozen=True)
class Json:
    """A JSON value found in a text.

    Attributes:
        value: the parsed value; decimals are strings, so that no decimal is rounded.
        end: the index in the text right after the value.
        repairs: the deviations from JSON, in words; () for valid JSON.
    """

    value: Any
    end: int
    repairs: tuple[str, ...] = ()


def read_json(text: str, start: int) -> Json | str:
    """Return the JSON value that begins at `start`, or say in words why it is unreadable."""
    try:
        value, end = _DECODER.raw_decode(text, start)
        found = Json(value, end)
    except ValueError as error:
        if text[start] not in "[{":
            return _reason(error)
        again = _written_anew(text, start)
        if isinstance(again, str):
            return again
        written, end, repairs = again
        try:
            found = Json(_DECODER.decode(written), end, repairs)
        except ValueError as error:
            return _reason(error)
    except RecursionError:
        return "it is nested too deeply"
    # Counting brackets is cheap, and most answers have too few for `depth` to matter.
    if text.count("{") + text.count("[") > MAX_DEPTH and depth(found.value) > MAX_DEPTH:
        return TOO_DEEP
    return found


def depth(value: Any, limit: int = MAX_DEPTH) -> int:
    """Return the nesting depth of a value, counted up to `limit` + 1."""
    if limit < 0 or not isinstance(value, dict | list):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return 1 + max((depth(item, limit - 1) for item in inner), default=0)


def _written_anew(text: str, start: int) -> tuple[str, int, tuple[str, ...]] | str:
    """Return the value rewritten as JSON, its end and the repairs, or the reason for a failure."""
    written: list[str] = []
    repairs: dict[str, None] = {}
    open_: list[str] = []
    at = start
    for _ in range(MAX_TOKENS):
        token = _TOKEN.match(text, at)
        if token is None:
            return _explain_stop(text, at)
        kind, said, at = str(token.lastgroup), token.group(), token.end()
        if kind == "mark":
            if said in "{[":
                open_.append(said)
            elif said in "}]" and open_.pop() != _CLOSES[said]:
                return f"a {said} closes what it did not open"
            elif said in "}]" and written[-1] == ",":
                written.pop()
                repairs["a comma too many"] = None
            written.append(said)
        elif kind == "bare" and set(said) <= {".", "…"}:
            return f"{said} stands for something: write it out"
        elif kind in ("comment", "fence"):
            repairs[f"a {kind}"] = None
        elif kind != "space":
            rewritten, repair = _rewritten(kind, said)
            written.append(rewritten)
            if repair:
                repairs[repair] = None
        if not open_ or len(open_) > MAX_DEPTH:
            break
    if not open_:
        return "".join(written), at, tuple(repairs)
    return TOO_DEEP if len(open_) > MAX_DEPTH else "it is too long"


def _explain_stop(text: str, at: int) -> str:
    """Say in words why no token begins at the index `at`."""
    if at >= len(text) or text[at] == "<":
        return "it ends before its last bracket is closed"
    if text[at] in "\"'“”":
        return f"a quotation mark has no other half: {text[at : at + 20]!r}"
    return f"{text[at : at + 20]!r} cannot be read"


def _rewritten(kind: str, said: str) -> tuple[str, str]:
    """Return a token rewritten as JSON, and the repair in words or ""."""
    if kind == "number":
        return said, ""
    if kind == "bare":
        return _bare(said)
    written = f'"{_ESCAPED.sub(_escape, said[1:-1])}"'
    return written, _REPAIRED[kind] if written != said else ""


def _bare(said: str) -> tuple[str, str]:
    if said in _JSON_CONSTANTS:
        return said, ""
    if said in _CONSTANTS:
        return _CONSTANTS[said], "Python constants"
    if said in ("NaN", "Infinity", "-Infinity"):
        return said, ""  # the decoder will refuse this constant, such as NaN
    return json.dumps(said, ensure_ascii=False), "words without quotes"


_REPAIRED = {
    "string": "line breaks in a string",
    "single": "single quotes",
    "typeset": "typographic quotes",
}


def _escape(found: re.Match[str]) -> str:
    said = found.group()
    if said == "\\'":
        return "'"
    if said == '"':
        return '\\"'
    return said if said.startswith("\\") else json.dumps(said)[1:-1]


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number has more than {MAX_DIGITS} digits")
    return int(digits)


_DECODER = json.JSONDecoder(
    object_pairs_hook=unique_keys, parse_constant=no_number, parse_float=str, parse_int=_integer
)


def _reason(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        near = error.doc[error.pos : error.pos + 20]
        return f"{error.msg.lower()} before {near!r}"
    return str(error)
