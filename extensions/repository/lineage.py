"""The origins of the lines that commits add: which lines are copied, restored or retouched.

`git blame` follows a line within one file, even if the line moves there. But if one commit deletes
a line and another adds it again, `git blame` treats the line as new. Its options `-C -C` are slow:
they compare each new file with all files. So this module finds equal blocks of lines over the
whole history. A block is a copy if another file contained each of its lines before, and if the
block has at least 40 letters and digits, as in `git blame -C`.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from shapley_coop.extensions.repository.edits import RETOUCHED, replacements
from shapley_coop.extensions.repository.lines import LONG, key, keys
from shapley_coop.extensions.repository.log import Change

NOBODY = -1
"""The origin of lines that are older than the range, or that earn nothing."""

BLOCK = 40
"""The least letters and digits of a block that counts as a copy, as in `git blame -C`."""

MOST_FILES = 20
"""The most files that are remembered as holding the same line."""

Line = tuple[int, str]
"""The number of a commit, and the key of a line that it added."""


@dataclass(frozen=True)
class Origin:
    """The commit that a line comes from, and the fix that last changed the line.

    Attributes:
        commit: the number of the commit that first added the line, or NOBODY.
        key: the line's key as that commit added it.
        mender: the number of the fix that last changed the line, or NOBODY.
        extent: the fraction of the line that the fix changed, from 0 to 1.
    """

    commit: int
    key: str
    mender: int = NOBODY
    extent: Fraction = Fraction(0)


class Lineage:
    """The map from each added line to its origin; call `take` for parents before children.

    Args:
        retouched: the largest fraction of a line that may change without changing its author.
        gives: a function (squash, original) → whether the squash's lines are credited to the
            original commit, which added the same lines on another branch.
        mends: a function (fix, fixed) → whether commit `fix` may earn by mending lines of `fixed`.
    """

    def __init__(
        self,
        retouched: Fraction = RETOUCHED,
        gives: Callable[[int, int], bool] = lambda squash, original: False,
        mends: Callable[[int, int], bool] = lambda fix, fixed: True,
    ) -> None:
        self._retouched, self._gives, self._mends = retouched, gives, mends
        self.added: Counter[Line] = Counter()
        self._runs: list[tuple[int, str, tuple[str, ...]]] = []
        self._held: dict[str, list[str]] = {}  # a long line → the first files that held it
        self._within: dict[tuple[str, str], int] = {}  # (file, line) → commit that first added it
        self._copied: dict[Line, int] = {}
        self._restored: dict[Line, int] = {}  # (commit, line) → an earlier commit with it
        self._ignored: set[int] = set()
        self._instead: dict[Line, tuple[Line, Fraction, bool, bool]] = {}
        self._last: dict[tuple[str, str], int] = {}  # (file, line) → commit that last added it
        self._anywhere: dict[str, int] = {}
        self._begun: dict[str, int] = {}  # line → commit that first added it
        self._names: dict[str, str] = {}  # path → the first name of its file

    def take(
        self,
        commit: int,
        changes: Iterable[Change],
        ignored: bool = False,
        fix: bool = False,
        foreign: Collection[str] = (),
    ) -> None:
        """Note the lines that a commit adds, and the lines that its edits replace.

        Args:
            commit: the commit's number.
            changes: the commit's changes.
            ignored: whether changed lines keep their authors, however much they changed.
            fix: whether the commit's changes to lines may count as mended lines.
            foreign: the paths of vendored or generated files, whose lines earn nothing.
        """
        if ignored:
            self._ignored.add(commit)
        for change in sorted(changes, key=lambda one: one.path in foreign):
            file = self._names.get(change.before, change.before)
            if change.status == "R":
                self._names[change.path] = file
            for was, now, extent in replacements(change.edits):
                kept = ignored or extent <= self._retouched
                if (fix or kept) and key(was) != key(now):
                    before = (self._owner(file, key(was)), key(was))
                    self._instead[commit, key(now)] = before, extent, fix and not ignored, kept
            by = NOBODY if change.path in foreign else commit
            for run in change.runs:
                self._add(file, by, keys(change.path, run))

    def _add(self, file: str, by: int, run: tuple[str, ...]) -> None:
        self._runs.append((by, file, run))
        for one in run:
            before = self._last.get((file, one), by)
            if before != by and len(one) >= LONG:
                self._restored.setdefault((by, one), before)
            if by != NOBODY:
                self.added[by, one] += 1
            self._last[file, one] = self._anywhere[one] = by
            self._begun.setdefault(one, by)

    def trace(self, older: Iterable[tuple[str, Sequence[str]]] = ()) -> None:
        """Find the added lines that are copies; call this after `take` for all commits.

        Args:
            older: (path, keys of the added lines) for each addition before the range. A
                commit of the range earns nothing for adding the same lines.
        """
        for path, held in older:
            self._hold(NOBODY, f"\0{path}", [one for one in held if one in self._begun])
        for commit, file, run in self._runs:
            if commit != NOBODY:
                self._trace_run(commit, file, run)
            self._hold(commit, file, run)
        self._runs.clear()

    def _hold(self, commit: int, file: str, run: Iterable[str]) -> None:
        for one in run:
            files = self._held.setdefault(one, []) if len(one) >= LONG else []
            if (file, one) not in self._within and len(files) < MOST_FILES:
                files.append(file)
            self._within.setdefault((file, one), commit)

    def _trace_run(self, commit: int, file: str, run: Sequence[str]) -> None:
        """Find the blocks of consecutive added lines that another file contained before."""
        block: list[int] = []
        held: set[str] = set()
        for at, one in enumerate(run):
            if len(one) < LONG:
                continue
            owners = {other: self._within[other, one] for other in self._held.get(one, ())}
            here = {
                other
                for other, owner in owners.items()
                if owner != commit and (other != file or self._gives(owner, commit))
            }
            if block and not held & here:
                self._trace_block(commit, run, block, held, at)
                block, held = [], set()
            if here:
                held = held & here or here
                block.append(at)
        if block:
            self._trace_block(commit, run, block, held, len(run))

    def _trace_block(
        self, commit: int, run: Sequence[str], block: list[int], held: set[str], stop: int
    ) -> None:
        if sum(sum(map(str.isalnum, run[at])) for at in block) < BLOCK:
            return
        first = run[block[0]]
        source = min(held, key=lambda file: (self._within[file, first], file))
        if len(block) == 1:
            # `origin` decides whether the line was moved (the earlier line is gone) or is new.
            self._restored.setdefault((commit, first), self._within[source, first])
            return
        for one in run[block[0] : stop]:
            owner = self._within.get((source, one), commit)
            if owner != commit and self._gives(owner, commit):
                self._copied[owner, one] = commit
            elif owner != commit:
                self._copied.setdefault((commit, one), owner)

    def origin(self, commit: int, text: str, restored: bool = True) -> Origin:
        """Return the origin of a line.

        Args:
            commit: the commit that added the line, by git blame.
            text: the line's key (`lines.key`).
            restored: whether a single line that was moved or restored keeps its older origin.
        """
        line, mender, part = self._as_added((commit, text)), NOBODY, Fraction(0)
        for step in self._steps(line, restored):
            line = step.line
            if mender == NOBODY and step.fixed and self._mends(step.by, self._author(step.was)[0]):
                mender, part = step.by, step.extent
        return Origin(*line, mender, part)

    def _as_added(self, line: Line) -> Line:
        """Return a line with the commit by git's log if the commit by `git blame` is wrong."""
        first = (self._begun.get(line[1], line[0]), line[1])
        if self.added[line]:
            return line
        if first[0] in self._ignored:  # blame skips ignored commits, so take the earlier line
            was = self._author(first)
            return was if was[0] == line[0] else line
        return first if first[0] <= line[0] else line  # if earlier: blame missed a rename

    def _author(self, line: Line) -> Line:
        for step in self._steps(line):
            line = step.line
        return line

    def _steps(self, line: Line, restored: bool = True) -> Iterator["_Step"]:
        """Yield the steps from a line back to its origin."""
        seen = {line}
        while line[0] != NOBODY:
            first = self._copied.get(line, self._restored.get(line) if restored else None)
            if first is not None:
                step = _Step((first, line[1]))
            elif change := self._instead.get(line):
                was, extent, fixed, kept = change
                step = _Step(was if kept else line, line[0], was, extent, fixed and extent > 0)
            else:
                return
            if step.line == line:
                yield step
            if step.line in seen:
                return
            yield step
            line = step.line
            seen.add(line)

    def _owner(self, file: str, text: str) -> int:
        """Return the commit that last added a line to a file, or else a long line to any file."""
        elsewhere = self._anywhere.get(text, NOBODY) if len(text) >= LONG else NOBODY
        return self._last.get((file, text), elsewhere)


@dataclass(frozen=True)
class _Step:
    """A step from a line to its earlier form, or to itself if a big edit changed its author."""

    line: Line
    by: int = NOBODY
    was: Line = (NOBODY, "")
    extent: Fraction = Fraction(0)
    fixed: bool = False
