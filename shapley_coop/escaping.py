r"""Text of others, as people and models read it: nothing hidden, nothing forged.

Names, speech, commits and files come from agents and strangers. Three readers need three functions:
a terminal obeys control characters, a letter's reader cannot see what it is told in characters that
have no glyph, and a spreadsheet computes what begins like a formula.

>>> on_terminal("fine\n  signed 0123\x1b[2J")
'fine\\n  signed 0123\\u001b[2J'
>>> in_letter("yes\U000e0041\ufe0f")
'yes\\udb40\\udc41\\ufe0f'
>>> in_cell("=HYPERLINK(1)"), in_cell("-3.5")
("'=HYPERLINK(1)", '-3.5')
"""

import re

_HIDDEN = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # control characters
    "\u2028\u2029"  # what ends a line or paragraph
    # Format characters, among them those that reverse the order in which text is shown.
    "\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    # Without a glyph by Unicode's own word (Default_Ignorable_Code_Point); Braille's blank.
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8"
    "\U000e0000-\U000e0fff"
    # Halves of pairs, private use, and what is no character.
    "\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef\U000f0000-\U0010ffff"
    + "".join(f"{chr(plane | 0xFFFE)}{chr(plane | 0xFFFF)}" for plane in range(0, 0xF0000, 0x10000))
    + "]"
)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?%?")


def on_terminal(text: str) -> str:
    """Text as one line of a terminal: it cannot end the line, move the cursor or hide.

    What is escaped is written as in JSON, so that a line of JSON stays the same data.
    """
    return text if text.isascii() and text.isprintable() else _HIDDEN.sub(_as_escape, text)


def in_letter(text: str) -> str:
    """Text as a part of a letter: no character that a person who reads it could not see.

    Letters are read by models, which read such characters very well. Escaped as in JSON.
    """
    return on_terminal(text)


def in_cell(text: str) -> str:
    """Text as a cell of a table that spreadsheets open: what would be a formula is text.

    A number stays a number; anything else that begins with = + - or @, behind white space or in
    full width, too, gets an apostrophe in front, as spreadsheets themselves write text.
    """
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def _as_escape(found: "re.Match[str]") -> str:
    char = found.group()
    if char in _SHORT:
        return _SHORT[char]
    pair = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{pair[n]:02x}{pair[n + 1]:02x}" for n in range(0, len(pair), 2))
