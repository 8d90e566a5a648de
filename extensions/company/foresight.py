"""The foresight of an embedded role in a software company, and its actions.

Every role does its work, with or without a promise, because passing earns nothing. How simulated
agents split the bounty follows from two assumptions about agents:

far-sighted: an agent that was asked to reason about joint gains knows that the bounty needs every
role. It believes that a role without a promise does its part with probability 1/2.

near-sighted: any other agent believes that the work will be done in any case, and that it will get
an equal share of the bounty.
"""

from collections.abc import Mapping
from typing import Any

from shapley_coop.extensions.company.artefacts import FIX, PASS, PHASES, action_label
from shapley_coop.extensions.company.role_work import work
from shapley_coop.games.foresight import Asked, Foreseen, Foresight, Missing, Part
from shapley_coop.games.turns import Turn

_UNPROMISED = 0.5
"""The assumed probability that a role without a promise does its part."""


class CompanyForesight(Foresight):
    """The foresight by which each role expects bounty × its probability / number of roles."""

    FACTS = ("turns", "position", "actions", "task", "phases", "bounty")
    writes = True

    def read(self, facts: Mapping[str, Any]) -> None:
        """Store the task, the phases and the bounty from the letter's facts."""
        self.actions: Mapping[str, list[str]] = facts["actions"]
        self.task: Mapping[str, Any] = facts["task"]
        self.position: Mapping[str, Any] = facts["position"]
        self.bounty = float(facts["bounty"])
        turns = int(facts["turns"])
        once = [span["phase"] for span in facts["phases"] for _ in range(span["turns"])]
        # `phases` has the phase of each turn, in order.
        self.phases: list[str] = (once * (turns // max(1, len(once)) + 1))[:turns]

    def foresee(self, asked: Asked, mine: str | None = None) -> Foreseen:
        """Return the expected bounty in equal shares, if all roles keep their promises."""
        record, promised = list(self.record), {self.me}
        for turn in range(1, len(self.phases) + 1):
            for terms in (asked, self.standing):
                owed = [d for d in terms(record[: turn - 1], turn) if not d.forbidden]
                promised |= {duty.agent for duty in owed}
                if terms is asked and turn >= self.turn:
                    record.append(self._turn(turn, {duty.agent: duty.action for duty in owed}))
        unsure = [agent for agent in self.agents if agent not in promised]
        likely = _UNPROMISED ** len(unsure) if self.far_sighted else 1.0
        even = self.bounty * likely / len(self.agents)
        return Foreseen(record, dict.fromkeys(self.agents, even))

    def together(self) -> list[Part]:
        """Return a plan: each role's first action in the first turn of each remaining phase.

        The plan contains no fixes, because perhaps nothing will need a fix.
        """
        found = []
        for turn, phase in enumerate(self.phases, start=1):
            first = turn == 1 or self.phases[turn - 2] != phase
            for agent in self.agents:
                able = [x for x in self.actions[agent] if x in PHASES[phase] and x != FIX]
                if able and first and turn >= self.turn:
                    found.append(Part(agent, able[0], turns=(turn, turn)))
        return found

    def wish(self) -> list[Part]:
        """Return an empty plan: a near-sighted agent believes that its equal share is certain."""
        return []

    def habit(self, legal: list[str]) -> str:
        """Return the action, with content, that writes the next artefact; `pass` if none is left.

        Raises:
            Missing: the task has no formula, and embedded roles cannot build from words.
        """
        if not self.task.get("formula"):
            raise Missing("the task has no formula, and an embedded role cannot build from words")
        done = work(self.me, self.position["phase"], self.task, self.position)
        return done if action_label(done) in legal else PASS

    def _turn(self, turn: int, actions: dict[str, str]) -> Turn:
        return {"turn": turn, "actions": actions, "rewards": dict.fromkeys(self.agents, 0)}
