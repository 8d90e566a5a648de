"""The option `--score CMD`: a repository's score without each contributor in turn.

The command runs in the sandbox on the files of a tree that git builds (`without`). It has no
network and only Python's own packages, and cannot change this machine. A command that fails scores
0. Otherwise the score is the last printed line, or 1 if that line is not a number.
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
"""The most contributors for which every coalition is scored and Shapley values are computed."""

LIMITS = Limits(seconds=120, memory=1 << 30, processes=64)


@dataclass
class _Plays:
    """The scores of coalitions; coalitions with the same tree are scored only once."""

    trees: Without
    command: Sequence[str]
    unsafe: bool
    whys: dict[frozenset[str], str] = field(default_factory=dict)
    _scores: dict[str, float | str] = field(default_factory=dict)

    def score(self, members: frozenset[str]) -> float | None:
        """Return a coalition's score; or None, and then keep the reason in `whys`."""
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
    """Return the score that a finished command printed, or the reason why it has no score."""
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
    """Return the command's scores of the repository without each contributor in turn.

    Args:
        history: the history of the settled commits.
        names: the contributors.
        command: program and arguments, split as a shell would split them; no shell runs.
        unsafe: whether to run the command without a sandbox.
        progress: a function that is called as the scoring advances.

    Returns:
        `score`: the score with all commits. For each contributor: the score without its commits,
        the loss (`missing`), the Shapley value, and `why` there is no score, or "". Shapley values
        are None unless every coalition has a score and at most `MOST_EXACT` people contribute.

    Raises:
        ValueError: the command cannot be read, or has no score on the whole repository.
        SandboxMissing: the machine has no sandbox.
    """
    words = _words(command)
    if not unsafe:
        require_sandbox()
    everyone = frozenset(names)
    with without(history) as trees:
        plays = _Plays(trees, words, unsafe)
        if (whole := plays.score(everyone)) is None:
            raise ValueError(f"--score {command}: {plays.whys[everyone]}")
        contributors = {name: _without(plays, whole, everyone - {name}) for name in names}
        progress()
        for name, value in _values(plays, names, progress).items():
            contributors[name]["value"] = value
    return {"command": command, "score": whole, "contributors": contributors}


def _without(plays: _Plays, whole: float, others: frozenset[str]) -> dict[str, Any]:
    """Return a contributor's entry in the result of `counterfactual`, still without its value."""
    score = plays.score(others)
    missing = None if score is None else whole - score
    return {"score": score, "missing": missing, "value": None, "why": plays.whys.get(others, "")}


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
