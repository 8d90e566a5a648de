"""Replays of recorded rounds by a game's own rules, and the differences from the record.

Each match starts anew. In each round the agents take their recorded actions; an action that is not
legal is a difference, and its agent idles. The contract's payments are made, then each agent's
points are compared: the record's, and those of the replay with an equal part of the pot.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from shapley_coop.amounts import plain
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.monitor import Monitor
from shapley_coop.deals.settlement import apply_payments, earnings
from shapley_coop.extensions.studies.rounds import Rounds, Row
from shapley_coop.games import Game, Position, Step, Turn
from shapley_coop.games.goods import with_gifts

TOLERANCE = Fraction(1, 10**5)
"""The tolerated difference of points: records hold floats, and payoffs are whole millionths."""


class Difference(NamedTuple):
    """A fact with its recorded value and its value in the replay, and the row that it is about."""

    row: Row
    what: str
    recorded: Any
    ours: Any


class Match:
    """One match, replayed. A study that records more than actions and points has a subclass.

    Args:
        game: the game.
        rounds: the recorded rounds, each with one row or more.
        deal: the contract in force from round 1 on, or None.

    Attributes:
        steps: the steps of the replay; fewer than the rounds if the game ended before.
        monitor: the contract's monitor after the replay.
        points: for each replayed round, agent → its points by our rules.
        differences: all differences, in the order of rounds.
    """

    def __init__(self, game: Game, rounds: Rounds, deal: Deal | None = None) -> None:
        self.game, self.rounds = game, rounds
        self.monitor = Monitor(deal, game.open_turns)
        self.steps: list[Step] = []
        facts = list(self._play())
        self.points = self._points()
        for n, ours in enumerate(self.points):
            facts[n] += _unlike(rounds[n], ours)
        self.differences = [one for found in facts for one in found if one.recorded != one.ours]

    @property
    def record(self) -> list[Turn]:
        """The replayed turns."""
        return self.monitor.turns

    def choose(
        self, position: Position, rows: Sequence[Row]
    ) -> tuple[dict[str, str], Iterable[Difference]]:
        """Return the recorded actions that are legal, and facts about the others."""
        actions, found = dict[str, str](), list[Difference]()
        for row in rows:
            legal = self.game.legal(position, row.agent)
            if row.action in legal:
                actions[row.agent] = row.action
            elif row.action:
                possible = f"not possible, only {', '.join(legal) or 'to idle'}"
                found.append(Difference(row, f"{row.agent}'s action", row.action, possible))
        return actions, found

    def step(self, position: Position, actions: Mapping[str, str]) -> Step:
        """Return the game's step."""
        return self.game.step(position, actions)

    def compare(self, before: Position, step: Step, rows: Sequence[Row]) -> Iterable[Difference]:
        """Return facts to compare beside the points; facts that are equal are left out later."""
        return ()

    def _play(self) -> Iterator[list[Difference]]:
        """Replay the rounds; yield the facts of each."""
        position = self.game.start()
        for number, rows in enumerate(self.rounds, start=1):
            if self.game.over(position):
                yield [Difference(rows[0], "the round", "played", "the game is over")]
                return
            actions, found = self.choose(position, rows)
            turn: Turn = {"turn": number, "actions": actions, "rewards": {}}
            gifts = self.monitor.handing_over(turn) if self.game.goods else []
            step = self.step(with_gifts(position, [one.gift() for one in gifts]), actions)
            self.steps.append(step)
            self.monitor.observe(_with_results(turn, step))
            yield [*found, *self.compare(position, step, rows)]
            position = step.position

    def _points(self) -> list[dict[str, Fraction]]:
        """Return for each turn every agent's reward, part of the pot, and net payments."""
        held = [earnings([turn], self.game.agents) for turn in self.record]
        for payment in self.monitor.payments:
            held[payment.turn - 1] = apply_payments(held[payment.turn - 1], [payment])
        return held


def _with_results(turn: Turn, step: Step) -> Turn:
    played: Turn = {**turn, "rewards": step.rewards}
    if step.effects:
        played["effects"] = step.effects
    if step.pot:
        played["pot"] = step.pot
    return played


def _unlike(rows: Sequence[Row], ours: Mapping[str, Fraction]) -> list[Difference]:
    return [
        Difference(row, f"{row.agent}'s points", plain(row.points), plain(ours[row.agent]))
        for row in rows
        if row.points is not None and abs(ours[row.agent] - row.points) > TOLERANCE
    ]
