"""The search for the one known name that an agent means."""

import re
from collections.abc import Collection

_AROUND = " \t\r\n*`\"'“”‘’_"


def unwrap(text: str) -> str:
    """Return a text without the quotation marks, backticks, bold marks and full stop around it."""
    return text.strip(_AROUND).rstrip(".!").strip(_AROUND)


def find_meant(said: str, known: Collection[str]) -> str | None:
    """Return the one known name that a text means, ignoring case, plural and marks around it."""
    if said in known:
        return said
    bare = unwrap(said).casefold()
    alike = [name for name in known if name.casefold() == bare]
    for end in () if alike else ("s", "es"):  # singular for plural, or the other way round
        alike += [n for n in known if n.casefold() in (bare + end, bare.removesuffix(end))]
    return alike[0] if len(alike) == 1 else None


def find_action(said: str, known: Collection[str]) -> str | None:
    """Return the one known action that a text names, as its name or as a deed, else None.

    >>> find_action("I will pull the lever", ["door", "lever"]), find_action("cast Heal", ["Heal"])
    ('lever', 'Heal')
    >>> find_action("take the cash", ["wait", "take"]), find_action("leave the door", ["door"])
    ('take', None)
    >>> find_action("pull the lever", ["pull lever", "lever"]), find_action("play safe", ["safe"])
    ('pull lever', 'safe')
    """
    if found := find_meant(said, known):
        return found
    bare = _CHOSEN.sub("", _CHOOSING.sub("", unwrap(said), count=1), count=1)
    named = _ARTICLE.sub("", bare)
    if found := find_meant(bare, known) or find_meant(named, known):
        return found
    deed = _OBJECT.sub("", bare)
    found_as = {find_meant(_DOING.sub("", named, count=1), known), find_meant(deed, known)} - {None}
    return found_as.pop() if len(found_as) == 1 else None


_CHOOSING = re.compile(
    r"^(?:(?:i|we) )?(?:will |to )?(?:vote for |choose to |choose |play |do |pick )?", re.IGNORECASE
)
_CHOSEN = re.compile(
    r"(?: it| (?:my|the|this) (?:move|deal|turn|contract))?(?: to the mediator)?$", re.IGNORECASE
)
_ARTICLE = re.compile(r"\b(?:the|an?) ", re.IGNORECASE)
_DOING = re.compile(
    r"^(?:(?:go|walk|run|move|head) (?:to|for)|pull|take|use|cast|hunt|perform|select) ",
    re.IGNORECASE,
)
"""The verbs with which an action's name is done: "cast Heal", "go to door"."""

_OBJECT = re.compile(r"(?<=\w) the \w{1,40}$", re.IGNORECASE)
"""The object of a verb that is itself an action's name: "take the cash"."""
