"""The order of a letter's sections for a person, who reads the game first and the question last."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

_HEADING = re.compile(r"^# ", re.MULTILINE)
_ALWAYS = ("Instructions to all", "Instructions to all players")
_NOTES = "**Your notes** (private):"
"""The words before an agent's notes, which change while the rest of what is at stake stays."""
_LONG = 1_000
_OWN = 2_000
"""The most characters of the rules, and of what is at stake, that are shown unfolded."""
_NORM = re.compile(r'"[^"\n]*"|\bthe norm [a-z_]+|\bvalue \([a-z_]+')
"""Quoted speech, which stays as it is, or the name of a norm in the program's words."""

_ESCAPED = re.compile(r'\\\\|\\"|(?:\\n)+|\\u003[ce]')
_UNESCAPED = {r"\\": "\\", r"\"": "’", r"\u003c": "<", r"\u003e": ">"}
"""Escapes in quoted speech → what people read; a line break becomes a stroke."""


@dataclass(frozen=True)
class Section:
    """A part of a letter for a person.

    Attributes:
        title: the heading.
        text: the part in Markdown.
        folded: whether a page shows only the heading until the person opens the part.
        rules: whether the part belongs to the rules, which later letters repeat.
    """

    title: str
    text: str
    folded: bool = False
    rules: bool = False


def sections_for_person(system: str, user: str) -> list[Section]:
    """Return the sections of a letter: the game, the stake, what has happened, the question.

    The question itself is the last section.

    >>> system, user = "Win.\\n\\n# The game\\n\\nA race.", "# You\\n\\nAnn.\\n\\n# Go"
    >>> [(one.title, one.text) for one in sections_for_person(system, user)]
    [('The game', 'A race.'), ('What is at stake for you', 'Win.\\n\\nAnn.'), ('Go', '')]
    >>> sections_for_person(system, "# Go")[1].title
    'Your aim'
    """
    (_, aim), *rules = _parts(system)
    _, *own = _parts(user)
    told = chain.from_iterable(_shortened(*one, "The rest of the rules") for one in rules[:1])
    game = [*told, *(Section(title, text, title not in _ALWAYS) for title, text in rules[1:])]
    you, _, notes = dict(own).get("You", "").partition(f"\n\n{_NOTES}")
    stake = "\n\n".join(filter(None, [aim, you]))
    about = "What is at stake for you" if "You" in dict(own) else "Your aim"
    return [
        *(replace(one, rules=True) for one in game),
        *_shortened(about, stake, "All that is at stake for you", _OWN),
        *([Section("Your notes, which nobody else reads", notes.strip())] if notes else []),
        *_explained([Section(title, text) for title, text in own if title != "You"]),
    ]


def _explained(sections: Sequence[Section]) -> list[Section]:
    """Return the sections with an explanation behind the first name of a norm.

    >>> told = 'Bob: "Keep the norm equal." By the norm shapley, by the norm shapley.'
    >>> _explained([Section("So far", told)])[0].text.removeprefix('Bob: "Keep the norm equal." ')
    'By the norm shapley, a rule for fair shares, by the norm shapley.'
    """
    named = False

    def explain(found: re.Match[str]) -> str:
        nonlocal named
        if named or found[0].startswith('"'):
            return found[0]
        named = True
        return f"{found[0]}, a rule for fair shares"

    return [replace(one, text=_NORM.sub(explain, one.text)) for one in sections]


def speech_as_said(text: str) -> str:
    r"""Return a text in which quoted speech has its own signs in place of escapes.

    >>> speech_as_said(r'Bob: "5 \u003e 4, \"ok\"\n\nor not"')
    'Bob: "5 > 4, ’ok’ / or not"'
    """
    return _ESCAPED.sub(lambda found: _UNESCAPED.get(found.group(), " / "), text)


def _shortened(title: str, text: str, others: str, most: int = _LONG) -> list[Section]:
    """Return a section; if it is long, its later paragraphs are folded under the title `others`."""
    blocks, length = text.split("\n\n"), 0
    for at, block in enumerate(blocks):
        length += len(block)
        if at and length > most:
            first, rest = "\n\n".join(blocks[:at]), "\n\n".join(blocks[at:])
            return [Section(title, first), Section(others, rest, folded=True)]
    return [Section(title, text)]


def _parts(text: str) -> list[tuple[str, str]]:
    """Return the title and text of each part of a letter; text before the first title gets ""."""
    first, *titled = _HEADING.split(speech_as_said(text))
    parts = [
        ("", first),
        *((title, rest) for title, _, rest in (t.partition("\n") for t in titled)),
    ]
    return [(title.strip(), rest.strip()) for title, rest in parts]
