"""Replays of a record: coalition members repeat their actions, all others play their baseline.

A replay begins at the start, on the same dice. If a member could act at a turn but did not, it does
not act in the replay. A member leaves its recorded path only in three cases: it could not act at
this turn in the record, its recorded action is illegal in the replay, or the record has ended. It
then takes the next legal action from a cycle through its recorded turns, or plays its baseline if
none is legal. The cycle starts at the first turn, and moves on only when an action is taken from
it. If the play stopped before the game's end, replays stop at the same turn. A member whose record
is its baseline at every turn plays its baseline in replays.

A replay gives the outcome of the same moves, and does not predict how agents would have reacted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shapley_coop.amounts import exact
from shapley_coop.by_class import ByClass
from shapley_coop.games.baseline import AWAY, RANDOM, Baseline, absent_action
from shapley_coop.games.dice import dice
from shapley_coop.games.simulation import simulate

if TYPE_CHECKING:
    from shapley_coop.games.game import Game
    from shapley_coop.games.turns import Position, Step, Turn

Coalitions = NDArray[np.bool_]
"""Boolean, shape (m, n): entry (k, i) says whether coalition k contains agent i."""

COULD_NOT: Any = object()
"""Marks a turn in which an agent could not act; None marks one in which it could but did not."""

RANDOM_PLAYS = 16
MOST_ABSENT_PLAYS = 4_096
MOST_AT_ONCE = 1 << 22
"""The most coalitions × agents whose rewards are in memory at once."""

MOST_STEPPED = 12
"""The most agents for which all 2ⁿ coalitions are replayed step by step."""


@dataclass(frozen=True, eq=False)
class Replays:
    """The earnings of every agent in the replay of any coalition.

    Attributes:
        agents: the agents in order.
        earned: the function from m coalitions to m rows of amounts: each agent's own rewards, then
            the pot, times `unit`; integers or fractions.
        unit: the divisor that turns these amounts into the game's unit.
        exact_agents: the most agents for which replaying all coalitions is quick.
    """

    agents: tuple[str, ...]
    earned: Callable[[Coalitions], NDArray[Any]]
    unit: int = 1
    exact_agents: int = MOST_STEPPED
    parts: tuple[Fraction, ...] | None = None
    """Each agent's fixed contribution if W(C) sums its members' contributions; else None."""
    classes: tuple[ByClass, ...] | None = None
    """Functions of each class's number of members; they sum to W minus a constant, if known."""
    given: str = ""
    """The random draws on which the amounts depend, in words; "" if there are none."""

    def totals(self, members: Coalitions) -> NDArray[Any]:
        """Return W(C) of each coalition: the total of all agents and the pot, times `unit`."""
        at_once = max(1, MOST_AT_ONCE // len(self.agents))
        parts = [members[k : k + at_once] for k in range(0, max(1, len(members)), at_once)]
        return np.concatenate([np.asarray(self.earned(part).sum(axis=1)) for part in parts])

    def improvement(self, members: Coalitions) -> Fraction:
        """Return v(C) = W(C) − W(∅) of one coalition, given as an array with one row."""
        there, nobody = self.totals(np.concatenate([members, np.zeros_like(members)])).tolist()
        return _fraction(there - nobody, self.unit)

    def improvements(self, members: Coalitions) -> NDArray[np.float64]:
        """Return an array with v(C) of each coalition, in the game's unit."""
        nobody = self.totals(np.zeros((1, len(self.agents)), dtype=np.bool_))[0]
        return np.asarray((self.totals(members) - nobody) / self.unit, dtype=np.float64)

    def at_baseline(self) -> dict[str, Fraction]:
        """Return W_i(∅): each agent's rewards and equal part of the pot if no agent is a member."""
        return self.of(np.zeros(len(self.agents), dtype=np.bool_))

    def of(self, members: NDArray[np.bool_]) -> dict[str, Fraction]:
        """Return W_i(C) of one coalition: each agent's own rewards and an equal part of the pot."""
        *own, pot = (_fraction(x, self.unit) for x in self.earned(members[None, :])[0])
        return {a: x + pot / len(self.agents) for a, x in zip(self.agents, own, strict=True)}


def _fraction(amount: Any, unit: int) -> Fraction:
    return Fraction(amount if isinstance(amount, Fraction) else int(amount)) / unit


@dataclass(frozen=True, eq=False)
class Conduct:
    """The actions that coalition members repeat in replays.

    Attributes:
        schedules: agent → for each turn its action, None (no action) or COULD_NOT.
        stopped: whether the play was stopped before the game's end.
        replayed: the agents whose record differs from their baseline.
        goes_on: whether members cycle through their own turns where they leave the recorded path;
            otherwise they play their baseline there. False serves comparisons only.
    """

    schedules: dict[str, list[Any]]
    stopped: bool
    replayed: frozenset[str]
    goes_on: bool = True


def conduct(game: "Game", record: "Sequence[Turn]", baseline: Baseline) -> Conduct:
    """Return each agent's recorded actions; playing them again shows who could act when."""
    position = game.start()
    schedules: dict[str, list[Any]] = {agent: [] for agent in game.agents}
    differs = set()
    for turn, after in zip(record, game.analysis.replay(record), strict=True):
        for agent in game.agents:
            legal = game.legal(position, agent)
            done = turn["actions"].get(agent) if legal else COULD_NOT
            schedules[agent].append(done)
            if baseline.kind in (AWAY, RANDOM) or (
                legal and done != absent_action(game, baseline, position, agent)
            ):
                differs.add(agent)
        position = after.position
    return Conduct(schedules, not game.over(position), frozenset(differs))


def step_by_step(game: "Game", did: Conduct) -> Replays:
    """Return replays by the game's `step`, for games of any kind. Cost: a play per coalition."""
    baseline = game.baseline
    known: dict[bytes, list[Fraction]] = {}

    def earned(members: Coalitions) -> NDArray[Any]:
        for row in members:
            if row.tobytes() not in known:
                known[row.tobytes()] = _mean_play(game, did, baseline, row)
        found = np.empty((len(members), len(game.agents) + 1), dtype=object)
        for k, row in enumerate(members):
            found[k] = known[row.tobytes()]
        return found

    given = f"{RANDOM_PLAYS} draws" if baseline.kind == RANDOM else ""
    return Replays(game.agents, earned, given=given)


def _mean_play(
    game: "Game", did: Conduct, baseline: Baseline, row: NDArray[np.bool_]
) -> list[Fraction]:
    inside = [agent for agent, is_in in zip(game.agents, row, strict=True) if is_in]
    if baseline.kind != RANDOM or len(inside) == len(game.agents):
        return _Play(game, did, baseline, inside).run()
    plays = [_Play(game, did, baseline, inside, k).run() for k in range(RANDOM_PLAYS)]
    return [sum(column, Fraction(0)) / RANDOM_PLAYS for column in zip(*plays, strict=True)]


class _Play:
    """One replay in progress."""

    def __init__(
        self, game: "Game", did: Conduct, baseline: Baseline, inside: list[str], draw: int = 0
    ) -> None:
        self._game, self._did, self._baseline, self._draw = game, did, baseline, draw
        self._absent = [agent for agent in game.agents if agent not in inside]
        self._away = self._absent if baseline.kind == AWAY else []
        self._cursor = dict.fromkeys(game.agents, 0)

    def run(self) -> list[Fraction]:
        """Return each agent's total rewards in order, then the pot."""
        game, turns = self._game, len(next(iter(self._did.schedules.values()), []))
        last = turns if self._did.stopped else max(turns, game.turns)
        earned, pot = dict.fromkeys(game.agents, Fraction(0)), Fraction(0)
        for _, after in simulate(game, game.start(), range(1, last + 1), self._act, self._step):
            for agent in game.agents:
                earned[agent] += exact(after.rewards.get(agent, 0))
            pot += exact(after.pot)
        return [*earned.values(), pot]

    def _act(self, turn: int, position: "Position") -> dict[str, str]:
        actions = {}
        for agent in self._game.agents:
            legal = self._game.legal(position, agent)
            if legal and agent not in self._away:
                chosen = self._choose(turn, position, agent, legal)
                if chosen is not None:
                    actions[agent] = chosen
        return actions

    def _step(self, position: "Position", actions: dict[str, str]) -> "Step":
        if self._away:
            return least_for_the_present(self._game, position, actions, self._away)
        return self._game.step(position, actions)

    def _choose(
        self, turn: int, position: "Position", agent: str, legal: Sequence[str]
    ) -> str | None:
        if agent in self._absent or agent not in self._did.replayed:
            return self._of_the_absent(turn, position, agent, legal)
        schedule: list[str | None] = self._did.schedules[agent]
        done: str | None = schedule[turn - 1] if turn <= len(schedule) else COULD_NOT
        if done is not COULD_NOT and self._possible(done, legal):
            return done
        for k in range(len(schedule) if self._did.goes_on else 0):
            at = (self._cursor[agent] + k) % len(schedule)
            if schedule[at] is not COULD_NOT and self._possible(schedule[at], legal):
                self._cursor[agent] = at + 1
                return schedule[at]
        return self._of_the_absent(turn, position, agent, legal)

    def _possible(self, action: str | None, legal: Sequence[str]) -> bool:
        return action is None or self._game.action_label(action) in legal

    def _of_the_absent(
        self, turn: int, position: "Position", agent: str, legal: Sequence[str]
    ) -> str | None:
        if self._baseline.kind == RANDOM:
            i = self._game.agents.index(agent)
            drawn = dice(self._game.seed, turn, f"absent/{i}/{self._draw}")
            return legal[int(drawn.integers(len(legal)))]
        action = absent_action(self._game, self._baseline, position, agent)
        return action if action in legal else None


def least_for_the_present(
    game: "Game", position: "Position", actions: dict[str, str], absent: list[str]
) -> "Step":
    """Return the step if absent agents minimise the total of the present agents and the pot.

    Absent agents earn 0. Ties go to the first joint action in the order of the actions.

    Raises:
        GameError: the absent agents have too many joint actions.
    """
    from shapley_coop.games.params import GameError
    from shapley_coop.games.turns import Step

    open_ = {a: legal for a in absent if (legal := game.legal(position, a))}
    if prod(len(legal) for legal in open_.values()) > MOST_ABSENT_PLAYS:
        raise GameError(
            f"{game.name}: the absent agents have too many joint actions: name their actions with "
            "the parameter absent"
        )
    least: tuple[Fraction, Step] | None = None
    for joint in product(*open_.values()):
        after = game.step(position, {**actions, **dict(zip(open_, joint, strict=True))})
        present = {a: 0 if a in absent else x for a, x in after.rewards.items()}
        total = sum(map(exact, present.values()), exact(after.pot))
        if least is None or total < least[0]:
            least = total, Step(after.position, present, after.pot, after.effects)
    assert least is not None, "an empty product has one joint action"
    return least[1]


def own_rewards(record: "Sequence[Turn]", agents: Sequence[str]) -> dict[str, Fraction]:
    """Return each agent's sum of rewards in a record, in the game's unit."""
    return {
        agent: sum((exact(turn["rewards"].get(agent, 0)) for turn in record), Fraction(0))
        for agent in agents
    }


def additive(agents: tuple[str, ...], amounts: Sequence[Fraction]) -> Replays:
    """Return replays in which each member earns a fixed amount, and each other agent nothing."""
    parts = np.array([*amounts, Fraction(0)], dtype=object)

    def earned(members: Coalitions) -> NDArray[Any]:
        inside = np.concatenate([members, np.zeros((len(members), 1), dtype=np.bool_)], axis=1)
        return np.asarray(np.where(inside, parts, np.array(Fraction(0), dtype=object)))

    return Replays(agents, earned, parts=tuple(amounts))
