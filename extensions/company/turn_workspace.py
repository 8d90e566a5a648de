"""The workspace of a company during one turn: actions, fixes and checks."""

from dataclasses import dataclass, field, replace
from typing import Any

from shapley_coop.extensions.company.artefacts import (
    FIX,
    Artefact,
    action_label,
    action_of,
    artefact,
    is_code,
)
from shapley_coop.extensions.company.checks import Finding, Runner, effect, failure
from shapley_coop.extensions.company.task import Task
from shapley_coop.games.turns import Turn

NO_ARTEFACT = "no_artefact"
"""The effect of an action without an artefact, with keys `agent`, `why`, `wrote` (the action)."""


@dataclass
class TurnWorkspace:
    """The files, findings and effects of a turn while it is played."""

    files: dict[str, str]
    checks: list[Finding]
    task: Task
    runner: Runner
    effects: list[dict[str, Any]] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)  # path → its author in this turn
    stale: bool = False  # whether a file was written after the latest run of the checks

    def take(self, agent: str, action: str) -> None:
        """Apply one agent's action to the files, or record why it leaves no artefact."""
        made = artefact(agent, action, self.files)
        if isinstance(made, str):
            return self._nothing(agent, action, made)
        if made.path in self.written:
            first = self.written[made.path]
            return self._nothing(agent, action, f"{first} wrote {made.path} this turn")
        if self.files.get(made.path) == made.content:
            return self._nothing(agent, action, f"{made.path} is like that already")
        if action_label(action) == FIX:
            return self._fix(made, action)
        return self._keep(made)

    def close(self) -> None:
        """End the turn: if files changed and there is code, run the checks on the files."""
        if self.stale and any(map(is_code, self.files)):
            self.checks = self._run(self.files)

    @property
    def passes(self) -> bool:
        """Whether the checks have been run and all passed in the latest run."""
        return bool(self.checks) and all(one["passed"] for one in self.checks)

    def _fix(self, made: Artefact, action: str) -> None:
        """Refuse a fix that breaks a check; a fix that mends no check is recorded as plain code."""
        if not self.checks:
            self.checks = self._run(self.files)
        after = self._run({**self.files, made.path: made.content})
        pairs = list(zip(self.checks, after, strict=True))
        if broken := [failure(a) for b, a in pairs if b["passed"] and not a["passed"]]:
            return self._nothing(made.agent, action, f"it breaks what worked: {broken[0]}")
        mends = any(a["passed"] and not b["passed"] for b, a in pairs)
        why = made.message.removeprefix("fix: ")
        self._keep(made if mends else replace(made, kind="code", message=f"try: {why}"))
        self.checks, self.stale = after, False
        return None

    def _keep(self, made: Artefact) -> None:
        self.files[made.path] = made.content
        self.written[made.path], self.stale = made.agent, True
        self.effects.append(made.commit())

    def _nothing(self, agent: str, action: str, why: str) -> None:
        self.effects.append({"effect": NO_ARTEFACT, "agent": agent, "why": why, "wrote": action})

    def _run(self, files: dict[str, str]) -> list[Finding]:
        found = self.runner(files, self.task)
        self.effects.append(effect(files, self.task, found))
        return found


def as_written(turn: Turn) -> dict[str, str]:
    """Return the actions of a recorded turn with their content, in the form that `step` takes."""
    actions = dict(turn["actions"])
    for happened in turn.get("effects", []):
        agent = happened.get("agent", "")
        if happened["effect"] == NO_ARTEFACT:
            actions[agent] = happened["wrote"]
        elif happened["effect"] == "commit":
            actions[agent] = _rewritten(actions[agent], happened)
    return actions


def _rewritten(name: str, commit: dict[str, Any]) -> str:
    """Return the action, with its content, that made this commit."""
    path, content = commit["path"], commit["content"]
    said = commit["message"].partition(": ")[2]
    if name == FIX:
        return action_of(name, path=path, content=content, why=said)
    if commit["kind"] == "decisions":
        return action_of(name, title=said, text=content.split("\n\n", 2)[2])
    return action_of(name, path=path, content=content)
