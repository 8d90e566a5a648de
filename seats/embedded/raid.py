"""What an agent can foresee of a raid: whom the boss will strike, who dies, what everybody earns.

All of it from the letter's facts, with dice at their means. Two assumptions about minds are
declared here, and whatever a simulation shows follows from them:

far-sighted: who was asked to work out what all together could achieve foresees the play to its
end, the team's reward included, and proposes what is best for all.

near-sighted: who was not asked looks no further than the next death. It counts its own rewards and
the turns it lives to earn more, and asks for help only against its own death.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from shapley_coop.deals import (
    Deal,
    Do,
    Duty,
    Every,
    Forbid,
    Pay,
    Payment,
    Share,
    Turns,
    duties,
    payments,
)
from shapley_coop.games import Turn
from shapley_coop.seats.embedded.battle import FIREBALL, HEAL, TAUNT, Battle, Numbers
from shapley_coop.seats.embedded.outlook import EPSILON, Missing, Payoffs, needed, settled


@dataclass(frozen=True)
class Foreseen:
    """The turns left, as one agent pictures them."""

    record: list[Turn]  # the turns played, and those foreseen
    after: dict[int, Battle]  # turn → how things stand after it, for those foreseen


@dataclass(frozen=True)
class RaidOutlook:
    """The letter's battle, and what follows from it.

    A deal is valued by fighting on in the mind: who has a duty keeps it, who has none casts
    Fireball. Money is what everybody would end up with, past turns included.
    """

    me: str
    numbers: Numbers
    battle: Battle
    turn: int
    record: list[Turn]
    standing: Deal
    far_sighted: bool

    @classmethod
    def of(cls, facts: Mapping[str, Any], record: list[Turn]) -> "RaidOutlook":
        """Read the letter.

        Raises:
            Missing: names the facts that are not there.
        """
        needed(facts, "you", "turn", "position", *Numbers.FACTS)
        contract = facts.get("contract") or {"clauses": []}
        try:
            numbers, battle = Numbers.of(facts), Battle.of(facts["position"])
        except KeyError as lost:
            raise Missing(f"the letter's battle lacks {lost.args[0]}") from None
        return cls(
            me=facts["you"],
            numbers=numbers,
            battle=battle,
            turn=int(facts["turn"]),
            record=record,
            standing=Deal.model_validate({"clauses": contract["clauses"]}),
            far_sighted=facts.get("ask") == "reason" or bool(facts.get("reasoning")),
        )

    @property
    def agents(self) -> list[str]:
        """Everybody, in acting order."""
        return self.numbers.agents

    @cached_property
    def alone(self) -> Payoffs:
        """What everybody ends up with if nothing more is agreed."""
        return self.value(self.standing)

    @cached_property
    def surplus(self) -> float:
        """What full cooperation adds to that."""
        return sum(self.value(Deal(clauses=tuple(self.together))).values()) - sum(
            self.alone.values()
        )

    def value(self, deal: Deal, mine: str | None = None) -> Payoffs:
        """What everybody ends up with under a deal.

        Args:
            deal: a draft, which would amend the contract that stands; or that contract.
            mine: an action of my own for this turn, in place of what the deal asks of me.
        """
        seen = self._foresee(deal, mine)
        if not self.far_sighted:
            return self._own(deal, seen)
        share = deal.share or self.standing.share
        return settled(share, self._due(deal, seen.record), self._held(seen.record), self._security)

    def asks(self, deal: Deal) -> bool:
        """Whether a deal asks anything of me that the contract does not."""
        return any(
            self.me == (clause.payer if isinstance(clause, Pay) else clause.agent)
            for clause in deal.clauses
            if not isinstance(clause, Share) and clause not in self.standing.clauses
        )

    def habit(self, legal: list[str]) -> str:
        """What I do without a deal: what pays me most at once."""
        return max(legal, key=lambda skill: self.numbers.rewards[skill])

    def options(self, legal: list[str]) -> list[str]:
        """Everything while a death is foreseen; else what pays me most at once."""
        return legal if self._deaths else [self.habit(legal)]

    @cached_property
    def wish(self) -> list[Do | Forbid]:
        """What I propose for my own good: help at the turn at which I would die.

        I ask a hero that would die with me, as it has a reason to agree; else I taunt myself; else
        I ask the healthiest.
        """
        seen = self._foreseen
        dying = [t for t, battle in seen.after.items() if not battle.hp[self.me]]
        if not dying or not self.battle.hp[self.me]:
            return []
        at = dying[0]
        before = seen.after.get(at - 1, self.battle)
        did = next(turn["actions"] for turn in seen.record if turn["turn"] == at)
        free = [a for a in before.living if did.get(a) == FIREBALL]
        able = [a for a in free if not before.wait[a]]
        doomed = [a for a in able if a != self.me and not seen.after[at].hp[a]]
        healthy = sorted(set(free) - {self.me}, key=lambda a: (-before.hp[a], a))
        chosen = [*doomed, *(a for a in able if a == self.me), *(a for a in healthy if a in able)]
        skill = TAUNT if chosen else HEAL
        helper = next(iter(chosen or healthy), None)
        if helper is None:
            return []
        kept = list(self.standing.duties.values())
        return [*kept, Do(agent=helper, action=skill, when=Turns(turns=(at, at)))]

    @cached_property
    def together(self) -> list[Do | Forbid]:
        """What is best for all: taking turns to Taunt; nothing if that adds nothing."""
        rotation: list[Do | Forbid] = list(self._rotation())
        shared = self.value(Deal(clauses=tuple(rotation)))
        better = sum(shared.values()) > sum(self.alone.values()) + EPSILON
        return rotation if better else []

    def _rotation(self) -> Iterable[Do]:
        """At every turn left the healthiest of those who can taunts, whatever the boss has left."""
        battle, taunts = self.battle.copy(), dict[str, list[int]]()
        battle.boss = float("inf")
        for turn in range(self.turn, self.numbers.turns + 1):
            ready = [a for a in battle.living if not battle.wait[a]]
            play = dict.fromkeys(battle.living, FIREBALL)
            if ready:
                taunter = max(ready, key=battle.hp.__getitem__)
                taunts.setdefault(taunter, []).append(turn)
                play[taunter] = TAUNT
            battle.fight(self.numbers, play)
        for agent, turns in taunts.items():
            yield from _at(agent, turns, self.numbers.turns)

    def _foresee(self, deal: Deal, mine: str | None = None) -> Foreseen:
        """Fight on until the boss falls, all heroes have, or time is up."""
        battle, record, after = self.battle.copy(), list(self.record), dict[int, Battle]()
        for turn in range(self.turn, self.numbers.turns + 1):
            play = self._play(battle, duties(deal, record, turn))
            if mine is not None and turn == self.turn:
                play[self.me] = mine
            rewards = battle.fight(self.numbers, play)
            happened: Turn = {"turn": turn, "actions": play, "rewards": rewards}
            record.append(happened)
            after[turn] = battle.copy()
            if battle.over or turn == self.numbers.turns:
                happened["pot"] = self.numbers.team_reward(battle, turn)
                break
        return Foreseen(record, after)

    def _play(self, battle: Battle, owed: list[Duty]) -> dict[str, str]:
        play = dict.fromkeys(battle.living, FIREBALL)
        for duty in owed:
            if duty.agent not in play:
                continue
            if duty.forbidden and play[duty.agent] == duty.action:
                play[duty.agent] = HEAL
            elif not duty.forbidden and not (duty.action == TAUNT and battle.wait[duty.agent]):
                play[duty.agent] = duty.action
        return play

    def _own(self, deal: Deal, seen: Foreseen) -> Payoffs:
        """Near-sighted: own rewards until the next death, and all that survivors hope to earn."""
        record = [t for t in seen.record if t["turn"] <= self._horizon]
        last = seen.after[min(self._horizon, max(seen.after))]
        hope = self.numbers.rewards[FIREBALL] * (self.numbers.turns - self._horizon)
        own = {
            a: sum(float(t["rewards"].get(a, 0)) for t in record) + (hope if last.hp[a] else 0)
            for a in self.agents
        }
        return settled(None, self._due(deal, record), own, own)

    @cached_property
    def _horizon(self) -> int:
        """The turn of the next death, else the last."""
        return self._deaths[0] if self._deaths else max(self._foreseen.after)

    @cached_property
    def _deaths(self) -> list[int]:
        """The turns after which somebody who stands now has died, if nothing more is agreed."""
        living = len(self.battle.living)
        return [t for t, battle in self._foreseen.after.items() if len(battle.living) < living]

    @cached_property
    def _foreseen(self) -> Foreseen:
        """The turns left if nothing more is agreed."""
        return self._foresee(self.standing)

    @cached_property
    def _security(self) -> Payoffs:
        """What everybody holds if no deal ever binds anybody."""
        return self._held(self._foresee(Deal()).record)

    def _held(self, record: list[Turn]) -> Payoffs:
        """Own rewards, and an even part of the team's: nobody owns it."""
        pot = sum(float(turn.get("pot", 0)) for turn in record) / len(self.agents)
        return {a: sum(float(t["rewards"].get(a, 0)) for t in record) + pot for a in self.agents}

    def _due(self, deal: Deal, record: list[Turn]) -> list[Payment]:
        """What is paid under a deal: a draft's prices from now on, beside those that stand."""
        stood = payments(self.standing, record)
        if deal.clauses == self.standing.clauses:
            return stood
        return stood + payments(deal, record, self.turn)


def _at(agent: str, turns: list[int], last: int) -> list[Do]:
    """Clauses for one agent's Taunts: one if they come at even intervals to the end."""
    first, gap = turns[0], turns[1] - turns[0] if len(turns) > 1 else last
    if turns == list(range(first, last + 1, gap)) and len(turns) > 1:
        return [Do(agent=agent, action=TAUNT, when=Every(every=gap, start=first))]
    return [Do(agent=agent, action=TAUNT, when=Turns(turns=(t, t))) for t in turns]
