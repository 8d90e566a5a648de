"""Names that look alike: one agent must not pass for another in a letter or a report.

Which characters look alike is Unicode's list of confusables (UTS #39), of confusable-homoglyphs.
"""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

_IN_ASCII = (frozenset("1lI|"), frozenset("0O"))


def look_alike(names: Sequence[str]) -> tuple[str, str] | None:
    """Two of some names that look alike; None where no two do."""
    shown = [(name, _shown(name)) for name in names]
    for (one, first), (other, second) in combinations(shown, 2):
        if len(first) == len(second) and all(map(_alike, first, second)):
            return one, other
    return None


def _shown(name: str) -> str:
    """A name as it is seen: in compatible letters, without what has no shape of its own."""
    plain = unicodedata.normalize("NFKC", name)
    return "".join(c for c in plain if unicodedata.category(c) not in ("Cf", "Mn", "Cc"))


def _alike(one: str, other: str) -> bool:
    return one == other or not _shapes(one).isdisjoint(_shapes(other))


@lru_cache(maxsize=10_000)
def _shapes(character: str) -> frozenset[str]:
    """A character and those that look like it."""
    if character.isascii():
        return next((shapes for shapes in _IN_ASCII if character in shapes), frozenset(character))
    # Read only for names beyond ASCII: the list takes a moment to load.
    from confusable_homoglyphs import confusables

    listed = confusables.is_confusable(character, greedy=True) or []
    return frozenset(character) | {alike["c"] for one in listed for alike in one["homoglyphs"]}
