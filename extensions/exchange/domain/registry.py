"""The registry: every composite task has exactly one description, byte for byte.

>>> registry = Registry(["Book a flight", "Set an alarm"], {0b11: "Fly early."})
>>> registry.describe(0b10), registry.describe(0b11)
('Book a flight.', 'Fly early.')
>>> registry.mask_of("Set an alarm."), registry.mask_of("Book a flight; Set an alarm.")
(1, None)

Other descriptions are composed: the atoms' own words in order, joined by "; ", and a full stop. So
2ⁿ descriptions need no memory, and an agent can name any composite by its atoms. If a registry is
too large to be listed, agents can also name a composite with a written description by its atoms.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from shapley_coop.escaping import is_one_line
from shapley_coop.extensions.exchange.domain.masks import full, mask_of, members, to_bits
from shapley_coop.games.params import GameError

JOINT = "; "
NOTHING = "Nothing."
NAMING = (
    "The exact description of a composite task that is not listed is its atoms' `says`, in the "
    'order of `atoms`, joined by "; " and ended by a full stop.'
)
LISTED = 256
"""With more composites than this, a letter lists some and says how to name others."""

MAX_DESCRIPTION = 4_000


class Registry:
    """A one-to-one map between masks and descriptions.

    Args:
        says: each atom's own words, first atom first.
        written: given descriptions, which replace the composed ones.

    Raises:
        GameError: `check_words` refuses words, or two atoms or two masks have the same words.
    """

    def __init__(self, says: Sequence[str], written: Mapping[int, str] | None = None) -> None:
        self.says = tuple(says)
        self._position = {words: i for i, words in enumerate(self.says)}
        if len(self._position) < len(self.says):
            raise GameError("two atoms have the same words: give each its own words")
        for words in self.says:
            check_words(words)
            if JOINT in words or f"{words}." == NOTHING:
                raise GameError(
                    f"{words!r} cannot name an atom: use words without {JOINT!r}, other than "
                    "Nothing"
                )
        self._written = dict(written or {})
        self._mask = {description: mask for mask, description in self._written.items()}
        self._check_written()

    @property
    def size(self) -> int:
        """The number of composite tasks, ∅ included."""
        return 1 << len(self.says)

    @property
    def listed(self) -> bool:
        """Whether a letter lists every composite."""
        return self.size <= LISTED

    def describe(self, mask: int) -> str:
        """Return the description of a composite task."""
        return self._written.get(mask) or compose(self.says, mask)

    def mask_of(self, description: Any) -> int | None:
        """Return a description's mask; None if no registered description is equal byte for byte."""
        if not isinstance(description, str):
            return None
        if (mask := self._mask.get(description)) is not None:
            return mask
        mask = self._parse(description)
        return None if self.listed and mask in self._written else mask

    def quoting(self) -> list[str]:
        """Return the descriptions with quotation marks, the longest first. If the registry is too
        large to be listed, return only written descriptions and those of single atoms."""
        masks = range(self.size) if self.listed else [*self._written, *self._atoms()]
        found = {text for mask in masks if '"' in (text := self.describe(mask))}
        return sorted(found, key=len, reverse=True)

    def _atoms(self) -> list[int]:
        return [1 << bit for bit in range(len(self.says))]

    def written(self) -> dict[int, str]:
        """Return mask → description for the descriptions that are not composed."""
        return dict(self._written)

    def _parse(self, description: str) -> int | None:
        """Return the mask with this composed description, or None; linear in the text's length."""
        positions = [self._position.get(part, -1) for part in description[:-1].split(JOINT)]
        mask = 0 if -1 in positions else mask_of(positions, len(self.says))
        return mask if compose(self.says, mask) == description else None

    def _check_written(self) -> None:
        if len(self._mask) < len(self._written):
            twice = [m for m, text in self._written.items() if self._mask[text] != m]
            raise GameError(
                f"the description of {to_bits(twice[0], len(self.says))} also describes another "
                "composite: give each its own"
            )
        for mask, description in self._written.items():
            check_words(description)
            if not 0 <= mask <= full(len(self.says)):
                raise GameError(f"{description!r} describes no composite of {len(self.says)} atoms")
            other = self._parse(description)
            taken = other not in self._written or not self.listed
            if other is not None and other != mask and taken:
                raise GameError(
                    f"{description!r} describes another composite, too: use other words"
                )


def compose(says: Sequence[str], mask: int) -> str:
    """Return a composite's description from its atoms' words."""
    return f"{JOINT.join(says[i] for i in members(mask, len(says)))}." if mask else NOTHING


def check_words(words: str) -> None:
    """Check that agents can copy words byte for byte from a letter into an answer.

    Raises:
        GameError: words are too long, not one visible line, padded by blanks, or contain < > `.
    """
    if not words.strip() or words != words.strip() or not is_one_line(words):
        raise GameError(
            f"{words!r} cannot be copied exactly: use printable characters, without blanks at the "
            "ends"
        )
    if len(words) > MAX_DESCRIPTION or set(words) & set("<>`"):
        raise GameError(f"{words[:60]!r}: use at most {MAX_DESCRIPTION} characters, without < > `")
