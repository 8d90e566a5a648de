"""The rules for the fields of answers: the form in tagged text, and the name in letters.

>>> In("CLAIM").tagged("40%"), Choice({"yes": "<ACCEPT>", "no": "<REJECT>"}).told()
('<CLAIM>40%</CLAIM>', '"yes" for `<ACCEPT>` or "no" for `<REJECT>`')
"""

import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from shapley_coop.deals.language.acceptance import DECISIONS
from shapley_coop.deals.language.choices import choose
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.meant import find_meant
from shapley_coop.deals.language.thoughts import MARK
from shapley_coop.deals.language.wire import Message

# A tag quoted in a field could end the field's element, so its "<" becomes a similar "‹".
_OPENS = re.compile(r"<(?=\s{0,4}/?\s{0,4}[^\W\d_])")
_COUNTS = {2: "two", 3: "three", 4: "four"}


def element(tag: str, text: Any, private: bool = False) -> str:
    """Return a field's text as an element, or "" if the field is empty.

    A thought mark, such as `<think>`, stays in a public field, so that the parser refuses the
    message. In a private field "…" replaces the mark, between the texts before and after it.
    """
    if text in (None, ""):
        return ""
    told, parts, at = str(text), "", 0
    for mark in MARK.finditer(told):
        parts += _OPENS.sub("‹", told[at : mark.start()]) + ("…" if private else mark.group())
        at = mark.end()
    return f"<{tag}>{parts}{_OPENS.sub('‹', told[at:])}</{tag}>"


def proposal_of(value: Any) -> str:
    """Return a value as JSON in the element that proposes it."""
    return f"<PROPOSAL>{json.dumps(value, ensure_ascii=False)}</PROPOSAL>"


def _named(element: str, name: str, words: str) -> str:
    """Return words with a name in place of an element, its content and the backticks around it.

    >>> _named("CLAIM", "`percent`", "state one <CLAIM>…</CLAIM>")
    'state one `percent`'
    """
    return re.sub(
        rf"(`?)<{re.escape(element)}>(?:[^<>]{{0,20}}</{element}>)?\1", lambda _: name, words
    )


@dataclass(frozen=True)
class In:
    """The rule that a field is written in an element of tagged text.

    Attributes:
        element: the element's name; `s` is public, `CONSIDER` is private.
        write: turns the field's value into the element's content.
        read: turns the element's content into the field's value.
    """

    element: str
    write: Callable[[Any], str] = str
    read: Callable[[str], Any] = str

    def tagged(self, value: Any) -> str:
        """Return a value as an element, or "" for None."""
        return "" if value is None else element(self.element, self.write(value))

    @property
    def public(self) -> bool:
        """Whether all agents read this field's text."""
        return self.element == "s"

    def told(self) -> str:
        """Return the field's name in letters: the element's tag."""
        return f"`<{self.element}>`"

    def untagged(self, text: str) -> Any:
        """Return the content of the element in a tagged text, or None if it has no such element."""
        found = re.search(rf"<{self.element}>(.*?)</{self.element}>", text, re.DOTALL)
        return self.read(found[1]) if found else None

    def renamed(self, field: str, words: str) -> str:
        """Return feedback with the field's name in place of the element's tags."""
        return _named(self.element, f"`{field}`", words)


@dataclass(frozen=True)
class Within:
    """The mark of a field that the answer's class writes into another field's element.

    Attributes:
        words: the words for the field in letters.
        element: the other field's element.
        read: turns the element's content into the field's value; None if only the class can.
    """

    words: str
    element: str = "PROPOSAL"
    read: Callable[[str], Any] | None = None

    def tagged(self, value: Any) -> str:
        """Return "", because only the answer's class can write this field."""
        return ""

    def untagged(self, text: str) -> Any:
        """Return the field's value in a tagged text, or None if only the class can read it."""
        return In(self.element, read=self.read).untagged(text) if self.read else None

    def renamed(self, field: str, words: str) -> str:
        """Return feedback with the field's name in place of the element's tags."""
        if read := self.read:  # an example of the element's content is shown in the field's form
            example = rf"(?<=<{self.element}>)\{{[^<>]*\}}(?=</{self.element}>)"
            for found in re.findall(example, words):
                shown = json.dumps(read(found), ensure_ascii=False)
                written = f"<{self.element}>{found}</{self.element}>"
                words = words.replace(written, f"`{field}`: {shown}")
        return _named(self.element, f"`{field}`", words)

    def told(self) -> str:
        """Return the words by which letters name the field."""
        return self.words


@dataclass(frozen=True)
class Choice:
    """The rule that a decision is written as one of several tags.

    Attributes:
        tags: value → its tagged text.
        to: value → its effect, as the words after "to" in feedback.
        labels: value → the label of a person's button.
    """

    tags: Mapping[str, str]
    to: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)

    def only(self, values: Collection[str]) -> "Choice":
        """Return this rule, limited to some of its values."""
        return replace(self, tags={v: tag for v, tag in self.tags.items() if v in values})

    def tagged(self, value: Any) -> str:
        """Return the tag of a value or of a synonym; write other words as text for the parser.

        >>> Choice({"accept": "<ACCEPT>"}).tagged("Sign."), Choice({}).tagged("perhaps")
        ('<ACCEPT>', '\\nDecision: perhaps')
        """
        said = str(value or "")
        named = find_meant(said, self.tags) or DECISIONS.get(find_meant(said, DECISIONS) or "", "")
        if not said or named in self.tags:
            return self.tags.get(named or "", "")
        return f"\nDecision: {_OPENS.sub('‹', ' '.join(said.split()))}"

    def untagged(self, text: str) -> Any:
        """Return the first value whose tag is in a tagged text, or the value without a tag."""
        found = (value for value, tag in self.tags.items() if tag and tag in text)
        return next(found, next((value for value, tag in self.tags.items() if not tag), None))

    def renamed(self, field: str, words: str) -> str:
        """Return feedback with the values in place of their tags."""
        for value, tag in self.tags.items():
            words = _named(tag.strip("<>"), f'"{value}"', words) if tag else words
        return words

    def told(self) -> str:
        """Return all values with their tags, in the words that letters use."""
        own = {tag: value for value, tag in reversed([*self.tags.items()]) if tag}
        tags = {value: f" for `{tag}`" for tag, value in own.items()}
        *first, last = (f'"{value}"{tags.get(value, "")}' for value in self.tags)
        return f"{', '.join(first)} or {last}"

    def ask(self) -> str:
        """Return a sentence that asks to choose one of the values, for feedback."""
        *first, last = (f"{tag} to {self.to[value]}" for value, tag in self.tags.items())
        return f"Do one of {_COUNTS[len(self.tags)]}: {', '.join(first)}, or {last}."

    def read(self, message: Message) -> tuple[str, str] | Fault:
        """Return the value that a message chooses, and its repair or ""; if unclear, a fault."""
        given = {"accept": message.accept, "reject": message.reject}
        decided, word = {value for value, said in given.items() if said is not None}, ""
        if message.action is not None:
            words = {said: value for value, said in self.to.items()} | DECISIONS
            named = choose(message, tuple(words))
            if isinstance(named, Fault) or named[0] not in words:
                return Fault("ACTION", f"That action is none of them. {self.ask()}")
            word = named[0]
            decided.add(words[word])
        if len(decided) != 1 or not decided <= self.tags.keys():
            return Fault("ACK", self.ask())
        value = decided.pop()
        return value, f"read {word} as {value}" if word not in ("", value) else ""


How = In | Within | Choice
