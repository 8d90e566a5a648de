"""The wire format: tagged text from agents, read leniently in form and strictly in meaning.

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
`<ACCEPT>` `<ACCEPT>2 hash</ACCEPT>`  accepts the letter's offer; a number or hash must match
`<REJECT>` `<REJECT>why</REJECT>`     rejects the letter's offer
`<ACTION>name</ACTION>`               the action taken this turn
`<CLAIM>40%</CLAIM>`                  the part of the total that the agent says it earned
====================================  =======================================================

Text outside the elements is private, and unknown tags are plain text. A model's thoughts between
marks (`thoughts.MARKS`) are removed. The sender is never read from the text. `docs/answers.md`
lists the repairs and the refusals. All agents that read a repaired element learn of the repair.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from shapley_coop.deals.language.elements import TAG_LIKE, TAGS, Elements
from shapley_coop.deals.language.faults import Fault, together
from shapley_coop.deals.language.hedges import doubted, hedged
from shapley_coop.deals.language.lenient_json import INVISIBLE, MAX_DEPTH, read_json
from shapley_coop.deals.language.thoughts import MARK, without_thoughts
from shapley_coop.escaping import SELECTED, hides

PROTOCOL = "coop/2"
"""The version of the wire format and of the hashes in records (`shapley_coop.canonical`).

In version 1 `{"turns": [2, 5]}` was a range, and `json.dumps` wrote the JSON for hashes.
"""

MAX_MESSAGE = 64_000
MAX_SPEECH = 4_000
"""The largest length of a speech or a reason, in characters: all later letters show the text."""
MAX_NOTES = 600
"""The number of characters of an agent's notes that its later letters show."""

__all__ = ["MAX_DEPTH", "MAX_MESSAGE", "MAX_NOTES", "MAX_SPEECH", "PROTOCOL", "TAGS", "Message"]

_SELECTOR = re.compile(SELECTED)
_DROPPED = re.compile(f"(?!{SELECTED})[{INVISIBLE}]")
_LINES = "\n\r\t\u2028\u2029"
_READABLE = {*map(chr, range(32, 127)), *_LINES, *INVISIBLE}
"""Characters that `_unreadable` accepts: ASCII, and invisible ones that others check."""


@dataclass(frozen=True)
class Message:
    """The content of one message; an attribute is `None` if the message lacks the element.

    Attributes:
        notes: the first MAX_NOTES characters of the notes.
        repairs: the repairs made in public elements, in words.
        outside: the private words outside all elements.
        fence: the fenced block right behind an action that carries JSON, or "".
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
    fence: str = ""


def scan(text: str) -> Message | Fault:
    """Parse a message and return its content or a labelled fault; never raise.

    The fault lists all faults and the elements without a fault. Cost: linear in the text, which
    has at most `MAX_MESSAGE` characters.
    """
    if not isinstance(text, str) or len(text) > MAX_MESSAGE:
        return Fault("SIZE", f"A message has at most {MAX_MESSAGE} characters: write less.")
    if fault := _unreadable(text):
        return fault
    answer = without_thoughts(text)
    if isinstance(answer, Fault):
        return answer
    answer, fence = _apart(answer)
    elements = Elements(answer)
    found = elements.found
    # ASCII text without escapes can hide nothing that `_unreadable` did not find above.
    plain = text.isascii() and "\\" not in text
    hidden = (
        None if plain else together([_hidden_tag(text), *map(_hidden_in, [*_names(found), fence])])
    )
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
        fence=fence,
    )


def said_in(delivered: str) -> Message:
    """Parse a delivered message; return an empty `Message` if it cannot be parsed."""
    message = scan(delivered)
    return message if isinstance(message, Message) else Message()


_BEHIND = re.compile(
    r"\}\s{0,9}</ACTION>\s{0,9}\n(?P<fence>(`{3,12}|~{3,12})[^\n]*\n)", re.IGNORECASE
)


def _apart(text: str) -> tuple[str, str]:
    """Return a message without the fenced block after its only action, and that block (or "")."""
    opened = _BEHIND.search(text)
    if opened is None:
        return text, ""
    closed = re.compile(rf"^{opened[2]}[ \t]*$", re.MULTILINE).search(text, opened.end())
    if closed is None:
        return text, ""
    begin, end = opened.start("fence"), closed.end()
    others = text[:begin] + text[end:]
    return (others, text[begin:end]) if others.upper().count("<ACTION>") == 1 else (text, "")


def untagged_object(message: Message, key: str) -> Any | None:
    """Return the JSON object that ends the words outside all elements, or None if there is none.

    It has to have the key, and the words before it must have no other brace and no reservation, as
    the object might be another's or denied.
    """
    words = message.outside
    start = words.find("{")
    found = read_json(words, start) if start >= 0 else ""
    if isinstance(found, str) or not isinstance(found.value, dict) or key not in found.value:
        return None
    alone = not words[found.end :].strip(" `\n") and not hedged(words[:start])
    return found.value if alone and not doubted(words[:start].rstrip(" `\n")) else None


def too_long(message: Message) -> Fault | None:
    """Return a LONG fault if a public element of words has over MAX_SPEECH characters."""
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
"""Tag → attribute of `Message`, for elements of free words: not PROPOSAL, ACTION or CLAIM."""


def _unreadable(text: str) -> Fault | None:
    """Return a fault for a harmful invisible character or a character that looks like < or >."""
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
    """Return a fault if a tag or a mark of thoughts has an invisible character inside."""
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
    """Yield the texts that are read as names or numbers, and so must not hide any characters."""
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
    """Yield every string in a JSON value, including the keys of objects."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from _strings(item)
