"""What an agent can foresee of a raid: whom the boss will strike, who dies, what each hero earns.

All of it from the letter's facts, with dice at their means. Two assumptions about agents are
declared here, and whatever a simulation shows follows from them:

far-sighted: whoever was asked to work out what all together could achieve foresees the play to its
end, the team's reward included, and proposes what is best for all.

near-sighted: whoever was not asked looks no further than the next death. It counts its own rewards
and the turns it lives to earn more, and asks for help only against its own death.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from shapley_coop.games.foresight import Asked, Foreseen, Foresight, Owed, Part, Payoffs
from shapley_coop.games.game import Turn
from shapley_coop.games.raid_battle.battle import Battle, Numbers
from shapley_coop.games.raid_battle.rules import FIREBALL, HEAL, TAUNT


class RaidForesight(Foresight):
    """The battle fought on in thought: who has a duty keeps it, who has none casts Fireball."""

    FACTS = ("position", *Numbers.FACTS)

    def read(self, facts: Mapping[str, Any]) -> None:
        """Keep the numbers, and how the battle stands."""
        self.numbers, self.battle = Numbers.of(facts), Battle.of(facts["position"])

    def foresee(self, asked: Asked, mine: str | None = None) -> Foreseen:
        """Far-sighted to the end, with an even part of the team's reward; else to the next death.

        A near-sighted agent adds what the survivors hope to earn after that.
        """
        record, after = self._fight(asked, mine)
        if self.far_sighted:
            pot = sum(float(turn.get("pot", 0)) for turn in record) / len(self.agents)
            return Foreseen(record, {a: x + pot for a, x in self._earned(record).items()})
        near = [turn for turn in record if turn["turn"] <= self._horizon]
        last = after[min(self._horizon, max(after))]
        hope = self.numbers.rewards[FIREBALL] * (self.numbers.turns - self._horizon)
        own = self._earned(near)
        return Foreseen(
            near, {a: own[a] + (hope if last.hp[a] else 0) for a in self.agents}, whole=False
        )

    def habit(self, legal: list[str]) -> str:
        """What pays me most at once."""
        return max(legal, key=lambda skill: self.numbers.rewards[skill])

    def options(self, legal: list[str]) -> list[str]:
        """Everything while a death is foreseen; else what pays me most at once."""
        return legal if self._deaths else [self.habit(legal)]

    def wish(self) -> list[Part]:
        """Help at the turn at which I would die.

        I ask a hero that would die with me, as it has a reason to agree; else I taunt myself; else
        I ask the healthiest.
        """
        record, after = self._foreseen
        dying = [t for t, battle in after.items() if not battle.hp[self.me]]
        if not dying or not self.battle.hp[self.me]:
            return []
        at = dying[0]
        before = after.get(at - 1, self.battle)
        did = next(turn["actions"] for turn in record if turn["turn"] == at)
        free = [a for a in before.living if did.get(a) == FIREBALL]
        able = [a for a in free if not before.wait[a]]
        doomed = [a for a in able if a != self.me and not after[at].hp[a]]
        healthy = sorted(set(free) - {self.me}, key=lambda a: (-before.hp[a], a))
        chosen = [*doomed, *(a for a in able if a == self.me), *(a for a in healthy if a in able)]
        skill = TAUNT if chosen else HEAL
        helper = next(iter(chosen or healthy), None)
        return [] if helper is None else [Part(helper, skill, turns=(at, at))]

    def together(self) -> list[Part]:
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
        last = self.numbers.turns
        return [part for agent, turns in taunts.items() for part in _at(agent, turns, last)]

    def _fight(self, asked: Asked, mine: str | None) -> tuple[list[Turn], dict[int, Battle]]:
        """Fight on until the boss falls, all heroes have, or time is up.

        Returns:
            The turns played and foreseen; and how things stand after each that is foreseen.
        """
        battle, record, after = self.battle.copy(), list(self.record), dict[int, Battle]()
        for turn in range(self.turn, self.numbers.turns + 1):
            play = _play(battle, asked(record, turn))
            if mine is not None and turn == self.turn:
                play[self.me] = mine
            rewards = battle.fight(self.numbers, play)
            happened: Turn = {"turn": turn, "actions": play, "rewards": rewards}
            record.append(happened)
            after[turn] = battle.copy()
            if battle.over or turn == self.numbers.turns:
                happened["pot"] = self.numbers.team_reward(battle, turn)
                break
        return record, after

    def _earned(self, record: list[Turn]) -> Payoffs:
        return {a: sum(float(t["rewards"].get(a, 0)) for t in record) for a in self.agents}

    @cached_property
    def _foreseen(self) -> tuple[list[Turn], dict[int, Battle]]:
        """The turns left if nothing more is agreed."""
        return self._fight(self.standing, None)

    @cached_property
    def _deaths(self) -> list[int]:
        """The turns after which somebody who stands now has died, if nothing more is agreed."""
        living = len(self.battle.living)
        return [t for t, battle in self._foreseen[1].items() if len(battle.living) < living]

    @cached_property
    def _horizon(self) -> int:
        """The turn of the next death, else the last."""
        return self._deaths[0] if self._deaths else max(self._foreseen[1])


def _play(battle: Battle, owed: Iterable[Owed]) -> dict[str, str]:
    play = dict.fromkeys(battle.living, FIREBALL)
    for duty in owed:
        if duty.agent not in play:
            continue
        if duty.forbidden and play[duty.agent] == duty.action:
            play[duty.agent] = HEAL
        elif not duty.forbidden and not (duty.action == TAUNT and battle.wait[duty.agent]):
            play[duty.agent] = duty.action
    return play


def _at(agent: str, turns: list[int], last: int) -> Iterator[Part]:
    """One agent's Taunts: one part if they come at even intervals to the end."""
    first, gap = turns[0], turns[1] - turns[0] if len(turns) > 1 else last
    if turns == list(range(first, last + 1, gap)) and len(turns) > 1:
        yield Part(agent, TAUNT, every=(gap, first))
    else:
        yield from (Part(agent, TAUNT, turns=(t, t)) for t in turns)
