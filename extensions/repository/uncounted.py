"""The descriptions of work that earns nothing: commits by reason, and lines without an earner."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from shapley_coop.extensions.repository.blame import IGNORED
from shapley_coop.extensions.repository.log import Commit
from shapley_coop.extensions.repository.people import printable
from shapley_coop.extensions.repository.rules import Place, Rules

_MOST_TOLD = 10
"""The most notes of one sort."""

MERGE = "merge"
ENTERED = "commit by others that they entered"

_TO: dict[Place, str] = {
    "configuration": "configuration",
    "generated": "generated files",
    "vendored": "vendored files",
    "other": "files of other kinds",
}


def why_not(commit: Commit, rules: Rules, ignored: bool) -> str:
    """Return the reason to give if a commit adds to no count."""
    if not commit.changes:
        return "commit that changes no file"
    if ignored:
        return f"commit listed in {IGNORED}"
    places = {rules.place(change.path) for change in commit.changes}
    if places <= _TO.keys():
        where = " and ".join(words for place, words in _TO.items() if place in places)
        return f"commit to {where}, which these rules do not count"
    return "commit without any line that counts as theirs at the end"


def in_words(uncounted: Counter[str]) -> list[str]:
    """Return each reason with its count: "2 commits to configuration, …", "1 merge"."""
    return [f"{n} {_plural(what) if n > 1 else what}" for what, n in sorted(uncounted.items())]


def _plural(what: str) -> str:
    first, space, rest = what.partition(" ")
    return f"{first}s{space}{rest}".replace("commits that changes", "commits that change")


_WHY = {
    "copied": "not counted, as they are copies or parts of what is counted or older",
    "merged": "belong to nobody, as they were written in a merge",
    "alike": "not counted, as it is said before (numbers aside)",
}


class Lines:
    """The counts of lines in the last commit that earn nothing, by reason, commit and file."""

    def __init__(self) -> None:
        self._found = {why: Counter[tuple[str, str]]() for why in _WHY}

    def add(self, why: Literal["copied", "merged", "alike"], commit: str, path: str) -> None:
        """Count a line of a commit and file as a copy, a merge's line, or a repetition."""
        self._found[why][commit, path] += 1

    def notes(self, most_alike: int, authors: Mapping[str, str]) -> list[str]:
        """Return notes on the lines that `add` has counted.

        Args:
            most_alike: a commit with more repeated lines than this in one file gets a note.
            authors: a commit's hash → the author's name.
        """
        alike = self._found["alike"]
        padding = Counter({by: n for by, n in alike.items() if n > most_alike})
        shown = {**self._found, "alike": padding}
        return [note for why, lines in shown.items() for note in _told(_WHY[why], lines, authors)]


def _told(why: str, lines: Counter[tuple[str, str]], authors: Mapping[str, str]) -> list[str]:
    told = [
        f"{why}: {n} line{'s' * (n != 1)} of {commit[:10]} by {printable(authors[commit])} in "
        f"{printable(path)}"
        for (commit, path), n in lines.most_common(_MOST_TOLD)
    ]
    if (rest := sum(lines.values()) - sum(n for _, n in lines.most_common(_MOST_TOLD))) > 0:
        told.append(f"{why}: {rest} more")
    return told


def shared_notes(commits: Iterable[Commit]) -> list[str]:
    """Return a note on how many commits are divided among co-authors; [] if there are none."""
    n = sum(bool(commit.co_authors) for commit in commits)
    are = "is" if n == 1 else "are"
    told = f"{n} commit{'s' * (n != 1)} {are} divided evenly, by co-author lines alone"
    return [told] if n else []


def unread_notes(commits: Iterable[Commit]) -> list[str]:
    """Return notes on the co-author lines that cannot be read, each with its commit."""
    told = [
        f"a co-author line of {commit.hash[:10]} is not read, and names nobody here: "
        f"{printable(why, 200)}"
        for commit in commits
        for why in commit.unread
    ]
    more = len(told) - _MOST_TOLD
    return told[:_MOST_TOLD] + ([f"{more} more co-author lines are not read"] if more > 0 else [])


def ignored_notes(commits: Sequence[Commit]) -> list[str]:
    """Return notes on the commits that `.git-blame-ignore-revs` lists; these change no author."""
    return [
        f"{IGNORED} lists {one.hash[:10]} by {printable(one.author.name)}: the lines that it "
        "changed stay with those who wrote them before"
        for one in commits[:_MOST_TOLD]
    ] + ([f"{IGNORED} lists {len(commits)} commits in all"] if len(commits) > _MOST_TOLD else [])
