"""What an embedded role can foresee of a software company, and what it does there.

Every role does its work, promised or not: passing earns nothing. Two assumptions about agents are
declared here, and what a simulation shows of splits follows from them:

far-sighted: whoever was asked to work out what all together could achieve sees that the bounty
needs every role, and thinks it as likely as not that one who has promised nothing does its part.

near-sighted: whoever was not asked takes it for granted that the work will be done, and that an
even part of the bounty is its own.
"""

from collections.abc import Mapping
from typing import Any

from shapley_coop.extensions.company.artefacts import FIX, PASS, PHASES, action_label
from shapley_coop.extensions.company.role_work import work
from shapley_coop.games.foresight import Asked, Foreseen, Foresight, Missing, Part
from shapley_coop.games.turns import Turn

_UNPROMISED = 0.5
"""How likely one who has promised nothing is thought to do its part."""


class CompanyForesight(Foresight):
    """The bounty: as likely as it is, in even parts."""

    FACTS = ("turns", "position", "actions", "task", "phases", "bounty")
    writes = True

    def read(self, facts: Mapping[str, Any]) -> None:
        """Keep the task, the phases and the bounty."""
        self.actions: Mapping[str, list[str]] = facts["actions"]
        self.task: Mapping[str, Any] = facts["task"]
        self.position: Mapping[str, Any] = facts["position"]
        self.bounty = float(facts["bounty"])
        turns = int(facts["turns"])
        once = [span["phase"] for span in facts["phases"] for _ in range(span["turns"])]
        # The phase of each turn.
        self.phases: list[str] = (once * (turns // max(1, len(once)) + 1))[:turns]

    def foresee(self, asked: Asked, mine: str | None = None) -> Foreseen:
        """Every role does what it owes; the bounty comes if those who owe nothing work as well."""
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
        """Return the first deed of each role in the first turn of each phase left.

        No role can promise to fix what may not be broken.
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
        """Return nothing: an even part of the bounty seems certain."""
        return []

    def habit(self, legal: list[str]) -> str:
        """My next artefact, as an action with its content; to pass where there is none.

        Raises:
            Missing: the task is told in words, and I build only what has a formula.
        """
        if not self.task.get("formula"):
            raise Missing("the letter's task has no formula, and I can build nothing from words")
        done = work(self.me, self.position["phase"], self.task, self.position)
        return done if action_label(done) in legal else PASS

    def _turn(self, turn: int, actions: dict[str, str]) -> Turn:
        return {"turn": turn, "actions": actions, "rewards": dict.fromkeys(self.agents, 0)}
