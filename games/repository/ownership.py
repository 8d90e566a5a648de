"""Whose lines stand: authorship followed through edits, moves, renames and restorations."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction

from shapley_coop.games.repository.edits import RETOUCHED, replacements
from shapley_coop.games.repository.log import Change

NOBODY = -1
"""The origin of lines that are older than the range."""


@dataclass(frozen=True)
class Origin:
    """Where a line is from.

    Attributes:
        commit: the number of the commit that first added it, or NOBODY.
        mender: the number of the fix that last changed it, or NOBODY.
        extent: how much of the line that fix changed, from 0 to 1.
    """

    commit: int
    mender: int = NOBODY
    extent: Fraction = Fraction(0)


_OLD = Origin(NOBODY)

LONG = 12
"""Shorter lines (`else:`, `return x`) are written anew so often that restoring one means little."""

_Origins = defaultdict[str, list[Origin]]


@dataclass
class _File:
    """One file through all its names: text of a line → where each such line is from."""

    path: str
    standing: _Origins = field(default_factory=lambda: defaultdict(list))
    gone: _Origins = field(default_factory=lambda: defaultdict(list))

    def remove(self, text: str) -> None:
        origins = self.standing[text]
        self.gone[text].append(origins.pop() if origins else _OLD)


class Ownership:
    """A line belongs to the commit of the range that first added it.

    Moving it, indenting it again, removing and restoring it, renaming its file, or changing a
    small part of it changes nothing; a copy of a file earns its maker only what was written into
    the copy. Where equal lines of one file can be told apart by nothing, the newest is the first
    to go. Cost: linear in the lines that the range changed.
    """

    def __init__(self, retouched: Fraction = RETOUCHED) -> None:
        """Args:
        retouched: the largest part of a line that may change and leave it its author's.
        """
        self._files: dict[str, _File] = {}
        self._retouched = retouched

    def apply(
        self, commit: int, changes: Iterable[Change], mends: Callable[[int], bool] | None = None
    ) -> None:
        """Take in one commit; parents come before children.

        Args:
            commit: its number, or NOBODY for one whose lines earn nothing.
            changes: what it did.
            mends: of a fix, whether changing a line of another commit's number mends it.
        """
        changes = list(changes)
        self._rename(changes)
        touched = [(self._file(change), change) for change in changes if not change.binary]
        moved: defaultdict[str, list[_File]] = defaultdict(list)
        for file, change in touched:
            for text in change.removed if change.status != "C" else ():
                file.remove(text)
                moved[text].append(file)
        for file, change in touched:
            if change.status == "C":
                self._split(file, change, changes)
            instead = replacements(change.edits) if change.status != "C" else {}
            for text in change.added:
                source = file if file.gone.get(text) else _source(text, moved.get(text))
                if source:
                    origin = source.gone[text].pop()
                else:
                    was, extent = (instead.get(text) or [("", Fraction(1))]).pop()
                    origin = self._changed(commit, file.gone.get(was), extent, mends)
                file.standing[text].append(origin)
        for text, files in moved.items():
            if len(text) < LONG:
                for file in files:
                    file.gone.pop(text, None)

    def _changed(
        self,
        commit: int,
        gone: list[Origin] | None,
        extent: Fraction,
        mends: Callable[[int], bool] | None,
    ) -> Origin:
        """Where a line is from that was written, or that stands instead of one that went."""
        if not gone:
            return Origin(commit)
        retouched = extent <= self._retouched
        was = gone.pop() if retouched else gone[-1]
        now = was if retouched else Origin(commit)
        if mends is None or not mends(was.commit):
            return now
        return replace(now, mender=commit, extent=extent)

    def standing(self, path: str, lines: Iterable[str]) -> list[tuple[str, Origin]]:
        """The lines of a file that the range added or mended, each with where it is from.

        A line is claimed at most once, and the oldest first, where lines were added twice: on two
        branches, or in a merge.
        """
        file, claims = self._files.get(path), list[tuple[str, Origin]]()
        if file is not None:
            for text, n in Counter(lines).items():
                origins = file.standing.get(text, [])
                claims.extend((text, origin) for origin in origins[:n])
                del origins[:n]
        return [(text, origin) for text, origin in claims if origin != _OLD]

    def knows(self, path: str) -> bool:
        """Whether the range changed the file."""
        return path in self._files

    def _split(self, copy: _File, made: Change, changes: Iterable[Change]) -> None:
        """What a file lost in the commit that copied it, and the copy has, moved to the copy."""
        for change in changes:
            if change.path == made.before:
                source = self._files[change.path]
                for text in (Counter(change.removed) - Counter(made.removed)).elements():
                    if source.gone.get(text):
                        copy.standing[text].append(source.gone[text].pop())

    def _rename(self, changes: Iterable[Change]) -> None:
        """All at once, as names can be swapped.

        The old name stays known: on another branch it may be edited still.
        """
        renames = {c.path: self._files.get(c.before) for c in changes if c.status == "R"}
        for path, file in renames.items():
            self._files[path] = file or _File(path)
            self._files[path].path = path

    def _file(self, change: Change) -> _File:
        known = self._files.get(change.path)
        renamed_away = known is not None and change.status in "AC" and known.path != change.path
        if known is None or renamed_away or change.status == "C":
            self._files[change.path] = _File(change.path)
        return self._files[change.path]


def _source(text: str, files: list[_File] | None) -> _File | None:
    """The file that the same commit took the line out of, if it moved it here."""
    while files:
        file = files.pop()
        if file.gone.get(text):
            return file
    return None
