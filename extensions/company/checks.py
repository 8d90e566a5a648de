"""The runners of a company's checks: in a sandbox, without a sandbox, or from the record.

The result of a program does not follow from its text. So a step that runs a program is not a
function of position and actions alone. Running a program is a move of nature: a runner is called,
and its findings go into the turn's effects. A replay uses a runner that reads these effects and
runs no program. So a replay reaches the same positions on any machine, with or without a sandbox,
even if the program is random.
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
"""The effect of running the checks: its keys are `digest`, `passed` and `of` (counts), `found`."""

LIMITS = Limits()


class Finding(TypedDict):
    """The result of one check of the program."""

    check: str
    passed: bool
    found: str


Runner = Callable[[Mapping[str, str], Task], list[Finding]]
"""A function from a workspace's files and its task to the findings, one per check, in order."""


def digest(files: Mapping[str, str], task: Task) -> str:
    """Return a hash of the files and the checks, by which a replay finds the recorded findings."""
    checks = [check.model_dump(mode="json") for check in task.checks]
    decimals = task.output.decimals if task.output else 0
    content = json.dumps([dict(files), checks, decimals], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()


def in_sandbox(files: Mapping[str, str], task: Task) -> list[Finding]:
    """Run each check in a sandbox of its own."""
    return _found(files, task, unsafe=False)


def without_sandbox(files: Mapping[str, str], task: Task) -> list[Finding]:
    """Run each check as an ordinary process of this machine, at the caller's risk.

    Raises:
        GameError: neither the command line nor the importing program permits such a run.
    """
    require_permission()
    return _found(files, task, unsafe=True)


def require_permission() -> None:
    """Refuse to run without a sandbox unless the command line permits it; a file cannot permit it.

    Raises:
        GameError: running without a sandbox is not permitted.
    """
    if not permitted(NO_SANDBOX):
        raise GameError(
            "unsafe_no_sandbox: no file and no request can switch the sandbox off: "
            "give --unsafe-no-sandbox on the command line, or leave it out"
        )


def as_recorded(record: Sequence[Turn]) -> Runner:
    """Return a runner that reads findings from the record and runs nothing.

    The runner raises `GameError` if the record has no findings on a program.
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
            raise GameError("the record lacks the program's result: the record was altered")
        return found

    return answer


def effect(files: Mapping[str, str], task: Task, found: list[Finding]) -> dict[str, Any]:
    """Return a runner's findings as an effect for the record."""
    return {
        "effect": CHECKED,
        "digest": digest(files, task),
        "passed": sum(one["passed"] for one in found),
        "of": len(found),
        "found": found,
    }


def failure(one: Finding) -> str:
    """Return in words a failed check and what the program did instead."""
    return f"{one['check']} (result: {one['found']})"


def _found(files: Mapping[str, str], task: Task, unsafe: bool) -> list[Finding]:
    found: list[Finding] = json.loads(_run(json.dumps(dict(files)), task.model_dump_json(), unsafe))
    return found


@lru_cache(maxsize=256)
def _run(files: str, task_json: str, unsafe: bool) -> str:
    """Run the checks and judge them outside the sandbox, so no program can forge a finding."""
    task = Task.model_validate_json(task_json)
    decimals = task.output.decimals if task.output else 0
    with written(json.loads(files)) as folder:

        def find(check: Check) -> Finding:
            result = run_checks(folder, check.to_run(), LIMITS, unsafe=unsafe)
            passed = check.judge(result, decimals)
            return {"check": check.words, "passed": passed, "found": shown(result)}

        with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as workers:
            return json.dumps(list(workers.map(find, task.checks)))
