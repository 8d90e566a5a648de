"""What an embedded role can foresee of a software company, and what it does there.

Everybody does its work, promised or not: passing earns nobody anything. Two assumptions about
minds are declared here, and what a simulation shows of splits follows from them:

far-sighted: who was asked to work out what all together could achieve sees that the bounty needs
everybody, and thinks it as likely as not that one who has promised nothing does its part.

near-sighted: who was not asked takes it for granted that the work will be done, and that an
even part of the bounty is its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from shapley_coop.deals import Deal, Do, Forbid, Pay, Share, Turns, duties, payments
from shapley_coop.games import Turn
from shapley_coop.games.software_company.artefacts import FIX, PASS, PHASES, action_label
from shapley_coop.seats.embedded.company_work import work
from shapley_coop.seats.embedded.outlook import EPSILON, Missing, Payoffs, needed, settled

_UNPROMISED = 0.5
"""How likely one who has promised nothing is thought to do its part."""


@dataclass(frozen=True)
class CompanyOutlook:
    """The letter's company, and what follows from it: what everybody ends up with."""

    me: str
    agents: list[str]
    actions: Mapping[str, list[str]]
    task: Mapping[str, Any]
    phases: list[str]  # one for each turn
    bounty: float
    turn: int
    position: Mapping[str, Any]
    record: list[Turn]
    standing: Deal
    far_sighted: bool

    FACTS = ("agents", "actions", "task", "phases", "bounty")

    @classmethod
    def of(cls, facts: Mapping[str, Any], record: list[Turn]) -> "CompanyOutlook":
        """Read the letter.

        Raises:
            Missing: names the facts that are not there.
        """
        needed(facts, "you", "turn", "turns", "position", *cls.FACTS)
        contract = facts.get("contract") or {"clauses": []}
        once = [span["phase"] for span in facts["phases"] for _ in range(span["turns"])]
        return cls(
            me=facts["you"],
            agents=list(facts["agents"]),
            actions=facts["actions"],
            task=facts["task"],
            phases=(once * (int(facts["turns"]) // max(1, len(once)) + 1))[: int(facts["turns"])],
            bounty=float(facts["bounty"]),
            turn=int(facts["turn"]),
            position=facts["position"],
            record=record,
            standing=Deal.model_validate({"clauses": contract["clauses"]}),
            far_sighted=facts.get("ask") == "reason" or bool(facts.get("reasoning")),
        )

    @cached_property
    def alone(self) -> Payoffs:
        """What everybody gets if nothing more is agreed."""
        return self.value(self.standing)

    @cached_property
    def surplus(self) -> float:
        """What it adds that everybody promises its part."""
        everybody = self.value(Deal(clauses=tuple(self._parts)))
        return sum(everybody.values()) - sum(self.alone.values())

    @cached_property
    def together(self) -> list[Do | Forbid]:
        """Everybody's part, if it adds anything to promise it."""
        return self._parts if self.surplus > EPSILON else []

    @property
    def wish(self) -> list[Do | Forbid]:
        """Nothing: an even part of the bounty seems certain."""
        return []

    def value(self, deal: Deal, mine: str | None = None) -> Payoffs:
        """What everybody gets under a deal: the bounty, as likely as it is, split and paid for."""
        earned = self._even(deal)
        share = deal.share or self.standing.share
        foreseen = self._foreseen(deal)
        due = payments(deal, foreseen)
        if deal.clauses != self.standing.clauses:
            due = [*payments(self.standing, foreseen), *due]
        return settled(share, due, earned, self._even(Deal()))

    def asks(self, deal: Deal) -> bool:
        """Whether a deal asks anything of me that the contract does not."""
        return any(
            self.me == (clause.payer if isinstance(clause, Pay) else clause.agent)
            for clause in deal.clauses
            if not isinstance(clause, Share) and clause not in self.standing.clauses
        )

    def habit(self, legal: list[str]) -> str:
        """My work."""
        return self.work(legal)

    def options(self, legal: list[str]) -> list[str]:
        """My work: nothing else earns anything."""
        return [self.work(legal)]

    def work(self, legal: list[str]) -> str:
        """My next artefact, as an action with its content; to pass where there is none.

        Raises:
            Missing: the task is told in words, and I build only what has a formula.
        """
        if not self.task.get("formula"):
            raise Missing("the letter's task has no formula, and I can build nothing from words")
        done = work(self.me, self.position["phase"], self.task, self.position)
        return done if action_label(done) in legal else PASS

    @cached_property
    def _parts(self) -> list[Do | Forbid]:
        """What everybody can promise: its first deed in the first turn of each phase left.

        Nobody can promise to fix what may not be broken.
        """
        found: list[Do | Forbid] = []
        for turn, phase in enumerate(self.phases, start=1):
            first = turn == 1 or self.phases[turn - 2] != phase
            for agent in self.agents:
                able = [x for x in self.actions[agent] if x in PHASES[phase] and x != FIX]
                if able and first and turn >= self.turn:
                    found.append(Do(agent=agent, action=able[0], when=Turns(turns=(turn, turn))))
        return found

    def _even(self, deal: Deal) -> Payoffs:
        """An even part of the bounty for everybody, as likely as it is to be earned."""
        promised = {c.agent for c in (*deal.clauses, *self.standing.clauses) if isinstance(c, Do)}
        unsure = [agent for agent in self.agents if agent not in {*promised, self.me}]
        likely = _UNPROMISED ** len(unsure) if self.far_sighted else 1.0
        return {agent: self.bounty * likely / len(self.agents) for agent in self.agents}

    def _foreseen(self, deal: Deal) -> list[Turn]:
        """The turns played, and those left, in which everybody does what it owes."""
        record = list(self.record)
        for turn in range(self.turn, len(self.phases) + 1):
            owed = [d for d in duties(deal, record, turn) if not d.forbidden]
            record.append(
                {
                    "turn": turn,
                    "actions": {d.agent: d.action for d in owed},
                    "rewards": dict.fromkeys(self.agents, 0),
                }
            )
        return record
