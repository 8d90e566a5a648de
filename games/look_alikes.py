"""Look-alike names, which readers of a letter or a report could confuse.

Unicode's list of confusables (UTS #39) says which characters and groups look alike; the package
confusable-homoglyphs contains this list. A word that mixes Latin letters with foreign letters that
look Latin is also reported, because readers could take the word for another name.
"""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

from shapley_coop.escaping import without_hidden

_IN_ASCII = (frozenset("1lI|"), frozenset("0O"))
_SAME = {ord(letter): min(shapes) for shapes in _IN_ASCII for letter in shapes}
_GROUPS = {"m": "rn", "w": "vv"}
"""ASCII letter → the two letters that look like it. Unicode's list has "rn" but not "vv"."""

_LIKE_LATIN = {"CYRILLIC", "GREEK", "COPTIC", "ARMENIAN", "CHEROKEE", "LISU"}
"""Scripts with many letters that look like Latin ones."""


def look_alike(names: Sequence[str]) -> tuple[str, str] | None:
    """Return the first pair of names that look alike, or None if there is no such pair."""
    shown = [(name, _visible_form(name)) for name in names]
    in_ascii = [one for one in shown if one[1].isascii()]
    known: dict[str, str] = {}
    for name, letters in in_ascii:
        if (other := known.setdefault(letters.translate(_SAME), name)) is not name:
            return other, name
    if len(in_ascii) == len(shown):
        return None
    for (one, first), (other, second) in combinations(shown, 2):
        if len(first) == len(second) and all(map(_alike, first, second)):
            return one, other
    return None


class Shown:
    """The names that are shown together; a new name is compared only with possible look-alikes."""

    def __init__(self) -> None:
        self._ascii: set[str] = set()
        self._others: dict[int, list[str]] = {}
        self._all: dict[int, list[str]] = {}

    def add(self, name: str) -> None:
        """Add a name."""
        letters = _visible_form(name)
        self._all.setdefault(len(letters), []).append(letters)
        if letters.isascii():
            self._ascii.add(letters.translate(_SAME))
        else:
            self._others.setdefault(len(letters), []).append(letters)

    def has_alike(self, name: str) -> bool:
        """Return whether an added name looks like this name."""
        letters = _visible_form(name)
        if letters.isascii() and letters.translate(_SAME) in self._ascii:
            return True
        known = self._others if letters.isascii() else self._all
        return any(all(map(_alike, other, letters)) for other in known.get(len(letters), ()))


def find_mixed(names: Sequence[str]) -> str | None:
    """Return the first name with a word of Latin letters and foreign look-alikes, or None."""
    return next((name for name in names if any(map(_mixes, name.split()))), None)


def _mixes(word: str) -> bool:
    if word.isascii():
        return False
    from confusable_homoglyphs import categories

    scripts = {c: categories.alias(c) for c in word}
    if "LATIN" not in scripts.values():
        return False
    strange = [c for c, script in scripts.items() if script in _LIKE_LATIN]
    return any(shape.isascii() for c in strange for shape in _shapes(c))


def _visible_form(name: str) -> str:
    """Return a name's visible form: NFKC-normalised, without hidden or combining characters."""
    plain = unicodedata.normalize("NFKC", name)
    seen = (c for c in without_hidden(plain) if unicodedata.category(c) != "Mn")
    return "".join(map(_ascii_group, seen))


@lru_cache(maxsize=10_000)
def _ascii_group(character: str) -> str:
    """Return a character's only ASCII look-alike if it has several letters, else the character."""
    if character.isascii():
        return _GROUPS.get(character, character)
    shapes = [shape for shape in _shapes(character) if shape.isascii()]
    groups = [shape for shape in shapes if len(shape) > 1]
    return min(groups, key=len) if len(groups) == len(shapes) > 0 else character


def _alike(one: str, other: str) -> bool:
    return one == other or not _shapes(one).isdisjoint(_shapes(other))


@lru_cache(maxsize=10_000)
def _shapes(character: str) -> frozenset[str]:
    """Return the set of a character and of all characters that look like it."""
    if character.isascii():
        return next((shapes for shapes in _IN_ASCII if character in shapes), frozenset(character))
    # Imported only for names beyond ASCII, because the list loads slowly.
    from confusable_homoglyphs import confusables

    listed = confusables.is_confusable(character, greedy=True) or []
    return frozenset(character) | {alike["c"] for one in listed for alike in one["homoglyphs"]}
