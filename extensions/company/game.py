"""Software company: six roles build a program, and earn a bounty if its checks pass.

`step` itself touches no disk and starts no process. It takes content as data and calls a runner to
check the program. The runner's findings go into the effects, so a play can be replayed from its
record alone (see `checks`). Repository and contributions are views of the record:
`tree.materialise` builds the repository, and `read_history` counts the contributions.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

from shapley_coop.earned_value import parts
from shapley_coop.extensions.company import checks as company_checks
from shapley_coop.extensions.company.artefacts import (
    PASS,
    PHASES,
    ROLES,
    action_label,
    artefact,
)
from shapley_coop.extensions.company.foresight import CompanyForesight
from shapley_coop.extensions.company.params import SoftwareCompanyParams
from shapley_coop.extensions.company.task import Task
from shapley_coop.extensions.company.tree import commits_of, materialise
from shapley_coop.extensions.company.turn_workspace import TurnWorkspace, as_written
from shapley_coop.extensions.repository.history import read_history
from shapley_coop.extensions.repository.patterns import engine
from shapley_coop.extensions.repository.rules import Rules
from shapley_coop.games.analysis import Analysis, BountyAnalysis
from shapley_coop.games.baseline import MADE_NOTHING, Baseline
from shapley_coop.games.files import read_file
from shapley_coop.games.game import Game
from shapley_coop.games.open_turns import Spans, spans
from shapley_coop.games.params import Number, Params
from shapley_coop.games.reference_points import ReferencePoints
from shapley_coop.games.replay import Replays, additive
from shapley_coop.games.sandbox import require_sandbox
from shapley_coop.games.turns import Position, Step, Turn, realised_total

Counts = dict[str, dict[str, Fraction]]

_COUNTED = Rules(weighed=False)
"""Each artefact counts 1, as in the paper, because the game's checks judge the quality."""

_TEXTS: dict[str, str] = read_file(Path(__file__).with_name("rules.yaml"), "rules")


class CompanyAnalysis(BountyAnalysis):
    """The analysis of a company by the agents' artefacts; it runs no program."""

    game: "SoftwareCompany"

    def replays(self, record: Sequence[Turn]) -> Replays:
        """Return replays in which a coalition earns the Weighted Earned Value of its members."""
        total = realised_total(record)
        made = parts(self.game.artefacts(record), self.game.params.weights) if total else {}
        return additive(
            self.game.agents, [total * made.get(agent, 0) for agent in self.game.agents]
        )

    def replay(self, record: Sequence[Turn]) -> Iterator[Step]:
        """Yield the steps of a record, replayed from its effects without running a program.

        Raises:
            GameError: the record is inconsistent.
        """
        runner = company_checks.as_recorded(record)
        again = SoftwareCompany(self.game.params.model_dump(), self.game.seed, runner)
        position = again.start()
        for turn in record:
            after = again.step(position, as_written(turn))
            yield after
            position = after.position

    @property
    def reference_points(self) -> ReferencePoints:
        """No reference points, because actions have free content: plays cannot be enumerated."""
        return ReferencePoints()


class SoftwareCompany(Game):
    """The game of six roles that decide, write and fix until a program's checks pass.

    Turns pay nothing. If all checks pass at the end, the bounty is the pot of the last turn. A
    coalition's worth is the Weighted Earned Value of its members' artefacts (Shapley-Coop, B.2).
    """

    name = "software_company"
    rolls_dice = False
    own_baseline = True
    Params: ClassVar[type[Params]] = SoftwareCompanyParams
    analysed_by: ClassVar[type[Analysis]] = CompanyAnalysis
    foresight = CompanyForesight
    params: SoftwareCompanyParams

    def __init__(
        self,
        params: Mapping[str, Any] | None = None,
        seed: int = 0,
        runner: company_checks.Runner | None = None,
    ) -> None:
        super().__init__(params, seed)
        self.actions = {agent: [*ROLES[agent], PASS] for agent in self.agents}
        self.task = Task.model_validate(self.params.task)
        self.currency = self.params.currency
        unsafe = self.params.unsafe_no_sandbox
        default = company_checks.without_sandbox if unsafe else company_checks.in_sandbox
        self.runner = runner or default
        self._phases = [
            phase
            for phase, turns in self.params.phases.items()
            for _ in range(turns)
            if any(self._able(agent, phase) for agent in self.agents)
        ] * self.params.rounds

    @property
    def turns(self) -> int:
        """The number of turns of all phases in all rounds."""
        return len(self._phases)

    def make_ready(self) -> None:
        """Refuse a game that could not be played to its end on this machine.

        Raises:
            SandboxMissing: the machine has no sandbox, and the parameters do not switch it off.
            GameError: the parameters switch the sandbox off without the command line's permission.
            LibraryMissing: the library that tells a file's kind by its path is not installed.
        """
        engine(self.name)
        if self.runner is company_checks.without_sandbox:
            company_checks.require_permission()
        if self.runner is company_checks.in_sandbox:
            require_sandbox()

    def start(self) -> Position:
        """Return the position with an empty workspace."""
        return {"turn": 1, "files": {}, "checks": []}

    def view(self, position: Position, agent: str) -> dict[str, Any]:
        """Return the phase, all files, and the latest findings of the checks."""
        return {**position, "phase": self._phase(position)}

    def legal(self, position: Position, agent: str) -> list[str]:
        """Return the role's actions in this phase and `pass`; [] if the role has no action."""
        able = [] if self.over(position) else self._able(agent, self._phase(position))
        return [*able, PASS] if able else []

    def open_turns(self, agent: str, action: str) -> Spans | None:
        """Return the turns in which an action is legal; `pass` is legal if any other action is."""
        able = (self._able(agent, phase) for phase in self._phases)
        return spans(
            n for n, can in enumerate(able, 1) if action in can or (can and action == PASS)
        )

    def action_label(self, action: str) -> str:
        """Return the name of an action, which deals and the record use."""
        return action_label(action)

    def objection(self, position: Position, agent: str, action: str) -> str:
        """Return an objection to an action as an agent wrote it; "" if the action is valid."""
        if why := super().objection(position, agent, action_label(action)):
            return why
        made = None if action_label(action) == PASS else artefact(agent, action, position["files"])
        return f"{made}." if isinstance(made, str) else ""

    def check(self, position: Position, actions: Mapping[str, str]) -> None:
        """Refuse actions that are not legal; `step` handles invalid content."""
        super().check(position, {agent: action_label(action) for agent, action in actions.items()})

    def step(self, position: Position, actions: Mapping[str, str]) -> Step:
        """Write each role's artefact into the workspace, in agents' order, and run the checks.

        If two agents write the same file in one turn, only the first agent's version counts. An
        action with invalid content leaves no artefact, and an effect gives the reason.
        """
        self.check(position, actions)
        files, checks = dict(position["files"]), list(position["checks"])
        desk = TurnWorkspace(files, checks, self.task, self.runner)
        for agent in self.agents:
            action = actions.get(agent, PASS)
            if action_label(action) != PASS:
                desk.take(agent, action)
        desk.close()
        after = {"turn": position["turn"] + 1, "files": desk.files, "checks": desk.checks}
        earned = self.over(after) and desk.passes
        rewards: dict[str, Number] = dict.fromkeys(self.agents, 0)
        return Step(after, rewards, self.params.bounty if earned else 0, desk.effects)

    def over(self, position: Position) -> bool:
        """Return whether the last phase has ended."""
        return int(position["turn"]) > self.turns

    def default_baseline(self) -> Baseline:
        """Return the baseline: an absent agent makes no artefacts."""
        return MADE_NOTHING

    def artefacts(self, record: Sequence[Turn]) -> Counts:
        """Return agent → kind → count, from the git history that the record builds."""
        counted = _counted(json.dumps(commits_of(record)))
        return {agent: counted.get(agent, {}) for agent in self.agents}

    def rules(self) -> str:
        """Return the rules: the task, roles, phases, the form of content, and the bounty."""
        p = self.params
        wages = ", ".join(f"{k} {low}–{high} %" for k, (low, high) in p.weights.items())
        return _TEXTS["rules"].format(
            title=self.task.title,
            about=self.task.about,
            roles="\n".join(f"- {a}: {', '.join(ROLES[a])}" for a in self.agents),
            phases="\n".join(self._phase_words(phase) for phase in dict.fromkeys(self._phases)),
            program=self._program(),
            bounty=f"{p.bounty} {p.currency}".strip(),
            wages=wages,
        )

    def _phase_words(self, phase: str) -> str:
        """Return a line with a phase's turns and the actions that are possible in it."""
        turns = spans(n for n, one in enumerate(self._phases, 1) if one == phase)
        told = ", ".join(f"{a}" if a == b else f"{a}–{b}" for a, b in turns)
        return f"- {phase}, turn {told}: {', '.join(PHASES[phase])}"

    def _program(self) -> str:
        """Return the part of the rules that says how the program is called and checked."""
        task = self.task
        if not task.inputs or task.output is None:
            return _TEXTS["words"]
        return _TEXTS["program"].format(
            inputs=", ".join(one.words for one in task.inputs),
            output=f"{task.output.name} ({task.output.unit}), {task.output.decimals} decimals",
            formula=task.formula,
            checks="\n".join(f"- `{check.words}`" for check in task.checks),
        )

    def happened(self, turn: Turn) -> str:
        """Return a turn in words: files written, failed actions, and how many checks passed."""
        told = []
        for effect in turn.get("effects", []):
            match effect["effect"]:
                case "commit":
                    told.append(f"{effect['agent']} wrote {effect['path']}")
                case "checks":
                    told.append(_checked(effect))
                case "no_artefact":
                    told.append(f"nothing came of {effect['agent']}'s action: {effect['why']}")
        return ", ".join(told)

    def facts(self) -> dict[str, Any]:
        """Return the facts: agents, actions, task, phases, bounty, weights and turns."""
        return {
            "game": self.name,
            "agents": list(self.agents),
            "actions": self.actions,
            "task": self.task.model_dump(mode="json", exclude_defaults=True),
            "phases": [
                {"phase": phase, "turns": self.params.phases[phase], "for": list(PHASES[phase])}
                for phase in dict.fromkeys(self._phases)
            ],
            "bounty": self.params.bounty,
            "currency": self.params.currency,
            "weights": {kind: list(ends) for kind, ends in self.params.weights.items()},
            "turns": self.turns,
        }

    @staticmethod
    def _able(agent: str, phase: str) -> list[str]:
        return [name for name in ROLES[agent] if name in PHASES[phase]]

    def _phase(self, position: Position) -> str:
        return self._phases[min(int(position["turn"]), self.turns) - 1]


def _checked(effect: Mapping[str, Any]) -> str:
    """Return in words how many checks passed, with the result of the first one that failed."""
    told = f"{effect['passed']} of {effect['of']} checks pass"
    failed = [one for one in effect["found"] if not one["passed"]]
    return f"{told}; the first to fail: {company_checks.failure(failed[0])}" if failed else told


@lru_cache(maxsize=64)
def _counted(commits: str) -> Counts:
    """Build the git repository of these commits (JSON) and count its artefacts by agent."""
    turn: Turn = {"turn": 1, "actions": {}, "rewards": {}, "effects": json.loads(commits)}
    with TemporaryDirectory(prefix="history-") as name:
        folder = Path(name) / "workspace"
        materialise([turn], folder)
        return read_history(folder, rules=_COUNTED).artefacts()


GAME = SoftwareCompany
