"""The wire: one strict scanner for the tagged text that agents send.

>>> scan("I will be kind.<s>I propose a deal</s><PROPOSAL>{\\"clauses\\": []}</PROPOSAL>").speech
'I propose a deal'
>>> scan("<s>deal!</s><s>twice</s>").label
'DUP'

====================================  =======================================================
element                               meaning
====================================  =======================================================
`<s>…</s>`                            public speech; binds nobody
`<CONSIDER>…</CONSIDER>`              private reasoning; never delivered
`<PROPOSAL>{json}</PROPOSAL>`         an offer
`<ACCEPT>` `<ACCEPT>2 hash</ACCEPT>`  accepts what stood in the letter; what it names must match
`<REJECT>` `<REJECT>why</REJECT>`     rejects it
`<ACTION>name</ACTION>`               the action taken this turn
`<CLAIM>40%</CLAIM>`                  the part of the total that the agent says it earned
`<NOTES>…</NOTES>`                    private notes, which its next letters show it
====================================  =======================================================

Text outside the elements is private. The sender is never read from the text. A message has at
most one element of each kind; unknown tags, look-alikes and nested tags are refused.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from shapley_coop.deals.language.faults import Fault
from shapley_coop.files import no_number, unique_keys

PROTOCOL = "coop/1"
"""The version of the wire format."""

MAX_MESSAGE = 64_000
MAX_SPEECH = 4_000
"""Limit of a speech, or of a reason, in characters: every later letter shows them."""
MAX_DEPTH = 12
MAX_DIGITS = 40

MAX_NOTES = 600
"""As much as is kept of an agent's notes, in characters."""

TAGS = ("s", "CONSIDER", "PROPOSAL", "ACCEPT", "REJECT", "ACTION", "CLAIM", "NOTES")
_MAY_STAND_ALONE = {"ACCEPT", "REJECT"}
# Anything a reader could take for a tag: a word between angle brackets, or one of ours with
# attributes. Every repetition is bounded and none is nested: linear time.
_TAG_LIKE = re.compile(
    r"<\s{0,4}/?\s{0,4}"
    rf"(?:[^\W\d_][^<>\s]{{0,30}}|(?i:{'|'.join(TAGS)})\s[^<>]{{0,200}})"
    r"\s{0,4}/?\s{0,4}>"
)
_OPENING = {f"<{tag}>": tag for tag in TAGS}
_INVISIBLE = {"Cf", "Cs", "Co", "Cn"}


@dataclass(frozen=True)
class Message:
    """What one message says; `None` for an element it does not have."""

    speech: str | None = None
    consider: str | None = None
    proposal: Any = None
    accept: str | None = None
    reject: str | None = None
    action: str | None = None
    claim: str | None = None
    notes: str | None = None


def scan(text: str) -> Message | Fault:
    """Parse a message; whatever arrives, the answer is a message or a labelled fault.

    Cost: linear in the text, which is at most `MAX_MESSAGE` characters.
    """
    if not isinstance(text, str) or len(text) > MAX_MESSAGE:
        return Fault("SIZE", f"A message has at most {MAX_MESSAGE} characters: write less.")
    if fault := _unreadable(text):
        return fault
    found: dict[str, Any] = {}
    at = 0
    while match := _TAG_LIKE.search(text, at):
        tag = _OPENING.get(match.group())
        if tag is None:
            return _stray(match.group())
        if tag in found:
            return Fault("DUP", f"The message has more than one <{tag}>: give one.")
        content = _content(text, match.end(), tag)
        if isinstance(content, Fault):
            return content
        found[tag], at = content
    return Message(found.pop("s", None), **{tag.lower(): content for tag, content in found.items()})


def too_long(message: Message) -> Fault | None:
    """LONG: what is delivered to all is at most MAX_SPEECH characters long."""
    heard = {"<s>": message.speech, "<ACCEPT>": message.accept, "<REJECT>": message.reject}
    for tag, text in heard.items():
        if text and len(text) > MAX_SPEECH:
            return Fault(
                "LONG",
                f"{tag} is {len(text)} characters long (limit {MAX_SPEECH}, because all have to "
                "read it): say it more briefly.",
            )
    return None


def _unreadable(text: str) -> Fault | None:
    """Characters that are invisible, or that look like part of a tag."""
    for char in sorted(set(text)):
        if char == "\ufffd":
            return Fault("TEXT", "The text holds U+FFFD, the replacement of an invalid character.")
        if unicodedata.category(char) in _INVISIBLE or (
            unicodedata.category(char) == "Cc" and char not in "\n\r\t"
        ):
            return Fault("TEXT", f"The character U+{ord(char):04X} is invisible: leave it out.")
        if char not in "<>" and unicodedata.normalize("NFKC", char) in ("<", ">"):
            return Fault("TAG", f"The character U+{ord(char):04X} looks like < or >: use ASCII.")
    return None


def _content(text: str, start: int, tag: str) -> tuple[Any, int] | Fault:
    """The content of an element that opened just before `start`, and where it ends."""
    if tag == "PROPOSAL":
        return _proposal(text, start)
    closing = f"</{tag}>"
    following = _TAG_LIKE.search(text, start)
    if following and following.group() == closing:
        return text[start : following.start()].strip(), following.end()
    if tag in _MAY_STAND_ALONE and closing not in text[start:]:
        return "", start
    if following:
        inner = " ".join(following.group().split())
        return Fault("TAG", f"{inner} is inside <{tag}>: close {closing} first.")
    return Fault("TAG", f"<{tag}> is never closed: add {closing}.")


def _proposal(text: str, start: int) -> tuple[Any, int] | Fault:
    """JSON first, then its closing tag: a tag inside a JSON string is only a string."""
    begin = start + len(text[start:]) - len(text[start:].lstrip())
    if text.startswith("```", begin):
        return Fault("JSON", "Put the JSON between the tags without a ``` fence.")
    try:
        value, end = _DECODER.raw_decode(text, begin)
    except (ValueError, RecursionError) as error:
        if "</PROPOSAL>" not in text[start:]:
            return Fault("MET", "<PROPOSAL> is never closed: add </PROPOSAL>.")
        return Fault("JSON", f"Between the tags is no valid JSON: {_reason(error)}.")
    if _depth(value) > MAX_DEPTH:
        return Fault("JSON", f"The JSON is nested more than {MAX_DEPTH} deep: write it flat.")
    # Escapes such as "\u200b" are characters only now.
    if fault := _unreadable("".join(_strings(value))):
        return fault
    closing = re.compile(r"\s*</PROPOSAL>").match(text, end)
    if closing:
        return value, closing.end()
    if "</PROPOSAL>" not in text[end:]:
        return Fault("MET", "<PROPOSAL> is never closed: add </PROPOSAL>.")
    return Fault("JSON", "Between the tags is more than one JSON object: give one.")


def _stray(tag: str) -> Fault:
    if tag == "</PROPOSAL>":
        return Fault("MPT", "</PROPOSAL> has no opening <PROPOSAL>: add it.")
    shown, known = " ".join(tag.split()), " ".join(_OPENING)
    return Fault("TAG", f"{shown} is not a tag of this protocol, or has no opening: use {known}.")


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number has more than {MAX_DIGITS} digits")
    return int(digits)


_DECODER = json.JSONDecoder(
    object_pairs_hook=unique_keys, parse_constant=no_number, parse_float=str, parse_int=_integer
)


def _depth(value: Any, limit: int = MAX_DEPTH) -> int:
    if limit < 0 or not isinstance(value, dict | list):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return 1 + max((_depth(item, limit - 1) for item in inner), default=0)


def _strings(value: Any) -> Iterator[str]:
    """Every string of a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from _strings(item)


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return str(error).split(":", maxsplit=1)[0].lower() if error.args else "unreadable"
