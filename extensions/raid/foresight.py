"""Foresight of a raid: the boss's targets, deaths, and the earnings of each hero.

All predictions follow from the letter's facts, with dice at their means. Two assumptions about
agents are declared here, and results of simulations depend on them:

far-sighted: an agent that was asked to work out the best joint result predicts the play to its
end, with the team's reward, and proposes the best plan for all.

near-sighted: any other agent looks no further than the next death. It counts its own rewards
and the turns in which it lives to earn more, and asks for help only against its own death.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from shapley_coop.extensions.raid.rules import FIREBALL, HEAL, TAUNT, RaidParams, resolve
from shapley_coop.games.foresight import Asked, Foreseen, Foresight, Owed, Part, Payoffs
from shapley_coop.games.turns import Position, Turn

_ENDLESS = 10**15
"""Hit points so high that the boss never falls."""


class RaidForesight(Foresight):
    """Foresight by simulated battles: a hero does its duty under a deal, or casts Fireball."""

    FACTS = ("turns", "position", "heroes", "boss", "skills", "rewards", "team_reward")

    def read(self, facts: Mapping[str, Any]) -> None:
        """Read the numbers and the position of the battle.

        All hit points are doubled, so that the means of dice are whole numbers.
        """
        boss, skills, team = facts["boss"], facts["skills"], facts["team_reward"]
        damage, healing = sum(skills[FIREBALL]["damage"]), sum(skills[HEAL]["healing"])
        self.last = int(facts["turns"])
        self.rewards = {skill: float(x) for skill, x in facts["rewards"].items()}
        self.win, self.loss = team["win"], team["loss"]
        self.params = RaidParams.model_construct(
            agents=self.agents,
            heroes=len(self.agents),
            rounds=self.last,
            hero_hp=2 * facts["heroes"]["hp"],
            strike=2 * boss["strike"],
            targets=boss["targets"],
            taunted_strike=2 * boss["taunted_strike"],
            damage=(damage, damage),
            healing=(healing, healing),
            cooldown=skills[TAUNT]["cooldown"],
            fireball_reward=self.rewards[FIREBALL],
            heal_reward=self.rewards[HEAL],
            taunt_reward=self.rewards[TAUNT],
        )
        now = facts["position"]
        self.now: Position = {
            "turn": self.turn,
            "boss_hp": 2 * now["boss_hp"],
            "heroes": {a: {**h, "hp": 2 * h["hp"]} for a, h in now["heroes"].items()},
        }

    def foresee(self, asked: Asked, mine: str | None = None) -> Foreseen:
        """Predict earnings to the play's end, with the team's reward, if this agent is far-sighted.

        A near-sighted agent predicts to the next death, and adds what survivors can still expect.
        """
        record, after = self._fight(asked, mine)
        if self.far_sighted:
            pot = sum(float(turn.get("pot", 0)) for turn in record) / len(self.agents)
            return Foreseen(record, {a: x + pot for a, x in self._earned(record).items()})
        near = [turn for turn in record if turn["turn"] <= self._horizon]
        standing = _living(after[min(self._horizon, max(after))])
        hope = self.rewards[FIREBALL] * (self.last - self._horizon)
        own = self._earned(near)
        return Foreseen(near, {a: own[a] + hope * (a in standing) for a in own}, whole=False)

    def habit(self, legal: list[str]) -> str:
        """Return the legal skill with the highest own reward."""
        return max(legal, key=self.rewards.__getitem__)

    def options(self, legal: list[str]) -> list[str]:
        """Return all legal skills while a death is predicted; else only the best-paid one."""
        return legal if self._deaths else [self.habit(legal)]

    def wish(self) -> list[Part]:
        """Return a plan of help for the agent at the turn at which it would die.

        The agent asks a hero that would die with it and so has a reason to agree. If there is none,
        the agent taunts; if it cannot taunt, it asks the healthiest hero.
        """
        record, after = self._foreseen
        dying = [t for t, position in after.items() if self.me not in _living(position)]
        if not dying or self.me not in _living(self.now):
            return []
        at = dying[0]
        before = after.get(at - 1, self.now)
        did = next(turn["actions"] for turn in record if turn["turn"] == at)
        free = [a for a in _living(before) if did.get(a) == FIREBALL]
        able = [a for a in free if not before["heroes"][a]["cooldown"]]
        doomed = [a for a in able if a != self.me and a not in _living(after[at])]
        healthy = sorted(set(free) - {self.me}, key=lambda a: (-before["heroes"][a]["hp"], a))
        chosen = [*doomed, *(a for a in able if a == self.me), *(a for a in healthy if a in able)]
        skill = TAUNT if chosen else HEAL
        helper = next(iter(chosen or healthy), None)
        return [] if helper is None else [Part(helper, skill, turns=(at, at))]

    def together(self) -> list[Part]:
        """Return a Taunt at every remaining turn by the healthiest hero with a Taunt ready."""
        position, taunts = {**self.now, "boss_hp": _ENDLESS}, dict[str, list[int]]()
        for turn in range(self.turn, self.last + 1):
            heroes = position["heroes"]
            play = dict.fromkeys(_living(position), FIREBALL)
            if ready := [a for a in play if not heroes[a]["cooldown"]]:
                taunter = max(ready, key=lambda a: heroes[a]["hp"])
                taunts.setdefault(taunter, []).append(turn)
                play[taunter] = TAUNT
            position = resolve(self.params, position, play, self._mean).position
        return [part for a, turns in taunts.items() for part in _at(a, turns, self.last)]

    def _mean(self, agent: str, skill: str) -> int:
        return self.params.healing[0] if skill == HEAL else self.params.damage[0]

    def _fight(self, asked: Asked, mine: str | None) -> tuple[list[Turn], dict[int, Position]]:
        """Simulate until the boss falls, all heroes fall, or the turns are used up.

        Returns:
            The recorded and predicted turns; and each predicted turn → the position after it.
        """
        position, record, after = self.now, list(self.record), dict[int, Position]()
        for turn in range(self.turn, self.last + 1):
            play = _play(position, asked(record, turn))
            if mine is not None and turn == self.turn:
                play[self.me] = mine
            step = resolve(self.params, position, play, self._mean)
            happened: Turn = {"turn": turn, "actions": play, "rewards": step.rewards}
            record.append(happened)
            before, position = position, step.position
            after[turn] = position
            if not position["boss_hp"]:
                self._win(happened, before["boss_hp"], len(_living(position)))
                break
            if not _living(position) or turn == self.last:
                happened["pot"] = self.loss
                break
        return record, after

    def _win(self, turn: Turn, boss_hp: int, living: int) -> None:
        """Set the winning turn's rewards, since nobody can predict which Fireball kills the boss.

        With real dice the battle may end earlier or later than predicted. So the last turn counts
        in part: by the fraction of its damage that is enough to kill the boss. This fraction scales
        the turn's rewards, and counts as the turn's length in the team's reward.
        """
        play = turn["actions"]
        part = boss_hp / (self.params.damage[0] * list(play.values()).count(FIREBALL))
        taunter = next((a for a, skill in play.items() if skill == TAUNT), None)
        turn["rewards"] = {
            a: part * self.rewards[play[a]]
            if (a in play and play[a] != TAUNT) or a == taunter
            else 0
            for a in self.agents
        }
        dead, before = len(self.agents) - living, turn["turn"] - 1 + part - 0.5
        turn["pot"] = self.win * (1 - dead / len(self.agents) - before / self.last)

    def _earned(self, record: list[Turn]) -> Payoffs:
        return {a: sum(float(t["rewards"].get(a, 0)) for t in record) for a in self.agents}

    @cached_property
    def _foreseen(self) -> tuple[list[Turn], dict[int, Position]]:
        """The predicted turns and positions if agents make no further deal."""
        return self._fight(self.standing, None)

    @cached_property
    def _deaths(self) -> list[int]:
        """The turns after which fewer heroes live than now, if agents make no further deal."""
        living = len(_living(self.now))
        return [t for t, position in self._foreseen[1].items() if len(_living(position)) < living]

    @cached_property
    def _horizon(self) -> int:
        """The turn of the next predicted death, or the last predicted turn if no hero dies."""
        return self._deaths[0] if self._deaths else max(self._foreseen[1])


def _living(position: Position) -> list[str]:
    return [agent for agent, hero in position["heroes"].items() if hero["hp"]]


def _play(position: Position, owed: Iterable[Owed]) -> dict[str, str]:
    play = dict.fromkeys(_living(position), FIREBALL)
    for duty in owed:
        if duty.agent not in play:
            continue
        if duty.forbidden and play[duty.agent] == duty.action:
            play[duty.agent] = HEAL
        elif not duty.forbidden and not (
            duty.action == TAUNT and position["heroes"][duty.agent]["cooldown"]
        ):
            play[duty.agent] = duty.action
    return play


def _at(agent: str, turns: list[int], last: int) -> Iterator[Part]:
    """Yield an agent's Taunts as parts of a plan; evenly spaced Taunts to the end are one part."""
    first, gap = turns[0], turns[1] - turns[0] if len(turns) > 1 else last
    if turns == list(range(first, last + 1, gap)) and len(turns) > 1:
        yield Part(agent, TAUNT, every=(gap, first))
    else:
        yield from (Part(agent, TAUNT, turns=(t, t)) for t in turns)
