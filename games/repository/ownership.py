"""Whose lines stand: authorship followed through edits, moves, renames and restorations."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from shapley_coop.games.repository.log import Change

NOBODY = -1
"""The origin of lines that are older than the range."""

_LONG = 12
"""Shorter lines (`else:`, `return x`) are written anew so often that restoring one means little."""

_Origins = defaultdict[str, list[int]]


@dataclass
class _File:
    """One file through all its names: text of a line → the numbers of the commits it is from."""

    path: str
    standing: _Origins = field(default_factory=lambda: defaultdict(list))
    gone: _Origins = field(default_factory=lambda: defaultdict(list))

    def remove(self, text: str) -> None:
        origins = self.standing[text]
        self.gone[text].append(origins.pop() if origins else NOBODY)


class Ownership:
    """A line belongs to the commit of the range that first added it.

    Moving it, indenting it again, removing and restoring it, or renaming its file changes
    nothing; a copy of a file earns its maker only what was written into the copy. Where equal
    lines of one file can be told apart by nothing, the newest is the first to go. Cost: linear
    in the lines that the range changed.
    """

    def __init__(self) -> None:
        self._files: dict[str, _File] = {}

    def apply(self, commit: int, changes: Iterable[Change]) -> None:
        """Take in one commit; parents come before children.

        Args:
            commit: its number, or NOBODY for one whose lines earn nothing.
            changes: what it did.
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
            for text in change.added:
                source = file if file.gone.get(text) else _source(text, moved.get(text))
                origin = source.gone[text].pop() if source else commit
                file.standing[text].append(origin)
        for text, files in moved.items():
            if len(text) < _LONG:
                for file in files:
                    file.gone.pop(text, None)

    def standing(self, path: str, lines: Iterable[str]) -> Counter[int]:
        """How many of a file's lines each commit of the range can claim.

        A claim is met at most once, and the oldest first, where lines were added twice: on two
        branches, or in a merge.
        """
        file, claims = self._files.get(path), Counter[int]()
        if file is not None:
            for text, n in Counter(lines).items():
                origins = file.standing.get(text, [])
                claims.update(origins[:n])
                del origins[:n]
        del claims[NOBODY]
        return claims

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
