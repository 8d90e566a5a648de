"""Where the lines that a commit added come from: what was copied, restored or retouched.

`git blame` follows a line through one file and through moves within it. What was deleted in one
commit and added in another it takes for new, and its search for copies (`-C -C`) compares each new
file with every file there was. So blocks of lines are followed here by their content, over the
whole history, by git's own measure of a copy, 40 letters and digits: a block is a copy if another
file held each of its lines before, whoever wrote them.
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
"""Letters and digits of a block that is a copy: as of `git blame -C`."""

MOST_FILES = 20
"""Files in which one line is looked for."""

Line = tuple[int, str]
"""The number of a commit, and the key of a line that it added."""


@dataclass(frozen=True)
class Origin:
    """Where a line is from.

    Attributes:
        commit: the number of the commit that first added it, or NOBODY.
        key: of the line as that commit added it.
        mender: the number of the fix that last changed it, or NOBODY.
        extent: how much of the line that fix changed, from 0 to 1.
    """

    commit: int
    key: str
    mender: int = NOBODY
    extent: Fraction = Fraction(0)


class Lineage:
    """Which line each line that a commit added stands for; commits are told parents first.

    Args:
        retouched: the largest part of a line that may change and leave it its author's.
        gives: whether the first commit's lines are given to the second, which brought the same
            and is no descendant of it: a squash, and what was squashed.
        mends: whether the first commit mends what it changes of the second's.
    """

    def __init__(
        self,
        retouched: Fraction = RETOUCHED,
        gives: Callable[[int, int], bool] = lambda squash, original: False,
        mends: Callable[[int, int], bool] = lambda fix, author: True,
    ) -> None:
        self._retouched, self._gives, self._mends = retouched, gives, mends
        self.added: Counter[Line] = Counter()
        self._runs: list[tuple[int, str, tuple[str, ...]]] = []
        self._held: dict[str, list[str]] = {}  # a long line → the first files that held it
        self._within: dict[tuple[str, str], int] = {}  # a file and a line → who first added it
        self._copied: dict[Line, int] = {}
        self._restored: dict[Line, int] = {}  # of single lines, which count anew where both stand
        self._ignored: set[int] = set()
        self._instead: dict[Line, tuple[Line, Fraction, bool, bool]] = {}
        self._last: dict[tuple[str, str], int] = {}  # a file and a line → who last added it
        self._anywhere: dict[str, int] = {}
        self._begun: dict[str, int] = {}  # a line → who first added it
        self._names: dict[str, str] = {}  # a path → the first name of its file

    def take(
        self,
        commit: int,
        changes: Iterable[Change],
        ignored: bool = False,
        fix: bool = False,
        foreign: Collection[str] = (),
    ) -> None:
        """Take in one commit.

        Args:
            commit: its number.
            changes: what it did.
            ignored: whether it makes nobody an author, whatever it changed.
            fix: whether its changes of lines are looked at, however much they changed.
            foreign: the paths of what others made, or a program: nobody wrote that here.
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
        """Find the copies, when all commits are taken in.

        Args:
            older: path, and keys of the lines of each place, that were added before the range:
                nobody here wrote them.
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
        """Find the blocks of a run of which another file held every line before."""
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
            # Alone it can have been moved; where the other one stands still, it is a new one.
            self._restored.setdefault((commit, first), self._within[source, first])
            return
        for one in run[block[0] : stop]:
            owner = self._within.get((source, one), commit)
            if owner != commit and self._gives(owner, commit):
                self._copied[owner, one] = commit
            elif owner != commit:
                self._copied.setdefault((commit, one), owner)

    def origin(self, commit: int, text: str, restored: bool = True) -> Origin:
        """Return where a line is from.

        Args:
            commit: that added it, as git blames it.
            text: the key of what it says.
            restored: whether a single line may be one that was there before.
        """
        line, mender, part = self._as_added((commit, text)), NOBODY, Fraction(0)
        for step in self._steps(line, restored):
            line = step.line
            if mender == NOBODY and step.fixed and self._mends(step.by, self._author(step.was)[0]):
                mender, part = step.by, step.extent
        return Origin(*line, mender, part)

    def _as_added(self, line: Line) -> Line:
        """Return a line as the log has it, where that says otherwise than blame who added it."""
        first = (self._begun.get(line[1], line[0]), line[1])
        if self.added[line]:
            return line
        if first[0] in self._ignored:  # blame looked through it; the log says what stood there
            was = self._author(first)
            return was if was[0] == line[0] else line
        return first if first[0] <= line[0] else line  # a part of what was renamed

    def _author(self, line: Line) -> Line:
        for step in self._steps(line):
            line = step.line
        return line

    def _steps(self, line: Line, restored: bool = True) -> Iterator["_Step"]:
        """From a line to those that it stands for, one after the other."""
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
        """Return who last wrote a line of a file; of a long one, wherever it stands."""
        elsewhere = self._anywhere.get(text, NOBODY) if len(text) >= LONG else NOBODY
        return self._last.get((file, text), elsewhere)


@dataclass(frozen=True)
class _Step:
    """From a line to the one that it stands for; itself, where it was changed too much."""

    line: Line
    by: int = NOBODY
    was: Line = (NOBODY, "")
    extent: Fraction = Fraction(0)
    fixed: bool = False
