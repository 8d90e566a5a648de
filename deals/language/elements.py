"""The parser of a tagged message: one pass finds its elements and all their faults.

An unclosed element ends at the next tag or at the end of the message. A bare `<ACCEPT>` or
`<REJECT>` ends with its tag, so that no private words after the tag are delivered. All text after
an unclosed `<CONSIDER>` or `<NOTES>` is private.
"""

import re
from typing import Any

from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.hedges import doubted, hedged, unsure_beside
from shapley_coop.deals.language.lenient_json import Json, read_json

TAGS = ("s", "CONSIDER", "PROPOSAL", "ACCEPT", "REJECT", "ACTION", "CLAIM", "NOTES")
PRIVATE = ("CONSIDER", "NOTES")
"""Elements that are shown only to their author."""

_MAY_STAND_ALONE = ("ACCEPT", "REJECT")
_BY_NAME = {tag.upper(): tag for tag in TAGS}

# A tag of the protocol, in upper or lower case, perhaps with spaces or attributes. All repetitions
# are bounded and none is nested, so matching takes linear time.
TAG_LIKE = re.compile(
    rf"<\s{{0,4}}(/?)\s{{0,4}}({'|'.join(TAGS)})(\s{{0,4}}/|\s[^<>]{{0,200}}|)\s{{0,4}}>",
    re.IGNORECASE,
)
_BLANK = re.compile(r"\s*")
_OPENS_JSON = re.compile(r"[\[{]")


class _Tag:
    """One tag found in a message."""

    def __init__(self, found: re.Match[str]) -> None:
        closing, name, more = found.groups()
        self.text, self.start, self.end = found.group(), found.start(), found.end()
        self.name = _BY_NAME[name.upper()]
        self.closes = bool(closing)
        self.empty = more.strip() == "/"
        self.attributes = more.strip() not in ("", "/")

    @property
    def shown(self) -> str:
        """The tag as feedback shows it: on one line, at most 60 characters."""
        return " ".join(self.text.split())[:60]


class Elements:
    """The elements of one message, parsed on construction.

    Attributes:
        found: tag → its content: words, or the parsed JSON of a proposal.
        faults: the faults found in the elements, in order.
        repairs: the repairs made in public elements, in words.
        outside: the pieces of text outside the elements.
    """

    def __init__(self, text: str) -> None:
        self.found: dict[str, Any] = {}
        self.faults: list[Fault] = []
        self.repairs: list[str] = []
        self.outside: list[str] = []
        self._text = text
        self._tags = [_Tag(found) for found in TAG_LIKE.finditer(text)]
        self._closing = {tag.name: tag.start for tag in self._tags if tag.closes}
        self._doubled: set[str] = set()
        self._n = 0  # index of the first tag not yet read
        self._read()

    def soundly(self) -> tuple[str, ...]:
        """Return the names of the elements that have no fault, in words for feedback."""
        sound = self.found.keys() - self._doubled
        return tuple(words for tag, words in _IN_WORDS.items() if tag in sound)

    def _read(self) -> None:
        at = 0
        while (tag := self._next(at)) is not None:
            self.outside.append(self._text[at : tag.start])
            if tag.closes:
                at = self._stray(tag)
            elif tag.attributes:
                at = self._wrong("TAG", _ATTRIBUTES.format(tag=tag.shown, name=tag.name), tag.end)
            else:
                at = self._element(tag)
        self.outside.append(self._text[at:])

    def _next(self, at: int) -> _Tag | None:
        """Return the first tag at or after the index `at`, or None."""
        while self._n < len(self._tags) and self._tags[self._n].start < at:
            self._n += 1
        return self._tags[self._n] if self._n < len(self._tags) else None

    def _element(self, tag: _Tag) -> int:
        """Read the element that a tag opens and return the index after its end."""
        if tag.text not in (f"<{tag.name}>", f"<{tag.name}/>") and tag.name not in PRIVATE:
            self._repair(f"read {tag.shown} as <{tag.name}>")
        if tag.empty:
            if tag.name in _MAY_STAND_ALONE:
                self._repair(f"read {tag.shown} as <{tag.name}>")
                return self._alone(tag)
            return self._wrong("TAG", f"{tag.shown} is empty: write <{tag.name}>…", tag.end)
        if tag.name == "PROPOSAL":
            return self._json(tag)
        if tag.name in PRIVATE:
            return self._private(tag)
        if tag.name == "ACTION":
            end, before = self._action(tag), self.outside[-1]
            if doubted(before, self._text[end:]):
                told = f"{before[-40:]}{self._text[tag.start : end + 20]}".strip()[:100]
                self._wrong("ACTION", f"You wrote “{told}”: write <ACTION>…</ACTION> alone.", end)
            return end
        return self._words(tag)

    def _private(self, tag: _Tag) -> int:
        """Read a private element, in which tags are plain text, and return its end."""
        closing = self._closes(tag.name)
        end = closing.start if closing else len(self._text)
        if odd := self._breaks_out(tag, end, closed=closing is not None):
            return self._wrong("TAG", odd, closing.end if closing else end)
        return self._keep(
            tag.name, self._text[tag.end : end].strip(), closing.end if closing else end
        )

    def _breaks_out(self, tag: _Tag, end: int, closed: bool) -> str:
        """Return a fault, in words, if a tag in a private element may be a real tag, else "".

        A tag may be real if it opens the private element again, or closes an element that was
        opened outside. In an unclosed element, any tag may be real. Other tags are plain text.
        """
        opened: list[str] = []
        for i in range(self._n + 1, len(self._tags)):
            inner = self._tags[i]
            if inner.start >= end:
                break
            if not closed:
                return (
                    f"<{tag.name}> is never closed, so that all after it is private: write "
                    f"</{tag.name}> where it ends."
                )
            if inner.name == tag.name or (inner.closes and inner.name not in opened):
                return f"{inner.shown} is inside <{tag.name}>: close </{tag.name}> first."
            if not inner.closes:
                opened.append(inner.name)
        return ""

    def _words(self, tag: _Tag) -> int:
        """Read an element of words up to its closing tag and return its end."""
        following = self._next(tag.end)
        if following and following.closes and following.name == tag.name:
            said = self._text[tag.end : following.start].strip()
            return self._keep(tag.name, said, following.end)
        closing = self._closing.get(tag.name, -1)
        if closing < tag.end:
            if tag.name in _MAY_STAND_ALONE:
                return self._alone(tag)
            return self._unclosed(tag, following)
        assert following is not None, "a closing tag follows"
        return self._nested(tag, following, closing)

    def _alone(self, tag: _Tag) -> int:
        """Read a decision from its tag; refuse an <ACCEPT> whose sentence makes it doubtful."""
        following = self._next(tag.end)
        behind = self._text[tag.end : following.start if following else None]
        after, line = behind.lstrip(), behind.partition("\n")[0]
        before = _SENTENCES.split(self.outside[-1])[-1]
        sentence = f"{before}<ACCEPT> {_SENTENCES.split(after)[0]}"
        unsure = unsure_beside(before, line) or hedged(sentence.replace("<ACCEPT>", ""))
        if tag.name == "ACCEPT" and unsure:
            why = f"You wrote “{sentence.strip()[-80:]}”: write <ACCEPT> alone, or <REJECT>."
            self._wrong("ACK", why, tag.end)
        return self._keep(tag.name, "", tag.end)

    def _unclosed(self, tag: _Tag, following: _Tag | None) -> int:
        """Read an element without a closing tag; it ends where the next element begins."""
        if following and following.closes:
            return self._nested(tag, following, following.start)
        end = following.start if following else len(self._text)
        said = self._text[tag.end : end]
        if following and following.name == "ACCEPT" and hedged(_SENTENCES.split(said)[-1]):
            return self._nested(tag, following, following.start)
        self._repair(f"closed <{tag.name}>")
        return self._keep(tag.name, self._text[tag.end : end].strip(), end)

    def _nested(self, tag: _Tag, inner: _Tag, closing: int) -> int:
        self._wrong("TAG", f"{inner.shown} is inside <{tag.name}>: close </{tag.name}> first.", 0)
        after = self._text.find(">", closing) + 1
        return after or len(self._text)

    def _action(self, tag: _Tag) -> int:
        """Read an action, whose JSON argument may be code with tags, and return its end."""
        closing = self._closes("ACTION")
        opening = _OPENS_JSON.search(self._text, tag.end)
        if "ACTION" in self.found or not closing or not opening or opening.start() > closing.start:
            return self._words(tag)
        carried = read_json(self._text, opening.start())
        if isinstance(carried, Json):
            closing = self._closes("ACTION", carried.end) or closing
        return self._keep("ACTION", self._text[tag.end : closing.start].strip(), closing.end)

    def _closes(self, name: str, at: int = 0) -> _Tag | None:
        """Return the next closing tag of this name at or after the index `at`, or None."""
        rest = (self._tags[i] for i in range(self._n, len(self._tags)))
        return next((t for t in rest if t.closes and t.name == name and t.start >= at), None)

    def _json(self, tag: _Tag) -> int:
        """Read a proposal: parse its JSON, whose strings may hold tags; find the closing tag."""
        # After broken JSON, later JSON is skipped to save time.
        if any(fault.label in ("JSON", "MET") for fault in self.faults):
            return self._broken(
                tag, "DUP", f"The message has more than one <{tag.name}>: give one."
            )
        following = self._next(tag.end)
        limit = following.start if following else len(self._text)
        closed = self._closing.get(tag.name, -1) >= tag.end
        begin = _BLANK.match(self._text, tag.end).end()  # type: ignore[union-attr]
        if begin < limit and self._text[begin] not in "[{":
            scalar = read_json(self._text, begin) if self._text[begin] in _SCALARS else ""
            if isinstance(scalar, Json) and not self._text[scalar.end : limit].strip():
                return self._after_json(tag, scalar, begin)
            quoted = self._text[begin] == '"'
            opening = None if quoted else _OPENS_JSON.search(self._text, begin, limit)
            begin = opening.start() if opening else limit
        if begin >= limit:
            label, why = ("JSON", "is no JSON") if closed else ("MET", "is nothing: close it")
            return self._broken(tag, label, f"Between <{tag.name}> and </{tag.name}> {why}.")
        found = read_json(self._text, begin)
        if isinstance(found, Json):
            return self._after_json(tag, found, begin)
        if not closed:
            return self._broken(tag, "MET", f"<{tag.name}> is never closed, and {found}.")
        return self._broken(tag, "JSON", f"Between the tags is no valid JSON: {found}.")

    def _after_json(self, tag: _Tag, found: Json, begin: int) -> int:
        """Check the text around the JSON, store the JSON and return the element's end."""
        following = self._next(found.end)
        end = following.start if following else len(self._text)
        rest = self._text[found.end : end]
        own = following is not None and following.closes and following.name == tag.name
        if _OPENS_JSON.search(rest):
            why = "Between the tags is more than one JSON object: give one."
            return self._broken(tag, "JSON", why)
        before = self._text[tag.end : begin]
        repairs = [f"the JSON of <{tag.name}>: {what}" for what in found.repairs]
        if before.strip(" \t\r\n") or (own and rest.strip(" \t\r\n")):
            repairs.append(f"left out what stood around the JSON of <{tag.name}>")
        if not own:
            if following is not None and following.closes:
                return self._broken(tag, "JSON", f"{following.shown} does not close <{tag.name}>.")
            repairs.append(f"closed <{tag.name}>")
            following = None
        for repair in repairs:
            self._repair(repair)
        return self._keep(tag.name, found.value, following.end if following else end)

    def _broken(self, tag: _Tag, label: str, why: str) -> int:
        """Note that JSON is broken; return the index after its closing tag, or of the next tag."""
        closing = self._closing.get(tag.name, -1)
        if closing >= tag.end:
            return self._wrong(label, why, self._text.index(">", closing) + 1)
        following = self._next(tag.end)
        return self._wrong(label, why, following.start if following else len(self._text))

    def _stray(self, tag: _Tag) -> int:
        label = "MPT" if tag.name == "PROPOSAL" else "TAG"
        return self._wrong(label, f"{tag.shown} has no opening <{tag.name}>: add it.", tag.end)

    def _keep(self, name: str, content: Any, end: int) -> int:
        """Store an element; a second element with the same tag is a fault.

        Even two equal elements are a fault: quoted text may have closed the first one and opened
        the second.
        """
        if name in self.found:
            self._doubled.add(name)
            self._wrong("DUP", f"The message has more than one <{name}>: give one.", end)
        else:
            self.found[name] = content
        return end

    def _wrong(self, label: str, why: str, end: int) -> int:
        self.faults.append(Fault(label, why))
        return end

    def _repair(self, what: str) -> None:
        if what not in self.repairs:
            self.repairs.append(what)


_SENTENCES = re.compile(r"[.!?;\n]")
_SCALARS = '"-0123456789tfn'
_ATTRIBUTES = "{tag} has more in it than its name: write <{name}> alone, or no angle brackets."
_IN_WORDS = {
    "s": "your speech",
    "PROPOSAL": "the JSON of your proposal",
    "ACCEPT": "<ACCEPT>",
    "REJECT": "<REJECT>",
    "ACTION": "your action",
    "CLAIM": "your claim",
}
