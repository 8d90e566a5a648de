"""The simulator of raids, which plays many at once if a plan's actions depend on the turn alone."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shapley_coop.amounts import exact
from shapley_coop.extensions.raid.batch import PASS, Ints, Mask, simulate
from shapley_coop.extensions.raid.battles import TAUNTS, Battles, Rolls
from shapley_coop.extensions.raid.rules import FIREBALL, HEAL, SKILLS, TAUNT, drawn
from shapley_coop.games.ahead import MOST_PLAYS, Ahead, Plan, Played
from shapley_coop.games.dice import dice
from shapley_coop.games.game import Game
from shapley_coop.games.turns import Position, Turn

if TYPE_CHECKING:
    from shapley_coop.extensions.raid.game import RaidBattle

COOLING = [skill for skill in SKILLS if skill != TAUNT]
"""The skills of a hero whose Taunt is not ready."""


class RaidAhead(Ahead):
    """The simulator in which a hero without a duty from a deal uses its best-paid skill."""

    game: "RaidBattle"

    @property
    def words(self) -> str:
        """The assumed conduct of heroes without a duty, in words."""
        return f"a hero that is asked for nothing uses {self._habit}"

    @property
    def unasked_words(self) -> str:
        """The assumed skill of a hero without a duty."""
        return self._habit

    def most(self) -> dict[str, Fraction]:
        """Return each hero's payoff bound: its best rewards plus a part of the team's reward."""
        p = self.game.params
        paid = max(map(exact, (p.fireball_reward, p.heal_reward, p.taunt_reward, 0)))
        team = max(exact(p.win_reward), exact(p.loss_reward), Fraction(0)) / p.heroes
        return dict.fromkeys(self.game.agents, p.rounds * paid + team)

    def unasked(self, position: Position, agent: str, waiting: bool) -> str:
        """Return the skill that earns the hero itself most."""
        return self._habit

    def on_other_dice(self, seed: int) -> Game:
        """Return the same raid with another seed."""
        return type(self.game)(self.game.params.model_dump(), seed)

    def count(self, plan: Plan, sims: int, turns: int) -> int:
        """Return the number of plays: MOST_PLAYS for a fixed plan, else the usual number."""
        return MOST_PLAYS if plan.fixed else super().count(plan, sims, turns)

    def plays(
        self, position: Position, record: Sequence[Turn], plan: Plan, count: int
    ) -> list[Played]:
        """Simulate a fixed plan on arrays, counting equal plays once; else play one by one."""
        if not plan.fixed or count < MOST_PLAYS:
            return super().plays(position, record, plan, count)
        return self._side_by_side(position, record, plan, count)

    @property
    def _habit(self) -> str:
        p = self.game.params
        paid = {FIREBALL: p.fireball_reward, HEAL: p.heal_reward, TAUNT: p.taunt_reward}
        return max(paid, key=lambda skill: exact(paid[skill]))

    def _rolls(self, played: int, count: int) -> Rolls:
        """Return the dice of `count` raids; the dice are the same for every plan."""
        params, seed = self.game.params, self.game.seed

        def rolls(turn: int, skill: int, used: Mask) -> Ints:
            if not used.any():
                return np.zeros(params.heroes, dtype=np.int64)
            own = dice(seed, turn, f"ahead/{played}/{SKILLS[skill]}")
            return drawn(params, own, SKILLS[skill], (count, params.heroes))

        return rolls

    def _side_by_side(
        self, position: Position, record: Sequence[Turn], plan: Plan, count: int
    ) -> list[Played]:
        """Simulate `count` raids; return each distinct play with its number of occurrences."""
        game, agents = self.game, self.game.agents
        battles = Battles(game.params, self._rolls(len(record), count))

        def keep(turn: int, legal: Mask) -> Ints:
            owed = list(plan.asked((), turn + 1))

            def row(able: Sequence[str]) -> list[int]:
                chosen = (plan.choice(a, owed, able, self._habit) for a in agents)
                return [SKILLS.index(x) if x else PASS for x in chosen]

            chosen = np.where(legal[:, :, TAUNTS], row(SKILLS), row(COOLING))
            return np.where(legal.any(axis=2), chosen, PASS)

        turns = range(len(record), game.params.rounds)
        moments = list(simulate(battles, battles.at(position, count), keep, turns))
        if not moments:
            return [Played([*record], count)]
        rows = [np.concatenate([x.running[:, None], x.chosen, x.earned], axis=1) for x in moments]
        courses = np.stack(rows, axis=1)
        times = Counter(course.tobytes() for course in courses)
        first = {course.tobytes(): course for course in courses[::-1]}
        told = {
            key: [*record, *_told(first[key], len(record) + 1, agents, battles.unit)]
            for key in times
        }
        return [Played(told[key], many) for key, many in times.items()]


def _told(course: Ints, first: int, agents: Sequence[str], unit: int) -> Iterator[Turn]:
    """Yield the turns of one simulated fight, in the format of a run's record."""
    for number, (running, *row) in enumerate(course.tolist(), start=first):
        if not running:
            return
        skills, own, pot = row[: len(agents)], row[len(agents) : -1], row[-1]
        actions = {a: SKILLS[k] for a, k in zip(agents, skills, strict=True) if k != PASS}
        rewards = {a: x / unit for a, x in zip(agents, own, strict=True)}
        turn: Turn = {"turn": number, "actions": actions, "rewards": rewards}
        if pot:
            turn["pot"] = pot / unit
        yield turn
