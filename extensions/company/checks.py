"""Running a company's checks, and answering from the record what they once found.

What a program does cannot be computed from its text, so a game's step cannot be a function of
position and actions alone where a program is run. The run is therefore nature's move: a runner is
asked, and what it answers goes into the turn's effects. A replay asks a runner that answers from
those effects and runs nothing: it gives the same positions on any machine, sandbox or none, for a
program that tosses coins too.
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

from typing_extensions import TypedDict

from shapley_coop.extensions.company.task import Check, Task, shown
from shapley_coop.extensions.company.tree import written
from shapley_coop.games.params import GameError
from shapley_coop.games.sandbox import Limits, run_checks
from shapley_coop.games.turns import Turn
from shapley_coop.permissions import NO_SANDBOX, permitted

CHECKED = "checks"
"""The effect that holds what a runner found: digest, passed, of, found."""

LIMITS = Limits()


class Finding(TypedDict):
    """What one check found."""

    check: str
    passed: bool
    found: str


Runner = Callable[[Mapping[str, str], Task], list[Finding]]
"""From the files of a workspace and its task to a finding for each check, in order."""


def digest(files: Mapping[str, str], task: Task) -> str:
    """Return what is run, in a hash: the same files under the same checks are run once."""
    checks = [check.model_dump(mode="json") for check in task.checks]
    decimals = task.output.decimals if task.output else 0
    content = json.dumps([dict(files), checks, decimals], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()


def in_sandbox(files: Mapping[str, str], task: Task) -> list[Finding]:
    """Run every check in the sandbox, each in one of its own."""
    return _found(files, task, unsafe=False)


def without_sandbox(files: Mapping[str, str], task: Task) -> list[Finding]:
    """Run every check as a process of this machine: at the caller's risk.

    Raises:
        GameError: the command line, or the program that imports us, did not permit it.
    """
    require_permission()
    return _found(files, task, unsafe=True)


def require_permission() -> None:
    """Refuse to go without a sandbox on the word of parameters, which may be a file's.

    Raises:
        GameError: it was not permitted.
    """
    if not permitted(NO_SANDBOX):
        raise GameError(
            "unsafe_no_sandbox: no file and no request can switch the sandbox off: "
            "give --unsafe-no-sandbox on the command line, or leave it out"
        )


def as_recorded(record: Sequence[Turn]) -> Runner:
    """Return a runner that answers what the record holds, and runs nothing.

    It raises `GameError` of a program that the record does not have.
    """
    known: dict[str, list[Finding]] = {
        effect["digest"]: effect["found"]
        for turn in record
        for effect in turn.get("effects", [])
        if effect["effect"] == CHECKED
    }

    def answer(files: Mapping[str, str], task: Task) -> list[Finding]:
        found = known.get(digest(files, task))
        if found is None:
            raise GameError("the record does not say what its program did: it was altered")
        return found

    return answer


def effect(files: Mapping[str, str], task: Task, found: list[Finding]) -> dict[str, Any]:
    """Return what a runner found, as the record keeps it."""
    return {
        "effect": CHECKED,
        "digest": digest(files, task),
        "passed": sum(one["passed"] for one in found),
        "of": len(found),
        "found": found,
    }


def _found(files: Mapping[str, str], task: Task, unsafe: bool) -> list[Finding]:
    found: list[Finding] = json.loads(_run(json.dumps(dict(files)), task.model_dump_json(), unsafe))
    return found


@lru_cache(maxsize=256)
def _run(files: str, task_json: str, unsafe: bool) -> str:
    """Expected results never enter the sandbox: what runs in there cannot forge its verdict."""
    task = Task.model_validate_json(task_json)
    decimals = task.output.decimals if task.output else 0
    with written(json.loads(files)) as folder:

        def find(check: Check) -> Finding:
            result = run_checks(folder, check.to_run(), LIMITS, unsafe=unsafe)
            passed = check.judge(result, decimals)
            return {"check": check.words, "passed": passed, "found": shown(result)}

        with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as workers:
            return json.dumps(list(workers.map(find, task.checks)))
