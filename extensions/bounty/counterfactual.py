"""`--score CMD`: what a repository scores without each contributor's commits.

The command runs in the sandbox, on the files of a tree that git builds (`without`): no network, no
packages but Python's own, nothing of this machine that it could change. What it prints last, if
that is a number, is the score; else 1 where it ends well and 0 where it does not.
"""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite
from typing import Any

from shapley_coop.credit import Characteristic, attribute_by
from shapley_coop.extensions.bounty.without import Conflict, Without, without
from shapley_coop.extensions.repository.contributions import History
from shapley_coop.extensions.repository.git import RepositoryError
from shapley_coop.games.sandbox import (
    CheckResult,
    Limits,
    require_sandbox,
    run_checks,
)

MOST_EXACT = 5
"""Contributors up to whom every coalition is played, and values are computed."""

LIMITS = Limits(seconds=120, memory=1 << 30, processes=64)


@dataclass
class _Plays:
    """Scores of coalitions; what builds the same tree is run once."""

    trees: Without
    command: Sequence[str]
    unsafe: bool
    whys: dict[frozenset[str], str] = field(default_factory=dict)
    _scores: dict[str, float | str] = field(default_factory=dict)

    def score(self, members: frozenset[str]) -> float | None:
        """Return the score; None, with the reason in `whys`, where there is none."""
        try:
            tree = self.trees.tree(members)
            if tree not in self._scores:
                with self.trees.files(tree) as folder:
                    seen = run_checks(folder, self.command, LIMITS, unsafe=self.unsafe)
                self._scores[tree] = scored(seen)
            found = self._scores[tree]
        except (Conflict, RepositoryError) as reason:
            found = f"not played: {reason}"
        if isinstance(found, str):
            self.whys[members] = found
            return None
        return found


def scored(seen: CheckResult) -> float | str:
    """Return the score of a command that ended; why there is none, of one that was ended."""
    if seen.status != "ended":
        return f"no score: it was ended ({seen.status})"
    if seen.code:
        return 0.0
    lines = seen.stdout.strip().splitlines()
    try:
        found = float(lines[-1]) if lines else 1.0
    except ValueError:
        return 1.0
    return found if isfinite(found) else f"no score: it printed {lines[-1][:40]}"


def counterfactual(
    history: History,
    names: Sequence[str],
    command: str,
    unsafe: bool = False,
    progress: Callable[[], Any] = lambda: None,
) -> dict[str, Any]:
    """Return the command's score of the repository without each contributor's commits.

    Args:
        history: of the range.
        names: the contributors.
        command: program and arguments, split as a shell would; no shell runs.
        unsafe: run it without a sandbox.
        progress: called after each play.

    Returns:
        `score` of all together; for each contributor the score without it, what is missing then,
        its Shapley value (for at most `MOST_EXACT` contributors, where every coalition has a
        score), and why something was not played.

    Raises:
        ValueError: the command cannot be read, or says nothing of the repository as it is.
        SandboxMissing: there is no sandbox.
    """
    words = _words(command)
    if not unsafe:
        require_sandbox()
    everyone = frozenset(names)
    with without(history) as trees:
        plays = _Plays(trees, words, unsafe)
        if (whole := plays.score(everyone)) is None:
            raise ValueError(f"--score {command}: {plays.whys[everyone]}")
        left = {name: plays.score(everyone - {name}) for name in names}
        progress()
        values = _values(plays, names, progress)
    return {
        "command": command,
        "score": whole,
        "contributors": {
            name: _without(left[name], whole, values.get(name), plays.whys.get(everyone - {name}))
            for name in names
        },
    }


def _without(
    score: float | None, whole: float, value: float | None, why: str | None
) -> dict[str, Any]:
    """Return what is missing without a contributor, of whose absence this is the score."""
    missing = None if score is None else whole - score
    return {"score": score, "missing": missing, "value": value, "why": why or ""}


def _values(plays: _Plays, names: Sequence[str], progress: Callable[[], Any]) -> dict[str, float]:
    if len(names) > MOST_EXACT:
        return {}
    coalitions = [
        frozenset(name for i, name in enumerate(names) if mask >> i & 1)
        for mask in range(1 << len(names))
    ]
    worths: dict[frozenset[str], Fraction] = {}
    for members in coalitions:
        if (found := plays.score(members)) is None:
            return {}
        worths[members] = Fraction(str(found))
        progress()
    credit = attribute_by(Characteristic(names, worths.__getitem__))
    return {name: float(x) for name, x in credit.values.items()}


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"--score {command}: {error}") from None
    if not words:
        raise ValueError("--score: give a command, such as 'python -m unittest'")
    return words
