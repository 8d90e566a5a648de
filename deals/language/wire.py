"""The wire: the tagged text that agents send, read leniently in form and strictly in what binds.

>>> scan("I will be kind.<s>I propose a deal</s><PROPOSAL>{\\"clauses\\": []}</PROPOSAL>").speech
'I propose a deal'
>>> scan("**<accept/>** That is all.").accept
''
>>> scan("<ACTION>door</ACTION> or <ACTION>lever</ACTION>").label
'DUP'

====================================  =======================================================
element                               meaning
====================================  =======================================================
`<s>…</s>`                            public speech; binds nobody
`<CONSIDER>…</CONSIDER>`              private reasoning; never delivered
`<NOTES>…</NOTES>`                    private notes for later letters; never delivered
`<PROPOSAL>{json}</PROPOSAL>`         an offer
`<ACCEPT>` `<ACCEPT>2 hash</ACCEPT>`  accepts what stood in the letter; what it names must match
`<REJECT>` `<REJECT>why</REJECT>`     rejects it
`<ACTION>name</ACTION>`               the action taken this turn
`<CLAIM>40%</CLAIM>`                  the part of the total that the agent says it earned
====================================  =======================================================

Text outside the elements is private, and other tags are text; what a mark of `thoughts` sets off is
left out. The sender is never read from the text. What is read although it is not written so, and
what is asked back, is in `docs/answers.md`; every repair of what others get to see is told to them.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from shapley_coop.deals.language.elements import TAG_LIKE, TAGS, Elements
from shapley_coop.deals.language.faults import Fault, together
from shapley_coop.deals.language.lenient_json import INVISIBLE, MAX_DEPTH
from shapley_coop.deals.language.thoughts import MARK, without_thoughts
from shapley_coop.escaping import SELECTED, hides

PROTOCOL = "coop/2"
"""The version of the wire format and of the hashes in records (`shapley_coop.canonical`).

Before 2, `{"turns": [2, 5]}` was a range, and hashes were of Python's own JSON.
"""

MAX_MESSAGE = 64_000
MAX_SPEECH = 4_000
"""Limit of a speech, or of a reason, in characters: every later letter shows them."""
MAX_NOTES = 600
"""Characters of its notes that an agent is shown again."""

__all__ = ["MAX_DEPTH", "MAX_MESSAGE", "MAX_NOTES", "MAX_SPEECH", "PROTOCOL", "TAGS", "Message"]

_SELECTOR = re.compile(SELECTED)
_DROPPED = re.compile(f"(?!{SELECTED})[{INVISIBLE}]")
_LINES = "\n\r\t\u2028\u2029"
_READABLE = {*map(chr, range(32, 127)), *_LINES, *INVISIBLE}
"""What needs no look: plain ASCII, and what is looked for by itself."""


@dataclass(frozen=True)
class Message:
    """What one message says; `None` for an element it does not have.

    Attributes:
        notes: its first MAX_NOTES characters.
        repairs: what was repaired in what others get to see, in words.
        outside: the words outside all elements; private.
    """

    speech: str | None = None
    consider: str | None = None
    proposal: Any = None
    accept: str | None = None
    reject: str | None = None
    action: str | None = None
    claim: str | None = None
    notes: str | None = None
    repairs: tuple[str, ...] = field(default=(), compare=False)
    outside: str = field(default="", compare=False, repr=False)


def scan(text: str) -> Message | Fault:
    """Parse a message; whatever arrives, the answer is a message or a labelled fault.

    A fault holds all that is wrong, and what of the message was sound. Cost: linear in the text,
    which is at most `MAX_MESSAGE` characters.
    """
    if not isinstance(text, str) or len(text) > MAX_MESSAGE:
        return Fault("SIZE", f"A message has at most {MAX_MESSAGE} characters: write less.")
    if fault := _unreadable(text):
        return fault
    answer = without_thoughts(text)
    if isinstance(answer, Fault):
        return answer
    elements = Elements(answer)
    found = elements.found
    # ASCII without escapes hides nothing: what is unreadable in it was refused above.
    plain = text.isascii() and "\\" not in text
    hidden = None if plain else together([_hidden_tag(text), *map(_hidden_in, _names(found))])
    if fault := together([*elements.faults, hidden]):
        return Fault(fault.label, fault.feedback, elements.soundly())
    said = {key: _visible(found[tag]) for tag, key in _WORDS.items() if tag in found}
    if "notes" in said:
        said["notes"] = said["notes"][:MAX_NOTES]
    return Message(
        **said,
        proposal=found.get("PROPOSAL"),
        action=found.get("ACTION"),
        claim=found.get("CLAIM"),
        repairs=tuple(elements.repairs),
        outside=_visible("\n".join(elements.outside)),
    )


def too_long(message: Message) -> Fault | None:
    """LONG: what is delivered to all is at most MAX_SPEECH characters long."""
    heard = {"<s>": message.speech, "<ACCEPT>": message.accept, "<REJECT>": message.reject}
    return together(
        Fault(
            "LONG",
            f"{tag} is {len(text)} characters long (limit {MAX_SPEECH}, because all have to "
            "read it): say it more briefly.",
        )
        for tag, text in heard.items()
        if text and len(text) > MAX_SPEECH
    )


_WORDS = {
    "s": "speech",
    "CONSIDER": "consider",
    "ACCEPT": "accept",
    "REJECT": "reject",
    "NOTES": "notes",
}
"""Elements that hold words for somebody to read, in which what is invisible is left out."""


def _unreadable(text: str) -> Fault | None:
    """Characters that are invisible and harmful, or that look like part of a tag."""
    for char in sorted(set(text) - _READABLE):
        if fault := _refuse_character(char):
            return fault
    return None


@lru_cache(maxsize=4096)
def _refuse_character(char: str) -> Fault | None:
    if char == "\ufffd":
        return Fault("TEXT", "The text holds U+FFFD, the replacement of an invalid character.")
    if char not in _LINES and hides(char):
        return Fault("TEXT", f"The character U+{ord(char):04X} is invisible: leave it out.")
    if char not in "<>" and unicodedata.normalize("NFKC", char) in ("<", ">"):
        return Fault("TAG", f"The character U+{ord(char):04X} looks like < or >: use ASCII.")
    return None


def _hidden_tag(text: str) -> Fault | None:
    """Return a tag, or a mark of thoughts, that only shows once what is invisible is left out."""
    if not any(char in text for char in INVISIBLE):
        return None
    visible = _visible(text)
    if all(
        [found.group() for found in tag.finditer(text)]
        == [found.group() for found in tag.finditer(visible)]
        for tag in (TAG_LIKE, MARK)
    ):
        return None
    return Fault("TEXT", "An invisible character is inside a tag: write the tag without it.")


def _names(found: dict[str, Any]) -> Iterator[str]:
    """Yield what is compared with names and numbers, so that nothing may be hidden in it."""
    for tag in ("ACTION", "CLAIM", "PROPOSAL"):
        yield from _strings(found.get(tag))


def _hidden_in(name: str) -> Fault | None:
    chars = sorted(set(_SELECTOR.sub("", name)))
    return next((fault for char in chars if (fault := _hidden(char))), None)


def _hidden(char: str) -> Fault | None:
    if char in INVISIBLE:
        return Fault("TEXT", f"The character U+{ord(char):04X} is invisible: leave it out.")
    return _refuse_character(char)


def _visible(text: str) -> str:
    return text if text.isascii() else _DROPPED.sub("", text)


def _strings(value: Any) -> Iterator[str]:
    """Yield every string of a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from _strings(item)
