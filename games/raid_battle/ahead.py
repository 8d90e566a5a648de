"""Raids in thought: many side by side where a plan depends on the turn alone."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any

import numpy as np

from shapley_coop.amounts import MICRO, exact
from shapley_coop.games.ahead import MOST_PLAYS, Ahead, Plan, Played
from shapley_coop.games.dice import dice
from shapley_coop.games.game import Game
from shapley_coop.games.raid_battle.conduct import Plan as Conducts
from shapley_coop.games.raid_battle.conduct import RaidsUnderWay
from shapley_coop.games.raid_battle.replay import IDLE, Coalitions, Ints
from shapley_coop.games.raid_battle.rules import (
    FIREBALL,
    HEAL,
    SKILLS,
    TAUNT,
    RaidParams,
    drawn,
)
from shapley_coop.games.turns import Position, Turn

if TYPE_CHECKING:
    from shapley_coop.games.raid_battle.game import RaidBattle

COOLING = [skill for skill in SKILLS if skill != TAUNT]
"""What a hero can do while its Taunt is not ready."""


class RaidAhead(Ahead):
    """A hero of whom nothing is asked uses the skill that pays it most."""

    game: "RaidBattle"

    @property
    def words(self) -> str:
        """What heroes are taken to do."""
        return f"a hero that is asked for nothing uses {self._habit}"

    @property
    def unasked_words(self) -> str:
        """The one skill."""
        return self._habit

    def most(self) -> dict[str, Fraction]:
        """Return the best skill at every turn, and a part of the best team reward."""
        p = self.game.params
        paid = max(map(exact, (p.fireball_reward, p.heal_reward, p.taunt_reward, 0)))
        team = max(exact(p.win_reward), exact(p.loss_reward), Fraction(0)) / p.heroes
        return dict.fromkeys(self.game.agents, p.rounds * paid + team)

    def unasked(self, position: Position, agent: str, waiting: bool) -> str:
        """Return the skill that pays most at once."""
        return self._habit

    def on_other_dice(self, seed: int) -> Game:
        """Return the same raid with other dice."""
        return type(self.game)(self.game.params.model_dump(), seed)

    def count(self, plan: Plan, sims: int, turns: int) -> int:
        """Return all at once where the plan allows it."""
        return MOST_PLAYS if plan.fixed else super().count(plan, sims, turns)

    def plays(
        self, position: Position, record: Sequence[Turn], plan: Plan, count: int
    ) -> list[Played]:
        """Side by side, and equal courses counted; one by one where the plan reads the record."""
        if not plan.fixed or count < MOST_PLAYS:
            return super().plays(position, record, plan, count)
        return _Fights(self.game, position, record, plan, self._habit, count).played()

    @property
    def _habit(self) -> str:
        p = self.game.params
        paid = {FIREBALL: p.fireball_reward, HEAL: p.heal_reward, TAUNT: p.taunt_reward}
        return max(paid, key=lambda skill: exact(paid[skill]))


class _Rolls:
    """The dice of m raids: what each skill gives to each hero, the same for every plan."""

    def __init__(self, params: RaidParams, seed: int, played: int, m: int) -> None:
        self._params, self._seed, self._played, self._m = params, seed, played, m

    def row(self, turn: int, skill: int, used: Any) -> Ints:
        """Shape (m, n)."""
        if not used.any():
            return np.zeros(self._params.heroes, dtype=np.int64)
        name = SKILLS[skill]
        own = dice(self._seed, turn, f"ahead/{self._played}/{name}")
        return drawn(self._params, own, name, (self._m, self._params.heroes))


class _Fights(RaidsUnderWay):
    """m raids from one position on, by one plan."""

    def __init__(
        self,
        game: "RaidBattle",
        position: Position,
        record: Sequence[Turn],
        plan: Plan,
        habit: str,
        m: int,
    ) -> None:
        params = game.params
        rewards = (params.fireball_reward, params.heal_reward, params.taunt_reward)
        paid = [exact(x) for x in rewards]
        unit = lcm(MICRO, *(x.denominator for x in paid))
        rolls = _Rolls(params, game.seed, len(record), m)
        everybody = np.ones((m, params.heroes), dtype=np.bool_)
        nothing = np.zeros((0, params.heroes), dtype=np.int64)
        recorded = Conducts(nothing, nothing, nothing, nothing, stopped=False)
        super().__init__(params, recorded, rolls, everybody, paid, unit)
        self._unit, self._record, self._habit, self._asks = unit, list(record), habit, plan
        heroes = [position["heroes"][agent] for agent in params.agents]
        self._boss[:] = position["boss_hp"]
        self._heroes[:] = [hero["hp"] for hero in heroes]
        self._cooldown[:] = [hero["cooldown"] for hero in heroes]
        self._over[:] = game.over(position)

    def played(self) -> list[Played]:
        """Return every course that the raids took, and how often."""
        rows: list[Any] = []
        for t in range(len(self._record), self._params.rounds):
            if self._over.all():
                break
            running, before = ~self._over, self._earned.copy()
            alive = (self._heroes > 0) & running[:, None]
            skills = np.where(alive, self._chosen(t), IDLE)
            self._step(t)
            rows.append(np.concatenate([running[:, None], skills, self._earned - before], axis=1))
        if not rows:
            return [Played(self._record, len(self._boss))]
        courses = np.stack(rows, axis=1)
        times = Counter(course.tobytes() for course in courses)
        first = {course.tobytes(): course for course in courses[::-1]}
        return [Played(self._told(first[key]), count) for key, count in times.items()]

    def _chosen(self, t: int) -> Ints:
        turn, agents = t + 1, self._params.agents
        owed = list(self._asks.asked((), turn))

        def row(legal: Sequence[str]) -> list[int]:
            chosen = (self._asks.choice(a, owed, legal, self._habit) for a in agents)
            return [SKILLS.index(x) if x else IDLE for x in chosen]

        cooling: Coalitions = self._cooldown > 0
        return np.where(cooling, np.array(row(COOLING)), np.array(row(SKILLS)))

    def _told(self, course: Ints) -> list[Turn]:
        """Return one course as a record."""
        turns, n = list(self._record), self._params.heroes
        for running, *row in course.tolist():
            if not running:
                break
            skills, own, pot = row[:n], row[n : 2 * n], row[2 * n]
            turn: Turn = {
                "turn": len(turns) + 1,
                "actions": {
                    a: SKILLS[k]
                    for a, k in zip(self._params.agents, skills, strict=True)
                    if k != IDLE
                },
                "rewards": {
                    a: x / self._unit for a, x in zip(self._params.agents, own, strict=True)
                },
            }
            if pot:
                turn["pot"] = pot / self._unit
            turns.append(turn)
        return turns
