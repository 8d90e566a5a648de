"""Replays of recorded rounds by a game's own rules, and the differences from the record.

Each match starts anew. In each round the agents take their recorded actions; an action that is not
legal is a difference, and its agent idles. The contract's payments are made, then each agent's
points are compared: the record's, and those of the replay with an equal part of the pot.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Any, NamedTuple

from shapley_coop.amounts import plain
from shapley_coop.credit.attribution import attribute_by
from shapley_coop.credit.characteristic import Attribution
from shapley_coop.credit.norms import find_norm
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.monitor import Monitor
from shapley_coop.deals.settlement import apply_payments, earnings
from shapley_coop.extensions.studies.rounds import Rounds, Row
from shapley_coop.games import Game, Position, Step, Turn
from shapley_coop.games.actions import told_actions
from shapley_coop.games.goods import with_gifts
from shapley_coop.games.turns import RecordKey
from shapley_coop.state.characteristic import characteristic

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
                possible = f"not possible, only {', '.join(told_actions(legal)) or 'to idle'}"
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


def report(
    game: Game,
    matches: Mapping[str, Match],
    norm: str = "shapley",
    moved: Callable[[], object] = lambda: None,
) -> dict[str, Any]:
    """Return the differences and breaches of all matches, and each agent's sums, as plain JSON.

    Baseline and credit are sums over the matches without differences, because another play has
    other credit. A sum of nothing is None. `moved` is called after each match.

    Raises:
        ValueError: the norm is unknown, or not computable for so many agents.
    """
    find_norm(norm)
    credits = list(_credits(game, matches.values(), norm, moved))
    differences = [one for match in matches.values() for one in match.differences]
    return {
        "agents": {agent: _sums(agent, matches.values(), credits) for agent in game.agents},
        "norm": norm,
        "baseline": game.baseline.words,
        "warning": game.baseline.warning or game.baseline.no_value,
        "matches": len(matches),
        "agreeing": sum(not match.differences for match in matches.values()),
        "credited": len(credits),
        "rounds": sum(len(match.rounds) for match in matches.values()),
        "differing": len({(one.row.match, one.row.round) for one in differences}),
        "differences": [
            one.row.model_dump(include={"where", "match", "round"})
            | {"what": one.what, "recorded": one.recorded, "ours": one.ours}
            for one in differences
        ],
        "breaches": [
            {"match": name, **asdict(breach)}
            for name, match in matches.items()
            for breach in match.monitor.breaches
        ],
    }


def _sums(
    agent: str, matches: Iterable[Match], credits: Iterable[Attribution]
) -> dict[str, str | None]:
    rows = [row for match in matches for rows in match.rounds for row in rows]
    found = {
        "recorded": [row.points for row in rows if row.agent == agent and row.points is not None],
        "ours": [points[agent] for match in matches for points in match.points],
        "baseline": [one.at_baseline[agent] for one in credits if one.at_baseline],
        "credit": [one.values[agent] for one in credits],
    }
    return {key: plain(sum(x, Fraction(0))) if x else None for key, x in found.items()}


def _credits(
    game: Game, matches: Iterable[Match], norm: str, moved: Callable[[], object]
) -> Iterator[Attribution]:
    """Yield the credit of each match without differences; equal records are computed once."""
    known: dict[RecordKey, Attribution] = {}
    undefined = game.analysis.credit_rule == "record" and game.baseline.no_value
    for match in matches:
        if not match.differences and not undefined:
            key = RecordKey(match.record)
            if key not in known:
                known[key] = attribute_by(characteristic(game, match.record), norm)
            yield known[key]
        moved()
