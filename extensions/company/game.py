"""Software company: six roles build a program, and a bounty is theirs once its checks pass.

`step` never touches a disk or starts a process. It takes content as data, and asks a runner what
the program does; the runner's findings go into the effects, so that a play can be repeated from its
record alone (see `company_checks`). Repository and contributions are views of the record:
`tree.materialise` builds the one, and the reader of any git history counts the other.
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
"""Each artefact counts one, as in the paper: the game's checks say whether it is any good."""

_TEXTS: dict[str, str] = read_file(Path(__file__).with_name("rules.yaml"), "rules")


class CompanyAnalysis(BountyAnalysis):
    """By what was made; no program is run for it."""

    game: "SoftwareCompany"

    def replays(self, record: Sequence[Turn]) -> Replays:
        """The members' parts of the bounty, by the Weighted Earned Value of what they made."""
        total = realised_total(record)
        made = parts(self.game.artefacts(record), self.game.params.weights) if total else {}
        return additive(
            self.game.agents, [total * made.get(agent, 0) for agent in self.game.agents]
        )

    def replay(self, record: Sequence[Turn]) -> Iterator[Step]:
        """Play a record again, step by step, from its effects: no program is run.

        Raises:
            GameError: the record does not follow from itself.
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
        """Return no reference points: actions carry content, so plays cannot be enumerated."""
        return ReferencePoints()


class SoftwareCompany(Game):
    """Six roles decide, write and mend until a program's checks pass; the bounty is shared.

    No turn is paid. The bounty is the pot of the last turn if all checks pass then. A
    coalition is worth the Weighted Earned Value of what its members made (Shapley-Coop, B.2).
    """

    name = "software_company"
    rolls_dice = False
    own_baseline = True
    Params: ClassVar[type[Params]] = SoftwareCompanyParams
    analysed_by: ClassVar[type[Analysis]] = CompanyAnalysis
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
        """All phases, as often as they are gone through."""
        return len(self._phases)

    def make_ready(self) -> None:
        """Refuse what could not be played to its end here: a program that may not be run.

        Raises:
            SandboxMissing: there is no sandbox, and going without was not asked for.
            GameError: going without is asked for by the parameters alone.
            LibraryMissing: the globs by which its files are told apart could not be matched.
        """
        engine(self.name)
        if self.runner is company_checks.without_sandbox:
            company_checks.require_permission()
        if self.runner is company_checks.in_sandbox:
            require_sandbox()

    def start(self) -> Position:
        """Return an empty workspace."""
        return {"turn": 1, "files": {}, "checks": []}

    def view(self, position: Position, agent: str) -> dict[str, Any]:
        """Return the phase, every file, and what the checks found last."""
        return {**position, "phase": self._phase(position)}

    def legal(self, position: Position, agent: str) -> list[str]:
        """Return what the agent's role is able to do in this phase; nothing, or to pass."""
        able = [] if self.over(position) else self._able(agent, self._phase(position))
        return [*able, PASS] if able else []

    def open_turns(self, agent: str, action: str) -> Spans | None:
        """The turns of the phases that an action is for; an agent passes where it has another."""
        able = (self._able(agent, phase) for phase in self._phases)
        return spans(
            n for n, can in enumerate(able, 1) if action in can or (can and action == PASS)
        )

    def action_label(self, action: str) -> str:
        """Return the name under which an action is agreed on and recorded."""
        return action_label(action)

    def objection(self, position: Position, agent: str, action: str) -> str:
        """Return what is wrong with an action that an agent wrote; empty when it can be taken."""
        legal = self.legal(position, agent)
        if action_label(action) not in legal:
            return f"You cannot do that now: legal are {', '.join(legal)}."
        made = None if action_label(action) == PASS else artefact(agent, action, position["files"])
        return f"{made}." if isinstance(made, str) else ""

    def check(self, position: Position, actions: Mapping[str, str]) -> None:
        """Refuse actions that are not legal; what is wrong with their content is for `step`."""
        super().check(position, {agent: action_label(action) for agent, action in actions.items()})

    def step(self, position: Position, actions: Mapping[str, str]) -> Step:
        """Enter what each role wrote, in speaking order, and run the checks on it.

        Of two who write one file in one turn, the first in speaking order is heard: the other did
        not know. An action without sound content leaves nothing, and the effects say why.
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
        """After the last phase."""
        return int(position["turn"]) > self.turns

    def default_baseline(self) -> Baseline:
        """Return the baseline: who is absent made nothing."""
        return MADE_NOTHING

    def artefacts(self, record: Sequence[Turn]) -> Counts:
        """Agent → kind → count, read from the history of the workspace that the record builds."""
        counted = _counted(json.dumps(commits_of(record)))
        return {agent: counted.get(agent, {}) for agent in self.agents}

    def rules(self) -> str:
        """Roles, phases, how content is written, how the bounty is earned and valued."""
        p = self.params
        wages = ", ".join(f"{k} {low}–{high} %" for k, (low, high) in p.weights.items())
        return _TEXTS["rules"].format(
            title=self.task.title,
            about=self.task.about,
            roles="\n".join(f"- {a}: {', '.join(ROLES[a])}" for a in self.agents),
            phases=", ".join(dict.fromkeys(self._phases)),
            turns=self.turns,
            program=self._program(),
            bounty=f"{p.bounty} {p.currency}".strip(),
            wages=wages,
        )

    def _program(self) -> str:
        """Return how the program is called and checked."""
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
        """Return who wrote what, what came to nothing, and how many checks pass."""
        told = []
        for effect in turn.get("effects", []):
            match effect["effect"]:
                case "commit":
                    told.append(f"{effect['agent']} wrote {effect['path']}")
                case "checks":
                    told.append(f"{effect['passed']} of {effect['of']} checks pass")
                case "no_artefact":
                    told.append(f"nothing came of {effect['agent']}'s action: {effect['why']}")
        return ", ".join(told)

    def facts(self) -> dict[str, Any]:
        """Return the task, who can do what and when, and what there is for it."""
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


@lru_cache(maxsize=64)
def _counted(commits: str) -> Counts:
    """Return what the reader of git histories finds in the workspace that these commits build."""
    turn: Turn = {"turn": 1, "actions": {}, "rewards": {}, "effects": json.loads(commits)}
    with TemporaryDirectory(prefix="history-") as name:
        folder = Path(name) / "workspace"
        materialise([turn], folder)
        return read_history(folder, rules=_COUNTED).artefacts()


GAME = SoftwareCompany
FORESIGHT = CompanyForesight
