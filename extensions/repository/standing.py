"""The files that exist at the end of a range and count, with the origin of each line."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from shapley_coop.extensions.repository.blame import Blamed, blame
from shapley_coop.extensions.repository.git import Repository, RepositoryError
from shapley_coop.extensions.repository.lineage import NOBODY, Lineage, Origin
from shapley_coop.extensions.repository.lines import effective_lines, key, plain_lines
from shapley_coop.extensions.repository.padding import but_for_numbers
from shapley_coop.extensions.repository.rules import Place, Rules, declared

LARGEST_FILE = 2_000_000
"""The most bytes of a file that counts; larger files are data."""

MOST_FILES = 1_000_000
"""The most files of a commit, since nested trees in a small pack can hold any number."""

MOST_BLAMED = 50_000
"""The most files that `git blame` reads."""

COUNTED: tuple[Place, ...] = ("code", "documents", "decisions")
"""The classes of paths whose lines count."""


@dataclass(frozen=True)
class Line:
    """A line that the range added, with its origin."""

    text: str
    blamed: Blamed
    by: int  # the number of the blamed commit; NOBODY for a merge
    origin: Origin


@dataclass(frozen=True)
class File:
    """A file that exists at the end of the range."""

    path: str
    place: Place
    lines: list[Line]
    all: int  # the number of effective lines, including lines older than the range
    different: int  # the number of different lines, if numbers are ignored


class Standing:
    """The reader of the last commit of a range.

    Args:
        copy: the temporary copy of the repository.
        rules: the rules for the counts.
        ends: the last commit to read, and the commit before the first one.
        numbers: hash → number of the range's commits; NOBODY for merges.
        written: path → status, commit hash and blob of the path's last change.
        lineage: the origins of the lines that the range's commits added.

    Attributes:
        excluded: reason → number of files that are left out.
    """

    def __init__(
        self,
        copy: Repository,
        rules: Rules,
        ends: tuple[str, str | None],
        numbers: Mapping[str, int],
        written: Mapping[str, tuple[str, str, str]],
        lineage: Lineage,
    ) -> None:
        self._copy, self._rules, (self._tip, self._base) = copy, rules, ends
        self._numbers, self._written, self._lineage = numbers, written, lineage
        self.excluded = Counter[str]()

    def files(self) -> Iterator[File]:
        """Yield the files that count and that the range changed.

        Raises:
            RepositoryError: the commit has too many files.
        """
        old = dict(self._tree(self._base)) if self._base else {}
        tree = {path: blob for path, blob in self._tree(self._tip) if old.get(path) != blob}
        attributes = declared(self._attributes())
        places = {path: self._rules.place(path, attributes) for path in tree}
        wanted = [path for path, place in places.items() if place in COUNTED]
        self.excluded.update(p for p in places.values() if p in ("generated", "vendored"))
        contents = self._copy.blobs([tree[path] for path in wanted], LARGEST_FILE)
        asked = 0
        for path, content in zip(wanted, contents, strict=True):
            if content is None or b"\0" in content:
                self.excluded["too large" if content is None else "binary"] += 1
            elif self._rules.is_generated(text := content.decode("utf-8", "replace")):
                self.excluded["generated"] += 1
            elif places[path] != "decisions" or self._rules.is_accepted(text):
                whole = self._wholly(path, tree[path])
                asked += not whole
                if asked > MOST_BLAMED:
                    raise RepositoryError(
                        f"{self._copy.path}: more than {MOST_BLAMED} files were changed more than "
                        "once: settle a shorter --range"
                    )
                yield self._read(path, places[path], text, whole)

    def claimed(self, files: list[File]) -> dict[tuple[str, int], Origin]:
        """Return (path, index in the file's lines) → origin, for the lines that count.

        Equal lines count as often as their author added them. If more exist, those that were not
        moved take precedence. A line that repeats an earlier line is new if that line still exists.
        """
        places = [(file, at) for file in files for at in range(len(file.lines))]
        used = Counter[tuple[int | str, ...]]()
        claimed: dict[tuple[str, int], Origin] = {}
        for file, at in sorted(places, key=lambda place: _moved(place[0], place[1])):
            line = file.lines[at]
            anew = self._lineage.origin(line.by, key(line.text), restored=False)
            for origin in dict.fromkeys((line.origin, anew)):
                said = (origin.commit, origin.key)
                # `added` lacks lines that were reformatted later; they are claimed by their place.
                most = self._lineage.added[said]
                claim = said if most else (line.blamed.commit, line.blamed.path, line.blamed.line)
                if origin.commit != NOBODY and used[claim] < max(1, most):
                    used[claim] += 1
                    claimed[file.path, at] = origin
                    break
        return claimed

    def _wholly(self, path: str, blob: str) -> str:
        """Return the commit that alone wrote a file's final content; empty if there is none."""
        status, commit, left = self._written.get(path, ("", "", ""))
        return commit if status == "A" and left == blob else ""

    def _read(self, path: str, place: Place, text: str, whole: str) -> File:
        lines = list(effective_lines(path, text) if place == "code" else plain_lines(text))
        wanted = {number for number, _ in lines}
        asked = {} if whole else blame(self._copy, self._tip, self._base, path, wanted)
        found: list[Line] = []
        for number, line in lines:
            blamed = Blamed(whole, path, number) if whole else asked[number]
            by = self._numbers.get(blamed.commit)
            if by is not None:
                origin = self._lineage.origin(by, key(line))
                found.append(Line(line, blamed, by, origin))
        different = len({but_for_numbers(line) for _, line in lines})
        return File(path, place, found, len(lines), different)

    def _tree(self, commit: str) -> Iterator[tuple[str, str]]:
        """Yield path and blob of every regular file of a commit, without links."""
        listing = self._copy.records("ls-tree", "-r", "-z", "--full-tree", commit)
        for number, record in enumerate(listing, 1):
            if number > MOST_FILES:
                raise RepositoryError(
                    f"{self._copy.path}: {commit[:12]} has more than {MOST_FILES} files, the most "
                    "that can be read"
                )
            mode, _, rest = record.partition(b" ")
            about, _, path = rest.partition(b"\t")
            if mode in (b"100644", b"100755"):
                yield path.decode("utf-8", "surrogateescape"), about.split()[-1].decode("ascii")

    def _attributes(self) -> str:
        """Return the .gitattributes at the top of the last commit."""
        try:
            content = next(self._copy.blobs([f"{self._tip}:.gitattributes"], LARGEST_FILE))
        except RepositoryError:  # the commit has no such file
            return ""
        return (content or b"").decode("utf-8", "replace")


def _moved(file: File, at: int) -> bool:
    line = file.lines[at]
    return line.blamed.path != file.path or line.origin.commit != line.by
