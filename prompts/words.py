"""Facts as Markdown in plain words; agents' texts are always quoted, so that they forge nothing.

>>> quote('Fine.\\n# Your turn')
'"Fine.\\\\n# Your turn"'
>>> print(describe({"boss_hp": 782, "heroes": {"Ann": {"hp": 200}, "Ben": {"hp": 90}}}))
- boss hp: 782
<BLANKLINE>
| heroes | hp |
| --- | --- |
| Ann | 200 |
| Ben | 90 |
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

MOST_NAMED = 8
"""The most agents that one sentence names."""

# Characters that open a tag or a fence, or that some programs treat as the end of a line.
ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>`\x7f\x85\u2028\u2029"}
# In an indented block nothing opens a tag or a fence, so only line ends are escaped.
_LINE_ENDS = {ord(char): f"\\x{ord(char):02x}" for char in "\r\v\f\x1c\x1d\x1e"} | {
    ord(char): f"\\u{ord(char):04x}" for char in "\x85\u2028\u2029"
}
_PLAIN = re.compile(r"[\w .,:;!?+\-–−()/%'’=…×·&@$€→*]{0,2000}")


def quote(text: str) -> str:
    """Return an agent's text as one string in double quotes on one line."""
    return json.dumps(text, ensure_ascii=False).translate(ESCAPES)


def plain(value: Any) -> str:
    """Return a value as part of a line: numbers and simple words unchanged, all else quoted."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "–"
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) else quote(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{plain(str(key))} {plain(x)}" for key, x in value.items()) or "none"
    if isinstance(value, Sequence):
        return ", ".join(map(plain, value)) or "none"
    return str(value)


def few(names: Sequence[str]) -> str:
    """Return names as a phrase; of many names, the first ones and the number of others.

    >>> few(["Ann", "Ben"])
    'Ann and Ben'
    >>> few([f"P{n}" for n in range(1, 12)])
    'P1, P2, P3, P4, P5, P6, P7, P8 and 3 more'
    """
    told = [plain(name) for name in names[:MOST_NAMED]]
    told += [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return " and ".join([", ".join(told[:-1]), told[-1]]) if len(told) > 1 else "".join(told)


def name(key: Any) -> str:
    """Return a fact's key as words for letters."""
    return plain(str(key).replace("_", " "))


@lru_cache(maxsize=8192, typed=True)  # cached: letters to several readers repeat cells
def cell(value: Any) -> str:
    """Return a value as the text of a table's cell."""
    return plain(value).replace("|", "\\|")


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a Markdown table."""
    lines = [[cell(column) for column in columns], ["---"] * len(columns)]
    lines += [[cell(value) for value in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def block(text: str) -> str:
    """Return lines indented as a block, so that none looks like a line of the program."""
    lines = text.translate(_LINE_ENDS).strip("\n").split("\n")
    return "\n".join(f"    {line}".rstrip() for line in lines)


def describe(facts: Mapping[str, Any]) -> str:
    """Return facts in words: as lines, and as a table for rows with equal columns."""
    lines, parts = [], []
    for key, value in facts.items():
        if _is_table(value):
            parts.append(_as_table(key, value))
        elif _holds_text(value):
            parts += [f"{at}:\n\n{block(text)}" for at, text in _texts(key, value)]
        else:
            lines.append(f"- {name(key)}: {plain(value)}")
    return "\n\n".join(["\n".join(lines), *parts] if lines else parts)


def _is_table(value: Any) -> bool:
    """Return whether a value consists of rows with the same columns."""
    rows = list(value.values()) if isinstance(value, Mapping) else value
    if not isinstance(rows, list) or not rows or not all(isinstance(x, Mapping) for x in rows):
        return False
    flat = all(not isinstance(x, Mapping | list) for row in rows for x in row.values())
    return flat and bool(rows[0]) and all(row.keys() == rows[0].keys() for row in rows)


def _as_table(key: str, value: Any) -> str:
    if isinstance(value, Mapping):
        columns = list(next(iter(value.values())))
        rows = [[one, *row.values()] for one, row in value.items()]
        return table([key.replace("_", " "), *columns], rows)
    return f"{name(key)}:\n\n" + table(list(value[0]), [x.values() for x in value])


def _holds_text(value: Any) -> bool:
    """Return whether a value is a text of several lines, or a mapping with such a text."""
    texts = value.values() if isinstance(value, Mapping) else [value]
    whole = all(isinstance(text, str) for text in texts)
    return whole and any("\n" in text for text in texts)


def _texts(key: str, value: Any) -> Iterable[tuple[str, str]]:
    if isinstance(value, Mapping):  # the keys are names or paths, which stay unchanged
        return [(plain(str(at)), text) for at, text in value.items()]
    return [(name(key), value)]
