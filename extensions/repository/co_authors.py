"""The co-authors in a commit's message, and the co-author lines that cannot be read."""

import re

from shapley_coop.extensions.repository.contributions import Person

_LONGEST = 1_000
"""The most characters of a co-author line; longer lines are not read."""

_BETWEEN = re.compile(r"(?<=>)\s*(?:[,;&]|and\b)\s*", re.IGNORECASE)
_BRACKETS = re.compile(r"<*\s*(?P<name>[^<>]*)<+\s*(?P<email>[^<>\s]+)\s*>+")
_BARE = re.compile(r"(?P<name>[^<>@]*)\s(?P<email>[^<>@\s]+@[^<>@\s]+)")
_LINE = re.compile(r"^co-authored-by[ \t]*:(.*)$", re.IGNORECASE | re.MULTILINE)


def co_authors(trailers: str, message: str) -> tuple[tuple[Person, ...], tuple[str, ...]]:
    """Return the co-authors, and a reason for each co-author line that cannot be read.

    Args:
        trailers: the co-author values that git found in the message's last paragraph, one a line.
        message: the whole message, in which other paragraphs may have co-author lines too.
    """
    people: list[Person] = []
    unread: list[str] = []
    values = [value.strip() for value in trailers.splitlines() if value.strip()]
    for value in values:
        found = _people(value)
        people += found
        if not found:
            unread.append(f"{value!r} is no name with an address")
    read = {" ".join(value.split()) for value in values}
    unread += [
        f"{value!r} does not stand in the message's last paragraph, where git reads it"
        for value in dict.fromkeys(" ".join(line.split()) for line in _LINE.findall(message))
        if value and value not in read
    ]
    return tuple(people), tuple(unread)


def _people(value: str) -> list[Person]:
    """Return the people that a co-author line names; none if any part of it is ambiguous."""
    if len(value) > _LONGEST:
        return []
    parts = [part for part in _BETWEEN.split(value) if part.strip()]
    found = [_BRACKETS.fullmatch(part.strip()) or _BARE.fullmatch(f" {part}") for part in parts]
    return [Person(one["name"].strip(" ,("), one["email"]) for one in found if one and all(found)]
