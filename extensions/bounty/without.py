"""The trees that a repository would have without some contributors' commits.

The other contributors' commits are cherry-picked one by one onto the state before the settled
commits. Git's own tree merge does this in a temporary repository without working tree, merge
drivers or hooks. Merge commits are not picked, so a pick may fail on a conflict that a merge commit
resolved. The caller then reports "not played" for this choice of contributors, instead of guessing.
"""

import subprocess
from collections.abc import Iterator, Set
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from shapley_coop.extensions.repository.contributions import History
from shapley_coop.extensions.repository.fresh import fresh
from shapley_coop.extensions.repository.git import Repository, RepositoryError, limited

LARGEST_FILE = 16 << 20
MOST_BYTES = 48 << 20
"""The largest total size of a tree's files that are written to disk."""

_NOBODY = "nobody <nobody@invalid> 0 +0000"


class Conflict(ValueError):
    """The error that a commit cannot be picked; its message names the commit and the file."""


class Without:
    """A builder of trees from the commits of some contributors.

    Args:
        copy: a temporary repository with the commits being settled.
        history: the history that was read from the original repository.
    """

    def __init__(self, copy: Repository, history: History) -> None:
        self._git, self._history = copy, history
        ends = [history.tip, *([history.base] if history.base else [])]
        log = copy.text("log", "--format=%H %T %P", *ends, "--")
        lines = [line.split() for line in log.splitlines()]
        self._trees = {line[0]: line[1] for line in lines}
        self._parents = {line[0]: line[2:] for line in lines}
        self._empty = copy.output("hash-object", "-w", "-t", "tree", "--stdin").decode().strip()
        self._picked: dict[tuple[str, str], str] = {}

    def tree(self, members: Set[str]) -> str:
        """Return the hash of the tree with only the commits of `members`.

        A commit is included if all contributors paid for it are members. Bots' commits always are.

        Raises:
            Conflict: a commit cannot be picked without the commits that are left out.
            RepositoryError: git fails.

        Cost: four git processes per commit, or none for a commit picked onto its own parent.
        """
        made = self._history.made
        if all(who <= members for _, who in made):
            return self._trees[self._history.tip]
        base = self._history.base
        tree = self._trees[base] if base else self._empty
        for commit, who in made:
            if who <= members:
                tree = self._onto(tree, commit)
        return tree

    @contextmanager
    def files(self, tree: str) -> Iterator[Path]:
        """Yield a temporary folder with the regular files of a tree.

        Raises:
            RepositoryError: a file or the whole tree is too large, or a path leaves the folder.
        """
        found = []
        for record in self._git.records("ls-tree", "-r", "-z", tree):
            about, _, path = record.partition(b"\t")
            mode, _, blob = about.split()
            if mode in (b"100644", b"100755"):
                name = path.decode("utf-8", "surrogateescape")
                found.append((name, mode == b"100755", blob.decode("ascii")))
        contents = self._git.blobs([blob for _, _, blob in found], LARGEST_FILE)
        with TemporaryDirectory(prefix="without-") as folder:
            left = MOST_BYTES
            for (name, runs, _), content in zip(found, contents, strict=True):
                left -= len(content or b"")
                if content is None or left < 0:
                    raise RepositoryError(
                        f"{self._git.path}: {name[:80]!r} is too large to run: a file has at most "
                        f"{LARGEST_FILE >> 20} MB, all files together {MOST_BYTES >> 20} MB"
                    )
                parts = PurePosixPath(name).parts
                if not parts or name.startswith("/") or {"..", ".git"} & set(parts):
                    raise RepositoryError(
                        f"{self._git.path}: the path {name[:80]!r} leads out of the repository"
                    )
                file = Path(folder, *parts)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
                file.chmod(0o755 if runs else 0o644)
            yield Path(folder)

    def _onto(self, tree: str, commit: str) -> str:
        """Return a tree with a commit's changes picked onto it."""
        parents = self._parents[commit]
        was = self._trees.get(parents[0], "") if parents else self._empty
        if not was:  # the parent is older than the settled commits
            was = self._git.text("rev-parse", f"{parents[0]}^{{tree}}")
        if was == tree:
            return self._trees[commit]
        if (tree, commit) not in self._picked:
            self._picked[tree, commit] = self._merged(was, tree, commit)
        return self._picked[tree, commit]

    def _merged(self, was: str, tree: str, commit: str) -> str:
        root = self._entered(was)
        ours, theirs = self._entered(tree, root), self._entered(self._trees[commit], root)
        asked = ("merge-tree", "--write-tree", "--no-messages", "--name-only", ours, theirs)
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        command = self._git.command(*asked)
        with limited(command, stdin=null, stdout=pipe, stderr=pipe) as git:
            stdout, stderr = git.communicate()
        lines = stdout.decode("utf-8", "replace").split("\n")
        if git.returncode == 1:
            raise Conflict(f"{commit[:10]} conflicts in {lines[1][:80]}")
        if git.returncode:
            raise self._git.failed(asked, stderr)
        return lines[0]

    def _entered(self, tree: str, parent: str = "") -> str:
        """Commit a tree and return the commit's hash; a later merge uses `parent` as its base."""
        lines = [f"tree {tree}", *([f"parent {parent}"] if parent else [])]
        lines += [f"author {_NOBODY}", f"committer {_NOBODY}", "", "picked", ""]
        asked = ("hash-object", "-w", "-t", "commit", "--stdin")
        return self._git.output(*asked, stdin="\n".join(lines).encode()).decode().strip()


@contextmanager
def without(history: History) -> Iterator[Without]:
    """Yield a builder of a history's trees, which works within the `with` block."""
    ends = [history.tip, *([history.base] if history.base else [])]
    with fresh(Repository.at(history.path), ends) as copy:
        yield Without(copy, history)
